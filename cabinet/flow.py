"""The cabinet between matches: attract, lobby, match, result; who sits where; what happens when nobody presses.

Pure: a `Flow` is a value, and time is host time in nanoseconds. What the flow wants done to the match it says
by orders, which the game carries out. Figures are those of HOUSE.md, "The panel", and can be set.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

from cabinet.engine.table import OTHER_SEAT, SEATS, Seat, View
from cabinet.panel import LESSON_BUTTON, PAGING, START, Button
from cabinet.snapshot import Player, Scene

SECOND_NS: Final = 1_000_000_000

Seconds = Annotated[int, msgspec.Meta(ge=1, le=3_600)]


class FlowSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the cabinet waits for people."""

    robot_after_s: Seconds = 2
    """Seconds after which a second START of a player who is alone brings a robot."""
    lobby_s: Seconds = 30
    """Seconds without a press after which the lobby goes back to attract."""
    ready_s: Seconds = 10
    """Seconds after a deal at which a seat that is not ready is made ready."""
    away_s: Seconds = 45
    """Seconds without a press in a match after which the cabinet asks whether anybody is there."""
    still_there_s: Seconds = 10
    """Seconds for the answer."""
    pause_s: Seconds = 30
    """The longest pause for lost hardware, in seconds; then the match ends without a result."""
    count_s: Seconds = 3
    """Seconds that are counted down after a pause, so that no hand is faster because it knew when play goes on."""
    again_after_s: Seconds = 2
    """Seconds after the end of a match from which START counts."""
    result_s: Seconds = 20
    """Seconds for which the result stays when nobody presses."""
    show_s: Seconds = 40
    """Seconds for which robots play behind the title before it is shown how to play."""
    lessons: bool = True
    """Whether it is shown how to play when nobody does."""


class Seating(msgspec.Struct, frozen=True, gc=False):
    """One seat."""

    player: Player = "nobody"
    is_ready: bool = False
    """In the lobby: has pressed START again."""
    joined_ns: int = 0


