"""The zones of the table as immutable values, and `View`: what one seat may see of them."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cabinet.engine.cards import Card
from cabinet.engine.rules import Rules

Seat = Literal["a", "b"]
"""A player's place at the cabinet: `a` sits left, `b` right."""

PileName = Literal["left", "right"]
"""A centre pile: `left` lies on a's side, `right` on b's."""

SEATS: Final[tuple[Seat, Seat]] = ("a", "b")
PILE_NAMES: Final[tuple[PileName, PileName]] = ("left", "right")

OTHER_SEAT: Final[dict[Seat, Seat]] = {"a": "b", "b": "a"}
OTHER_PILE: Final[dict[PileName, PileName]] = {"left": "right", "right": "left"}
OWN_SIDE: Final[dict[Seat, PileName]] = {"a": "left", "b": "right"}
"""The centre pile on a player's own side (RULES.md 4)."""


class StockPile(msgspec.Struct, frozen=True, gc=False):
    """One stock pile, its cards from bottom to top."""

    cards: tuple[Card, ...] = ()
    face_up: int = 0
    """How many cards, counted from the top, lie face up."""

    @property
    def top(self) -> Card | None:
        """The face-up top; None when the pile is empty or its top lies face down."""
        return self.cards[-1] if self.face_up else None


EMPTY_STOCK: Final = StockPile()

Centre = tuple[Card, ...]
"""A centre pile's cards from bottom to top; empty in Spit before the first card turns."""


class SpitSide(msgspec.Struct, frozen=True, gc=False):
    """What one player has before them in Spit."""

    stock: tuple[StockPile, ...]
    """Stock piles 1 to 5 (or 4)."""
    spit: tuple[Card, ...]
    """Spit cards, face down; the last is the top (RULES.md 3)."""

    def top(self, stock: int) -> Card | None:
        """The face-up top of a stock pile, numbered from 1."""
        return self.stock[stock - 1].top

    @property
    def stock_size(self) -> int:
        """Cards in all stock piles together; 0 means the player is out (RULES.md 21)."""
        return sum(len(pile.cards) for pile in self.stock)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Stock 1 to 5, then spit cards, each from bottom to top: the order in which a new set is gathered."""
        gathered: tuple[Card, ...] = ()
        for pile in self.stock:
            gathered += pile.cards
        return gathered + self.spit


class SpitTable(msgspec.Struct, frozen=True, gc=False, tag_field="game", tag="spit"):
    """Every zone of a Spit layout."""

    a: SpitSide
    b: SpitSide
    left: Centre | None
    """None is the pile that a one-pile round does not have (RULES.md 32)."""
    right: Centre | None

    def side(self, seat: Seat) -> SpitSide:
        """The zones of one player."""
        return self.a if seat == "a" else self.b

    def pile(self, name: PileName) -> Centre | None:
        """A centre pile; None when this round does not have it."""
        return self.left if name == "left" else self.right

    def pile_size(self, name: PileName) -> int:
        """Cards in a centre pile; 0 for the missing one (RULES.md 36)."""
        return len(self.pile(name) or ())

    @property
    def is_single(self) -> bool:
        """Whether this is a one-pile round (RULES.md 32)."""
        return self.left is None or self.right is None

    def with_side(self, seat: Seat, side: SpitSide) -> SpitTable:
        """The table with one player's zones replaced."""
        if seat == "a":
            return SpitTable(side, self.b, self.left, self.right)
        return SpitTable(self.a, side, self.left, self.right)

    def with_pile(self, name: PileName, pile: Centre) -> SpitTable:
        """The table with one centre pile replaced."""
        if name == "left":
            return SpitTable(self.a, self.b, pile, self.right)
        return SpitTable(self.a, self.b, self.left, pile)


class SpeedSide(msgspec.Struct, frozen=True, gc=False):
    """What one player has before them in Speed."""

    hand: tuple[Card | None, ...]
    """Five slots; None is an empty one (RULES.md 45)."""
    draw: tuple[Card, ...]
    """The draw pile, face down; its first card is drawn next."""

    def top(self, stock: int) -> Card | None:
        """The card in a slot of the hand, numbered from 1."""
        return self.hand[stock - 1]

    @property
    def stock_size(self) -> int:
        """Cards in hand and draw pile together; 0 means the player is out (RULES.md 50)."""
        return len(self.hand) - self.hand.count(None) + len(self.draw)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Hand slots 1 to 5, then the draw pile: the order in which a dead hand is shuffled (RULES.md 49)."""
        return (*(card for card in self.hand if card is not None), *self.draw)


class SpeedTable(msgspec.Struct, frozen=True, gc=False, tag_field="game", tag="speed"):
    """Every zone of a Speed layout."""

    a: SpeedSide
    b: SpeedSide
    left: Centre
    right: Centre
    side_left: tuple[Card, ...]
    """The side pile beside `left`, face down; its last card is the top."""
    side_right: tuple[Card, ...]
    is_turned: bool
    """Whether the two singles lie face up: both were ready (RULES.md 44)."""

    def side(self, seat: Seat) -> SpeedSide:
        """The zones of one player."""
        return self.a if seat == "a" else self.b

    def pile(self, name: PileName) -> Centre:
        """A centre pile."""
        return self.left if name == "left" else self.right

    def pile_size(self, name: PileName) -> int:
        """Cards in a centre pile."""
        return len(self.pile(name))

    @property
    def is_single(self) -> bool:
        """Never: only Spit has one-pile rounds."""
        return False

    def with_side(self, seat: Seat, side: SpeedSide) -> SpeedTable:
        """The table with one player's zones replaced."""
        if seat == "a":
            return SpeedTable(side, self.b, self.left, self.right, self.side_left, self.side_right, self.is_turned)
        return SpeedTable(self.a, side, self.left, self.right, self.side_left, self.side_right, self.is_turned)

    def with_pile(self, name: PileName, pile: Centre) -> SpeedTable:
        """The table with one centre pile replaced."""
        left, right = (pile, self.right) if name == "left" else (self.left, pile)
        return SpeedTable(self.a, self.b, left, right, self.side_left, self.side_right, self.is_turned)


