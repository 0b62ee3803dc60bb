"""The busiest second that play can show: two flights at a time, lost races, then the slap and the piles taken."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from cabinet.engine.actions import CardsTurned, Event, PilesTaken, Play, Played, Refused, SlapOpened, TurnedCard
from cabinet.engine.cards import Card
from cabinet.engine.rules import ARCADE
from cabinet.engine.table import PileName, PileView, RoundEnd, Seat, SideView, StockView, View
from cabinet.snapshot import Happening, PhotoFinish, SeatStatus, Sign, Snapshot

MS: Final = 1_000_000
SECOND_NS: Final = 1_000 * MS
PLAYS_MS: Final = (0, 120, 240, 360, 480)
"""When both play a card at once, and a third press of each is refused or too late."""
ENDS_MS: Final = 600
OPENS_MS: Final = 700
"""When the slap opens; sooner than the rules have it, so that all is within a second."""
TAKEN_MS: Final = 850

_card = Card.parse
_TOPS: Final[tuple[tuple[Card, Card], ...]] = (
    (_card("7C"), _card("JH")),
    (_card("8D"), _card("QS")),
    (_card("9H"), _card("KC")),
    (_card("TS"), _card("QH")),
    (_card("JC"), _card("JD")),
)
_STOCK: Final = tuple(
    StockView(size, _card(top)) for size, top in ((1, "6S"), (2, "8D"), (2, "TC"), (3, "KC"), (4, "3H"))
)
_OUT: Final = (StockView(0, None),) * 5
_HUMAN: Final = SeatStatus(player="human")


def snapshots(from_ns: int) -> tuple[tuple[int, Snapshot], ...]:
    """What the game publishes in the second that begins at host time `from_ns`: since when, and the snapshot."""
    published = [(from_ns + at_ms * MS, _play(from_ns, number)) for number, at_ms in enumerate(PLAYS_MS)]
    published += [(from_ns + at_ms * MS, _slap(from_ns, at_ms)) for at_ms in (ENDS_MS, OPENS_MS)]
    published.append((from_ns + TAKEN_MS * MS, _taken(from_ns)))
    return tuple(published)


def latest(published: tuple[tuple[int, Snapshot], ...], now_ns: int) -> Snapshot:
    """The snapshot that is the newest at host time `now_ns`; the first one before that."""
    newest = published[0][1]
    for at_ns, snapshot in published:
        if at_ns <= now_ns:
            newest = snapshot
    return newest


def _play(from_ns: int, number: int) -> Snapshot:
    at_ns = from_ns + PLAYS_MS[number] * MS
    left, right = _TOPS[number]
    happenings = [_turned(from_ns)]
    signs = []
    for earlier in range(number + 1):
        happenings += _race(from_ns, earlier)
        signs += _signs(from_ns, earlier)
    photo = PhotoFinish(number, at_ns, "b", 1_300_000, 100_000, 100_000)
    view = _view(at_ns, left=PileView(8 + number, left), right=PileView(5 + number, right))
    return _snapshot(at_ns, view, happenings, signs=tuple(signs), photo=photo)


def _race(from_ns: int, number: int) -> list[Happening]:
    """Both have played, each on a pile, and b's second card came too late."""
    at_ns = from_ns + PLAYS_MS[number] * MS
    left, right = _TOPS[number]
    lost = Refused(at_ns=at_ns, seat="b", action=Play(4), reason="NOT_ADJACENT", behind_ns=1_300_000)
    mine, theirs = _played(at_ns, "a", 2, "left", left), _played(at_ns, "b", 5, "right", right)
    events: tuple[Event, ...] = (mine, theirs, lost)
    return [_happening(10 * (number + 1) + place, at_ns, event) for place, event in enumerate(events)]


def _played(at_ns: int, seat: Seat, stock: int, pile: PileName, card: Card) -> Played:
    return Played(at_ns=at_ns, seat=seat, stock=stock, pile=pile, card=card, uncovered=None)


def _signs(from_ns: int, number: int) -> list[Sign]:
    at_ns = from_ns + PLAYS_MS[number] * MS
    return [
        Sign(100 * number + 1, at_ns, "a.2", "done", pile="left"),
        Sign(100 * number + 2, at_ns, "b.5", "done", pile="right"),
        Sign(100 * number + 3, at_ns, "b.4", "refused", "NOT_ADJACENT", 1_300_000, "left"),
        Sign(100 * number + 4, at_ns, "a.5", "refused", "NOT_ADJACENT"),
    ]


def _slap(from_ns: int, at_ms: int) -> Snapshot:
    at_ns = from_ns + at_ms * MS
    is_open = at_ms >= OPENS_MS
    left, right = _TOPS[-1]
    view = replace(
        _view(at_ns, left=PileView(12, left), right=PileView(9, right)),
        phase="slap",
        a=_side(_OUT),
        round_end=RoundEnd("out", "a"),
        ended_ns=from_ns + ENDS_MS * MS,
        slap_open=is_open,
    )
    opened = [_happening(50, at_ns, SlapOpened(at_ns=at_ns))] if is_open else []
    return _snapshot(at_ns, view, [*_race(from_ns, len(PLAYS_MS) - 1), *opened])


def _taken(from_ns: int) -> Snapshot:
    at_ns = from_ns + TAKEN_MS * MS
    taken = PilesTaken(at_ns=at_ns, a="right", b="left", a_size=9, b_size=12, settled_by="a")
    empty = PileView(0, None)
    view = replace(_view(at_ns, left=empty, right=empty), phase="ready", round=3, round_end=RoundEnd("out", "a"))
    return _snapshot(at_ns, view, [_happening(60, at_ns, taken)])


def _turned(from_ns: int) -> Happening:
    """The cards that lay there before; long ago."""
    at_ns = from_ns - 2_500 * MS
    cards = (TurnedCard("a", "left", _card("6D")), TurnedCard("b", "right", _card("TD")))
    return _happening(1, at_ns, CardsTurned(at_ns=at_ns, kind="spit", cards=cards))


def _happening(number: int, at_ns: int, event: Event) -> Happening:
    return Happening(number + at_ns // SECOND_NS * 1_000, at_ns, event)


def _side(stock: tuple[StockView, ...]) -> SideView:
    owned = sum(pile.size for pile in stock) + 6
    return SideView(stock, 6, owned, is_ready=False, has_called=False, locked_until_ns=0, tied_to=None)


def _view(now_ns: int, *, left: PileView, right: PileView) -> View:
    return View(
        rules=ARCADE,
        now_ns=now_ns, phase="play", round=2, a=_side(_STOCK), b=_side(_STOCK), left=left, right=right,
        is_stuck=False, stuck_since_ns=None, lone_spitter=None, needs_pile=False, beat=None, round_end=None,
        ended_ns=None, slap_open=False, chooser=None, token="a", score_a=0, score_b=0, winner=None,
        fitting=frozenset(),
    )  # fmt: skip


def _snapshot(
    at_ns: int,
    view: View,
    happenings: list[Happening],
    *,
    signs: tuple[Sign, ...] = (),
    photo: PhotoFinish | None = None,
) -> Snapshot:
    return Snapshot(
        number=at_ns // MS, at_ns=at_ns, scene="match", seats_a=_HUMAN, seats_b=_HUMAN, view=view,
        happenings=tuple(happenings), signs=signs, photo=photo,
    )  # fmt: skip
