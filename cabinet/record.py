"""A match as a file: how it began, every judged press with its stamp, what happened, how it ended.

One JSON object a line; the first says what kind of file it is. The same presses at the same times give the
same lines, byte for byte. Times are match time, in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from cabinet.buttons.edges import Line
from cabinet.engine.actions import Action, Event, Refusal
from cabinet.engine.cards import Card
from cabinet.engine.match import Match
from cabinet.engine.order import Judged
from cabinet.engine.rules import Rules
from cabinet.engine.table import Seat, Table
from cabinet.session import SeatPress

KIND: Final = "spit-cabinet matches"
VERSION: Final = 1


class RecordError(ValueError):
    """A record that cannot be read; the text says where and why, in one line."""


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line"):
    """The first line."""

    kind: str
    version: int


class Began(msgspec.Struct, frozen=True, tag="began", tag_field="line"):
    """A match began from this layout."""

    rules: Rules
    seed: int | None
    """What its Random was made from; None: it began from a given table."""
    token: Seat
    table: Table
    players: tuple[str, str]
    """Who sat at a and b: ``human`` or ``robot``."""


class Seated(msgspec.Struct, frozen=True, tag="seated", tag_field="line"):
    """A person took a robot's seat before the first card turned."""

    at_ns: int
    seat: Seat
    player: str


class Pressed(msgspec.Struct, frozen=True, tag="pressed", tag_field="line"):
    """A press was judged."""

    at_ns: int
    err_ns: int
    button: Line
    action: Action | None
    """None: it meant nothing on the table."""
    refusal: Refusal | None
    tied: bool = False
    """One of two presses that could not be told apart."""
    token_decided: bool = False


class Happened(msgspec.Struct, frozen=True, tag="happened", tag_field="line"):
    """Something happened at the table, by a press or by itself."""

    event: Event


class Ended(msgspec.Struct, frozen=True, tag="ended", tag_field="line"):
    """The match is over, or was given up."""

    winner: Seat | None
    """None: it ended without a result."""
    rounds: int
    a_owned: int
    b_owned: int
    at_ns: int


HEADER: Final = Header(KIND, VERSION)
"""What the first line of a record of this program says."""

RecordLine = Header | Began | Seated | Pressed | Happened | Ended


def _write_card(value: object) -> str:
    if isinstance(value, Card):
        return str(value)
    raise NotImplementedError(f"a record has no {type(value).__name__}")


def _read_card(wanted: type[object], value: object) -> object:
    if wanted is Card and isinstance(value, str):
        return Card.parse(value)
    raise NotImplementedError(f"a record has no {wanted.__name__}")


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_write_card)
_DECODER: Final = msgspec.json.Decoder(RecordLine, dec_hook=_read_card)


def began(match: Match, seed: int | None, players: tuple[str, str]) -> Began:
    """The line with which a match begins."""
    return Began(match.rules, seed, match.token, match.table, players)


def pressed(one: Judged[SeatPress]) -> Pressed:
    """The line for one judged press."""
    return Pressed(
        at_ns=one.press.at_ns,
        err_ns=one.press.press.err_ns,
        button=one.press.line,
        action=one.answer.action,
        refusal=one.answer.refusal,
        tied=one.tied_with is not None,
        token_decided=one.token_decided,
    )


def ended(match: Match, at_ns: int) -> Ended:
    """The line with which a match ends, at match time `at_ns`."""
    return Ended(match.winner, match.round, match.owned("a"), match.owned("b"), at_ns)


def encode(line: RecordLine) -> bytes:
    """One line of a record, its line feed included."""
    return _ENCODER.encode(line) + b"\n"


def read(path: Path) -> Iterator[RecordLine]:
    """The lines of a record after its header.

    Raises RecordError, naming the file and line, when it is no record or is damaged.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
    for number, text in enumerate(lines, 1):
        line = _decode(path, number, text)
        if (number == 1) != isinstance(line, Header):
            raise RecordError(f"{path}:{number}: a record begins with its one header")
        if isinstance(line, Header):
            if (line.kind, line.version) != (KIND, VERSION):
                raise RecordError(f"{path}: is {line.kind!r}, version {line.version}; wanted {KIND!r}, {VERSION}")
            continue
        yield line
    if not lines:
        raise RecordError(f"{path}: is empty")


def _decode(path: Path, number: int, text: bytes) -> RecordLine:
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError, NotImplementedError, ValueError) as error:
        raise RecordError(f"{path}:{number}: no line of a record: {error}") from error


def as_bytes(lines: Iterable[RecordLine]) -> bytes:
    """A whole record."""
    return b"".join(encode(line) for line in (HEADER, *lines))
