"""What a press means: the table of HOUSE.md, "The panel", and its inverse.

Pure. A press gets its meaning when its turn has come, from what is on the table then. Six buttons a seat:
stock 1 to 5 and SPIT, which is START; two more, left and right, which name a centre pile, are an option.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from cabinet.buttons.edges import Line
from cabinet.engine.actions import Action, Choose, Draw, Move, Play, Ready, Slap, Spit, Turn
from cabinet.engine.cards import Card
from cabinet.engine.rules import MILLISECOND_NS
from cabinet.engine.table import OTHER_PILE, OTHER_SEAT, OWN_SIDE, PILE_NAMES, PileName, Seat, SideView, View

Button = Literal["1", "2", "3", "4", "5", "spit", "left", "right"]

STOCK_BUTTONS: Final[tuple[Button, ...]] = ("1", "2", "3", "4", "5")
START: Final[Button] = "spit"
"""The same button is called SPIT in play and START outside it."""
PAGING: Final[dict[Button, int]] = {"1": -1, "5": 1}
"""Which buttons page through the games in the lobby, and which way (HOUSE.md, "The panel")."""
LESSON_BUTTON: Final[Button] = "4"
"""The button that shows the lesson in the lobby, or ends it."""
PILE_BUTTONS: Final[tuple[PileName, ...]] = ("left", "right")
"""An option: the piles on the player's own left and right."""
BUTTONS: Final[tuple[Button, ...]] = (*STOCK_BUTTONS, START, *PILE_BUTTONS)

Layout = Literal["side_by_side", "face_to_face"]
"""Whether both players look at the screen from one side, or from opposite sides of a table."""

SPACE_RESTS_NS: Final = 300 * MILLISECOND_NS
"""A space must be this old to be armed: a second press on a card just played means nothing."""
ARMED_FOR_NS: Final = 1_500 * MILLISECOND_NS
"""How long an armed space waits for a second button."""
LONE_SPIT_RESTS_NS: Final = 250 * MILLISECOND_NS
"""From the announcement until a lone spitter's buttons choose a pile, so that a press meant as a play does not."""


def line_of(seat: Seat, button: Button) -> Line:
    """The wire of a seat's button."""
    return f"{seat}.{button}"


def place_of(line: Line) -> tuple[Seat, Button] | None:
    """Whose button a wire is, and which; None for the cabinet's own, such as coin."""
    return _PLACES.get(line)


_PLACES: Final[dict[Line, tuple[Seat, Button]]] = {
    line_of(seat, button): (seat, button) for seat in OTHER_SEAT for button in BUTTONS
}


class Hand(msgspec.Struct, frozen=True, gc=False):
    """What the panel remembers of one seat."""

    armed: int | None = None
    """The space, or with stack_equal the card, that was armed and waits for a second stock button."""
    armed_card: Card | None = None
    """The card that was armed; None: a space."""
    armed_ns: int = 0
    spaces: tuple[int | None, ...] = (None, None, None, None, None)
    """Since when each stock pile is an empty space, in match time; None: it has cards."""


class Panel(msgspec.Struct, frozen=True, gc=False):
    """What the panel remembers between presses, as a value; times are match time."""

    a: Hand = Hand()
    b: Hand = Hand()

    def hand(self, seat: Seat) -> Hand:
        """What is remembered of one seat."""
        return self.a if seat == "a" else self.b

    def armed_stock(self, seat: Seat, now_ns: int) -> int | None:
        """The armed space or card that is shown; None when there is none any more."""
        hand = self.hand(seat)
        return hand.armed if hand.armed and now_ns < hand.armed_ns + ARMED_FOR_NS else None

    def seeing(self, view: View) -> Panel:
        """The panel after the table has changed: spaces that came and went, and arms that ended with the phase."""
        return Panel(_seeing(self.a, view, view.a), _seeing(self.b, view, view.b))

    def with_hand(self, seat: Seat, hand: Hand) -> Panel:
        """The panel with what is remembered of one seat replaced."""
        return Panel(hand, self.b) if seat == "a" else Panel(self.a, hand)


