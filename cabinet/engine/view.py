"""From a match to what a seat, or a screen, may see of it (RULES.md 3, 24; section 9)."""

from __future__ import annotations

from collections.abc import Iterator

from cabinet.engine.match import Match
from cabinet.engine.table import (
    OWN_SIDE,
    PILE_NAMES,
    SEATS,
    BeatView,
    PileName,
    PileView,
    Seat,
    SideView,
    StockView,
    View,
)


def view_of(match: Match) -> View:
    """All of a match that may be seen. In Spit every seat and every screen sees the same."""
    stuck, beat, settling = match.stuck, match.beat, match.settling
    lone = stuck.lone_spitter if stuck else None
    return View(
        now_ns=match.now_ns,
        phase=match.phase,
        round=match.round,
        a=_side_view(match, "a"),
        b=_side_view(match, "b"),
        left=_pile_view(match, "left"),
        right=_pile_view(match, "right"),
        is_stuck=stuck is not None,
        stuck_since_ns=stuck.since_ns if stuck else None,
        lone_spitter=lone,
        needs_pile=lone is not None and beat is None and not match.table.is_single and match.tied_to(lone) is None,
        beat=BeatView(beat.kind, beat.starts_ns, beat.ends_ns, _beat_piles(match)) if beat else None,
        round_end=match.round_end,
        ended_ns=settling.ended_ns if settling else None,
        slap_open=settling is not None and settling.is_open,
        chooser=settling.chooser if settling else None,
        token=match.token,
        score_a=match.score_a,
        score_b=match.score_b,
        winner=match.winner,
        fitting=frozenset(_fitting(match)),
    )


def _fitting(match: Match) -> Iterator[tuple[Seat, int, PileName]]:
    if match.phase != "play":
        return
    for seat in SEATS:
        for number, stock in enumerate(match.table.side(seat).stock, 1):
            for name in PILE_NAMES:
                pile = match.table.pile(name)
                if pile and stock.face_up and stock.cards[-1] in match.rules.fits[pile[-1]]:
                    yield seat, number, name


def _beat_piles(match: Match) -> tuple[PileName, ...]:
    beat = match.beat
    if beat is None:
        return ()
    return (beat.pile,) if beat.pile else tuple(OWN_SIDE[seat] for seat in beat.seats)


def _side_view(match: Match, seat: Seat) -> SideView:
    side = match.table.side(seat)
    return SideView(
        stock=tuple(StockView(len(pile.cards), pile.top) for pile in side.stock),
        spit_size=len(side.spit),
        owned=match.owned(seat),
        is_ready=seat in match.ready,
        has_called=match.stuck is not None and seat in match.stuck.callers,
        locked_until_ns=match.hand(seat).locked_until_ns,
        tied_to=match.tied_to(seat),
    )


def _pile_view(match: Match, name: PileName) -> PileView | None:
    pile = match.table.pile(name)
    if pile is None:
        return None
    return PileView(len(pile), pile[-1] if pile else None)
