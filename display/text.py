"""Every word the screen can say, in one place, so that translations can replace them."""

from __future__ import annotations

from typing import Final

from cabinet.engine.actions import Refusal
from cabinet.engine.games import Game
from cabinet.engine.rules import GameKind, Rules
from cabinet.engine.table import PileName, Seat, View
from cabinet.snapshot import Caption
from display.motion import MS, SECOND_NS

TITLE: Final = "SPIT"
SEAT_NAMES: Final[dict[Seat, str]] = {"a": "AMBER", "b": "CYAN"}
PILES: Final[dict[PileName, str]] = {"left": "LEFT", "right": "RIGHT"}

PRESS_START: Final = "PRESS START"
JOINED: Final = "JOINED"
READY: Final = "READY"
ROBOT: Final = "ROBOT"
ROBOT_PROMPT: Final = ("START AGAIN", "FOR A ROBOT")
JOINED_NOTE: Final = ("when you", "are ready")
READY_NOTE: Final = ("waiting for", "the other")
ROBOT_NOTE: Final = ("START takes", "the seat")
HOW_TO_PLAY: Final = "HOW TO PLAY"
NO_CARDS: Final = "no cards left"

GAME_NAMES: Final[dict[str, str]] = {
    "spit": "SPIT",
    "four_piles": "FOUR PILES",
    "two_colours": "TWO COLOURS",
    "choice": "CHOICE",
    "points": "POINTS",
    "pairs": "PAIRS",
    "speed": "SPEED",
    "speed_20": "SPEED 20",
}
"""The games of the catalogue."""
GAME_TITLES: Final[dict[GameKind, str]] = {"spit": "SPIT", "speed": "SPEED"}
"""The two games that every other is one of."""

FITS: Final[dict[tuple[bool, bool], str]] = {
    (False, False): "one up or one down",
    (False, True): "one up, one down or equal",
    (True, False): "one up or down in the other colour",
    (True, True): "one up, down or equal in the other colour",
}
"""What may be played: by whether colours alternate, and whether pairs fit."""
FOUR_PILES: Final = "four piles"
STACK_EQUAL: Final = "stack equals"
TURN_BY_HAND: Final = "turn by hand"
SLAP_RULE: Final = "slap the smaller pile"
CHOICE_RULE: Final = "first out picks a pile"
NO_CARDS_RULE: Final = "no cards left wins"
DRAW_BY_HAND: Final = "draw by hand"
HIDDEN_HANDS: Final = "hidden hands"
SPEED_SCORES: Final[dict[str, str]] = {
    "all": "1 point per card left",
    "stock": "1 point per undrawn card",
}
"""What the winner of a round of Speed scores, by the option."""

CAPTIONS: Final[dict[Caption, str]] = {
    "neighbours": "PLAY ONE UP OR ONE DOWN",
    "colours": "RED ON BLACK, BLACK ON RED",
    "pairs": "PLAY EQUAL RANKS, TOO",
    "turn": "TURN THE NEXT CARD",
    "space": "FILL YOUR EMPTY SPACE",
    "stack": "STACK EQUAL CARDS",
    "spit": "STUCK? BOTH PRESS SPIT",
    "out": "BE OUT OF CARDS FIRST",
    "slap": "SLAP THE SMALLER PILE",
    "choose": "FIRST OUT? PICK A PILE",
    "fewer_cards_win": "LOSE ALL YOUR CARDS TO WIN",
    "fewer_points_win": "KEEP YOUR POINTS LOW",
    "draw": "A NEW CARD COMES BY ITSELF",
    "slide": "STUCK? BOTH PRESS SPIT",
    "speed_out": "BE OUT FIRST AND SCORE",
}
"""What a lesson says, in a few words."""
DRAW_CAPTION: Final = "DRAW YOUR NEXT CARD"
"""What it says of drawing where that takes a press."""

SPIT: Final = "SPIT!"
CALLED: Final = "CALLED"
WAIT: Final = "WAIT…"
SPITS_ALONE: Final = "SPITS ALONE"
LOCKED: Final = "LOCKED"
WHICH_CARD: Final = "WHICH CARD?"
WHICH_PILE: Final = "WHICH PILE?"
TURN: Final = "TURN"
SLIDE: Final = "SLIDE!"
DRAW: Final = "DRAW"
NEW_HANDS: Final = "NEW HANDS FOR BOTH"
NEW_SIDES: Final = "NEW SIDE PILES"

SLAP: Final = "SLAP THE SMALLER PILE"
SLAP_LOCKED: Final = "TOO EARLY"
CHOOSES: Final = "CHOOSES"
CHOOSES_PILE: Final = "CHOOSES A PILE"
TAKE_SMALLER: Final = ("TAKE THE", "SMALLER PILE")
OUT: Final = "OUT!"
DEADLOCK: Final = "NOBODY CAN GO ON"
DEAD_HEAT: Final = "DEAD HEAT"
BY_ARRIVAL: Final = "FIRST TO ARRIVE"
"""Decided by which press arrived: one came too late, or is known too badly, to be compared."""
OWNED: Final = "cards owned"
POINTS: Final = "points"
LOW_WINS: Final = "low wins"
AGAIN: Final = "PLAY AGAIN"

