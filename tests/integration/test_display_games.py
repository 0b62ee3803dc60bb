"""What a player is to see of each game and phase, looked up in the frame's own sprites."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pygame
import pytest
from msgspec.structs import replace

from cabinet.engine.actions import Play, Spit
from cabinet.engine.cards import Card
from cabinet.engine.games import Game, game_named
from cabinet.engine.table import SEATS, Seat
from cabinet.snapshot import Snapshot
from display import rehearsal, scenes, text
from display.layout import SMALLEST_TEXT, Box
from display.memory import PileMemory
from display.scenes import points, round, speed, table  # noqa: A004
from display.screen import Screen
from display.settings import DisplaySettings
from display.sprites import Sprite
from display.stage import Kit, Stage
from tests import display_games as games
from tests.display_games import PHASES, Told
from tests.display_snapshots import MS, NOW
from tests.tables import SPEED, SPEED_STUCK

SIZE = (1_280, 720)
SETTINGS = DisplaySettings(drift=False)
card = Card.parse


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode((64, 64))
    yield
    pygame.display.quit()


def frame_of(
    snapshot: Snapshot, *, before: Snapshot | None = None, age_ms: int = 0, size: tuple[int, int] = SIZE
) -> Stage:
    """A whole frame, `age_ms` after the snapshot."""
    memory = PileMemory()
    for seen in (before, snapshot):
        if seen is not None:
            memory.observe(seen)
    stage = Stage(Kit(size, SETTINGS, {}), snapshot, memory, NOW + age_ms * MS)
    scenes.draw(stage)
    return stage


def said(stage: Stage) -> dict[str, list[Sprite]]:
    """Every line of words in a frame, with where it stands."""
    lines = {id(picture): str(key[0]) for key, picture in stage.type._words._pictures.items()}
    found: dict[str, list[Sprite]] = {}
    for sprite in stage.sprites:
        if id(sprite.picture) in lines:
            found.setdefault(lines[id(sprite.picture)], []).append(sprite)
    return found


def where(stage: Stage, picture: pygame.Surface) -> list[tuple[int, int]]:
    """The middles of every place where a picture lies."""
    return [sprite.rect().center for sprite in stage.sprites if sprite.picture is picture]


def near(place: tuple[int, int], box: Box) -> bool:
    return abs(place[0] - box.centre[0]) <= 2 and abs(place[1] - box.centre[1]) <= 2


def half(sprite: Sprite) -> Seat:
    return "a" if sprite.rect().centerx < SIZE[0] // 2 else "b"


def pixels(snapshot: Snapshot) -> bytes:
    surface = pygame.Surface(SIZE).convert()
    Screen(SIZE, SETTINGS).draw(surface, snapshot, NOW)
    return pygame.image.tobytes(surface, "RGB")


# Every phase of every game


def test_every_phase_draws_and_no_two_look_alike() -> None:
    pictures = {name: pixels(make()) for name, make in PHASES.items()}
    assert len(set(pictures.values())) == len(pictures)


@pytest.mark.parametrize("name", PHASES)
@pytest.mark.parametrize("size", [(1_280, 720), (1_920, 1_080)])
def test_all_words_can_be_read_and_stay_on_the_screen(name: str, size: tuple[int, int]) -> None:
    stage = frame_of(PHASES[name](), size=size)
    screen = pygame.Rect(0, 0, *size)
    keys = {id(picture): key for key, picture in stage.type._words._pictures.items()}
    shown = [(keys[id(sprite.picture)], sprite) for sprite in stage.sprites if id(sprite.picture) in keys]
    assert shown
    for key, sprite in shown:
        words, px = str(key[0]), key[1]
        assert isinstance(px, int)
        assert px >= SMALLEST_TEXT, words
        assert screen.contains(sprite.picture.get_bounding_rect().move(sprite.x, sprite.y)), words


@pytest.mark.parametrize("name", [name for name in PHASES if name not in ("speed won", "points won", "capped")])
def test_words_in_a_seats_half_do_not_run_into_the_piles(name: str) -> None:
    stage = frame_of(PHASES[name]())
    layout = stage.layout
    piles = [pygame.Rect(box.x, box.y, box.w, box.h) for box in (layout.left, layout.right)]
    for words, sprites in said(stage).items():
        for sprite in sprites:
            ink = sprite.picture.get_bounding_rect().move(sprite.x, sprite.y)
            on_pile = [pile for pile in piles if pile.colliderect(ink)]
            assert all(pile.contains(ink) for pile in on_pile), words


@pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.name)
def test_a_whole_game_is_rehearsed_before_it_is_played(game: Game) -> None:
    surface = pygame.Surface(SIZE).convert()
    screen = Screen(SIZE, SETTINGS)
    screen.draw(surface, Told.dealt(game.rules).shown(), NOW)
    while screen.rehearse():
        pass
    shapes = len(screen._kit.light._shapes)
    faces = set(screen._kit.deck._faces._pictures)
    memory = PileMemory()
    for snapshot in rehearsal.snapshots(game.rules):
        memory.observe(snapshot)
        scenes.draw(Stage(screen._kit, snapshot, memory, NOW))
    playing = Told.dealt(game.rules).ready().wait(3_000).shown()
    screen.draw(surface, playing, NOW)
    assert len(screen._kit.light._shapes) == shapes, "no light is painted in play"
    stock = screen._kit.layout().card
    assert {key for key in screen._kit.deck._faces._pictures if key[1] == stock} <= faces, "no card either"


# Speed


@pytest.mark.parametrize("hands", ["open", "hidden"])
def test_the_hand_lies_exactly_above_the_buttons(hands: str) -> None:
    stage = frame_of(Told.at(SPEED, "speed", hands=hands).shown(300))
    deck, layout = stage.kit.deck, stage.layout
    for seat in SEATS:
        for text_, box, button in zip(
            SPEED[seat]["hand"], layout.seat(seat).stock, layout.seat(seat).buttons, strict=True
        ):
            face = deck.back(layout.card) if hands == "hidden" else deck.face(card(text_), layout.card)
            assert any(near(place, box) for place in where(stage, face))
            assert abs(box.centre[0] - button.centre[0]) <= 1


def test_a_hidden_hand_shows_no_card_and_a_slot_of_it_that_is_empty_shows_none() -> None:
    stage = frame_of(Told.at(SPEED, "speed", hands="hidden", draw="manual").press("a", Play(1)).shown(400))
    layout, deck = stage.layout, stage.kit.deck
    faces = [deck.face(card(name), layout.card) for seat in SEATS for name in SPEED[seat]["hand"]]
    assert not any(where(stage, face) for face in faces)
    backs = where(stage, deck.back(layout.card))
    assert [any(near(place, box) for place in backs) for box in layout.a.stock] == [False, True, True, True, True]


def test_draw_piles_and_side_piles_lie_face_down_with_their_numbers() -> None:
    stage = frame_of(Told.at(SPEED_STUCK, "speed").both(Spit()).wait(600).shown(900))
    layout = stage.layout
    backs = where(stage, stage.kit.deck.back(layout.small_card))
    for seat in SEATS:
        for box in (layout.seat(seat).spit, layout.seat(seat).side):
            assert box is not None
            assert any(
                abs(x - box.centre[0]) <= 1 and box.y - layout.px(40) <= y <= box.centre[1] for x, y in backs
            )
    assert len(said(stage)["10"]) == 2, "both draw piles"
    assert len(said(stage)["9"]) == 2, "both side piles, one card less each"


def test_the_singles_lie_face_down_until_they_turn() -> None:
    match = Told.dealt(game_named("speed").rules)
    for told in (match.shown(), match.ready().wait(700).shown()):
        stage = frame_of(told)
        backs = where(stage, stage.kit.deck.back(stage.layout.big_card))
        assert [
            near(place, box) for place, box in zip(backs, (stage.layout.left, stage.layout.right), strict=True)
        ]
    assert "2" in said(frame_of(match.shown())), "the count stands on them"
    stage = frame_of(match.wait(1_100).shown(300))
    assert not where(stage, stage.kit.deck.back(stage.layout.big_card))


def slides(age_ms: int) -> tuple[Stage, list[Sprite]]:
    """Only the cards that slide, so long after they were called out."""
    told = Told.at(SPEED_STUCK, "speed")
    before = told.shown()
    snapshot = told.both(Spit()).wait(600).shown()
    memory = PileMemory()
    memory.observe(before)
    memory.observe(snapshot)
    stage = Stage(Kit(SIZE, SETTINGS, {}), snapshot, memory, NOW + age_ms * MS)
    speed.slides(stage)
    return stage, stage.sprites[2::3]


def test_a_card_slides_from_each_side_pile_to_the_centre_pile_next_to_it() -> None:
    stage, (left, right) = slides(0)
    assert stage.layout.a.side is not None
    assert stage.layout.b.side is not None
    assert near(left.rect().center, stage.layout.a.side)
    assert near(right.rect().center, stage.layout.b.side)
    ways = [[sprite.rect().centerx for sprite in slides(age)[1]] for age in (0, 20, 40, 60, 80)]
    assert ways == sorted(ways, key=lambda way: way[0])
    assert [way[1] for way in ways] == sorted((way[1] for way in ways), reverse=True)
    stage, (left, right) = slides(90)
    assert abs(left.rect().centerx - stage.layout.left.centre[0]) <= 3
    assert abs(right.rect().centerx - stage.layout.right.centre[0]) <= 3
    assert slides(400)[1] == []


def test_the_slide_is_called_with_its_own_word_and_the_side_piles_light_up() -> None:
    told = Told.at(SPEED_STUCK, "speed")
    stage = frame_of(told.shown(), age_ms=500)
    assert {half(sprite) for sprite in said(stage)[text.SLIDE]} == {"a", "b"}
    assert text.SPIT not in said(stage)
    called = frame_of(told.press("a", Spit()).shown(), age_ms=500)
    assert [half(sprite) for sprite in said(called)[text.SLIDE]] == ["b"]
    assert [half(sprite) for sprite in said(called)[text.CALLED]] == ["a"]


def test_a_drawn_card_comes_from_the_draw_pile_into_its_slot() -> None:
    snapshot = Told.at(SPEED, "speed").press("a", Play(1)).shown()
    places = []
    for age_ms in (0, 30, 60, 90):
        stage = Stage(Kit(SIZE, SETTINGS, {}), snapshot, PileMemory(), NOW + age_ms * MS)
        view = snapshot.view
        assert view is not None
        speed.draws(stage, view)
        places.append(stage.sprites[-1].rect().center)
        table.stock_row(stage, "a", view)
        face = stage.face(card("2H"), stage.layout.card)
        assert not any(near(place, stage.layout.a.stock[0]) for place in where(stage, face)), "it is in the air"
    draw_pile, slot = stage.layout.a.spit, stage.layout.a.stock[0]
    assert abs(places[0][0] - draw_pile.centre[0]) <= 1
    assert places[0][1] < draw_pile.centre[1]
    assert [y for _, y in places] == sorted(y for _, y in places)
    assert abs(places[-1][0] - slot.centre[0]) + abs(places[-1][1] - slot.centre[1]) < slot.w // 5, "all but there"
    landed = frame_of(snapshot, age_ms=200)
    assert any(near(place, slot) for place in where(landed, landed.face(card("2H"), landed.layout.card)))


def test_a_slot_that_can_be_drawn_into_says_so_and_another_does_not() -> None:
    told = Told.at(SPEED, "speed", draw="manual").press("a", Play(1)).press("a", Play(3, "right"))
    stage = frame_of(told.shown(400))
    slots = [stage.layout.a.stock[0], stage.layout.a.stock[2]]
    for sprite, box in zip(said(stage)[text.DRAW], slots, strict=True):
        assert box.x <= sprite.rect().centerx <= box.right
        assert box.y <= sprite.rect().centery <= box.bottom
    empty = frame_of(Told.at(games.LAST_OF_SPEED, "speed", draw="manual").shown(400))
    assert text.DRAW not in said(empty), "there is no card to draw"


def test_new_hands_and_new_side_piles_are_told_for_a_while() -> None:
    hands = Told.found(games.DEAD, "speed").shown()
    sides = Told.at(games.DRY, "speed").both(Spit()).wait(600).shown()
    for snapshot, words in ((hands, text.NEW_HANDS), (sides, text.NEW_SIDES)):
        assert words in said(frame_of(snapshot, age_ms=1_000))
        assert words not in said(frame_of(snapshot, age_ms=2_800))


def test_all_cards_of_new_hands_fly_in() -> None:
    snapshot = Told.found(games.DEAD, "speed").shown()
    stage = Stage(Kit(SIZE, SETTINGS, {}), snapshot, PileMemory(), NOW + 30 * MS)
    assert snapshot.view is not None
    speed.draws(stage, snapshot.view)
    assert len(stage.sprites) == 2 * 10, "a shadow and a card for each slot"


# Points and what a round gave


def test_points_stand_large_at_each_seat() -> None:
    stage = frame_of(Told.at(SPEED | games.LEVEL, "speed").shown(300))
    for seat, number in (("a", "20"), ("b", "24")):
        (sprite,) = [one for one in said(stage)[number] if half(one) == seat]
        assert (
            sprite.picture.get_height()
            >= stage.type.words("0", stage.px(points.SCORE_PX), stage.theme.ink).get_height()
        )
    assert {half(sprite) for sprite in said(stage)["of 25"]} == {"a", "b"}


def test_a_round_of_speed_shows_the_points_and_what_they_are_for() -> None:
    told = Told.at(games.LAST_OF_SPEED, "speed").press("a", Play(1))
    stage = frame_of(told.shown(900))
    assert [half(sprite) for sprite in said(stage)["+9"]] == ["a"]
    assert [half(sprite) for sprite in said(stage)["cards left"]] == ["b"]
    assert "AMBER OUT!" in said(stage)
    later = frame_of(told.shown(2_700))
    assert "+9" not in said(later)
    assert len(said(later)["PRESS"]) == 2, "the ready prompt of both"


def test_only_undrawn_cards_are_counted_where_the_rules_say_so() -> None:
    told = Told.at(games.LAST_OF_SPEED, "speed", speed_score="stock").press("a", Play(1))
    assert {"+4", "left to draw"} <= set(said(frame_of(told.shown(900))))


def test_a_round_with_points_shows_what_was_added_and_that_less_is_better() -> None:
    stage = frame_of(PHASES["points round"]())
    assert [half(sprite) for sprite in said(stage)["+17"]] == ["a"]
    assert [half(sprite) for sprite in said(stage)["+35"]] == ["b"]
    assert len(said(stage)[text.LOW_WINS]) == 2
    assert text.OWNED not in said(stage), "the next round is dealt from the whole pack"


def test_a_one_pile_round_shows_who_took_nothing() -> None:
    stage = frame_of(PHASES["one-pile round"]())
    assert [half(sprite) for sprite in said(stage)["took nothing"]] == ["a"]
    assert [half(sprite) for sprite in said(stage)["took LEFT: 46 cards"]] == ["b"]


@pytest.mark.parametrize(
    ("name", "why", "numbers", "label"),
    [
        ("speed won", "25 POINTS REACHED", ("29", "24"), text.POINTS),
        ("points won", "FEWER POINTS AT 100", ("77", "125"), text.POINTS),
        ("capped", "FEWER CARDS AFTER 7 ROUNDS", ("17", "35"), text.OWNED),
    ],
)
def test_the_result_says_who_won_why_and_by_what(
    name: str, why: str, numbers: tuple[str, str], label: str
) -> None:
    stage = frame_of(PHASES[name]())
    assert {"AMBER WINS", why} <= set(said(stage))
    for seat, number in zip(SEATS, numbers, strict=True):
        assert seat in [half(sprite) for sprite in said(stage)[number]]
    assert len(said(stage)[label]) == 2


def test_what_a_round_gave_is_found_whole() -> None:
    stage = frame_of(PHASES["points round"]())
    gain = round.given(stage)
    assert gain is not None
    assert gain.taken is not None
    assert gain.scored is not None


# Variants of Spit


def test_who_chooses_is_told_to_both() -> None:
    for name in ("choice waits", "choice"):
        stage = frame_of(PHASES[name]())
        assert "AMBER CHOOSES A PILE" in said(stage)
        for line in text.TAKE_SMALLER:
            assert [half(sprite) for sprite in said(stage)[line]] == ["a"]
        assert [half(sprite) for sprite in said(stage)[text.CHOOSES]] == ["b"]
        assert text.SLAP not in said(stage)


def test_a_face_down_top_says_that_it_is_to_be_turned() -> None:
    stage = frame_of(PHASES["face down"]())
    (sprite,) = said(stage)[text.TURN]
    pile = stage.layout.a.stock[1]
    assert pile.x <= sprite.rect().centerx <= pile.right
    assert pile.y <= sprite.rect().centery <= pile.bottom
    assert text.TURN not in said(frame_of(PHASES["stacked"]()))


def test_open_cards_beneath_a_top_peek_out_above_it() -> None:
    stage = frame_of(PHASES["stacked"]())
    layout = stage.layout
    tops = []
    for name in ("8H", "8S", "8D"):
        (sprite,) = [one for one in stage.sprites if one.picture is stage.face(card(name), layout.card)]
        assert sprite.x == layout.a.stock[0].x
        tops.append(sprite.y)
    assert [lower - upper for upper, lower in itertools.pairwise(tops)] == [layout.fan(1)] * 2


def test_a_card_that_waits_is_lifted_and_its_piles_are_framed() -> None:
    calm, waiting = frame_of(PHASES["stacked"]()), frame_of(PHASES["stacked, a card waits"]())
    heights = []
    for stage in (calm, waiting):
        (sprite,) = [one for one in stage.sprites if one.picture is stage.face(card("8C"), stage.layout.card)]
        heights.append(sprite.y)
    assert heights[0] - heights[1] == waiting.px(table.LIFTED_PX)
    line = waiting.px(8)
    box = waiting.layout.card
    frame = waiting.kit.frame((box[0] + 2 * line, box[1] + 2 * line), waiting.theme.seat_a, line)
    framed = {
        number
        for number, pile in enumerate(waiting.layout.a.stock, 1)
        for place in where(waiting, frame)
        if abs(place[0] - pile.centre[0]) <= 2
    }
    assert framed == {1, 4}, "the other eights, and the space"
    assert {"WHICH", "PILE?"} <= set(said(waiting))
    assert text.WHICH_CARD in said(frame_of(PHASES["stacked, a space waits"]()))


def test_red_and_black_are_told_apart_where_the_colour_counts() -> None:
    stage = frame_of(PHASES["two colours"]())
    size = stage.layout.card
    foot = pygame.Rect(size[0] // 8, size[1] * 22 // 25, size[0] // 8, size[1] // 12)
    light = {
        name: sum(pygame.transform.average_color(stage.face(card(name), size), foot)[:3]) / 3
        for name in ("7H", "7D", "7C", "7S")
    }
    assert min(light["7H"], light["7D"]) > 200, "a plain foot"
    assert max(light["7C"], light["7S"]) < 40, "a dark one, for every eye"
    four = frame_of(PHASES["four suits"]())
    plain = pygame.transform.average_color(four.face(card("7C"), size), foot)
    assert sum(plain[:3]) / 3 > 200


def test_a_screen_that_shows_another_game_shows_it_as_if_it_had_never_shown_one() -> None:
    surface = pygame.Surface(SIZE).convert()
    screen = Screen(SIZE, SETTINGS)
    for name in ("four suits", "speed play", "two colours", "four piles", "stacked", "speed round"):
        snapshot = replace(PHASES[name](), happenings=())
        screen.draw(surface, snapshot, NOW)
        assert pygame.image.tobytes(surface, "RGB") == pixels(snapshot), name