def _seeing(hand: Hand, view: View, side: SideView) -> Hand:
    if view.phase not in ("play", "ready"):
        return Hand()
    since = {number: ns for number, ns in enumerate(hand.spaces) if ns is not None}
    spaces = tuple(None if pile.size else since.get(number, view.now_ns) for number, pile in enumerate(side.stock))
    if hand.armed is None or view.phase != "play" or view.beat is not None:
        return Hand(spaces=spaces)
    is_there = side.stock[hand.armed - 1].top == hand.armed_card and (
        hand.armed_card is not None or spaces[hand.armed - 1] is not None
    )
    return Hand(hand.armed, hand.armed_card, hand.armed_ns, spaces) if is_there else Hand(spaces=spaces)


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """What one press means."""

    panel: Panel
    """What the panel remembers from now on."""
    action: Action | None = None
    """What the engine shall judge; None: nothing on the table."""
    waits: bool = False
    """It waits for a second button: a space was armed, or SPIT is held to name the other pile."""


class Pressed(msgspec.Struct, frozen=True, gc=False):
    """A press as the panel sees it."""

    seat: Seat
    button: Button
    spit_held: bool = False
    """The same seat's SPIT was closed at the press's stamp."""
    pile_held: PileName | None = None
    """The one pile button of the same seat that was closed then."""


def meaning(panel: Panel, press: Pressed, view: View, layout: Layout) -> Meaning:
    """What a press means on the table of `view`, whose `now_ns` is the press's place in match time."""
    seat, button = press.seat, press.button
    if view.beat is not None or view.phase == "over":
        return Meaning(panel)
    if view.phase == "ready":
        return Meaning(panel, Ready() if button == START else None)
    if view.phase in ("slap", "choose"):
        pile = pile_named_by(seat, button, len(view.side(seat).stock), layout)
        if pile is None:
            return Meaning(panel)
        return Meaning(panel, Slap(pile) if view.phase == "slap" else Choose(pile))
    if view.lone_spitter == seat and view.needs_pile:
        return _choose_where_to_spit(panel, seat, button, view, layout)
    if button in PILE_BUTTONS:
        return Meaning(panel, waits=True)
    if button == START:
        disarmed = panel.with_hand(seat, replace(panel.hand(seat), armed=None))
        return Meaning(disarmed, Spit()) if view.is_stuck else Meaning(disarmed, waits=True)
    return _stock_meaning(panel, press, view, layout)


def own_hands_pile(seat: Seat, hand: PileName, layout: Layout) -> PileName:
    """The centre pile on a player's own left or right; face to face, b sees the table the other way round."""
    return OTHER_PILE[hand] if layout == "face_to_face" and seat == "b" else hand


def pile_named_by(seat: Seat, button: Button, piles: int, layout: Layout) -> PileName | None:
    """The centre pile that a button names in a slap, a choice or a lone spit; None: none.

    `piles` is the number of stock piles.
    """
    for hand in PILE_BUTTONS:
        if button == hand:
            return own_hands_pile(seat, hand, layout)
    if button == START:
        return None
    number = int(button)
    if number > piles or 2 * number == piles + 1:
        return None
    return own_hands_pile(seat, "left" if 2 * number < piles + 1 else "right", layout)


def _choose_where_to_spit(panel: Panel, seat: Seat, button: Button, view: View, layout: Layout) -> Meaning:
    if view.stuck_since_ns is None or view.now_ns < view.stuck_since_ns + LONE_SPIT_RESTS_NS:
        return Meaning(panel)
    if button == START:
        return Meaning(panel, Spit(OWN_SIDE[seat]))
    pile = pile_named_by(seat, button, len(view.side(seat).stock), layout)
    return Meaning(panel, Spit(pile) if pile else None)


def _stock_meaning(panel: Panel, press: Pressed, view: View, layout: Layout) -> Meaning:
    seat, number = press.seat, int(press.button)
    side = view.side(seat)
    if number > len(side.stock):
        return Meaning(panel)
    pile = side.stock[number - 1]
    armed, armed_card = panel.armed_stock(seat, view.now_ns), panel.hand(seat).armed_card
    disarmed = panel if armed is None else panel.with_hand(seat, replace(panel.hand(seat), armed=None))
    if not pile.size:
        if armed is not None and armed_card is not None:
            return Meaning(disarmed, Move(armed, number))
        return _space_meaning(panel, seat, number, view)
    if pile.top is None:
        return Meaning(panel, Turn(number))
    if armed is not None and armed_card is None:
        return Meaning(disarmed, Move(number, armed))
    if armed == number:
        return Meaning(disarmed)
    if armed is not None and armed_card is not None and armed_card.rank == pile.top.rank:
        return Meaning(disarmed, Move(armed, number))
    return _card_meaning(disarmed, press, pile.top, view, layout)