WINS: Final = "WINS"
MATCH_OVER: Final = "MATCH OVER"
STILL_THERE: Final = "STILL THERE?"
PRESS_ANY: Final = "PRESS ANY BUTTON"
PAUSED: Final = "PAUSED"
TROUBLE: Final = "SOMETHING IS WRONG"
DRAW_TROUBLE: Final = "The picture could not be drawn. The game goes on; the log says more."

REFUSALS: Final[dict[Refusal, str]] = {
    "NOT_ADJACENT": "DOESN'T FIT",
    "COLOUR": "SAME COLOUR",
    "FACE_DOWN": "FACE DOWN",
    "EMPTY": "EMPTY",
    "TARGET_NOT_EMPTY": "NOT EMPTY",
    "NO_PILE": "NO SUCH PILE",
    "NOT_STUCK": "NOT STUCK",
    "LOCKED": "OTHER PILE",
    "FACE_UP": "FACE UP",
    "HAND_FULL": "HAND FULL",
    "BUSY": "TOO QUICK",
    "WRONG_PHASE": "NOT NOW",
    "ROUND_OVER": "ROUND OVER",
    "NO_SPIT_CARDS": "NO SPIT CARDS",
    "FALSE_START": "TOO EARLY",
    "LOCKED_OUT": "LOCKED",
    "VOID": "BOTH AT ONCE",
}
"""Why a press did nothing, in two or three words."""


def left_over(cards: int) -> str:
    """How many stock cards a player still has to play."""
    return f"{cards} left"


def of_target(points: int) -> str:
    """How many points win."""
    return f"of {points}"


def margin(nanoseconds: int) -> str:
    """A time between two presses: microseconds below 0.1 ms, tenths of one up to 100 ms, whole ones above."""
    if nanoseconds < MS // 10:
        return f"{nanoseconds / 1e3:.0f} µs"
    if nanoseconds < 100 * MS:
        return f"{nanoseconds / 1e6:.1f} ms"
    return f"{nanoseconds / 1e6:.0f} ms"


def ahead(nanoseconds: int) -> str:
    """By how much the first was first."""
    return f"by {margin(nanoseconds)}"


def behind(nanoseconds: int) -> str:
    """By how much a race was lost; one without a distance was decided by the token."""
    if nanoseconds <= 0:
        return DEAD_HEAT
    return f"−{margin(nanoseconds)}"


def game_name(game: Game) -> str:
    """A game's name: of the catalogue in words, an owner's own as it is."""
    return GAME_NAMES.get(game.name, game.name)


def game_subtitle(game: Game) -> str | None:
    """A game's name beneath the title of the game that it is a kind of; None when it is just that."""
    name = game_name(game)
    return None if name == GAME_TITLES[game.rules.game] else name


def caption(key: Caption, rules: Rules) -> str:
    """What a lesson says in a game."""
    return DRAW_CAPTION if key == "draw" and rules.draw == "manual" else CAPTIONS[key]


def which_of(number: int, count: int) -> str:
    """Which of how many."""
    return f"{number} / {count}"


def low_wins_at(target: int) -> str:
    """How a series with points ends."""
    return f"low wins at {target}"


def points_win(target: int) -> str:
    """How many points win Speed."""
    return f"{target} points win" if target != 1 else "1 point wins"


def cards_each(number: int) -> str:
    """How many cards each player has in Speed."""
    return f"{number} cards each"


def at_most(rounds: int, minutes: int) -> str:
    """The caps of a match; 0 is none of that kind."""
    caps = [f"{rounds} round{'s' * (rounds != 1)}" if rounds else "", f"{minutes} min" if minutes else ""]
    return "at most " + " or ".join(cap for cap in caps if cap)


def gained(points: int) -> str:
    """Points that a round gave."""
    return f"+{points}"


def still_held(rules: Rules) -> str:
    """What the loser of a round of Speed still has, which is what the winner scores (RULES.md 51)."""
    return "cards left" if rules.speed_score == "all" else "left to draw"


def won_by(view: View) -> str:
    """Why a match was won (RULES.md 34, 38, 41, 51)."""
    rules, winner = view.rules, view.winner
    if rules.game == "speed":
        return f"{rules.speed_target} POINTS REACHED"
    if rules.score == "points":
        return f"FEWER POINTS AT {rules.points_target}"
    if winner is not None and not view.side(winner).owned:
        return "NO CARDS LEFT"
    if 0 < rules.cap_rounds <= view.round:
        return f"FEWER CARDS AFTER {view.round} ROUND{'S' * (view.round != 1)}"
    return f"FEWER CARDS AFTER {rules.cap_minutes} MINUTE{'S' * (rules.cap_minutes != 1)}"


def round_title(number: int) -> str:
    """The heading of a round."""
    return f"ROUND {number}"


def cards(number: int) -> str:
    """A number of cards."""
    return "1 card" if number == 1 else f"{number} cards"


def took(pile: PileName | None, number: int) -> str:
    """What a player took at the end of a round."""
    return f"took {PILES[pile]}: {cards(number)}" if pile else "took nothing"


def stuck_button(label: str) -> str:
    """A button that is held down for too long."""
    return f"BUTTON {label} IS STUCK"


def seconds(nanoseconds: int) -> str:
    """Whole seconds still to go, counting down to 1."""
    return str(max(1, -(-nanoseconds // SECOND_NS)))
