"""A match as a file: how it began, every judged press with its stamp, what happened, how it ended.

One JSON object a line; the first says what kind of file it is. A match is its `Began`, then steps: what was done
(`Seated`, `Readied`, `Pressed`), what came of it (`Contended`, `Happened`, `Ended`), and a `State` that closes the
step. The same presses at the same times give the same lines, byte for byte. Times are match time, in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Final
from zlib import crc32

import msgspec
from msgspec.structs import replace

from cabinet.buttons.edges import HOST_CLOCK, Line
from cabinet.buttons.file_header import Header, HeaderError, shown
from cabinet.contests import Contest, DecidedBy
from cabinet.engine.actions import Action, Event, Refusal
from cabinet.engine.cards import Card
from cabinet.engine.games import Game
from cabinet.engine.match import Match
from cabinet.engine.order import Judged
from cabinet.engine.table import PileName, Seat, Table
from cabinet.match_hash import hash_of
from cabinet.panel import Layout
from cabinet.presses import SeatPress
from cabinet.snapshot import Player

HEADER: Final = Header("spit-cabinet matches", 3)
"""What the first line says. The version counts up when the lines, or the states they lead to, become others."""

LONGEST_LINE: Final = 65_536
"""No line is longer, in bytes; the longest is a `Began`, with some 3,000."""

MatchTime = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
"""Nanoseconds of match time."""


class RecordError(ValueError):
    """A record that cannot be read or written; the text says where and why, and what to do, in one line."""


class _Line(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="line"):
    pass


class Began(_Line, frozen=True, tag="began"):
    """A match began from this layout."""

    game: Game
    seed: int
    """What its Random was made from, from which the layout was dealt unless it was given."""
    layout: Layout
    token: Seat
    table: Table
    players: tuple[Player, Player]
    """Who sat at a and b."""


class Seated(_Line, frozen=True, tag="seated"):
    """A person took a robot's seat before the first card turned."""

    at_ns: MatchTime
    seat: Seat
    player: Player


class Readied(_Line, frozen=True, tag="readied"):
    """Ready was said for a seat, by no press in the match: by START in the lobby, or by the machine."""

    at_ns: MatchTime
    seat: Seat
    by_machine: bool


class Pressed(_Line, frozen=True, tag="pressed"):
    """A press was judged; the presses of a step stand in the order of judging."""

    at_ns: MatchTime
    """Where it had its place in order."""
    err_ns: MatchTime
    """Its own stamp is within plus or minus this."""
    button: Line
    action: Action | None
    """None: it meant nothing on the table."""
    refusal: Refusal | None
    tied: bool = False
    """One of two presses that could not be told apart."""
    token_decided: bool = False
    spit_held: bool = False
    """The same seat's SPIT was closed at the stamp."""
    pile_held: PileName | None = None
    """The one pile button of the same seat that was closed then."""
    stamp_ns: int | None = None
    """When the contact closed; None: at `at_ns`."""
    is_late: bool = False
    """It could not be judged at its stamp, and was part of no dead heat."""
    clock: str = HOST_CLOCK
    """Which clock stamped it."""
    map_err_ns: MatchTime = 0
    """Bound of that clock's map to host time; counts only against presses of another clock."""
    made_up: bool = False
    """The source had lost the contact's edge, and made one up with an honest error."""


class Contended(_Line, frozen=True, tag="contended"):
    """A press of this step contended with another: the photo finish. Both stamps are what decided."""

    first: Line
    """The button whose press went first."""
    second: Line
    first_ns: int
    """Match time at which its contact closed, within plus or minus its error; a pause before it is left out."""
    second_ns: int
    first_err_ns: MatchTime
    second_err_ns: MatchTime
    margin_ns: int
    """The second stamp less the first; below 0 only in a dead heat, or by arrival."""
    decided_by: DecidedBy


class Happened(_Line, frozen=True, tag="happened"):
    """Something happened at the table, by a press or by itself."""

    event: Event


class Ended(_Line, frozen=True, tag="ended"):
    """The match is over, or was given up. Presses may follow: those that came too late to count."""

    winner: Seat | None
    """None: it ended without a result."""
    rounds: int
    a_owned: int
    b_owned: int
    at_ns: MatchTime


class State(_Line, frozen=True, tag="state"):
    """The match after a step."""

    at_ns: MatchTime
    """Up to here everything is decided."""
    hash: str
    """`match_hash.hash_of`: what was recomputed is the same match."""
    sum: str | None = None
    """In a file: the CRC-32 of the match's lines up to this one, in hex."""


RecordLine = Began | Seated | Readied | Pressed | Contended | Happened | Ended | State


# What a game tells


def began(match: Match, game: Game, seed: int, players: tuple[Player, Player], layout: Layout) -> Began:
    """The line with which a match begins."""
    return Began(game, seed, layout, match.token, match.table, players)


def readied(match: Match, seat: Seat, *, by_machine: bool) -> Readied:
    """The line for a ready that is no press, said now."""
    return Readied(match.now_ns, seat, by_machine)


def pressed(one: Judged[SeatPress]) -> Pressed:
    """The line for one judged press."""
    press = one.press.press
    return Pressed(
        at_ns=one.press.at_ns,
        err_ns=press.err_ns,
        button=one.press.line,
        action=one.answer.action,
        refusal=one.answer.refusal,
        tied=one.tied_with is not None,
        token_decided=one.token_decided,
        spit_held=one.press.spit_held,
        pile_held=one.press.pile_held,
        stamp_ns=one.press.stamp_ns if one.press.stamp_ns != one.press.at_ns else None,
        is_late=press.judged_ns is not None,
        clock=press.clock,
        map_err_ns=press.map_err_ns,
        made_up=press.made_up,
    )


