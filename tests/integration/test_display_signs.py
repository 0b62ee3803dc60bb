"""What a player is to see of one press, one race, one key or one trouble, looked up in the frame's own sprites."""

from __future__ import annotations

from collections.abc import Iterator

import pygame
import pytest
from msgspec.structs import replace

from cabinet.contests import DecidedBy
from cabinet.engine.actions import CardsTurned, Played, TurnedCard
from cabinet.engine.table import OWN_SIDE, PILE_NAMES, PileName, PileView
from cabinet.snapshot import Happening, SeatStatus, Sign, Snapshot, Trouble
from display import motion, scenes, text
from display.layout import SMALLEST_TEXT, Box
from display.memory import PileMemory
from display.motion import MS
from display.scenes import effects, overlays, photo
from display.screen import Screen
from display.settings import DisplaySettings
from display.sprites import Sprite
from display.stage import Kit, Stage
from tests import display_snapshots as made

SIZE = (1_280, 720)
SETTINGS = DisplaySettings(drift=False)
KEYS = {"a.spit": "SHIFT", "b.spit": "SHIFT", "b.5": ";", "a.1": "A"}


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode((64, 64))
    yield
    pygame.display.quit()


def stage_of(snapshot: Snapshot, now_ns: int = made.NOW, keys: dict[str, str] | None = None) -> Stage:
    """An empty frame of a snapshot."""
    memory = PileMemory()
    memory.observe(snapshot)
    return Stage(Kit(SIZE, SETTINGS, keys or {}), snapshot, memory, now_ns)


def middle(sprite: Sprite) -> tuple[int, int]:
    return sprite.rect().center


def pictures(stage: Stage) -> list[pygame.Surface]:
    return [sprite.picture for sprite in stage.sprites]


def brightness(surface: pygame.Surface, box: Box) -> float:
    red, green, blue, _ = pygame.transform.average_color(surface, pygame.Rect(box.x, box.y, box.w, box.h))
    return (red + green + blue) / 3


def drawn(snapshot: Snapshot, now_ns: int = made.NOW) -> pygame.Surface:
    surface = pygame.Surface(SIZE).convert()
    Screen(SIZE, SETTINGS).draw(surface, snapshot, now_ns)
    return surface


# Where the light of a press and a lost race's ghost go


def light_of(sign: Sign) -> tuple[int, int]:
    """Where the light of a press ends."""
    stage = stage_of(made.snapshot(made.view(), signs=(sign,)), sign.at_ns + motion.COMET_NS - 1)
    effects.press_lights(stage)
    return middle(stage.sprites[0])


@pytest.mark.parametrize("pile", PILE_NAMES)
@pytest.mark.parametrize("kind", ["done", "refused"])
@pytest.mark.parametrize("line", ["a.2", "b.4", "a.spit"])
def test_the_light_of_a_press_goes_to_the_pile_where_it_acts(pile: PileName, kind: str, line: str) -> None:
    sign = Sign(1, made.NOW, line, kind, pile=pile)  # type: ignore[arg-type]
    layout = stage_of(made.busy()).layout
    assert light_of(sign) == pytest.approx(layout.pile(pile).centre, abs=2)


@pytest.mark.parametrize("kind", ["done", "refused", "waiting"])
def test_the_light_of_a_press_that_acts_on_no_centre_pile_stays_at_its_stock_pile(kind: str) -> None:
    sign = Sign(1, made.NOW, "b.3", kind)  # type: ignore[arg-type]
    layout = stage_of(made.busy()).layout
    assert light_of(sign) == pytest.approx(layout.b.stock[2].centre, abs=2)


def test_the_light_of_start_goes_to_the_own_side_only_when_it_acts() -> None:
    layout = stage_of(made.busy()).layout
    assert light_of(Sign(1, made.NOW, "a.spit", "done")) == pytest.approx(layout.left.centre, abs=2)
    assert light_of(Sign(1, made.NOW, "a.spit", "refused")) == pytest.approx(layout.a.spit.centre, abs=2)


