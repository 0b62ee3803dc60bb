"""Frames without a screen: every scene draws, what changed is seen, and nothing else is painted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pygame
import pytest
from msgspec.structs import replace

from cabinet.engine.actions import Hinted, Play
from cabinet.engine.table import PileView, View
from cabinet.snapshot import Sign, Snapshot
from display import rehearsal, scenes
from display.keys import Pump
from display.layout import Box, Layout, layout_for
from display.screen import Screen
from display.settings import DisplaySettings
from display.theme import LAMPS
from display.window import NoScreen, Window
from tests import display_snapshots as made

MS = 1_000_000
SETTINGS = DisplaySettings(drift=False)
SIZE = (1_280, 720)
LAYOUT = layout_for(*SIZE)


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.display.set_mode((64, 64))
    yield
    pygame.display.quit()


def drawn(snapshot: Snapshot, now_ns: int = made.NOW, size: tuple[int, int] = SIZE) -> pygame.Surface:
    surface = pygame.Surface(size).convert()
    Screen(size, SETTINGS).draw(surface, snapshot, now_ns)
    return surface


def brightness(surface: pygame.Surface, box: Box) -> float:
    red, green, blue, _ = pygame.transform.average_color(surface, pygame.Rect(box.x, box.y, box.w, box.h))
    return (red + green + blue) / 3


def colour(surface: pygame.Surface, box: Box) -> tuple[int, int, int]:
    red, green, blue, _ = pygame.transform.average_color(surface, pygame.Rect(box.x, box.y, box.w, box.h))
    return (red, green, blue)


def pixels(surface: pygame.Surface) -> bytes:
    return pygame.image.tobytes(surface, "RGB")


def row(layout: Layout, seat: str) -> Box:
    stock = layout.a.stock if seat == "a" else layout.b.stock
    return Box(stock[0].x, stock[0].y, stock[-1].right - stock[0].x, stock[0].h)


@pytest.mark.parametrize("name", made.SCENES)
@pytest.mark.parametrize("size", [(1_024, 768), (1_280, 720), (1_920, 1_080), (1_367, 1_001)])
def test_every_scene_draws_and_leaves_no_corner_bare(name: str, size: tuple[int, int]) -> None:
    surface = pygame.Surface(size).convert()
    surface.fill((255, 0, 255))
    Screen(size, SETTINGS).draw(surface, made.SCENES[name], made.NOW)
    for corner in ((0, 0), (size[0] - 1, 0), (0, size[1] - 1), (size[0] - 1, size[1] - 1)):
        assert surface.get_at(corner)[:3] != (255, 0, 255)
    assert brightness(surface, Box(0, 0, *size)) > 3


FOUR = made.stock((1, "6S"), (2, None), (0, None), (4, "KC"))


@pytest.mark.parametrize(
    "view",
    [
        made.view(a=made.side(FOUR), b=made.side(FOUR)),
        made.view(left=None),
        made.view(right=None, left=PileView(52, made.card("7C"))),
        made.view(phase="slap", left=None, ended_ns=0, slap_open=True),
        made.view(phase="choose", chooser="a", ended_ns=0, slap_open=True),
        made.view(phase="over", winner=None),
    ],
    ids=["four piles and a face-down top", "right only", "a high pile", "slap one", "choose", "no winner"],
)
def test_rare_tables_draw(view: View) -> None:
    for reduced in (False, True):
        surface = pygame.Surface(SIZE).convert()
        snapshot = replace(made.busy(), view=view)
        Screen(SIZE, DisplaySettings(reduced_motion=reduced)).draw(surface, snapshot, made.NOW)
        assert brightness(surface, Box(0, 0, *SIZE)) > 3


def test_scenes_do_not_look_alike() -> None:
    pictures = {name: pixels(drawn(snapshot)) for name, snapshot in made.SCENES.items()}
    assert len(set(pictures.values())) == len(pictures)


def test_a_second_frame_of_a_still_picture_paints_nothing() -> None:
    surface = pygame.Surface(SIZE).convert()
    screen = Screen(SIZE, SETTINGS)
    still = made.snapshot(made.view())
    assert screen.draw(surface, still, made.NOW) == [pygame.Rect(0, 0, *SIZE)]
    assert screen.draw(surface, still, made.NOW + 16 * MS) == []


def test_frames_painted_in_parts_are_the_same_as_whole_ones() -> None:
    surface = pygame.Surface(SIZE).convert()
    screen = Screen(SIZE, SETTINGS)
    snapshots = [*[made.busy()] * 12, made.slap(is_open=True), made.round_over(), made.locked(), made.result()]
    screen.draw(surface, made.snapshot(made.view()), made.NOW)
    for frame, snapshot in enumerate(snapshots):
        now = made.NOW + frame * 17 * MS
        parts = screen.draw(surface, snapshot, now)
        incremental = pixels(surface)
        screen.repaint()
        screen.draw(surface, snapshot, now)
        assert pixels(surface) == incremental, f"frame {frame}"
        assert parts, f"frame {frame} changed something"


def test_play_paints_only_a_part_of_the_screen() -> None:
    surface = pygame.Surface(SIZE).convert()
    screen = Screen(SIZE, SETTINGS)
    screen.draw(surface, made.busy(), made.NOW)
    for frame in range(1, 8):
        painted = sum(rect.w * rect.h for rect in screen.draw(surface, made.busy(), made.NOW + frame * 17 * MS))
        assert painted < 0.6 * SIZE[0] * SIZE[1]


def test_the_new_top_lies_under_the_arriving_card_only_once_it_arrived() -> None:
    top = Box(LAYOUT.left.x + LAYOUT.left.w - 24, LAYOUT.left.y + 40, 12, 40)
    played = made.played(2, 0, "a", 2, "left", "KS")
    after = made.snapshot(made.view(left=PileView(9, made.card("KS"))), happenings=(made.turned(), played))
    screen = Screen(SIZE, SETTINGS)
    surface = pygame.Surface(SIZE).convert()
    flying = [pixels_of(screen, surface, after, made.NOW + age * MS, LAYOUT.left) for age in (0, 30, 60, 90, 130)]
    landed = pixels_of(screen, surface, after, made.NOW + 1_000 * MS, LAYOUT.left)
    assert flying[0] != landed
    assert flying[-1] == landed
    assert len(set(flying)) == len(flying), "it moves in every frame"
    assert top.within(LAYOUT.left)


def pixels_of(screen: Screen, surface: pygame.Surface, snapshot: Snapshot, now_ns: int, box: Box) -> bytes:
    screen.draw(surface, snapshot, now_ns)
    part = surface.subsurface((box.x + 4, box.y + 4, box.w - 8, box.h // 2))
    return pygame.image.tobytes(part, "RGB")


def test_a_locked_seat_is_darker_and_shows_how_long() -> None:
    free, locked = drawn(made.snapshot(made.view())), drawn(made.locked())
    assert brightness(locked, row(LAYOUT, "a")) < 0.6 * brightness(free, row(LAYOUT, "a"))
    assert brightness(locked, LAYOUT.a.bar) > brightness(free, LAYOUT.a.bar) + 30
    later = drawn(made.locked(), made.NOW + 200 * MS)
    assert brightness(later, LAYOUT.a.bar) < brightness(locked, LAYOUT.a.bar)


def test_a_lock_that_is_over_leaves_nothing_behind() -> None:
    after = drawn(made.locked(), made.NOW + 2_000 * MS)
    free = drawn(made.snapshot(made.view()))
    assert brightness(after, LAYOUT.a.bar) == pytest.approx(brightness(free, LAYOUT.a.bar), abs=1)


def test_an_armed_space_glows_in_its_seats_colour() -> None:
    space = LAYOUT.b.stock[2]
    b_stock = made.stock((1, "TH"), (1, "QS"), (0, None), (3, "8H"), (5, "AC"))
    idle = drawn(made.snapshot(made.view(b=made.side(b_stock))))
    armed = drawn(made.locked())
    assert brightness(armed, space) > brightness(idle, space) + 10
    red, green, blue = colour(armed, space)
    assert blue > red + 20
    assert green > red + 20


def test_the_winners_colour_floods_the_table() -> None:
    middle = Box(SIZE[0] // 2 - 40, SIZE[1] * 2 // 5, 80, 40)
    red, _, blue = colour(drawn(made.result("a")), middle)
    assert red > blue + 40
    red, _, blue = colour(drawn(made.result("b")), middle)
    assert blue > red + 40


def test_start_plays_again_only_from_when_it_does() -> None:
    band = Box(SIZE[0] // 3, SIZE[1] * 4 // 5, SIZE[0] // 3, SIZE[1] // 8)
    early = replace(made.result(), again_from_ns=made.NOW + MS)
    assert brightness(drawn(made.result()), band) > brightness(drawn(early), band) + 10


def test_the_table_goes_dark_but_for_the_piles_and_both_flare_at_the_cue() -> None:
    play, wait, cue = (
        drawn(made.snapshot(made.view())),
        drawn(made.slap(is_open=False)),
        drawn(made.slap(is_open=True)),
    )
    assert brightness(wait, row(LAYOUT, "b")) < 0.6 * brightness(play, row(LAYOUT, "b"))
    assert brightness(wait, LAYOUT.left) > 0.9 * brightness(play, LAYOUT.left)
    for beside in (
        Box(LAYOUT.left.x - 20, LAYOUT.left.y, 16, LAYOUT.left.h),
        Box(LAYOUT.right.right + 4, LAYOUT.right.y, 16, LAYOUT.right.h),
    ):
        assert brightness(cue, beside) > brightness(wait, beside) + 40


def test_a_pile_glows_in_the_colour_of_who_played_last() -> None:
    beside = Box(LAYOUT.left.x - 16, LAYOUT.left.y + 20, 12, LAYOUT.left.h - 40)
    by_a = made.snapshot(made.view(), happenings=(made.turned(), made.played(2, 400, "a", 2, "left", "7C")))
    by_b = made.snapshot(made.view(), happenings=(made.turned(), made.played(2, 400, "b", 2, "left", "7C")))
    red, _, blue = colour(drawn(by_a), beside)
    assert red > blue
    red, _, blue = colour(drawn(by_b), beside)
    assert blue > red


def part(surface: pygame.Surface, box: Box) -> bytes:
    return pygame.image.tobytes(surface.subsurface((box.x, box.y, box.w, box.h)), "RGB")


def test_a_refused_card_shakes_and_the_reason_stands_above_it() -> None:
    sign = Sign(1, made.NOW, "a.5", "refused", "NOT_ADJACENT")
    refused = made.snapshot(made.view(), signs=(sign,))
    card, words = LAYOUT.a.stock[4], LAYOUT.a.words
    frames = [drawn(refused, made.NOW + age * MS) for age in (15, 45, 200, 2_000)]
    pictures = [part(frame, card) for frame in frames]
    assert len(set(pictures[:3])) == 3, "it shakes, then rests"
    assert pictures[2] == pictures[3]
    assert brightness(frames[2], words) > brightness(frames[3], words) + 3
    other = replace(refused, signs=(replace(sign, reason="BUSY"),))
    assert part(drawn(other, made.NOW + 200 * MS), words) != part(frames[2], words)


def test_a_lost_race_shows_by_how_much_and_a_ghost_that_springs_back() -> None:
    lost = made.snapshot(
        made.view(),
        happenings=(made.refused(2, 0, "b", 4, behind_ns=1_300_000),),
        signs=(Sign(1, made.NOW, "b.4", "refused", "NOT_ADJACENT", 1_300_000, "left"),),
    )
    way = Box(LAYOUT.b.message.x, LAYOUT.b.message.y, LAYOUT.b.message.w, LAYOUT.b.message.h)
    still = drawn(made.snapshot(made.view()))
    assert part(drawn(lost, made.NOW + 90 * MS), way) != part(still, way)
    assert part(drawn(lost, made.NOW + 300 * MS), way) == part(still, way)
    words = LAYOUT.b.words
    assert part(drawn(lost, made.NOW + 300 * MS), words) != part(still, words)
    assert part(drawn(lost, made.NOW + 1_000 * MS), words) == part(still, words)


def test_a_hint_pulses_around_its_card() -> None:
    hinted = made.happened(3, 500, Hinted(at_ns=0, seat="a", hint=Play(4)))
    shown = made.snapshot(made.view(), happenings=(hinted,))
    box = LAYOUT.a.stock[3]
    beneath = Box(box.x, box.bottom + 3, box.w, 8)
    bright, dark = drawn(shown), drawn(shown, made.NOW + 500 * MS)
    assert brightness(bright, beneath) > brightness(dark, beneath) + 20


def test_the_photo_finish_shows_both_presses_and_fades_after_three_seconds() -> None:
    strip = LAYOUT.strip
    shown, gone = drawn(made.after_play()), drawn(made.after_play(), made.NOW + 4_000 * MS)
    assert brightness(shown, strip) > brightness(gone, strip) + 10
    streaks = Box(strip.x + strip.w * 6 // 10, strip.y + 14, strip.w * 4 // 10 - 10, 30)
    seen = {shown.get_at((x, streaks.y + 10))[:3] for x in range(streaks.x, streaks.right)}
    assert LAMPS.seat_a in seen
    assert LAMPS.seat_b in seen


def test_trouble_darkens_the_table_when_it_pauses_the_game_and_not_otherwise() -> None:
    play = brightness(drawn(made.after_play()), row(LAYOUT, "a"))
    assert brightness(drawn(made.trouble(pauses=True)), row(LAYOUT, "a")) < 0.4 * play
    assert brightness(drawn(made.trouble(pauses=False)), row(LAYOUT, "a")) == pytest.approx(play, abs=1)


def test_nothing_burns_in_while_nobody_plays() -> None:
    first = drawn_with_drift(made.NOW)
    assert drawn_with_drift(made.NOW + 20_000 * MS) != first


def drawn_with_drift(now_ns: int) -> bytes:
    surface = pygame.Surface(SIZE).convert()
    quiet = replace(made.attract(), happenings=())
    Screen(SIZE, DisplaySettings()).draw(surface, quiet, now_ns)
    title = surface.subsurface((SIZE[0] // 3, 0, SIZE[0] // 3, 130))
    return pygame.image.tobytes(title, "RGB")


def test_key_labels_take_the_place_of_the_numbers() -> None:
    plain, labelled = pygame.Surface(SIZE).convert(), pygame.Surface(SIZE).convert()
    calm = made.snapshot(made.view())
    Screen(SIZE, SETTINGS).draw(plain, calm, made.NOW)
    Screen(SIZE, SETTINGS, {"a.1": "Q"}).draw(labelled, calm, made.NOW)
    first, second = LAYOUT.a.buttons[0], LAYOUT.a.buttons[1]
    assert colour(plain, first) != colour(labelled, first)
    assert colour(plain, second) == colour(labelled, second)


def test_everything_was_made_before_play_needs_it() -> None:
    screen = Screen(SIZE, SETTINGS)
    steps = 0
    while screen.rehearse():
        steps += 1
    assert steps > 50
    assert not screen.rehearse()
    surface = pygame.Surface(SIZE).convert()
    screen.draw(surface, next(rehearsal.snapshots()), rehearsal.NOW_NS)
    made_before = len(screen._kit.light._shapes)
    screen.draw(surface, made.busy(), made.NOW)
    screen.draw(surface, made.slap(is_open=True), made.NOW)
    assert len(screen._kit.light._shapes) == made_before, "no light is painted in play"


class Ticking:
    """Time that passes only by sleeping and, a little, by asking."""

    def __init__(self) -> None:
        self.now_ns = made.NOW

    def __call__(self) -> int:
        self.now_ns += 10_000
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


def window(report: list[str] | None = None, **changes: int) -> tuple[Window, Ticking]:
    clock = Ticking()
    settings = DisplaySettings(driver="dummy", **changes)  # type: ignore[arg-type]
    lines = report if report is not None else []
    made_window = Window(settings, report=lines.append, clock=clock, sleep=clock.sleep)
    made_window.open()
    return made_window, clock


def test_the_window_draws_at_its_pace_and_pumps_keys_every_two_milliseconds() -> None:
    shown, clock = window(fps_cap=50)
    while shown._screen is not None and shown._screen.rehearse():
        pass
    pumps: list[Pump] = []
    start = clock.now_ns
    shown.run(made.after_play, pumps.append, lambda: clock.now_ns > start + 1_000 * MS)
    assert 45 <= shown.frames_shown <= 52
    assert all(later.to_ns - earlier.to_ns <= 2 * MS for earlier, later in itertools.pairwise(pumps))
    shown.close()
    shown.close()


def test_closing_the_window_ends_the_loop() -> None:
    shown, _ = window()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    pumps: list[Pump] = []
    shown.run(made.after_play, pumps.append, lambda: False)
    assert pumps[-1].wants_close
    shown.close()


def test_closing_the_window_while_a_frame_is_drawn_ends_the_loop() -> None:
    shown, clock = window()
    start = clock.now_ns
    pumps: list[Pump] = []

    def closed_meanwhile() -> Snapshot:
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        return made.after_play()

    shown.run(closed_meanwhile, pumps.append, lambda: clock.now_ns > start + 1_000 * MS)
    assert pumps[-1].wants_close or pumps[-2].wants_close
    assert shown.frames_shown == 1
    shown.close()


def test_a_scene_that_cannot_be_drawn_is_reported_once_and_the_window_lives(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reports: list[str] = []
    shown, _ = window(reports)
    cards = iter(("no such card", "no such card", "another such card"))
    shown.show(made.after_play())
    good = pixels(shown.surface())

    def broken(_: object) -> None:
        raise RuntimeError(next(cards))

    with monkeypatch.context() as patched:
        patched.setattr(scenes, "draw", broken)
        for _ in range(3):
            shown.show(made.after_play())
        assert reports == ["the scene match could not be drawn: RuntimeError: no such card"]
        (logged,) = caplog.records
        assert logged.getMessage() == "the scene match could not be drawn"
        assert "in broken" in caplog.text, "the log has the trace"
        bad = pixels(shown.surface())
        assert bad != good
        assert brightness(shown.surface(), Box(0, 0, *SIZE)) > 3, "plain words are shown"
    shown.show(made.after_play())
    assert pixels(shown.surface()) == good
    shown.close()


def test_a_resized_window_shows_the_whole_table_again() -> None:
    shown, _ = window()
    shown.show(made.after_play())
    pygame.display.set_mode((1_600, 900))
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=(1_600, 900), w=1_600, h=900))
    shown.pump()
    shown.show(made.after_play())
    assert shown.surface().get_size() == (1_600, 900)
    assert brightness(shown.surface(), layout_for(1_600, 900).right) > 150
    shown.close()


def test_a_tiny_window_shows_the_table_scaled_down() -> None:
    shown, _ = window()
    pygame.display.set_mode((640, 360))
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=(640, 360), w=640, h=360))
    shown.pump()
    shown.show(made.after_play())
    small = pygame.display.get_surface()
    assert small is not None
    pile = layout_for(1_280, 720).right
    assert brightness(small, Box(pile.x // 2, pile.y // 2, pile.w // 2, pile.h // 2)) > 150
    shown.close()


def test_no_screen_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "holograph")
    with pytest.raises(NoScreen, match=r"^no screen: holograph: "):
        Window(DisplaySettings()).open()
