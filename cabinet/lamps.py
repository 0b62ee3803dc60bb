"""What each button's lamp does, and why: lit where a press would do something.

Pure. A lamp tells nothing that a screen which both look at may not tell: everything comes from that screen's view,
so hidden hands stay hidden, and both seats are told by the same rule at the same moment.

Lamps that showed at every moment which card fits would play the game in place of the eye. So by default (`help`)
they show it in a lesson, and in a match only when nobody has made progress for a while: as long as the rules wait
with their hint, or in the first round, where people learn, three tenths of that, which is still longer than it
takes to see it. Rules without a hint leave nobody a hint by lamp either. Where it is no question what fits (the
lobby, the slap, a pile to be chosen) the lamps are lit from the moment at which a press counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec.structs import replace

from cabinet.buttons.edges import Line
from cabinet.buttons.lamp_state import PHASES, Lamps, LampState
from cabinet.engine.actions import Action, Choose, Draw, Move, Play, Slap, Spit, StockAction, Turn
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import PILE_NAMES, SEATS, Seat, View
from cabinet.panel import (
    BUTTONS,
    LESSON_BUTTON,
    PAGING,
    START,
    STOCK_BUTTONS,
    Button,
    Layout,
    Panel,
    Pressed,
    line_of,
    meaning,
)
from cabinet.snapshot import Scene, SeatStatus

FIRST_ROUND_SHARE: Final = (3, 10)
"""In the first round a lamp helps after this share of `hint_ms`."""

LIT: Final = LampState("on")
ASKS: Final = LampState("blink", period_ms=1_000, phase=4)
"""START asks to be pressed: lit while the screen's own pulse, of a second, is over its half."""
STUCK: Final = LampState("blink", brightness=96, period_ms=2_000)
LOST: Final = LampState("breathe", brightness=160, period_ms=3_000)
"""The buttons do not answer."""
PAUSED: Final = LampState("on", brightness=48)
_WAVE: Final = LampState("breathe", brightness=128, period_ms=3_000)
_WAVE_STEP: Final = 3
"""Sixteenths of its period from one lamp of the wave to the next."""


class LampSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lamps in the buttons, wherever they are wired."""

    mode: Literal["help", "always", "off"] = "help"
    """`always`: a button is lit whenever a press would be accepted. `help`: which card fits is shown only in
    lessons, and in a match once nobody has found one for long (`hint_ms` in the rules, and three tenths of it in
    the first round; never where that is 0). `off`: only START, and buttons in trouble."""
    brightness: Annotated[int, msgspec.Meta(ge=30, le=100)] = 100
    """Percent, as the eye sees it. Pins that cannot dim light their lamps fully."""


class Situation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All that decides what the lamps do."""

    scene: Scene
    seats_a: SeatStatus
    seats_b: SeatStatus
    view: View | None
    """What a screen may show that both look at."""
    panel: Panel = Panel()
    layout: Layout = "side_by_side"
    calm_ns: int = 0
    """For how long nobody has made progress (RULES.md 20)."""
    is_lesson: bool = False
    may_page: bool = False
    """In the lobby: there are games to page through."""
    may_go_again: bool = False
    """In the result: START plays again."""
    is_anybody_asked: bool = False
    """In a match: it goes on only if somebody presses."""
    is_paused: bool = False
    is_missing: bool = False
    """A source of buttons is gone."""

    def seat(self, seat: Seat) -> SeatStatus:
        """Who sits there."""
        return self.seats_a if seat == "a" else self.seats_b


def lamps_of(now: Situation, settings: LampSettings) -> Lamps:
    """What every lamp does that is not dark."""
    lamps: dict[Line, LampState] = {}
    if now.is_missing:
        lamps = _everywhere(LOST)
    elif now.is_paused:
        lamps = _everywhere(PAUSED)
    else:
        if settings.mode != "off":
            lamps.update(_buttons(now, settings))
        lamps.update(_start_lamps(now))
        lamps.update((line, STUCK) for seat in SEATS for line in now.seat(seat).stuck_lines)
    return tuple((line, _dimmed(lamps[line], settings.brightness)) for line in sorted(lamps))


def _everywhere(state: LampState) -> dict[Line, LampState]:
    return {line_of(seat, button): state for seat in SEATS for button in BUTTONS}


