"""Views and snapshots made by hand for tests of the display, one for each scene."""

from __future__ import annotations

from typing import Any

import msgspec

from cabinet.engine.actions import (
    CardsTurned,
    Event,
    PilesTaken,
    Play,
    Played,
    Refused,
    SlapOpened,
    TokenPassed,
    TurnedCard,
)
from cabinet.engine.cards import Card
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import BeatView, PileView, RoundEnd, SideView, StockView, View
from cabinet.snapshot import Happening, PhotoFinish, SeatStatus, Sign, Snapshot, Trouble

MS = 1_000_000
NOW = 100_000 * MS
"""Host time of these snapshots; match time is the same less `OFFSET`."""
OFFSET = 40_000 * MS

card = Card.parse


def stock(*piles: tuple[int, str | None]) -> tuple[StockView, ...]:
    """Stock piles from sizes and tops."""
    return tuple(StockView(size, card(top) if top else None) for size, top in piles)


def side(piles: tuple[StockView, ...], *, spit: int = 6, **changes: Any) -> SideView:
    """One player's zones."""
    fields: dict[str, Any] = {
        "stock": piles,
        "spit_size": spit,
        "owned": sum(pile.size for pile in piles) + spit,
        "is_ready": False,
        "has_called": False,
        "locked_until_ns": 0,
        "tied_to": None,
    }
    return SideView(**(fields | changes))


A_STOCK = stock((1, "6S"), (2, "8D"), (0, None), (3, "KC"), (4, "3H"))
B_STOCK = stock((1, "TH"), (1, "QS"), (2, "2D"), (3, "8H"), (5, "AC"))


def view(**changes: Any) -> View:
    """A match in the middle of a round, with changes."""
    fields: dict[str, Any] = {
        "rules": ARCADE,
        "now_ns": NOW - OFFSET,
        "phase": "play",
        "round": 2,
        "a": side(A_STOCK),
        "b": side(B_STOCK),
        "left": PileView(8, card("7C")),
        "right": PileView(5, card("JH")),
        "is_stuck": False,
        "stuck_since_ns": None,
        "lone_spitter": None,
        "needs_pile": False,
        "beat": None,
        "round_end": None,
        "ended_ns": None,
        "slap_open": False,
        "chooser": None,
        "token": "a",
        "score_a": 0,
        "score_b": 0,
        "winner": None,
        "fitting": frozenset(),
    }
    return View(**(fields | changes))


def snapshot(shown: View | None, **changes: Any) -> Snapshot:
    """A snapshot of a match between two people."""
    fields: dict[str, Any] = {
        "number": 1,
        "at_ns": NOW,
        "scene": "match",
        "seats_a": SeatStatus(player="human"),
        "seats_b": SeatStatus(player="human"),
        "view": shown,
        "match_offset_ns": OFFSET,
    }
    return Snapshot(**(fields | changes))


def happened(number: int, age_ms: float, event: Event) -> Happening:
    """An event `age_ms` ago."""
    return Happening(number, NOW - round(age_ms * MS), event)


def match_ns(age_ms: float) -> int:
    """Match time `age_ms` ago."""
    return NOW - OFFSET - round(age_ms * MS)


def turned(age_ms: float = 2_500) -> Happening:
    """Both spit cards turned."""
    cards = (TurnedCard("a", "left", card("5D")), TurnedCard("b", "right", card("9D")))
    return happened(1, age_ms, CardsTurned(at_ns=match_ns(age_ms), kind="spit", cards=cards))


def played(number: int, age_ms: float, seat: str, stock_pile: int, *to: str) -> Happening:
    """A card was played: the pile, then the card."""
    pile, text = to
    event = Played(
        at_ns=match_ns(age_ms),
        seat=seat,  # type: ignore[arg-type]
        stock=stock_pile,
        pile=pile,  # type: ignore[arg-type]
        card=card(text),
        uncovered=None,
    )
    return happened(number, age_ms, event)