def _card_meaning(panel: Panel, press: Pressed, card: Card, view: View, layout: Layout) -> Meaning:
    """A face-up top is played, or armed for an own top of equal rank when it fits nowhere."""
    seat, number = press.seat, int(press.button)
    if press.pile_held is not None:
        return Meaning(panel, Play(number, own_hands_pile(seat, press.pile_held, layout)))
    if not press.spit_held and _is_for_stacking(view, seat, number, card):
        hand = replace(panel.hand(seat), armed=number, armed_card=card, armed_ns=view.now_ns)
        return Meaning(panel.with_hand(seat, hand), waits=True)
    return Meaning(panel, Play(number, other_side_if_both_fit(view, seat, number) if press.spit_held else None))


def _is_for_stacking(view: View, seat: Seat, number: int, card: Card) -> bool:
    """Whether a top fits no centre pile, but may go onto another own top (RULES.md 42)."""
    if view.rules.game != "spit" or not view.rules.stack_equal:
        return False
    if any(view.fits(seat, number, pile) for pile in PILE_NAMES):
        return False
    others = [pile.top for place, pile in enumerate(view.side(seat).stock, 1) if place != number]
    return any(top is not None and top.rank == card.rank for top in others)


def _space_meaning(panel: Panel, seat: Seat, number: int, view: View) -> Meaning:
    side, hand = view.side(seat), panel.hand(seat)
    if view.rules.game == "speed" and side.draw_size:
        return Meaning(panel, Draw())
    if panel.armed_stock(seat, view.now_ns) == number:
        return Meaning(panel.with_hand(seat, replace(hand, armed=None)))
    since_ns = hand.spaces[number - 1]
    if since_ns is not None and view.now_ns < since_ns + SPACE_RESTS_NS:
        return Meaning(panel)
    if not has_something_to_move(side):
        return Meaning(panel, Play(number))
    armed = replace(hand, armed=number, armed_card=None, armed_ns=view.now_ns)
    return Meaning(panel.with_hand(seat, armed), waits=True)


def has_something_to_move(side: SideView) -> bool:
    """Whether moving a top into a space would uncover a card (RULES.md 10, 15)."""
    return any(pile.size > 1 and pile.top is not None for pile in side.stock)


def other_side_if_both_fit(view: View, seat: Seat, number: int) -> PileName | None:
    """What SPIT held means for a stock pile: the other side when both piles are there; None: the only one left."""
    other = OTHER_PILE[OWN_SIDE[seat]]
    return other if view.fits(seat, number, other) and view.fits(seat, number, OWN_SIDE[seat]) else None


# The inverse: which buttons say an action


class Tap(msgspec.Struct, frozen=True, gc=False):
    """Press a button, with SPIT held meanwhile or not."""

    button: Button
    with_spit: bool = False


def taps_for(action: Action, seat: Seat, view: View, layout: Layout = "side_by_side") -> tuple[Tap, ...]:
    """The buttons that say `action` on the table of `view`, one after the other; for robots and tests."""
    if isinstance(action, Play):
        needs_spit = action.pile == OTHER_PILE[OWN_SIDE[seat]] and (
            other_side_if_both_fit(view, seat, action.stock) is not None
        )
        return (Tap(STOCK_BUTTONS[action.stock - 1], needs_spit),)
    if isinstance(action, Turn):
        return (Tap(STOCK_BUTTONS[action.stock - 1]),)
    if isinstance(action, Move):
        first, second = action.target, action.source
        if view.side(seat).stock[action.target - 1].size:
            first, second = second, first
        return (Tap(STOCK_BUTTONS[first - 1]), Tap(STOCK_BUTTONS[second - 1]))
    if isinstance(action, Draw):
        sizes = [pile.size for pile in view.side(seat).stock]
        return (Tap(STOCK_BUTTONS[sizes.index(0)]),) if 0 in sizes else ()
    if isinstance(action, Ready):
        return (Tap(START),)
    if isinstance(action, Spit) and (action.pile is None or not view.needs_pile):
        return (Tap(START),)
    if action.pile is None:
        return ()
    return (Tap(_button_of_pile(seat, action.pile, view, layout)),)


def _button_of_pile(seat: Seat, pile: PileName, view: View, layout: Layout) -> Button:
    hand = next(name for name in PILE_NAMES if own_hands_pile(seat, name, layout) == pile)
    return STOCK_BUTTONS[0] if hand == "left" else STOCK_BUTTONS[len(view.side(seat).stock) - 1]
