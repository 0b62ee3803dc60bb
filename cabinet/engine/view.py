"""From a match to what a seat, or a screen, may see of it (RULES.md 3, 24; section 9)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from cabinet.engine.actions import Drew, Event, Hinted, Played
from cabinet.engine.cards import Card
from cabinet.engine.match import Match
from cabinet.engine.table import (
    OWN_SIDE,
    SEATS,
    BeatView,
    PileName,
    PileView,
    Seat,
    SideView,
    SpeedTable,
    SpitTable,
    StockPile,
    StockView,
    Table,
    View,
)

_NO_STOCK = StockView(0, None)
_HIDDEN_CARD = StockView(1, None)
_NOTHING: frozenset[Card] = frozenset()


def view_of(match: Match, seat: Seat | None = None) -> View:
    """What a seat may see of a match; without a seat, what a screen may show that both look at.

    All see the same but for the hands of Speed when they are hidden (RULES.md 52).
    """
    stuck, beat, settling, table = match.stuck, match.beat, match.settling, match.table
    lone = stuck.lone_spitter if stuck else None
    side_left, side_right = (table.side_left, table.side_right) if isinstance(table, SpeedTable) else ((), ())
    return View(
        rules=match.rules,
        now_ns=match.now_ns,
        phase=match.phase,
        round=match.round,
        a=_side_view(match, "a", seat),
        b=_side_view(match, "b", seat),
        left=_pile_view(match, "left"),
        right=_pile_view(match, "right"),
        is_stuck=stuck is not None,
        stuck_since_ns=stuck.since_ns if stuck else None,
        lone_spitter=lone,
        needs_pile=lone is not None and beat is None and not table.is_single and match.tied_to(lone) is None,
        beat=BeatView(beat.kind, beat.starts_ns, beat.ends_ns, _beat_piles(match)) if beat else None,
        round_end=match.round_end,
        ended_ns=settling.ended_ns if settling else None,
        slap_open=settling is not None and settling.is_open,
        chooser=settling.chooser if settling else None,
        token=match.token,
        score_a=match.score_a,
        score_b=match.score_b,
        winner=match.winner,
        fitting=_fitting(match, seat) if match.phase == "play" else frozenset(),
        side_left=len(side_left),
        side_right=len(side_right),
        seat=seat if hides_hands(match) else None,
    )


def hides_hands(match: Match) -> bool:
    """Whether seats and screens see different cards (RULES.md 52)."""
    return match.rules.game == "speed" and match.rules.hands == "hidden"


def _sees_hand(match: Match, viewer: Seat | None, seat: Seat) -> bool:
    return viewer == seat or not hides_hands(match)


def seen_event(match: Match, event: Event, viewer: Seat | None = None) -> Event:
    """An event with what the viewer may not see left out: cards drawn into a hidden hand, and what fits of it."""
    if not isinstance(event, Drew | Played | Hinted) or _sees_hand(match, viewer, event.seat):
        return event
    if isinstance(event, Hinted):
        return replace(event, hint=None)
    return replace(event, card=None) if isinstance(event, Drew) else replace(event, uncovered=None)


def _fitting(match: Match, viewer: Seat | None) -> frozenset[tuple[Seat, int, PileName]]:
    fits, table = match.rules.fits, match.table
    on_left = fits[table.left[-1]] if table.left else _NOTHING
    on_right = fits[table.right[-1]] if table.right else _NOTHING
    fitting: list[tuple[Seat, int, PileName]] = []
    for seat in SEATS:
        if _sees_hand(match, viewer, seat):
            for number, top in enumerate(_tops(table, seat), 1):
                if top in on_left:
                    fitting.append((seat, number, "left"))
                if top in on_right:
                    fitting.append((seat, number, "right"))
    return frozenset(fitting)


def _tops(table: Table, seat: Seat) -> Sequence[Card | None]:
    """The open tops of the stock piles, or the cards of the hand."""
    if isinstance(table, SpeedTable):
        return table.side(seat).hand
    return [pile.cards[-1] if pile.face_up else None for pile in table.side(seat).stock]


def _beat_piles(match: Match) -> tuple[PileName, ...]:
    beat = match.beat
    if beat is None:
        return ()
    return (beat.pile,) if beat.pile else tuple(OWN_SIDE[seat] for seat in beat.seats)


def _side_view(match: Match, seat: Seat, viewer: Seat | None) -> SideView:
    table = match.table
    draw_size = spit_size = 0
    if isinstance(table, SpitTable):
        spit_side = table.a if seat == "a" else table.b
        stock = tuple([_stock_view(pile) for pile in spit_side.stock])
        spit_size = len(spit_side.spit)
    else:
        speed_side = table.side(seat)
        sees = _sees_hand(match, viewer, seat)
        stock = tuple([_slot_view(card, sees) for card in speed_side.hand])
        draw_size = len(speed_side.draw)
    return SideView(
        stock=stock,
        spit_size=spit_size,
        owned=match.owned(seat),
        is_ready=seat in match.ready,
        has_called=match.stuck is not None and seat in match.stuck.callers,
        locked_until_ns=match.hand(seat).locked_until_ns,
        tied_to=match.tied_to(seat),
        draw_size=draw_size,
    )


def _stock_view(pile: StockPile) -> StockView:
    cards, face_up = pile.cards, pile.face_up
    if face_up > 1:
        return StockView(len(cards), cards[-1], cards[-face_up:-1])
    return StockView(len(cards), cards[-1]) if face_up else StockView(len(cards), None)


def _slot_view(card: Card | None, sees: bool) -> StockView:
    if card is None:
        return _NO_STOCK
    return StockView(1, card) if sees else _HIDDEN_CARD


def _pile_view(match: Match, name: PileName) -> PileView | None:
    table = match.table
    pile = table.pile(name)
    if pile is None:
        return None
    is_open = isinstance(table, SpitTable) or table.is_turned
    return PileView(len(pile), pile[-1] if pile and is_open else None)