@pytest.mark.parametrize("pile", PILE_NAMES)
def test_the_ghost_of_a_lost_race_goes_to_the_pile_whose_card_was_covered(pile: PileName) -> None:
    lost = made.refused(2, 0, "a", 4, behind_ns=1_300_000, pile=pile)
    stage = stage_of(made.snapshot(made.view(), happenings=(lost,)), made.NOW + 90 * MS)
    effects.ghosts(stage)
    start, end = stage.layout.a.stock[3].centre, stage.layout.pile(pile).centre
    expected = motion.between(start, end, 0.55 * motion.ghost(90 * MS))
    assert middle(stage.sprites[-1]) == pytest.approx(expected, abs=2)


@pytest.mark.parametrize("seat", ["a", "b"])
def test_a_ghost_without_a_pile_goes_to_the_own_side(seat: str) -> None:
    lost = made.refused(2, 0, seat, 4, behind_ns=1_300_000)
    stage = stage_of(made.snapshot(made.view(), happenings=(lost,)), made.NOW + 90 * MS)
    effects.ghosts(stage)
    end = stage.layout.pile(OWN_SIDE[lost.event.seat]).centre  # type: ignore[union-attr]
    start = stage.layout.seat(lost.event.seat).stock[3].centre  # type: ignore[union-attr]
    expected = motion.between(start, end, 0.55 * motion.ghost(90 * MS))
    assert middle(stage.sprites[-1]) == pytest.approx(expected, abs=2)


# The photo finish


def strip_of(decided_by: DecidedBy) -> Stage:
    finish = replace(made.HEAT, decided_by=decided_by)
    stage = stage_of(replace(made.after_play(), photo=finish))
    photo.strip(stage)
    return stage


def token_is_shown(stage: Stage) -> bool:
    return stage.kit.disc(stage.px(photo.TOKEN_PX), stage.theme.ink) in pictures(stage)


def says(stage: Stage, words: str, px_1080: int) -> bool:
    return stage.type.words(words, stage.layout.text_px(px_1080), stage.theme.ink, "heavy") in pictures(stage)


@pytest.mark.parametrize("decided_by", ["token", "nobody"])
def test_the_token_is_handed_over_only_when_it_decided(decided_by: DecidedBy) -> None:
    stage = strip_of(decided_by)
    assert says(stage, text.DEAD_HEAT, photo.WORDS_PX)
    assert token_is_shown(stage) is (decided_by == "token")


def test_a_race_decided_by_arrival_shows_no_margin_that_would_name_another_winner() -> None:
    stage = strip_of("arrival")
    assert says(stage, text.BY_ARRIVAL, photo.WORDS_PX)
    assert not says(stage, text.ahead(made.HEAT.margin_ns), photo.WORDS_PX)
    assert not token_is_shown(stage)


def test_a_dead_heat_that_the_rules_decided_shows_both_seats_alike() -> None:
    stage = strip_of("nobody")
    strip = stage.layout.strip
    signs = [sprite for sprite in stage.sprites if sprite.picture in (stage.kit.sign("a", stage.px(54)),)]
    signs += [sprite for sprite in stage.sprites if sprite.picture is stage.kit.sign("b", stage.px(54))]
    assert len(signs) == 2
    left, right = (middle(sign)[0] for sign in signs)
    assert left - strip.x == pytest.approx(strip.right - right, abs=2)


def test_the_photo_of_the_last_slap_is_shown_beside_the_result_while_it_is_fresh() -> None:
    result = replace(made.result(), photo=made.PHOTO)
    stage = stage_of(result)
    scenes.draw(stage)
    assert says(stage, text.ahead(made.PHOTO.margin_ns), photo.WORDS_PX)
    later = stage_of(result, made.NOW + 4_000 * MS)
    scenes.draw(later)
    assert not says(later, text.ahead(made.PHOTO.margin_ns), photo.WORDS_PX)


# Keys in place of buttons

WITH_START = ("attract", "lobby_one", "lobby_both", "ready", "stuck", "result")