class Deal(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Begin a match; both have said in the lobby that they are ready."""


class Show(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Begin a match of two robots, to be looked at."""


class EndMatch(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The match ends without a result."""


class MakeReady(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The machine says ready for a seat that did not."""

    seat: Seat


class Teach(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Begin a lesson in the game that is chosen or shown."""


Order = Deal | Show | Teach | EndMatch | MakeReady


class Flow(msgspec.Struct, frozen=True, gc=False):
    """Where the cabinet is."""

    scene: Scene = "attract"
    since_ns: int = 0
    """When the scene began, or went on after a lesson."""
    a: Seating = Seating()
    b: Seating = Seating()
    pressed_ns: int = 0
    """The last press by a person."""
    waiting_since_ns: int | None = None
    """In a match: since when a deal waits for both to be ready."""
    paused_since_ns: int | None = None
    """In a match: since when it is held because hardware is missing."""
    goes_on_ns: int | None = None
    """In a pause: the hardware is back, and play goes on at this time."""
    games: int = 1
    """How many games may be chosen."""
    default: int = 0
    """Which of them is chosen when nobody pages, counted from 0."""
    choice: int = 0
    """The game that is chosen, played, or in attract shown."""
    shown_ns: int = 0
    """In attract: when the robots began to play."""
    lesson_until_ns: int | None = None
    """In attract or lobby: when the lesson that is shown ends."""

    def seat(self, seat: Seat) -> Seating:
        """Who sits there."""
        return self.a if seat == "a" else self.b

    def with_seat(self, seat: Seat, seating: Seating) -> Flow:
        """The flow with one seat replaced."""
        return replace(self, a=seating) if seat == "a" else replace(self, b=seating)


class Step(msgspec.Struct, frozen=True, gc=False):
    """What a press or time passing led to."""

    flow: Flow
    orders: tuple[Order, ...] = ()
    has_acted: bool = False
    """The press did something."""


def opening(now_ns: int, games: int = 1, default: int = 0) -> Step:
    """The cabinet has just started; it plays so many games, and `default` of them when nobody chooses."""
    return _to_attract(Flow(games=games, default=default), now_ns)


def press(flow: Flow, settings: FlowSettings, seat: Seat, button: Button, now_ns: int) -> Step:
    """A person's press outside a match."""
    flow = touched(flow, now_ns)
    if flow.scene == "attract":
        lobby = _lobby(flow, flow.default, now_ns)
        return _press_start(lobby, settings, seat, now_ns) if button == START else Step(lobby, has_acted=True)
    if flow.scene == "lobby":
        return _press_in_lobby(flow, settings, seat, button, now_ns)
    if flow.scene == "result" and button == START and now_ns >= again_from_ns(flow, settings):
        return _press_start(_lobby(flow, flow.choice, now_ns), settings, seat, now_ns)
    return Step(flow)


def _lobby(flow: Flow, choice: int, now_ns: int) -> Flow:
    nobody = Seating()
    return replace(flow, scene="lobby", since_ns=now_ns, a=nobody, b=nobody, choice=choice, lesson_until_ns=None)


def _press_in_lobby(flow: Flow, settings: FlowSettings, seat: Seat, button: Button, now_ns: int) -> Step:
    """Whatever is pressed ends a lesson; who is ready for one game is not ready for another."""
    is_taught = flow.lesson_until_ns is not None
    flow = replace(flow, lesson_until_ns=None)
    if button == START:
        return _press_start(flow, settings, seat, now_ns)
    if button == LESSON_BUTTON and not is_taught:
        return Step(flow, (Teach(),), has_acted=True)
    if button in PAGING and flow.games > 1:
        waiting = {seat: replace(flow.seat(seat), is_ready=False) for seat in SEATS}
        choice = (flow.choice + PAGING[button]) % flow.games
        return Step(replace(flow, a=waiting["a"], b=waiting["b"], choice=choice), has_acted=True)
    return Step(flow, has_acted=is_taught)


def _press_start(flow: Flow, settings: FlowSettings, seat: Seat, now_ns: int) -> Step:
    seating, other = flow.seat(seat), OTHER_SEAT[seat]
    if seating.player == "nobody":
        return Step(flow.with_seat(seat, Seating("human", joined_ns=now_ns)), has_acted=True)
    if flow.seat(other).player == "human":
        flow = flow.with_seat(seat, replace(seating, is_ready=True))
        return _start_if_ready(flow, now_ns)
    if now_ns < seating.joined_ns + settings.robot_after_s * SECOND_NS:
        return Step(flow)
    flow = flow.with_seat(seat, replace(seating, is_ready=True))
    return _start_if_ready(flow.with_seat(other, Seating("robot", is_ready=True, joined_ns=now_ns)), now_ns)


def _start_if_ready(flow: Flow, now_ns: int) -> Step:
    if flow.a.is_ready and flow.b.is_ready:
        match = replace(flow, scene="match", since_ns=now_ns, lesson_until_ns=None)
        return Step(dealt(match, now_ns), (Deal(),), has_acted=True)
    return Step(flow, has_acted=True)


def touched(flow: Flow, now_ns: int) -> Flow:
    """A person pressed something, whatever it meant: somebody is there."""
    return replace(flow, pressed_ns=max(flow.pressed_ns, now_ns))


def take_seat_back(flow: Flow, seat: Seat, now_ns: int) -> Step:
    """A person has pressed START at a robot's seat before the first card turned."""
    human = Seating("human", is_ready=True, joined_ns=now_ns)
    return Step(touched(flow.with_seat(seat, human), now_ns), has_acted=True)


def dealt(flow: Flow, at_ns: int) -> Flow:
    """A layout was dealt and waits for both to be ready."""
    return replace(flow, waiting_since_ns=at_ns)


def next_ns(flow: Flow, settings: FlowSettings) -> int | None:
    """When the flow may do something by itself, if nobody presses; None: not before something happens."""
    if flow.scene == "attract":
        if flow.lesson_until_ns is not None:
            return flow.lesson_until_ns
        return flow.shown_ns + settings.show_s * SECOND_NS if settings.lessons else None
    if flow.scene == "lobby":
        ends_ns = _lobby_ends_ns(flow, settings)
        return ends_ns if flow.lesson_until_ns is None else min(ends_ns, flow.lesson_until_ns)
    if flow.scene == "result":
        return _result_ends_ns(flow, settings)
    if flow.paused_since_ns is not None:
        return _pause_ends_ns(flow, settings)
    left_ns = flow.pressed_ns + (settings.away_s + settings.still_there_s) * SECOND_NS
    if flow.waiting_since_ns is None:
        return left_ns
    return min(left_ns, flow.waiting_since_ns + settings.ready_s * SECOND_NS)


def advance(flow: Flow, settings: FlowSettings, view: View | None, now_ns: int) -> Step:
    """What time passing leads to; `view` is the match that is played or shown."""
    if flow.scene == "attract":
        return _advance_attract(flow, settings, view, now_ns)
    if flow.scene == "lobby":
        return _advance_lobby(flow, settings, now_ns)
    if flow.scene == "result":
        return _to_attract(flow, now_ns) if now_ns >= _result_ends_ns(flow, settings) else Step(flow)
    return _advance_match(flow, settings, view, now_ns)


def _advance_attract(flow: Flow, settings: FlowSettings, view: View | None, now_ns: int) -> Step:
    """Robots play, then it is shown how; then the same with the next game."""
    if flow.lesson_until_ns is not None:
        return _show_next(flow, now_ns) if now_ns >= flow.lesson_until_ns else Step(flow)
    if settings.lessons and now_ns >= flow.shown_ns + settings.show_s * SECOND_NS:
        return Step(flow, (Teach(),))
    if view is None:
        return Step(replace(flow, shown_ns=now_ns), (Show(),))
    return _show_next(flow, now_ns) if view.phase == "over" else Step(flow)


def _show_next(flow: Flow, now_ns: int) -> Step:
    choice = (flow.choice + 1) % flow.games
    return Step(replace(flow, choice=choice, shown_ns=now_ns, lesson_until_ns=None), (Show(),))


def taught(flow: Flow, until_ns: int) -> Flow:
    """A lesson has begun, which ends at `until_ns`."""
    return replace(flow, lesson_until_ns=until_ns)


def _advance_lobby(flow: Flow, settings: FlowSettings, now_ns: int) -> Step:
    if flow.lesson_until_ns is not None and now_ns >= flow.lesson_until_ns:
        flow = replace(flow, lesson_until_ns=None, since_ns=flow.lesson_until_ns)
    if now_ns < _lobby_ends_ns(flow, settings):
        return Step(flow)
    if not _one_waits_for_the_other(flow):
        return _to_attract(flow, now_ns)
    ready = {seat: replace(flow.seat(seat), is_ready=True) for seat in SEATS}
    return _start_if_ready(replace(flow, a=ready["a"], b=ready["b"]), now_ns)


def _one_waits_for_the_other(flow: Flow) -> bool:
    seatings = [flow.seat(seat) for seat in SEATS]
    return all(seating.player == "human" for seating in seatings) and any(seating.is_ready for seating in seatings)


def _lobby_ends_ns(flow: Flow, settings: FlowSettings) -> int:
    """When nobody has pressed for so long that both are made ready, or that everybody is gone."""
    wait_s = settings.ready_s if _one_waits_for_the_other(flow) else settings.lobby_s
    return max(flow.since_ns, flow.pressed_ns, flow.lesson_until_ns or 0) + wait_s * SECOND_NS


def _result_ends_ns(flow: Flow, settings: FlowSettings) -> int:
    return max(flow.since_ns, flow.pressed_ns) + settings.result_s * SECOND_NS


def _advance_match(flow: Flow, settings: FlowSettings, view: View | None, now_ns: int) -> Step:
    if view is None:
        return Step(flow)
    if view.phase == "over":
        return Step(replace(flow, scene="result", since_ns=now_ns, waiting_since_ns=None))
    if flow.paused_since_ns is not None:
        return _advance_pause(flow, settings, now_ns)
    if now_ns >= flow.pressed_ns + (settings.away_s + settings.still_there_s) * SECOND_NS:
        return _end_without_result(flow, now_ns)
    return _make_ready(flow, settings, view, now_ns)


def _advance_pause(flow: Flow, settings: FlowSettings, now_ns: int) -> Step:
    if now_ns < _pause_ends_ns(flow, settings):
        return Step(flow)
    return _end_without_result(flow, now_ns) if flow.goes_on_ns is None else Step(_resumed(flow, now_ns))


def _pause_ends_ns(flow: Flow, settings: FlowSettings) -> int:
    """When play goes on, or the match ends without a result because the hardware stays away."""
    if flow.goes_on_ns is not None:
        return flow.goes_on_ns
    return (flow.paused_since_ns or 0) + settings.pause_s * SECOND_NS


def _make_ready(flow: Flow, settings: FlowSettings, view: View, now_ns: int) -> Step:
    if view.phase != "ready" or view.beat is not None or flow.waiting_since_ns is None:
        return Step(flow)
    if now_ns < flow.waiting_since_ns + settings.ready_s * SECOND_NS:
        return Step(flow)
    late = tuple(MakeReady(seat) for seat in SEATS if not view.side(seat).is_ready)
    return Step(replace(flow, waiting_since_ns=None), late)


def _end_without_result(flow: Flow, now_ns: int) -> Step:
    attract = _to_attract(flow, now_ns)
    return Step(attract.flow, (EndMatch(), *attract.orders))


def _to_attract(flow: Flow, now_ns: int) -> Step:
    attract = Flow(
        since_ns=now_ns,
        pressed_ns=flow.pressed_ns,
        games=flow.games,
        default=flow.default,
        choice=flow.default,
        shown_ns=now_ns,
    )
    return Step(attract, (Show(),))


def pause(flow: Flow, now_ns: int) -> Flow:
    """Hardware that the match needs is missing."""
    since_ns = now_ns if flow.paused_since_ns is None else flow.paused_since_ns
    return replace(flow, paused_since_ns=since_ns, goes_on_ns=None)


def count_down(flow: Flow, settings: FlowSettings, now_ns: int) -> Flow:
    """The hardware is back: it is counted until play goes on."""
    if flow.paused_since_ns is None or flow.goes_on_ns is not None:
        return flow
    return replace(flow, goes_on_ns=now_ns + settings.count_s * SECOND_NS)


def _resumed(flow: Flow, now_ns: int) -> Flow:
    """Play goes on; the time of the pause counts for nothing."""
    paused_since_ns = now_ns if flow.paused_since_ns is None else flow.paused_since_ns
    lost_ns = now_ns - paused_since_ns
    lost_since_press_ns = now_ns - max(paused_since_ns, flow.pressed_ns)
    waiting_ns = None if flow.waiting_since_ns is None else flow.waiting_since_ns + lost_ns
    return replace(
        flow,
        paused_since_ns=None,
        goes_on_ns=None,
        pressed_ns=flow.pressed_ns + max(0, lost_since_press_ns),
        waiting_since_ns=waiting_ns,
    )


# What a screen shows of it


def robot_joins_ns(flow: Flow, settings: FlowSettings) -> int | None:
    """In the lobby: from when START of the player who is alone brings a robot; None: nobody is alone."""
    humans = [flow.seat(seat) for seat in SEATS if flow.seat(seat).player == "human"]
    if flow.scene != "lobby" or len(humans) != 1:
        return None
    return humans[0].joined_ns + settings.robot_after_s * SECOND_NS


def still_there_until_ns(flow: Flow, settings: FlowSettings, now_ns: int) -> int | None:
    """Until when somebody must press for the match to go on; None: nobody is asked."""
    if flow.scene != "match" or flow.paused_since_ns is not None:
        return None
    asks_ns = flow.pressed_ns + settings.away_s * SECOND_NS
    return asks_ns + settings.still_there_s * SECOND_NS if now_ns >= asks_ns else None


def again_from_ns(flow: Flow, settings: FlowSettings) -> int:
    """In the result: from when START counts."""
    return flow.since_ns + settings.again_after_s * SECOND_NS
