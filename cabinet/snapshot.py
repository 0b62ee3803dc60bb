"""All that a screen, a lamp, a sound or a record may know, as one immutable value.

The game thread publishes a new `Snapshot` whenever something changed; readers take the latest and never
wait. What happened is repeated for `KEPT_NS`, numbered, so that a reader which missed a snapshot still sees it.
Times are host CLOCK_MONOTONIC nanoseconds unless a name says match time.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cabinet.buttons.edges import Line
from cabinet.buttons.lamp_state import DARK, Lamps, LampState
from cabinet.contests import DecidedBy
from cabinet.engine.actions import Event, Refusal
from cabinet.engine.games import SPIT, Game
from cabinet.engine.table import PileName, Seat, View

KEPT_NS: Final = 3_000_000_000
"""How long a happening, sign or photo finish stays in the snapshots."""

Scene = Literal["attract", "lobby", "match", "result"]
"""Where the cabinet is between two coins. During `match` the view's phase says more."""


Player = Literal["nobody", "human", "robot"]


class SeatStatus(msgspec.Struct, frozen=True, gc=False):
    """Who sits at a seat, and what the panel waits for there."""

    player: Player = "nobody"
    is_ready: bool = False
    """In the lobby: has pressed START again and waits for the other."""
    armed_stock: int | None = None
    """The space, or with stack_equal the card, that was armed and now waits for a second stock button."""
    stuck_lines: tuple[Line, ...] = ()
    """Buttons held so long that the game goes on without them."""


class Happening(msgspec.Struct, frozen=True, gc=False):
    """Something happened at the table."""

    number: int
    """Counts up over the whole run; never repeats."""
    at_ns: int
    event: Event


SignKind = Literal["done", "refused", "waiting", "locked", "nothing"]
"""What became of a press: it acted; it was refused; it waits for a second button; the stock buttons are
locked; it means nothing now."""


class Sign(msgspec.Struct, frozen=True, gc=False):
    """What became of one press; every press gets one."""

    number: int
    at_ns: int
    """The press's stamp."""
    line: Line
    kind: SignKind
    reason: Refusal | None = None
    behind_ns: int | None = None
    """A lost race: how much earlier the other player was."""
    pile: PileName | None = None
    """Where it acted, or was meant to act."""


class PhotoFinish(msgspec.Struct, frozen=True, gc=False):
    """Two presses that contended, and how it was decided."""

    number: int
    at_ns: int
    """The earlier stamp."""
    first: Seat
    """Who went first."""
    margin_ns: int
    """The later stamp less the earlier."""
    a_err_ns: int
    b_err_ns: int
    decided_by: DecidedBy = "stamps"

    @property
    def is_dead_heat(self) -> bool:
        """The two could not be told apart."""
        return self.decided_by in ("token", "nobody")


class Trouble(msgspec.Struct, frozen=True, gc=False):
    """Something is wrong, in plain words for whoever stands before the cabinet."""

    key: str
    """Names the kind, such as ``source`` or ``settings``; one trouble a key is shown."""
    text: str
    """One line."""
    pauses_game: bool = False


Caption = Literal[
    "neighbours",
    "colours",
    "pairs",
    "turn",
    "space",
    "stack",
    "spit",
    "out",
    "slap",
    "choose",
    "fewer_cards_win",
    "fewer_points_win",
    "draw",
    "slide",
    "speed_out",
]
"""What a lesson says while it shows it."""


class Lesson(msgspec.Struct, frozen=True, gc=False):
    """How to play, shown on the table of `view`; its presses are signs as in a match."""

    caption: Caption
    since_ns: int
    """When the caption came up."""
    number: int
    """Which of the captions it is, from 1."""
    count: int


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """The whole cabinet at one moment."""

    number: int
    at_ns: int
    """Host time up to which everything is decided."""
    scene: Scene
    seats_a: SeatStatus
    seats_b: SeatStatus
    view: View | None
    """The match that is played, the one that robots play behind the title in attract, or a lesson's."""
    game: Game = SPIT
    """What is played or shown; in the lobby what is chosen."""
    games: tuple[Game, ...] = (SPIT,)
    """What may be chosen in the lobby, in this order."""
    lesson: Lesson | None = None
    """In attract or lobby: a lesson in `game` is shown."""
    match_offset_ns: int = 0
    """Host time less match time, for times in `view` and in events."""
    paused_since_ns: int | None = None
    """Set while the game is held because hardware is missing."""
    goes_on_ns: int | None = None
    """In a pause: the hardware is back, and play goes on at this time."""
    happenings: tuple[Happening, ...] = ()
    signs: tuple[Sign, ...] = ()
    photo: PhotoFinish | None = None
    robot_joins_ns: int | None = None
    """In the lobby: from when one more START of a player who is alone brings a robot."""
    still_there_until_ns: int | None = None
    """Nobody has pressed for long; at this time the cabinet goes back to attract."""
    again_from_ns: int | None = None
    """In the result: from when START plays again."""
    troubles: tuple[Trouble, ...] = ()
    lamps: Lamps = ()
    """What the lamps do until a later snapshot says otherwise; a button that is not named is dark."""

    def seat(self, seat: Seat) -> SeatStatus:
        """Who sits there."""
        return self.seats_a if seat == "a" else self.seats_b

    def lamp(self, line: Line) -> LampState:
        """What a button's lamp does."""
        return next((state for lit, state in self.lamps if lit == line), DARK)
