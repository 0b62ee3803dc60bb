"""Lobby, lesson and attract: which game, its rules as a picture, what a lesson says, and who joins meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from cabinet.engine.actions import Play
from cabinet.engine.games import Game, game_named
from cabinet.engine.rules import Rules, rules_from_options
from cabinet.engine.table import SEATS, Seat
from cabinet.engine.view import view_of
from cabinet.lesson import lesson_in
from cabinet.snapshot import Lesson, SeatStatus, Sign, Snapshot, Trouble
from display import rules_line, scenes, text
from display.layout import SMALLEST_TEXT, Box, Layout
from display.lobby_layout import lobby_layout
from display.memory import PileMemory
from display.scenes import emblem, lobby
from display.settings import DisplaySettings
from display.sprites import Sprite
from display.stage import Kit, Stage
from tests import display_games as games
from tests.display_games import GAMES, Told, as_lesson, lobby_of
from tests.display_snapshots import HUMAN, MS, NOW
from tests.lesson_stage import played
from tests.tables import PLAIN, SPEED

SIZES = [(1_024, 720), (1_280, 720), (1_920, 1_080)]
SIZE = (1_280, 720)
OWN = Game("Friday night", rules_from_options("spit", "arcade", {"stock": 4, "colours": "alternate"}))
KITS: dict[tuple[int, int], Kit] = {}
LESSON = Lesson("neighbours", NOW - 2_000 * MS, 2, 5)


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode((64, 64))
    KITS.clear()
    yield
    pygame.display.quit()


def stage_of(snapshot: Snapshot, size: tuple[int, int] = SIZE, keys: dict[str, str] | None = None) -> Stage:
    """An empty frame; all of one size and one test have their pictures from one kit."""
    memory = PileMemory()
    memory.observe(snapshot)
    if keys or size not in KITS:
        KITS[size] = Kit(size, DisplaySettings(drift=False), keys or {})
    return Stage(KITS[size], snapshot, memory, NOW)


def frame_of(snapshot: Snapshot, size: tuple[int, int] = SIZE, keys: dict[str, str] | None = None) -> Stage:
    """A whole frame."""
    stage = stage_of(snapshot, size, keys)
    scenes.draw(stage)
    return stage


def said(stage: Stage) -> dict[str, list[Sprite]]:
    """Every line of words in a frame, lit titles too, with where it stands."""
    kept = {id(picture): str(key[0]) for key, picture in stage.type._words._pictures.items()}
    kept |= {id(picture): str(key[1]) for key, picture in stage.kit._pictures._pictures.items() if key[0] == "lit"}
    found: dict[str, list[Sprite]] = {}
    for sprite in stage.sprites:
        if id(sprite.picture) in kept:
            found.setdefault(kept[id(sprite.picture)], []).append(sprite)
    return found


def sizes_of_words(stage: Stage) -> dict[str, int]:
    """The type size of every line in a frame."""
    shown = {id(sprite.picture) for sprite in stage.sprites}
    found: dict[str, int] = {}
    for key, picture in stage.type._words._pictures.items():
        if id(picture) in shown and isinstance(key[1], int):
            found[str(key[0])] = key[1]
    return found


def ink(sprite: Sprite) -> pygame.Rect:
    return sprite.picture.get_bounding_rect().move(sprite.x, sprite.y)


def halves(sprites: list[Sprite], width: int = SIZE[0]) -> list[Seat]:
    return ["a" if sprite.rect().centerx < width // 2 else "b" for sprite in sprites]


def arrows(stage: Stage) -> list[Sprite]:
    """The arrows that page."""
    kit, ink_ = stage.kit, stage.theme.ink
    pictures = [kit.arrow(stage.px(96), ink_, to_left=to_left) for to_left in (True, False)]
    return [sprite for sprite in stage.sprites if any(sprite.picture is picture for picture in pictures)]


# The lobby


@pytest.mark.parametrize("game", [*GAMES, OWN], ids=lambda game: game.name)
def test_the_lobby_shows_the_game_that_is_chosen_in_name_and_rules(game: Game) -> None:
    found = said(frame_of(lobby_of(game, games=(*GAMES, OWN))))
    assert text.game_name(game) in found
    everything = rules_line.DOT.join(found)
    for clause in rules_line.clauses(game.rules):
        assert clause in everything
    assert text.HOW_TO_PLAY in found


def test_arrows_and_dots_only_where_there_is_a_choice() -> None:
    many, one = frame_of(lobby_of(GAMES[2])), frame_of(lobby_of(OWN, games=(OWN,)))
    left, right = arrows(many)
    assert left.rect().centerx < SIZE[0] // 2 < right.rect().centerx
    assert arrows(one) == []
    assert {"1", "4", "5"} <= set(said(many))
    assert "4" in said(one)
    assert not {"1", "5"} & set(said(one))


def test_the_dots_tell_which_of_how_many() -> None:
    for number, game in enumerate(GAMES):
        stage = frame_of(lobby_of(game))
        dots = lobby_layout(stage.layout).dots
        inside = pygame.Rect(dots.x, dots.y, dots.w, dots.h)
        shown = sorted((s for s in stage.sprites if inside.contains(s.rect())), key=lambda s: s.rect().centerx)
        assert len(shown) == len(GAMES)
        widths = [sprite.rect().w for sprite in shown]
        assert widths.index(max(widths)) == number


def test_very_many_games_are_counted_in_figures() -> None:
    many = tuple(Game(f"Game {n}", OWN.rules) for n in range(30))
    assert "12 / 30" in said(frame_of(lobby_of(many[11], games=many)))


@pytest.mark.parametrize("keys", [{}, {"a.1": "A", "b.1": "H", "a.5": "G", "b.5": ";", "a.4": "F", "b.4": "L"}])
def test_both_seats_see_their_own_buttons_for_paging_and_the_lesson(keys: dict[str, str]) -> None:
    stage = frame_of(lobby_of(GAMES[0]), keys=keys)
    found = said(stage)
    for button in ("1", "5", "4"):
        shown = [label for seat in SEATS for label in [keys.get(f"{seat}.{button}", button)] if label in found]
        assert len(shown) == 2
    if keys:
        assert not {"1", "4", "5"} & set(found)


NAMES = ("Friday night at grandma's", "W" * 18)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [game.name for game in GAMES] + list(NAMES))
def test_everything_in_the_lobby_fits_its_place_and_can_be_read(size: tuple[int, int], name: str) -> None:
    rules = game_named(name).rules if name in text.GAME_NAMES else longest_rules()
    game = Game(name, rules)
    seats = [SeatStatus(), HUMAN, replace(HUMAN, is_ready=True), SeatStatus(player="robot", is_ready=True)]
    for a, b in zip(seats, [*seats[1:], seats[0]], strict=True):
        snapshot = lobby_of(game, a, b, games=(*GAMES, game), robot_joins_ns=NOW - MS)
        stage = frame_of(snapshot, size)
        assert min(sizes_of_words(stage).values()) >= SMALLEST_TEXT, sizes_of_words(stage)
        check_places(stage)


def longest_rules() -> Rules:
    options: dict[str, Any] = {"colours": "alternate", "pairs": True, "hands": "hidden", "draw": "manual"}
    options |= {"speed_score": "stock", "deal": 20, "speed_target": 1_000}
    return rules_from_options("speed", "arcade", options)


def check_places(stage: Stage) -> None:
    """Every line of words stands in a place of its own; a seat's notes follow its large words."""
    places = lobby_layout(stage.layout)
    boxes = [pygame.Rect(box.x, box.y, box.w, box.h) for box in places.boxes().values()]
    for column in (places.a, places.b):
        word, notes = column.word, column.notes
        boxes.append(pygame.Rect(word.x, word.y, word.w, notes.bottom - word.y))
    for words, sprites in said(stage).items():
        for sprite in sprites:
            assert any(box.inflate(2, 2).contains(ink(sprite)) for box in boxes), words
    inks = [(words, ink(sprite)) for words, sprites in said(stage).items() for sprite in sprites]
    for (words, one), (other_words, other) in itertools.combinations(inks, 2):
        assert not one.colliderect(other), f"{words} runs into {other_words}"


