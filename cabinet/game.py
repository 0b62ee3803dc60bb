"""The game: presses in, snapshots out.

One thread owns a `Game` and calls `step` again and again: it debounces, puts presses in order, has them judged,
lets time pass up to what is decided, and publishes an immutable snapshot when something changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from random import Random
from threading import Lock
from typing import Final

import msgspec

from cabinet import flow as flow_rules
from cabinet.bulletin import Bulletin
from cabinet.button_watch import LateLog, stuck_lines, troubles_of
from cabinet.buttons.arbiter import Cluster
from cabinet.buttons.edges import Edge, Line, Press, Source
from cabinet.buttons.intake import Intake, Taken
from cabinet.engine import games as engine_games
from cabinet.engine.actions import Dealt
from cabinet.engine.table import SEATS, Seat, View
from cabinet.flow import Deal, EndMatch, Flow, FlowSettings, MakeReady, Show, Teach
from cabinet.kept_edges.values import Beginning, Given, Tap
from cabinet.lamps import LampSettings
from cabinet.panel import PILE_BUTTONS, START, Layout, line_of, place_of
from cabinet.players.hands import ROBOT_PREFIX, is_robot_line, panel_line
from cabinet.players.robot import RobotSettings
from cabinet.playing import DealMatch, Playing, deal_new_match
from cabinet.presses import SeatPress
from cabinet.publishing import Moment, Publisher
from cabinet.record import RecordLine
from cabinet.recorder import Recorder
from cabinet.session import Judgement, Session
from cabinet.snapshot import KEPT_NS, Snapshot, Trouble

FRAME_NS: Final = 16_666_667
"""A robot sees a snapshot one frame after it was published, as a person does."""


class GameSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a game is made of."""

    games: tuple[engine_games.Game, ...] = (engine_games.SPIT,)
    """What may be chosen in the lobby, in this order."""
    default: int = 0
    """Which of them is played when nobody chooses."""
    flow: FlowSettings = FlowSettings()
    robot: RobotSettings = RobotSettings()
    layout: Layout = "side_by_side"
    lamps: LampSettings = LampSettings()
    deal: DealMatch = deal_new_match
    """How a match of people begins."""