def labels(stage: Stage, label: str) -> list[Sprite]:
    """Every sprite that shows a label, at whatever size."""
    return [
        sprite
        for sprite in stage.sprites
        for (words, *_), picture in stage.type._words._pictures.items()
        if words == label and picture is sprite.picture
    ]


@pytest.mark.parametrize("name", WITH_START)
@pytest.mark.parametrize("key", ["SHIFT", "RETURN", "CTRL"])
def test_a_key_with_a_long_name_can_be_read_wherever_start_is_asked_for(name: str, key: str) -> None:
    stage = stage_of(made.SCENES[name], keys={"a.spit": key, "b.spit": key})
    scenes.draw(stage)
    shown = labels(stage, key)
    readable = stage.type.words(key, SMALLEST_TEXT, stage.theme.ink, "heavy").get_height()
    assert shown
    for sprite in shown:
        assert sprite.rect().h >= readable
        assert pygame.Rect(0, 0, *SIZE).contains(sprite.rect())


def test_long_names_of_stock_keys_can_be_read_and_stay_apart() -> None:
    keys = {f"{seat}.{number}": "SPACE" for seat in "ab" for number in range(1, 6)}
    for snapshot in (made.after_play(), made.slap(is_open=True), made.lone_spit()):
        stage = stage_of(snapshot, keys=keys)
        scenes.draw(stage)
        shown = labels(stage, "SPACE")
        readable = stage.type.words("SPACE", SMALLEST_TEXT, stage.theme.ink, "heavy").get_height()
        assert shown
        for sprite in shown:
            assert sprite.rect().h >= readable
            assert sprite.rect().collidelistall([other.rect() for other in shown if other is not sprite]) == []


@pytest.mark.parametrize("key", [";", ".", ",", "'", "-", "`"])
def test_a_key_that_is_a_mark_is_as_large_as_a_letter_and_in_the_middle(key: str) -> None:
    stage = stage_of(made.after_play(), keys={"b.5": key})
    scenes.draw(stage)
    (sprite,) = labels(stage, key)
    inked = sprite.picture.get_bounding_rect().move(sprite.x, sprite.y)
    button = stage.layout.b.buttons[4]
    assert inked.centerx == pytest.approx(button.centre[0], abs=2)
    assert inked.centery == pytest.approx(button.centre[1], abs=2)
    plain = stage.type.words(key, stage.layout.text_px(44), stage.theme.ink, "heavy").get_bounding_rect()
    assert inked.w * inked.h > 1.5 * plain.w * plain.h


# A card that turns

TURNING_NS = 44 * MS
"""When a turning card is at its narrowest but one."""


def uncovered(size: int) -> Snapshot:
    """A card was played from stock 4 of a, and the one beneath turns."""
    event = Played(
        at_ns=0, seat="a", stock=4, pile="left", card=made.card("7C"), uncovered=made.card("KC") if size else None
    )
    stock = made.stock((1, "6S"), (2, "8D"), (0, None), (size, "KC" if size else None), (4, "3H"))
    return made.snapshot(made.view(a=made.side(stock)), happenings=(Happening(2, made.NOW, event),))