def test_a_note_of_trouble_leaves_the_games_name_free() -> None:
    trouble = Trouble("settings", "The settings have a mistake.")
    stage = frame_of(lobby_of(GAMES[0], troubles=(trouble,)))
    (note,) = said(stage)[trouble.text]
    assert note.y > lobby_layout(stage.layout).rules.y


# The picture of the rules


def picture_of(rules: Rules) -> bytes:
    stage = stage_of(lobby_of(Game("a game", rules)))
    box = lobby_layout(stage.layout).picture
    emblem.draw(stage, rules, box)
    surface = pygame.Surface(SIZE)
    for sprite in stage.sprites:
        surface.blit(sprite.picture, (sprite.x, sprite.y))
    return pygame.image.tobytes(surface, "RGB")


def test_every_option_that_changes_the_play_changes_the_picture() -> None:
    seen: dict[bytes, Rules] = {}
    for rules in games.all_rules():
        if rules.game == "speed" and rules.speed_score == "stock":
            continue
        if rules.game == "speed" and rules.hands == "hidden" and rules.draw == "auto":
            continue
        picture = picture_of(rules)
        assert picture not in seen, (rules, seen.get(picture))
        seen[picture] = rules
    assert len(seen) > 150


@pytest.mark.parametrize("size", SIZES)
def test_the_picture_stays_in_its_box(size: tuple[int, int]) -> None:
    for rules in games.all_rules():
        stage = stage_of(lobby_of(Game("a game", rules)), size)
        box = lobby_layout(stage.layout).picture
        emblem.draw(stage, rules, box)
        screen = pygame.Rect(box.x, box.y, box.w, box.h)
        for sprite in stage.sprites:
            assert screen.contains(ink(sprite).inflate(-2 * shadow(stage), -2 * shadow(stage))), rules