def contended(contest: Contest) -> Contended:
    """The line for a contest."""
    first, second = contest.first, contest.second
    return Contended(
        first=first.line,
        second=second.line,
        first_ns=first.stamp_ns,
        second_ns=second.stamp_ns,
        first_err_ns=contest.err_ns(first),
        second_err_ns=contest.err_ns(second),
        margin_ns=contest.margin_ns,
        decided_by=contest.decided_by,
    )


def ended(match: Match, at_ns: int) -> Ended:
    """The line with which a match ends, at match time `at_ns`."""
    return Ended(match.winner, match.round, match.owned("a"), match.owned("b"), at_ns)


def state(match: Match) -> State:
    """The line that closes a step."""
    return State(match.now_ns, hash_of(match))


# Writing


def _write_card(value: object) -> str:
    if isinstance(value, Card):
        return str(value)
    raise NotImplementedError(f"a record has no {type(value).__name__}")


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_write_card)


def encode(line: RecordLine) -> bytes:
    """One line as it is told, its line feed included."""
    return _ENCODER.encode(line) + b"\n"


class Sum:
    """The sum of a match's lines, as they come. Not thread-safe."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, line: RecordLine) -> str:
        """The sum with this line in it, in hex; it begins anew with every match."""
        self._sum = crc32(encode(line), 0 if isinstance(line, Began) else self._sum)
        return f"{self._sum:08x}"


class LineEncoder:
    """Makes a file's lines of those that are told. Not thread-safe."""

    def __init__(self) -> None:
        self._sum = Sum()

    def encode(self, line: RecordLine) -> bytes:
        """The next line, its line feed included."""
        total = self._sum.add(line)
        return encode(replace(line, sum=total) if isinstance(line, State) else line)


def as_bytes(lines: Iterable[RecordLine]) -> bytes:
    """A whole record."""
    encoder = LineEncoder()
    return HEADER.line() + b"".join(encoder.encode(line) for line in lines)


# Reading


def _read_card(wanted: type[object], value: object) -> object:
    if wanted is Card and isinstance(value, str):
        return Card.parse(value)
    raise NotImplementedError(f"a record has no {wanted.__name__}")


_DECODER: Final = msgspec.json.Decoder(RecordLine, dec_hook=_read_card)
_BEGAN: Final = b'{"line":"began"'
_NAME_ANOTHER: Final = "name a file that this program's --record has written"
GO_ROUND: Final = "cut the file before this line, or choose another match with --match"
"""What to do about a record that is damaged somewhere."""


def read(path: Path) -> Iterator[RecordLine]:
    """The lines of a record after its header, as they were told.

    Raises RecordError, naming the file and line, when it is no record, or where it is damaged.
    """
    for _, line in read_numbered(path):
        yield line


def read_numbered(path: Path, match: int | None = None) -> Iterator[tuple[int, RecordLine]]:
    """As `read`, each line with its number in the file; of one match only, counted from 1, if it is given.

    The lines of other matches are passed over, whatever stands in them.
    """
    try:
        with path.open("rb") as file:
            yield from _decoded(path, _chosen(path, _raw_lines(path, file), match))
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); {_NAME_ANOTHER}") from error


def _raw_lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines after the header, with their numbers."""
    number = 0
    while text := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(text) > LONGEST_LINE:
            what_to_do = _NAME_ANOTHER if number == 1 else GO_ROUND
            raise RecordError(f"{path}:{number}: found a line of more than {LONGEST_LINE} bytes; {what_to_do}")
        if number > 1:
            yield number, text
        else:
            _check_header(path, text)
    if not number:
        raise RecordError(f"{path}: is empty; {_NAME_ANOTHER}")


def _check_header(path: Path, text: bytes) -> None:
    try:
        HEADER.check(text)
    except HeaderError as error:
        raise RecordError(f"{path}:1: {error}; {_NAME_ANOTHER}") from error


def _chosen(path: Path, lines: Iterator[tuple[int, bytes]], match: int | None) -> Iterator[tuple[int, bytes]]:
    count = 0
    for number, text in lines:
        count += text.startswith(_BEGAN)
        if match is not None and count > match:
            return
        if match is None or count == match:
            yield number, text
    if match is not None and count < match:
        raise RecordError(f"{path}: has {count} matches, and no match {match}; choose another with --match")


def _decoded(path: Path, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, RecordLine]]:
    total = Sum()
    for number, text in lines:
        line = _decode(path, number, text)
        if encode(line) != text.removesuffix(b"\n") + b"\n":
            raise RecordError(
                f"{path}:{number}: found {shown(text)}, which is not as this program writes it; {GO_ROUND}"
            )
        written = line.sum if isinstance(line, State) else None
        if isinstance(line, State):
            line = replace(line, sum=None)
        made = total.add(line)
        if written is not None and written != made:
            raise RecordError(
                f"{path}:{number}: found the sum {shown(written.encode())}, but the lines of the match up to here "
                f"have {made!r}: one was changed; {GO_ROUND}"
            )
        yield number, line


def _decode(path: Path, number: int, text: bytes) -> RecordLine:
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError, NotImplementedError, ValueError) as error:
        if not text.endswith(b"\n"):
            raise RecordError(
                f"{path}:{number}: the last line is cut off, found {shown(text)}; "
                "a later --record into this file takes it away"
            ) from error
        raise RecordError(
            f"{path}:{number}: found no line of a record but {shown(text)} ({error}); {GO_ROUND}"
        ) from error
