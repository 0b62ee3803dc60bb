"""What is worth doing at a table, from what one seat sees of it. Pure."""

from __future__ import annotations

from cabinet.engine.actions import Action, Choose, Draw, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.stacking import seen_steps_to_use
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, OWN_SIDE, PileName, Seat, View


def sensible_actions(view: View, seat: Seat) -> list[Action]:
    """What this seat could sensibly do now, the best first; empty: nothing but wait.

    `view` is what the seat sees. Everything named brings the player on, so that doing one after another ends.
    """
    if view.beat is not None or view.phase == "over":
        return []
    if view.phase == "ready":
        return [] if view.side(seat).is_ready else [Ready()]
    if view.phase in ("slap", "choose"):
        return _settling_actions(view, seat)
    if view.is_stuck:
        return _stuck_actions(view, seat)
    plays = _plays(view, seat)
    if view.rules.game == "speed":
        return [*plays, *_draws(view, seat)]
    return [*plays, *_turns(view, seat), *_moves(view, seat)]


# The end of a round, and nothing to play


def _settling_actions(view: View, seat: Seat) -> list[Action]:
    if not view.slap_open:
        return []
    smaller = _smaller_pile(view, seat)
    if view.phase == "slap":
        return [Slap(smaller)]
    return [Choose(smaller)] if view.chooser == seat else []


def _smaller_pile(view: View, seat: Seat) -> PileName:
    """The pile with fewer cards, of equal ones that on the own side; the missing pile has none (RULES.md 36)."""
    own = OWN_SIDE[seat]
    sizes = {name: pile.size if (pile := view.pile(name)) else 0 for name in (own, OTHER_PILE[own])}
    return min(sizes, key=lambda name: sizes[name])


def _stuck_actions(view: View, seat: Seat) -> list[Action]:
    """Call, or name the pile to spit on alone: the bigger one, so that the smaller stays worth a race."""
    side = view.side(seat)
    if view.rules.game == "spit" and not side.spit_size:
        return []
    if view.lone_spitter is not None and view.needs_pile:
        return [Spit(OTHER_PILE[_smaller_pile(view, seat)])]
    return [] if side.has_called else [Spit()]


# Plays


def _plays(view: View, seat: Seat) -> list[Action]:
    """All that fit; of equally good ones the lowest stock, and the own side first."""
    fitting = [(stock, pile) for of, stock, pile in view.fitting if of == seat]
    own = OWN_SIDE[seat]
    if len(fitting) > 1:
        fitting.sort(key=lambda play: (-_worth(view, seat, *play), play[0], play[1] != own))
    return [Play(stock, pile) for stock, pile in fitting]


def _worth(view: View, seat: Seat, stock: int, pile: PileName) -> int:
    """A play is worth more from a higher pile, and the more it leaves for oneself and the less for the other.

    The weights are those that won most rounds of robots against each other.
    """
    piles = view.side(seat).stock
    card, other_pile = piles[stock - 1].top, view.pile(OTHER_PILE[pile])
    if card is None:
        raise ValueError(f"stock {stock} has no open top")
    fits = view.rules.fits
    will_fit = fits[card]
    if other_pile is not None and other_pile.top is not None:
        will_fit |= fits[other_pile.top]
    follow = sum(other.top in will_fit for number, other in enumerate(piles, 1) if number != stock)
    helps = sum(other.top in will_fit for other in view.side(OTHER_SEAT[seat]).stock)
    return 2 * piles[stock - 1].size + follow - 2 * helps


# Turns, moves and draws


def _turns(view: View, seat: Seat) -> list[Action]:
    stock = view.side(seat).stock
    return [Turn(number) for number, pile in enumerate(stock, 1) if pile.size and pile.top is None]


def _moves(view: View, seat: Seat) -> list[Action]:
    """Into the lowest space, from the highest pile first; with stack_equal the step that comes to something."""
    if view.rules.stack_equal:
        return list(seen_steps_to_use(view, seat)[:1])
    stock = view.side(seat).stock
    space = next((number for number, pile in enumerate(stock, 1) if not pile.size), None)
    if space is None:
        return []
    sources = [number for number, pile in enumerate(stock, 1) if pile.size > 1 and pile.top is not None]
    sources.sort(key=lambda number: -stock[number - 1].size)
    return [Move(source, space) for source in sources]


def _draws(view: View, seat: Seat) -> list[Action]:
    side = view.side(seat)
    return [Draw()] if side.draw_size and any(not slot.size for slot in side.stock) else []