def refused(number: int, age_ms: float, seat: str, stock_pile: int, **changes: Any) -> Happening:
    """A play was refused."""
    event = Refused(
        at_ns=match_ns(age_ms),
        seat=seat,  # type: ignore[arg-type]
        action=Play(stock_pile),
        **({"reason": "NOT_ADJACENT"} | changes),
    )
    return happened(number, age_ms, event)


PHOTO = PhotoFinish(1, NOW - 400 * MS, "b", 1_300_000, 100_000, 100_000)
HEAT = PhotoFinish(2, NOW - 350 * MS, "a", 90_000, 100_000, 100_000, decided_by="token")


def busy() -> Snapshot:
    """Two cards in the air, a lost race, a refused card, an armed space."""
    happenings = (
        turned(),
        played(2, 900, "a", 2, "left", "6D"),
        played(3, 45, "a", 2, "left", "7C"),
        played(4, 30, "b", 5, "right", "JH"),
        refused(5, 80, "b", 4, behind_ns=1_300_000),
    )
    signs = (
        Sign(1, NOW - 45 * MS, "a.2", "done", pile="left"),
        Sign(2, NOW - 30 * MS, "b.5", "done", pile="right"),
        Sign(3, NOW - 80 * MS, "b.4", "refused", "NOT_ADJACENT", 1_300_000, "left"),
        Sign(4, NOW - 20 * MS, "a.5", "refused", "NOT_ADJACENT"),
    )
    return snapshot(view(), happenings=happenings, signs=signs, photo=PHOTO)


def after_play() -> Snapshot:
    """The same a moment later: everything has landed."""
    return snapshot(
        view(),
        happenings=(turned(), played(2, 500, "a", 2, "left", "7C"), played(3, 700, "b", 5, "right", "JH")),
        photo=PHOTO,
    )


def locked() -> Snapshot:
    """Seat a has missed, and space 3 of b is armed."""
    until = match_ns(-300)
    b_stock = stock((1, "TH"), (1, "QS"), (0, None), (3, "8H"), (5, "AC"))
    return snapshot(
        view(a=side(A_STOCK, locked_until_ns=until), b=side(b_stock)),
        happenings=(turned(), refused(2, 200, "a", 1, locked_until_ns=until)),
        signs=(Sign(1, NOW - 200 * MS, "a.1", "refused", "NOT_ADJACENT"),),
        seats_b=SeatStatus(player="human", armed_stock=3),
    )


def ready(round_number: int = 1, **changes: Any) -> Snapshot:
    """A fresh layout that waits for both; b has said ready."""
    a = stock((1, "6S"), (2, "8D"), (3, "TC"), (4, "KC"), (5, "3H"))
    b = stock((1, "TH"), (2, "QS"), (3, "2D"), (4, "8H"), (5, "AC"))
    fields: dict[str, Any] = {
        "phase": "ready",
        "round": round_number,
        "a": side(a, spit=11),
        "b": side(b, spit=11, is_ready=True),
        "left": PileView(0, None),
        "right": PileView(0, None),
    }
    return snapshot(view(**(fields | changes)))


def deal_beat(age_ms: int = 700) -> Snapshot:
    """The count before the first cards turn."""
    beat = BeatView("deal", match_ns(age_ms), match_ns(age_ms - 1_800), ("left", "right"))
    return ready(beat=beat)


def stuck() -> Snapshot:
    """Both must call; a has."""
    return snapshot(
        view(is_stuck=True, stuck_since_ns=match_ns(500), a=side(A_STOCK, has_called=True)),
        happenings=(turned(), played(2, 900, "a", 1, "left", "7C"), played(3, 1_200, "b", 1, "right", "JH")),
    )


def lone_spit() -> Snapshot:
    """Only b has spit cards left, and has yet to choose a pile."""
    return snapshot(
        view(
            is_stuck=True, stuck_since_ns=match_ns(500), a=side(A_STOCK, spit=0), lone_spitter="b", needs_pile=True
        ),
    )