def shadow(stage: Stage) -> int:
    """How far a shadow reaches beyond its card."""
    return stage.px(14)


def test_the_picture_shows_hands_and_piles_as_the_table_will_have_them() -> None:
    for game in GAMES:
        stage = stage_of(lobby_of(game))
        emblem.draw(stage, game.rules, lobby_layout(stage.layout).picture)
        small = emblem._small(stage)
        tops = [stage.face(emblem._card(name), small) for name in (*emblem.TOPS, *emblem.HAND)]
        shown = [sprite for sprite in stage.sprites if any(sprite.picture is top for top in tops)]
        assert len(shown) == (5 if game.rules.game == "speed" else game.rules.stock)


# Lessons


def lessons_of(game: Game) -> Iterator[Snapshot]:
    """The end of every chapter."""
    plan = lesson_in(game)
    for number, shown in enumerate(played(plan), 1):
        lesson = Lesson(shown.caption, NOW - 2_000 * MS, number, len(plan.cues))
        told = Told(shown.after)
        told._events = [event for moment in shown.moments for event in moment.events]
        told.game = game
        yield as_lesson(told.shown(400), lesson)


@pytest.mark.parametrize("game", [*GAMES, OWN], ids=lambda game: game.name)
@pytest.mark.parametrize("scene", ["attract", "lobby"])
def test_every_chapter_of_every_lesson_says_its_caption_large(game: Game, scene: str) -> None:
    for snapshot in lessons_of(game):
        stage = frame_of(replace(snapshot, scene=scene))
        assert snapshot.lesson is not None
        assert snapshot.view is not None
        caption = text.caption(snapshot.lesson.caption, snapshot.view.rules)
        (sprite,) = said(stage)[caption]
        assert sizes_of_words(stage)[caption] >= stage.px(90)
        box = stage.layout.caption
        assert box.x <= ink(sprite).x < ink(sprite).right <= box.right
        assert sprite.rect().centery == pytest.approx(box.centre[1], abs=1)
        assert text.game_name(game) in said(stage)
        assert halves(said(stage)[text.PRESS_START]) == ["a", "b"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_words_of_a_lesson_run_into_nothing(size: tuple[int, int], game: Game) -> None:
    for snapshot in lessons_of(game):
        stage = frame_of(snapshot, size)
        assert snapshot.lesson is not None
        piles = tall_piles(stage.layout, snapshot)
        found = {words: [ink(sprite) for sprite in sprites] for words, sprites in said(stage).items()}
        caption = found[text.caption(snapshot.lesson.caption, snapshot.game.rules)][0]
        top = [caption, *found[text.PRESS_START], *found[text.game_name(game)]]
        for one, other in itertools.combinations(top, 2):
            assert not one.colliderect(other), snapshot.lesson.caption
        assert not any(one.colliderect(pile) for one in top for pile in piles)
        assert all(pygame.Rect(0, 0, *size).contains(one) for one in top)


def tall_piles(layout: Layout, snapshot: Snapshot) -> list[pygame.Rect]:
    """The centre piles up to their tops."""
    view = snapshot.view
    assert view is not None
    piles: list[pygame.Rect] = []
    for box, pile in ((layout.left, view.left), (layout.right, view.right)):
        rise = layout.pile_rise(pile.size if pile else 0)
        piles.append(pygame.Rect(box.x, box.y - rise, box.w, box.h + rise))
    return piles


def test_the_dots_tell_which_step_it_is() -> None:
    told = Told.at(PLAIN)
    for number in (1, 3, 5):
        stage = frame_of(as_lesson(told.shown(300), replace(LESSON, number=number)))
        box = stage.layout.caption
        under = pygame.Rect(box.x, box.bottom, box.w, stage.px(44))
        discs = [stage.kit.disc(stage.px(px), colour).get_width() for px, colour in ((24, stage.theme.ink),)]
        dots = sorted(
            (sprite for sprite in stage.sprites if under.contains(sprite.rect()) and sprite.rect().w <= discs[0]),
            key=lambda sprite: sprite.rect().centerx,
        )
        assert len(dots) == 5
        assert [sprite.rect().w == discs[0] for sprite in dots].index(True) == number - 1


def test_a_lesson_lights_the_button_that_is_pressed_long_enough_to_be_found() -> None:
    sign = Sign(1, NOW - 300 * MS, "a.1", "done", pile="left")
    snapshot = replace(Told.at(PLAIN).press("a", Play(1)).shown(300), signs=(sign,))
    box = stage_of(snapshot).layout.a.buttons[0]
    assert brightness(as_lesson(snapshot, LESSON), box) > brightness(replace(snapshot, signs=()), box) + 20
    assert brightness(snapshot, box) == pytest.approx(brightness(replace(snapshot, signs=()), box), abs=3)


def brightness(snapshot: Snapshot, box: Box) -> float:
    surface = pygame.Surface(SIZE).convert()
    for sprite in frame_of(snapshot).sprites:
        surface.blit(sprite.picture, (sprite.x, sprite.y), special_flags=sprite.flags)
    red, green, blue, _ = pygame.transform.average_color(surface, pygame.Rect(box.x, box.y, box.w, box.h))
    return (red + green + blue) / 3


def test_a_lesson_in_the_lobby_still_shows_who_has_joined() -> None:
    lesson = as_lesson(Told.at(SPEED, "speed").shown(300), LESSON, "lobby")
    stage = frame_of(replace(lesson, seats_a=replace(HUMAN, is_ready=True), seats_b=HUMAN))
    assert halves(said(stage)[text.READY]) == ["a"]
    assert halves(said(stage)[text.PRESS_START]) == ["b"]
    alone = frame_of(replace(lesson, seats_b=HUMAN))
    assert halves(said(alone)[text.JOINED]) == ["b"]


def test_the_end_of_a_lesson_shows_that_less_wins() -> None:
    for game, caption in ((GAMES[0], "fewer_cards_win"), (game_named("points"), "fewer_points_win")):
        *_, snapshot = lessons_of(game)
        assert snapshot.lesson is not None
        assert snapshot.lesson.caption == caption
        view = snapshot.view
        assert view is not None
        is_scored = caption == "fewer_points_win"
        totals = (view.score_a, view.score_b) if is_scored else (view.a.owned, view.b.owned)
        stage = frame_of(snapshot)
        for seat, total in zip(SEATS, totals, strict=True):
            assert seat in halves(said(stage)[str(total)])
        ticks = [s for s in stage.sprites if s.picture is stage.kit.tick(stage.px(118), stage.theme.seat_a)]
        assert halves(ticks) == ["a"], "seat a has less"
        assert totals[0] < totals[1]


def test_no_lesson_asks_the_onlooker_to_be_ready_for_its_next_round() -> None:
    *_, snapshot = lessons_of(GAMES[0])
    later = replace(snapshot, happenings=(), lesson=replace(LESSON, caption="slap"))
    assert snapshot.view is not None
    assert snapshot.view.phase == "ready"
    assert "PRESS" not in said(frame_of(later))


# Attract


@pytest.mark.parametrize("game", [*GAMES, OWN], ids=lambda game: game.name)
def test_attract_names_the_game_that_it_shows(game: Game) -> None:
    told = Told.dealt(game.rules).ready().wait(3_000)
    told.game = game
    snapshot = told.shown(scene="attract", seats_a=SeatStatus(), seats_b=SeatStatus())
    found = said(frame_of(snapshot))
    assert text.GAME_TITLES[game.rules.game] in found
    assert text.game_name(game) in found
    assert halves(found["PRESS"]) == ["a", "b"]


def test_attract_shows_the_side_piles_of_speed() -> None:
    snapshot = Told.at(SPEED, "speed").shown(300, scene="attract")
    stage = frame_of(snapshot)
    back = stage.kit.deck.back(stage.layout.small_card, dim=True)
    assert halves([sprite for sprite in stage.sprites if sprite.picture is back]) == ["a", "b"]


def test_a_seat_is_told_the_same_in_lobby_and_lesson() -> None:
    for status in (SeatStatus(), HUMAN, replace(HUMAN, is_ready=True), SeatStatus(player="robot")):
        plain = stage_of(lobby_of(GAMES[0], status, HUMAN))
        taught = stage_of(
            replace(lobby_of(GAMES[0], status, HUMAN), lesson=LESSON, view=view_of(Told.at(PLAIN).match))
        )
        assert lobby.standing_of(plain, "a") == lobby.standing_of(taught, "a")