def beside_the_narrow_card() -> Box:
    card = stage_of(made.busy()).layout.a.stock[3]
    return Box(card.x + card.w // 16, card.y + card.h // 3, card.w // 6, card.h // 3)


def test_the_felt_is_seen_beside_the_last_card_of_a_pile_while_it_turns() -> None:
    bare = brightness(drawn(uncovered(0), made.NOW + TURNING_NS), beside_the_narrow_card())
    turning = brightness(drawn(uncovered(1), made.NOW + TURNING_NS), beside_the_narrow_card())
    assert turning == pytest.approx(bare, abs=2)


def test_the_card_beneath_is_seen_beside_a_card_that_turns() -> None:
    picture = drawn(uncovered(2), made.NOW + TURNING_NS)
    stage = stage_of(uncovered(2))
    back, box = stage.kit.deck.back(stage.layout.card), beside_the_narrow_card()
    at = stage.layout.a.stock[3]
    beneath = pygame.transform.average_color(back, pygame.Rect(box.x - at.x, box.y - at.y, box.w, box.h))
    assert brightness(picture, box) == pytest.approx(sum(beneath[:3]) / 3, abs=4)


def test_the_pile_is_seen_beside_a_spit_card_that_turns() -> None:
    before = made.snapshot(made.view(right=PileView(5, made.card("QH"))))
    cards = (TurnedCard("b", "right", made.card("JH")),)
    turned = Happening(3, made.NOW, CardsTurned(at_ns=0, kind="spit", cards=cards))
    surface = pygame.Surface(SIZE).convert()
    screen = Screen(SIZE, SETTINGS)
    screen.draw(surface, before, made.NOW - MS)
    after = made.snapshot(made.view(right=PileView(6, made.card("JH"))), happenings=(turned,))
    screen.draw(surface, after, made.NOW + TURNING_NS)
    pile = stage_of(before).layout.right
    assert brightness(surface, Box(pile.x + pile.w // 16, pile.y + pile.h // 2, pile.w // 6, pile.h // 4)) > 180


# Trouble in words

LONG = "The buttons of CYAN are not answering, " * 20
ONE_WORD = "W" * 600
ODD = "null \x00, half a pair \ud800, a bell \a, 漢字, Ķēniņš, 🂡, right to left \u202eabc"
EMPTY = ""


def troubled(*texts: str, pauses: bool = False) -> Snapshot:
    troubles = tuple(Trouble(f"kind {n}", words, pauses) for n, words in enumerate(texts))
    paused = made.NOW - MS if pauses else None
    return made.snapshot(made.view(), troubles=troubles, paused_since_ns=paused)


def overlay(snapshot: Snapshot, now_ns: int = made.NOW) -> Stage:
    stage = stage_of(snapshot, now_ns)
    overlays.draw(stage)
    return stage


@pytest.mark.parametrize("pauses", [False, True])
@pytest.mark.parametrize("words", [LONG, ONE_WORD, ODD, EMPTY], ids=["long", "one word", "odd letters", "empty"])
def test_a_trouble_of_any_text_stays_on_the_screen_and_readable(words: str, pauses: bool) -> None:
    stage = overlay(troubled(words, words, words, pauses=pauses))
    readable = stage.type.words("X", SMALLEST_TEXT, stage.theme.ink).get_height()
    assert len(stage.sprites) > 1
    for sprite in stage.sprites:
        assert pygame.Rect(0, 0, *SIZE).contains(sprite.rect())
    smallest = min(sprite.rect().h for sprite in stage.sprites)
    assert smallest >= readable


@pytest.mark.parametrize("pauses", [False, True])
def test_a_text_that_is_cut_says_so(pauses: bool) -> None:
    stage = overlay(troubled(LONG, pauses=pauses))
    shown = {str(key[0]) for key in stage.type._words._pictures}
    assert any(line.endswith("…") for line in shown)


@pytest.mark.parametrize("pauses", [False, True])
def test_every_trouble_has_its_turn(pauses: bool) -> None:
    texts = [f"Trouble {letter} came." for letter in "ABCDE"]
    shown: set[str] = set()
    for second in range(60):
        stage = overlay(troubled(*texts, pauses=pauses), made.NOW + second * 1_000 * MS)
        shown |= {str(key[0]) for key in stage.type._words._pictures}
    assert set(texts) <= shown


def test_a_note_of_trouble_never_hides_the_cue_to_slap() -> None:
    note = (Trouble("settings", "The settings have 3 mistakes."),)
    stage = stage_of(replace(made.slap(is_open=True), troubles=note))
    scenes.draw(stage)
    assert "The settings have 3 mistakes." not in {key[0] for key in stage.type._words._pictures}


def test_a_stuck_button_with_an_odd_key_name_is_said() -> None:
    status = SeatStatus(player="human", stuck_lines=("a.4",))
    stage = stage_of(made.snapshot(made.view(), seats_a=status), keys={"a.4": "\x00\ud800"})
    scenes.draw(stage)
    assert any(str(key[0]).startswith("BUTTON") for key in stage.type._words._pictures)