class Game:
    """Turns edges into snapshots. `deliver` and `report` may be called from any thread, the rest from one."""

    def __init__(
        self,
        settings: GameSettings,
        sources: Sequence[Source],
        intake: Intake,
        rng: Random,
        keep: Callable[[RecordLine], None] | None = None,
    ) -> None:
        """`rng` gives every beginning its seed; `keep` is told every line of the matches' record."""
        self._settings = settings
        self._sources = sources
        self._intake = intake
        self._beginnings = self._rng = rng
        self._tap: Tap | None = None
        self._recorder = Recorder(keep)
        self._inbox: SimpleQueue[Edge] = SimpleQueue()
        self._flow = Flow()
        self._playing = Playing(settings.robot, settings.layout, settings.deal)
        self._show_ns: int | None = None
        self._bulletin = Bulletin()
        self._publisher = Publisher(settings.games, settings.flow, settings.lamps, self._bulletin)
        self._reported: dict[str, Trouble] = {}
        self._reporting = Lock()
        self._troubles: tuple[Trouble, ...] = ()
        self._stuck: frozenset[Line] = frozenset()
        self._late_log = LateLog()

    @property
    def latest(self) -> Snapshot:
        """The newest snapshot, for a screen that both look at; may be read from any thread."""
        return self._publisher.latest

    def latest_for(self, seat: Seat) -> Snapshot:
        """The newest snapshot for a screen that only this seat sees; may be called from any thread."""
        return self._publisher.latest_for(seat)

    def let_tap(self, tap: Tap) -> None:
        """Tells `tap`, from the next start on, what it must know to play everything again."""
        self._tap = tap

    def deliver(self, edge: Edge) -> None:
        """Takes an edge from a source; from any thread."""
        self._inbox.put(edge)

    def wait_for_edge(self, timeout_s: float) -> Edge | None:
        """The next edge, at once when there is one; None after `timeout_s`."""
        try:
            return self._inbox.get(timeout=timeout_s)
        except Empty:
            return None

    def report(self, key: str, trouble: Trouble | None) -> None:
        """Shows a trouble, or no longer; from any thread."""
        with self._reporting:
            reported = {name: known for name, known in self._reported.items() if name != key}
            self._reported = reported if trouble is None else {**reported, key: trouble}

    def start(self, now_ns: int) -> None:
        """The cabinet begins in attract; a match that was in play ends without a result."""
        self.close()
        opening = flow_rules.opening(now_ns, len(self._settings.games), self._settings.default)
        self._follow(opening, now_ns)
        self._begin_anew(now_ns, by_force=True)

    def resume(self, beginning: Beginning) -> None:
        """Goes on from a beginning, as the game did that came to it, whatever was before."""
        for key, trouble in beginning.reported.items():
            self.report(key, trouble)
        self._go_on_from(beginning)
        if not beginning.is_start:
            self._publish(beginning.now_ns, beginning.rest.arbiter.horizon_ns)

    def close(self) -> None:
        """The cabinet is switched off: a match in play ends without a result, and its record says so."""
        if self._flow.scene == "match":
            self._give_up()
        if self._tap is not None:
            self._tap.closed()

    def step(self, now_ns: int, first: Edge | None = None) -> Snapshot | None:
        """One round at host time `now_ns`; the new snapshot, or None when nothing changed.

        `first` is an edge taken by `wait_for_edge`.
        """
        of_robots = self._playing.robots.edges_until(now_ns)
        statuses = [source.status(now_ns) for source in self._sources]
        edges = [*([] if first is None else [first]), *self._drain()]
        reported = self._reported
        if self._tap is not None:
            self._tap.given(Given(now_ns, statuses, edges, reported), robots_act=bool(of_robots))
        taken = self._intake.take([*of_robots, *edges], [*statuses, self._playing.robots.status(now_ns)], now_ns)
        for cluster in taken.clusters:
            self._take_cluster(cluster)
        self._watch_hardware(taken, reported)
        self._advance(taken.decided_ns)
        self._late_log.tell(self._intake, taken.late_presses)
        self._bulletin.forget(taken.decided_ns)
        self._begin_anew(now_ns)
        snapshot = self._publish(now_ns, taken.decided_ns)
        if self._tap is not None:
            unusual = taken.late_presses + taken.wide_presses
            self._tap.done(taken.silent_ns, unusual, has_published=snapshot is not None)
        return snapshot

    def _begin_anew(self, now_ns: int, *, by_force: bool = False) -> None:
        """Where robots have begun to play behind the title and no button is in motion, nothing before counts.

        What is then forgotten is forgotten whether anybody keeps edges or not, so that the same comes of both.
        """
        show_ns, self._show_ns = self._show_ns, None
        if show_ns is None or self._flow.scene != "attract" or self._flow.lesson_until_ns is not None:
            return
        rest = self._intake.rest(lambda line: not is_robot_line(line), by_force=by_force)
        if rest is None:
            return
        beginning = Beginning(
            now_ns=now_ns,
            seed=self._beginnings.getrandbits(62),
            flow=self._flow,
            show_ns=show_ns,
            rest=rest,
            is_start=by_force,
            troubles=self._troubles,
            reported=self._reported,
        )
        self._go_on_from(beginning)
        if self._tap is not None:
            self._tap.began(beginning)

    def _go_on_from(self, beginning: Beginning) -> None:
        self._intake.resume(beginning.rest)
        self._rng = Random(beginning.seed)
        self._flow = beginning.flow
        self._playing.forget_robots()
        self._bulletin.forget(beginning.now_ns + KEPT_NS)
        self._stuck = frozenset()
        self._troubles = beginning.troubles
        self._publisher.forget()
        self._begin_show(beginning.show_ns)
        self._show_ns = None

    def _drain(self) -> list[Edge]:
        """All that was delivered when the sources were asked: an edge left over would lie below a watermark."""
        return [self._inbox.get_nowait() for _ in range(self._inbox.qsize())]

    # Presses

    def _take_cluster(self, cluster: Cluster) -> None:
        self._advance(cluster[0].order_ns)
        rest = list(cluster)
        while rest:
            if not self._plays(rest[0]):
                self._press_outside(rest.pop(0))
                continue
            group = [press for press in rest if self._plays(press)]
            rest = [press for press in rest if press not in group]
            self._judge(group)

    def _plays(self, press: Press) -> bool:
        """Whether a press is part of the match that is played or shown."""
        place = place_of(panel_line(press.line))
        if place is None or self._playing.session is None or self._flow.paused_since_ns is not None:
            return False
        if is_robot_line(press.line):
            return place[0] in self._playing.robots
        if self._flow.seat(place[0]).player != "human" or press.line in self._stuck:
            return False
        is_late_slap = self._flow.scene == "result" and place[1] != START
        return self._flow.scene == "match" or is_late_slap

    def _judge(self, group: Sequence[Press]) -> None:
        session = self._playing.session
        if session is None:
            return
        was_over = session.match.is_over
        judgement = session.judge([self._seat_press(session, press) for press in group])
        for one in judgement.judged:
            self._bulletin.judged(one, one.press.line)
        self._bulletin.contended(judgement.contests)
        if not was_over:
            self._tell(judgement)
        elif self._flow.scene == "result":
            self._recorder.judged(session, judgement)
        for press in group:
            if not is_robot_line(press.line):
                self._flow = flow_rules.touched(self._flow, press.order_ns)

    def _seat_press(self, session: Session, press: Press) -> SeatPress:
        prefix = ROBOT_PREFIX if is_robot_line(press.line) else ""
        line = panel_line(press.line)
        place = place_of(line)
        if place is None:
            raise ValueError(f"{line!r} is no button of a seat")
        held = press.held - self._stuck
        spit_held = prefix + line_of(place[0], START) in held
        piles_held = [pile for pile in PILE_BUTTONS if prefix + line_of(place[0], pile) in held]
        pile_held = piles_held[0] if len(piles_held) == 1 else None
        return session.seat_press(*place, press, spit_held=spit_held, pile_held=pile_held)

    def _press_outside(self, press: Press) -> None:
        """A press that is no part of a match: it joins, wakes, plays again, or means nothing."""
        place = place_of(press.line)
        if place is None:
            return
        seat, button = place
        if self._flow.scene != "match":
            step = flow_rules.press(self._flow, self._settings.flow, seat, button, press.order_ns)
        elif button == START and self._can_take_back(seat):
            self._playing.robots.leave(seat)
            self._keep_seated(seat)
            step = flow_rules.take_seat_back(self._flow, seat, press.order_ns)
        else:
            step = flow_rules.Step(flow_rules.touched(self._flow, press.order_ns))
        self._bulletin.plain_sign(press.line, press.t_ns, "done" if step.has_acted else "nothing")
        self._follow(step, press.order_ns)

    def _can_take_back(self, seat: Seat) -> bool:
        session = self._playing.session
        view = session.view if session is not None else None
        is_before_first_card = view is not None and view.phase == "ready" and view.round == 1
        return is_before_first_card and self._flow.seat(seat).player == "robot"

    def _keep_seated(self, seat: Seat) -> None:
        if self._playing.session is not None:
            self._recorder.seated(self._playing.session, seat, "human")

    # Time

    def _advance(self, decided_ns: int) -> None:
        """Lets time pass; what the flow does by itself it does at its own time, however long the step."""
        due_ns = flow_rules.next_ns(self._flow, self._settings.flow)
        if due_ns is not None and due_ns < decided_ns:
            self._advance_to(due_ns)
        self._advance_to(decided_ns)

    def _advance_to(self, until_ns: int) -> None:
        self._stuck = stuck_lines(self._intake, until_ns) if self._flow.scene == "match" else frozenset()
        session = self._playing.session
        if session is not None and self._flow.paused_since_ns is None:
            for judgement in session.pass_time(until_ns):
                self._tell(judgement)
        view = session.view if session is not None else None
        was_paused = self._flow.paused_since_ns is not None
        self._follow(flow_rules.advance(self._flow, self._settings.flow, view, until_ns), until_ns)
        if session is not None and was_paused and self._flow.paused_since_ns is None:
            session.hold(until_ns)

    def _make_ready(self, session: Session, seat: Seat, *, by_machine: bool) -> None:
        judgement = session.make_ready(seat, by_machine=by_machine)
        if self._flow.scene == "match":
            self._recorder.made_ready(session, seat, judgement, by_machine=by_machine)
        self._show(session, judgement)

    def _tell(self, judgement: Judgement) -> None:
        """What happened goes to the bulletin and, for a match of people, to its record."""
        session = self._playing.session
        if session is None:
            return
        if self._flow.scene == "match":
            self._recorder.judged(session, judgement)
        self._show(session, judgement)

    def _show(self, session: Session, judgement: Judgement) -> None:
        self._bulletin.happened(session.match, judgement.events, session.offset_ns)
        if self._flow.scene == "match":
            for event in judgement.events:
                if isinstance(event, Dealt):
                    self._flow = flow_rules.dealt(self._flow, event.at_ns + session.offset_ns)

    def _follow(self, step: flow_rules.Step, now_ns: int) -> None:
        was_in_match = self._flow.scene == "match"
        self._flow = step.flow
        if step.flow.scene == "lobby" and step.flow.lesson_until_ns is None:
            self._playing.leave()
        for order in step.orders:
            if isinstance(order, Deal):
                self._begin_match(now_ns)
            elif isinstance(order, Show):
                self._begin_show(now_ns)
            elif isinstance(order, Teach):
                self._begin_lesson(now_ns)
            elif isinstance(order, MakeReady):
                if self._playing.session is not None:
                    self._make_ready(self._playing.session, order.seat, by_machine=True)
            elif isinstance(order, EndMatch) and was_in_match:
                self._give_up()

    def _give_up(self) -> None:
        """The match of people ends without a result."""
        if self._playing.session is not None:
            self._recorder.given_up(self._playing.session)
            self._playing.leave()

    @property
    def _game(self) -> engine_games.Game:
        """The game that is chosen, played or shown."""
        return self._settings.games[self._flow.choice]

    def _begin_match(self, now_ns: int) -> None:
        seed = self._rng.getrandbits(32)
        robots = [seat for seat in SEATS if self._flow.seat(seat).player == "robot"]
        session = self._playing.begin_match(self._game.rules, seed, robots, self._rng, now_ns)
        players = (self._flow.a.player, self._flow.b.player)
        self._recorder.began(session, self._game, seed, players, self._settings.layout)
        for seat in SEATS:
            self._make_ready(session, seat, by_machine=False)

    def _begin_show(self, now_ns: int) -> None:
        self._playing.begin_show(self._game.rules, self._rng, now_ns)
        self._show_ns = now_ns

    def _begin_lesson(self, now_ns: int) -> None:
        self._flow = flow_rules.taught(self._flow, self._playing.begin_lesson(self._game, now_ns))

    # Hardware

    def _watch_hardware(self, taken: Taken, reported: Mapping[str, Trouble]) -> None:
        """A match with people is held while a source of buttons is gone."""
        is_lost = any(not trouble.is_live for trouble in taken.troubles)
        self._troubles = (*troubles_of(taken), *reported.values())
        if is_lost and self._flow.scene == "match":
            self._flow = flow_rules.pause(self._flow, taken.decided_ns)
        elif not is_lost and self._flow.paused_since_ns is not None:
            self._flow = flow_rules.count_down(self._flow, self._settings.flow, taken.decided_ns)

    # Snapshots

    def _publish(self, now_ns: int, decided_ns: int) -> Snapshot | None:
        playing = self._playing
        moment = Moment(decided_ns, self._flow, playing.session, playing.lesson, self._stuck, self._troubles)
        snapshot = self._publisher.publish(moment)
        if snapshot is not None and snapshot.view is not None:
            playing.robots.see(self._view_for, snapshot.match_offset_ns, now_ns + FRAME_NS)
        return snapshot

    def _view_for(self, seat: Seat) -> View:
        view = self.latest_for(seat).view
        if view is None:
            raise ValueError("there is no match to be seen")
        return view