def _dimmed(state: LampState, percent: int) -> LampState:
    return state if percent == 100 else replace(state, brightness=max(1, state.brightness * percent // 100))


# START


def _start_lamps(now: Situation) -> Iterator[tuple[Line, LampState]]:
    for seat in SEATS:
        asks, has_pressed = _start_lamp(now, seat)
        if asks or has_pressed:
            yield line_of(seat, START), LIT if has_pressed else ASKS


def _start_lamp(now: Situation, seat: Seat) -> tuple[bool, bool]:
    """Whether START asks to be pressed, and whether it has been."""
    status, view = now.seat(seat), now.view
    if now.scene in ("attract", "result"):
        return now.scene == "attract" or now.may_go_again, False
    if now.scene == "lobby":
        return not status.is_ready, status.is_ready
    if view is None or status.player != "human":
        return False, False
    side = view.side(seat)
    if view.phase == "ready":
        return view.beat is None and not side.is_ready, side.is_ready
    if view.phase != "play" or not view.is_stuck:
        return now.is_anybody_asked, False
    is_asked = view.beat is None and view.lone_spitter in (None, seat)
    return is_asked and not side.has_called, side.has_called


# The other buttons


def _buttons(now: Situation, settings: LampSettings) -> Mapping[Line, LampState]:
    if now.is_lesson:
        return _acting(now, SEATS)
    if now.scene == "attract":
        return _wave(SEATS)
    if now.scene == "lobby":
        buttons = [LESSON_BUTTON, *(PAGING if now.may_page else ())]
        return {line_of(seat, button): LIT for seat in SEATS for button in buttons}
    if now.scene == "result":
        winner = now.view.winner if now.view is not None else None
        return _wave(SEATS if winner is None else (winner,))
    people = tuple(seat for seat in SEATS if now.seat(seat).player == "human")
    return _acting(now, people) if settings.mode == "always" or _helps(now) else {}


def _wave(seats: tuple[Seat, ...]) -> Mapping[Line, LampState]:
    """Light that swings from the outer edges of the panel to its middle, at both seats the same."""
    inwards: dict[Seat, tuple[Button, ...]] = {"a": STOCK_BUTTONS, "b": STOCK_BUTTONS[::-1]}
    return {
        line_of(seat, button): replace(_WAVE, phase=place * _WAVE_STEP % PHASES)
        for seat in seats
        for place, button in enumerate(inwards[seat])
    }


def _helps(now: Situation) -> bool:
    """Whether it is no question what fits, or nobody has found it for long."""
    view = now.view
    if view is None or view.phase != "play" or view.is_stuck:
        return True
    share, whole = FIRST_ROUND_SHARE if view.round == 1 else (1, 1)
    hint_ms = view.rules.hint_ms
    return hint_ms > 0 and now.calm_ns * whole >= hint_ms * MILLISECOND_NS * share


def _acting(now: Situation, seats: tuple[Seat, ...]) -> Mapping[Line, LampState]:
    view = now.view
    if view is None:
        return {}
    buttons = [(seat, button) for seat in seats for button in BUTTONS if button != START]
    return {
        line_of(seat, button): LIT
        for seat, button in buttons
        if would_act(now.panel, seat, button, view, now.layout)
    }


def would_act(panel: Panel, seat: Seat, button: Button, view: View, layout: Layout) -> bool:
    """Whether a button, pressed with nothing else held, would do something on the table of `view`.

    The least time between two actions of one player does not count: lamps would flicker with every play.
    """
    meant = meaning(panel, Pressed(seat, button), view, layout)
    is_locked = view.now_ns < view.side(seat).locked_until_ns
    if meant.action is None:
        return meant.panel != panel and not is_locked
    if isinstance(meant.action, StockAction) and is_locked:
        return False
    return _is_accepted(meant.action, seat, view)


def _is_accepted(action: Action, seat: Seat, view: View) -> bool:
    if isinstance(action, Play):
        piles = PILE_NAMES if action.pile is None else (action.pile,)
        return any(view.fits(seat, action.stock, pile) for pile in piles)
    if isinstance(action, Slap):
        return view.slap_open
    if isinstance(action, Choose):
        return view.slap_open and view.chooser == seat
    if isinstance(action, Turn):
        return view.rules.game == "spit"
    return isinstance(action, Move | Draw | Spit)