Table = SpitTable | SpeedTable


class StockView(msgspec.Struct, frozen=True, gc=False):
    """A stock pile as a viewer sees it; in Speed a slot of the hand, as a pile of one card or none."""

    size: int
    top: Card | None
    """The top that the viewer sees; None when the pile is empty, its top lies face down, or the hand is hidden."""
    beneath: tuple[Card, ...] = ()
    """Open cards beneath the top, the lowest first (stack_equal, RULES.md 42)."""


class PileView(msgspec.Struct, frozen=True, gc=False):
    """A centre pile as anybody may see it."""

    size: int
    top: Card | None
    """None before the first card has turned: the pile is empty or, in Speed, its single lies face down."""


class SideView(msgspec.Struct, frozen=True, gc=False):
    """One player's zones and standing as anybody may see them."""

    stock: tuple[StockView, ...]
    spit_size: int
    owned: int
    """Cards in stock and spit cards, or hand and draw pile; after the match what the player ended with."""
    is_ready: bool
    """Has said ready for the deal that is waiting."""
    has_called: bool
    """Has called spit since the announcement."""
    locked_until_ns: int
    """Match time at which a miss stops locking the stock buttons; in the past when not locked (RULES.md 53)."""
    tied_to: PileName | None
    """The only pile this player may spit on, once chosen (RULES.md 18)."""
    draw_size: int = 0
    """Cards in the draw pile of Speed."""

    @property
    def stock_size(self) -> int:
        """Cards in all stock piles together, or in the hand."""
        return sum(pile.size for pile in self.stock)


Phase = Literal["ready", "play", "slap", "choose", "over"]
"""Waiting for both to be ready; playing; racing for the piles; one player choosing; the match is over."""

BeatKind = Literal["deal", "spit"]


class BeatView(msgspec.Struct, frozen=True, gc=False):
    """The count before cards turn (RULES.md 4, 16)."""

    kind: BeatKind
    starts_ns: int
    ends_ns: int
    piles: tuple[PileName, ...]
    """The piles on which a card will turn."""


class RoundEnd(msgspec.Struct, frozen=True, gc=False):
    """Why a round ended (RULES.md 21)."""

    cause: Literal["out", "deadlock"]
    player: Seat | None = None
    """The player who went out; None after a deadlock."""


class View(msgspec.Struct, frozen=True, gc=False):
    """All that one seat, or a screen, may see of a match: no hidden card, no hidden time (RULES.md 3, 24, 52)."""

    rules: Rules
    now_ns: int
    """Match time up to which everything is decided."""
    phase: Phase
    round: int
    a: SideView
    b: SideView
    left: PileView | None
    """None is the pile that a one-pile round does not have."""
    right: PileView | None
    is_stuck: bool
    stuck_since_ns: int | None
    """When the announcement was made; None when not stuck."""
    lone_spitter: Seat | None
    """The player who spits alone now; None when not stuck or both spit (RULES.md 18)."""
    needs_pile: bool
    """Whether the lone spitter has yet to name a pile."""
    beat: BeatView | None
    round_end: RoundEnd | None
    """The latest round's, also after the next deal."""
    ended_ns: int | None
    """When the round ended, while its piles are not settled yet."""
    slap_open: bool
    """Whether slaps, or the choice, count now. When it will open is not told."""
    chooser: Seat | None
    """The player who chooses a pile (RULES.md 28)."""
    token: Seat
    score_a: int
    score_b: int
    winner: Seat | None
    fitting: frozenset[tuple[Seat, int, PileName]] = frozenset()
    """Which tops that the viewer sees fit on which piles now: seat, stock pile or slot from 1, centre pile."""
    side_left: int = 0
    """Cards in the side pile beside `left` (Speed)."""
    side_right: int = 0
    seat: Seat | None = None
    """Whose view it is; None: that of a screen which both look at."""

    def side(self, seat: Seat) -> SideView:
        """The zones of one player."""
        return self.a if seat == "a" else self.b

    def fits(self, seat: Seat, stock: int, pile: PileName) -> bool:
        """Whether the open top of a stock pile may be played on a centre pile now."""
        return (seat, stock, pile) in self.fitting

    def pile(self, name: PileName) -> PileView | None:
        """A centre pile; None when this round does not have it."""
        return self.left if name == "left" else self.right