def slap(*, is_open: bool) -> Snapshot:
    """Seat a is out; the race for the piles."""
    out = stock((0, None), (0, None), (0, None), (0, None), (0, None))
    shown = view(
        phase="slap",
        a=side(out, spit=3),
        left=PileView(17, card("7C")),
        right=PileView(9, card("JH")),
        round_end=RoundEnd("out", "a"),
        ended_ns=match_ns(1_200),
        slap_open=is_open,
    )
    happenings = (happened(9, 40, SlapOpened(at_ns=match_ns(40))),) if is_open else ()
    return snapshot(shown, happenings=happenings)


def round_over(age_ms: float = 900) -> Snapshot:
    """The piles were shared out; the next layout is there."""
    taken = PilesTaken(at_ns=match_ns(age_ms), a="right", b="left", a_size=9, b_size=17, settled_by="a")
    before = ready(3, round_end=RoundEnd("out", "a"))
    return msgspec.structs.replace(before, happenings=(happened(12, age_ms, taken),), photo=PHOTO)


def dead_heat() -> Snapshot:
    """Two presses that could not be told apart."""
    passed = happened(7, 350, TokenPassed(at_ns=match_ns(350), to="b"))
    return msgspec.structs.replace(after_play(), photo=HEAT, happenings=(turned(), passed))


def result(winner: str = "b") -> Snapshot:
    """The match is over and START plays again."""
    out = stock((0, None), (0, None), (0, None), (0, None), (0, None))
    shown = view(phase="over", winner=winner, a=side(A_STOCK, spit=11, owned=52), b=side(out, spit=0, owned=0))
    return snapshot(shown, scene="result", again_from_ns=NOW - MS)


def attract() -> Snapshot:
    """Two robots play behind the title."""
    nobody = SeatStatus()
    return snapshot(
        view(),
        scene="attract",
        seats_a=nobody,
        seats_b=nobody,
        happenings=(turned(), played(2, 50, "a", 2, "left", "7C")),
    )


def lobby(a: SeatStatus | None = None, b: SeatStatus | None = None, **changes: Any) -> Snapshot:
    """Before a match."""
    return snapshot(None, scene="lobby", seats_a=a or SeatStatus(), seats_b=b or SeatStatus(), **changes)


def trouble(*, pauses: bool) -> Snapshot:
    """A bridge was unplugged."""
    words = "The buttons of CYAN are not answering. Check the USB cable of the button board under the panel."
    return msgspec.structs.replace(
        after_play(),
        photo=None,
        troubles=(Trouble("source", words, pauses),),
        paused_since_ns=NOW - 100 * MS if pauses else None,
    )


HUMAN = SeatStatus(player="human")

SCENES: dict[str, Snapshot] = {
    "attract": attract(),
    "lobby_one": lobby(HUMAN, robot_joins_ns=NOW - MS),
    "lobby_both": lobby(msgspec.structs.replace(HUMAN, is_ready=True), HUMAN),
    "lobby_robot": lobby(msgspec.structs.replace(HUMAN, is_ready=True), SeatStatus(player="robot")),
    "ready": ready(),
    "deal_beat": deal_beat(),
    "play": after_play(),
    "busy": busy(),
    "locked": locked(),
    "stuck": stuck(),
    "lone_spit": lone_spit(),
    "slap_wait": slap(is_open=False),
    "slap_open": slap(is_open=True),
    "dead_heat": dead_heat(),
    "by_arrival": msgspec.structs.replace(
        after_play(), photo=msgspec.structs.replace(PHOTO, decided_by="arrival")
    ),
    "level_heat": msgspec.structs.replace(after_play(), photo=msgspec.structs.replace(HEAT, decided_by="nobody")),
    "round": round_over(),
    "result": result(),
    "trouble": trouble(pauses=True),
    "count": msgspec.structs.replace(after_play(), paused_since_ns=NOW - 5_000 * MS, goes_on_ns=NOW + 1_600 * MS),
    "trouble_note": trouble(pauses=False),
    "still_there": msgspec.structs.replace(after_play(), still_there_until_ns=NOW + 6_200 * MS),
    "stuck_button": msgspec.structs.replace(
        after_play(), seats_a=SeatStatus(player="human", stuck_lines=("a.4",)), photo=None
    ),
}
"""One snapshot for each picture, all at `NOW`."""
