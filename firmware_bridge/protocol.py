# ruff: noqa: N802 (MicroPython keeps no class annotations, so the fields are given to a function)
"""What the cabinet and its microcontrollers say to each other: messages, frames, and a decoder for any bytes.

One file for both sides: CPython 3.11 and later, and MicroPython 1.20 and later, where it is copied to the device.
PROTOCOL.md beside it tells every field, the rules of both sides and the reasons. Pure, without threads: a Decoder
belongs to one reader.

All numbers are unsigned and little-endian. Stamps are microseconds of the device's own clock since it booted.
"""

import struct
from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple
else:
    try:
        from typing import NamedTuple
    except ImportError:
        from collections import namedtuple

        def NamedTuple(name, fields):
            """MicroPython's stand-in: names without their types."""
            return namedtuple(name, tuple(field[0] for field in fields))


VERSION = 1
"""The only version that this file speaks."""

MAX_FRAME = 60
"""Bytes of one frame on the wire, its delimiter counted: always less than one USB packet of 64."""

MAX_BODY = MAX_FRAME - 4
"""Bytes of kind and fields: a frame less delimiter, CRC-16 and the one byte that COBS adds."""

MAX_BUTTONS = 32

HELLO_EVERY_MS = 200
BEAT_PLAY_MS = 5
BEAT_IDLE_MS = 50
ACK_EVERY_MS = 100
PING_FIRST_MS = 20
PING_EVERY_MS = 100
LAMPS_EVERY_MS = 500
RESEND_MS = 20
RESEND_SLOWEST_MS = 320
HOST_QUIET_MS = 1000
WINDOW_EDGES = 512

HELLO = 1
GREETING = 2
LINES = 3
SNAPSHOT = 4
EDGES = 5
ACK = 6
PING = 7
PONG = 8
BEAT = 9
LAMPS = 10
ERROR = 11
BYE = 12

CAPTURE_LOOP = 0
CAPTURE_PIO = 1
CAPTURE_SIMULATED = 2

ACK_RESEND = 1
ACK_PLAY = 2

LAMP_OFF = 0
LAMP_ON = 1
LAMP_BLINK = 2
LAMP_BREATHE = 3
LAMP_FADE = 4
LAMP_PERIOD_MS = 20
LAMP_SHORTEST_PERIOD = 17
"""In units of LAMP_PERIOD_MS: never more than three flashes a second."""

ERROR_VERSION = 1
ERROR_NO_HELLO = 2
ERROR_CAPTURE = 3
ERROR_PINS = 4
ERROR_RESET = 5
ERROR_INTERNAL = 6

Hello = NamedTuple("Hello", [("version", int), ("session", int), ("resume_boot", int), ("resume_seq", int)])
Greeting = NamedTuple(
    "Greeting",
    [
        ("version", int),
        ("session", int),
        ("boot_id", int),
        ("unique_id", int),
        ("firmware_major", int),
        ("firmware_minor", int),
        ("firmware_patch", int),
        ("buttons", int),
        ("lamps", int),
        ("capture", int),
        ("err_us", int),
        ("ring", int),
        ("board", str),
    ],
)
Lines = NamedTuple("Lines", [("first", int), ("names", str)])
Snapshot = NamedTuple("Snapshot", [("stamp_us", int), ("levels", int), ("first", int), ("next_seq", int)])
RawEdge = NamedTuple("RawEdge", [("stamp_us", int), ("button", int), ("closed", bool)])
Edges = NamedTuple("Edges", [("first", int), ("ahead", int), ("err_us", int), ("edges", "tuple[RawEdge, ...]")])
Ack = NamedTuple("Ack", [("next_seq", int), ("flags", int)])
Ping = NamedTuple("Ping", [("number", int)])
Pong = NamedTuple("Pong", [("number", int), ("received_us", int), ("held_us", int)])
Beat = NamedTuple(
    "Beat",
    [
        ("watermark_us", int),
        ("levels", int),
        ("next_seq", int),
        ("held", int),
        ("drops", int),
        ("worst_loop_us", int),
        ("bad_frames", int),
    ],
)
Lamp = NamedTuple("Lamp", [("mode", int), ("phase", int), ("brightness", int), ("period", int)])
Lamps = NamedTuple("Lamps", [("first", int), ("lamps", "tuple[Lamp, ...]")])
Error = NamedTuple("Error", [("code", int), ("text", str)])
Bye = NamedTuple("Bye", [])

try:  # noqa: SIM105 (MicroPython has no contextlib)
    Message = Hello | Greeting | Lines | Snapshot | Edges | Ack | Ping | Pong | Beat | Lamps | Error | Bye
except TypeError:
    pass  # MicroPython has no unions, and reads no annotations

CLASSES = {
    HELLO: Hello,
    GREETING: Greeting,
    LINES: Lines,
    SNAPSHOT: Snapshot,
    EDGES: Edges,
    ACK: Ack,
    PING: Ping,
    PONG: Pong,
    BEAT: Beat,
    LAMPS: Lamps,
    ERROR: Error,
    BYE: Bye,
}
LAYOUTS = {
    HELLO: "BIII",
    GREETING: "BIIQBBBBIBHH",
    LINES: "B",
    SNAPSHOT: "QIII",
    EDGES: "IHH",
    ACK: "IB",
    PING: "H",
    PONG: "HQI",
    BEAT: "QIIHIHH",
    LAMPS: "B",
    ERROR: "B",
    BYE: "",
}
"""The fields of fixed size by kind, in the letters of `struct`; what has no letter is the tail."""

_PLAIN = (BEAT, PONG, PING, SNAPSHOT, HELLO, BYE)
"""Kinds of which any fields that fit are right, and nothing follows them."""

_TAILS = (EDGES, LAMPS, GREETING, LINES, ERROR)
_FORMATS = {kind: "<B" + layout for kind, layout in LAYOUTS.items()}
_BITS = {"B": 8, "H": 16, "I": 32, "Q": 64}
_GAP_SIZES = (0, 1, 2, 4)
_KINDS = {message_class: kind for kind, message_class in CLASSES.items()}


def encode(message: "Message") -> bytes:
    """The message as one frame with its delimiter.

    Raises ValueError in words when a field is out of its range or the frame would be too long.
    """
    body = _body(message)
    if len(body) > MAX_BODY:
        raise ValueError("a frame's body has at most " + str(MAX_BODY) + " bytes, not " + str(len(body)))
    check = crc16(body, len(body))
    return stuffed(body + bytes((check & 0xFF, check >> 8)))


def edges_that_fit(edges: "tuple[RawEdge, ...] | list[RawEdge]") -> int:
    """How many of the first of these edges go into one frame; 0 only when there are none."""
    size = struct.calcsize(_FORMATS[EDGES]) + 8
    count = 0
    before_us = edges[0].stamp_us if edges else 0
    for edge in edges:
        gap_us = edge.stamp_us - before_us
        size += 1 + _GAP_SIZES[_gap_code(gap_us)]
        if size > MAX_BODY or gap_us >> 32:
            break
        before_us = edge.stamp_us
        count += 1
    return count


def seq_distance(seq: int, other: int) -> int:
    """How far edge number `seq` is ahead of `other`; negative when behind. Numbers begin again after 2**32 - 1."""
    return ((seq - other + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def refusal(version: int, speaker: str) -> str:
    """Why a Hello or a Greeting of this version is refused, in one line for an Error or the owner.

    `speaker` is who said it: "cabinet" or "firmware". Empty when the version is spoken here.
    """
    if version == VERSION:
        return ""
    return "The " + speaker + " speaks protocol " + str(version) + ", here it is " + str(VERSION) + "."


class Decoder:
    """Any bytes in, messages out. Never raises on bytes; holds at most one frame of them."""

    def __init__(self) -> None:
        self.bad_frames = 0
        """Since the start: frames that were too long, broken, or failed their check."""
        self.strange_frames = 0
        """Since the start: sound frames of a kind or with fields that this version does not know."""
        self._held = b""

    def feed(self, data: "bytes | bytearray | memoryview") -> "list[Message]":
        """The messages whose frames end in `data`, in order."""
        messages: list[Message] = []
        pieces = bytes(data).split(b"\0")
        last = len(pieces) - 1
        for index in range(last):
            frame = self._held + pieces[index] if self._held else pieces[index]
            self._held = b""
            if frame:
                message = self._decoded(frame)
                if message is not None:
                    messages.append(message)
        self._held = (self._held + pieces[last])[:MAX_FRAME]
        return messages

    def _decoded(self, frame: bytes) -> "Message | None":
        body = _unstuffed(frame) if len(frame) < MAX_FRAME else b""
        size = len(body) - 2
        if size < 1 or crc16(body, size) != body[size] | body[size + 1] << 8:
            self.bad_frames += 1
            return None
        message = _message(body[:size])
        if message is None:
            self.strange_frames += 1
        return message


def _crc_table() -> "array[int]":
    table = []
    for value in range(256):
        crc = value << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        table.append(crc)
    return array("H", table)


_CRC_TABLE = _crc_table()


def crc16(data: bytes, size: int) -> int:
    """CRC-16/IBM-3740 of the first `size` bytes: polynomial 0x1021, begun with 0xFFFF, not reflected."""
    table = _CRC_TABLE
    crc = 0xFFFF
    for index in range(size):
        crc = (crc << 8 & 0xFF00) ^ table[crc >> 8 ^ data[index]]
    return crc


def stuffed(body: bytes) -> bytes:
    """COBS: each zero becomes the distance to the next one; and the delimiter.

    A board may put native code in the place of this function and of `crc16`.
    """
    frame = bytearray(b"\0" + body + b"\0")
    last = len(frame) - 1
    at = 0
    while at < last:
        following = frame.find(b"\0", at + 1)
        frame[at] = following - at
        at = following
    return bytes(frame)


def _unstuffed(frame: bytes) -> bytes:
    """What COBS made of zeros is zero again; empty when a distance leads past the end."""
    body = bytearray(frame)
    end = len(body)
    at = 0
    while at < end:
        distance = body[at]
        body[at] = 0
        at += distance
    return bytes(body[1:]) if at == end else b""


def _body(message: "Message") -> bytes:
    kind = _KINDS[type(message)]
    layout = LAYOUTS[kind]
    values: tuple[Any, ...] = message if kind in _PLAIN else tuple(message)[: len(layout)]
    for letter, value in zip(layout, values):  # noqa: B905 (MicroPython's zip knows no strict)
        if value < 0 or value >> _BITS[letter]:
            raise ValueError("a field of " + repr(message) + " is out of its range: " + str(value))
    if kind in _PLAIN:
        return struct.pack(_FORMATS[kind], kind, *values)
    if _is_wrong(message):
        raise ValueError("PROTOCOL.md does not allow " + repr(message))
    return struct.pack(_FORMATS[kind], kind, *values) + _packed_tail(message)


def _packed_tail(message: "Message") -> bytes:
    if isinstance(message, Edges):
        return _packed_edges(message.edges)
    if isinstance(message, Lamps):
        return _packed_lamps(message.lamps)
    return _text(message).encode()


def _text(message: "Message") -> str:
    """The text at a message's end."""
    if isinstance(message, Greeting):
        return message.board
    if isinstance(message, Lines):
        return message.names
    return message.text if isinstance(message, Error) else ""


def _message(body: bytes) -> "Message | None":
    """The message in a body whose check fitted; None when this version does not know it."""
    kind = body[0]
    if kind not in CLASSES:
        return None
    layout = LAYOUTS[kind]
    if kind in (HELLO, GREETING) and len(body) > 1 and body[1] != VERSION:
        unknown: tuple[Any, ...] = (0,) * (len(layout) - 1) + (() if kind == HELLO else ("",))
        told: Message = CLASSES[kind](body[1], *unknown)
        return told
    size = struct.calcsize(_FORMATS[kind])
    if len(body) < size or (len(body) > size and kind not in _TAILS):
        return None
    values = struct.unpack(_FORMATS[kind], body[:size])[1:]
    if kind in _TAILS:
        tail = _tail(kind, body[size:])
        if tail is None:
            return None
        values += (tail,)
    message = CLASSES[kind](*values)
    return message if kind in _PLAIN or not _is_wrong(message) else None


def _tail(kind: int, tail: bytes) -> object:
    if kind == EDGES:
        return _unpacked_edges(tail)
    if kind == LAMPS:
        return _unpacked_lamps(tail)
    return tail.decode() if _is_plain(tail) else None


def _is_plain(text: bytes) -> bool:
    return all(32 <= letter < 127 for letter in text)


def _is_wrong(message: "Message") -> bool:
    """Whether fields that fit their sizes contradict PROTOCOL.md."""
    if isinstance(message, Greeting) and message.version == VERSION:
        if message.boot_id == 0 or message.buttons > MAX_BUTTONS:
            return True
    elif isinstance(message, Ack):
        return message.flags > ACK_RESEND + ACK_PLAY
    elif isinstance(message, Edges):
        return not message.edges
    elif isinstance(message, Lamps):
        return any(_is_wrong_lamp(lamp) for lamp in message.lamps)
    return not _is_plain(_text(message).encode())


def _is_wrong_lamp(lamp: Lamp) -> bool:
    repeats = lamp.mode in (LAMP_BLINK, LAMP_BREATHE)
    shortest = LAMP_SHORTEST_PERIOD if repeats else 0
    return not (
        LAMP_OFF <= lamp.mode <= LAMP_FADE
        and 0 <= lamp.phase <= 15
        and 0 <= lamp.brightness <= 255
        and shortest <= lamp.period <= 255
    )


def _gap_code(gap_us: int) -> int:
    """Which of _GAP_SIZES a gap needs."""
    if gap_us == 0:
        return 0
    if gap_us < 0x100:
        return 1
    return 2 if gap_us < 0x10000 else 3


def _packed_edges(edges: "tuple[RawEdge, ...]") -> bytes:
    before_us = edges[0].stamp_us
    packed = bytearray(struct.pack("<Q", before_us))
    for edge in edges:
        gap_us = edge.stamp_us - before_us
        if gap_us < 0 or gap_us >> 32 or not 0 <= edge.button < MAX_BUTTONS:
            raise ValueError("edges are in order, less than 2**32 us apart, of buttons 0 to 31, not " + repr(edge))
        code = _gap_code(gap_us)
        packed.append(code << 6 | (32 if edge.closed else 0) | edge.button)
        packed += gap_us.to_bytes(_GAP_SIZES[code], "little")
        before_us = edge.stamp_us
    return bytes(packed)


def _unpacked_edges(tail: bytes) -> "tuple[RawEdge, ...] | None":
    if len(tail) < 9 or tail[8] >> 6:
        return None
    stamp_us = struct.unpack("<Q", tail[:8])[0]
    edges = []
    start = 8
    while start < len(tail):
        what = tail[start]
        code = what >> 6
        following = start + 1 + _GAP_SIZES[code]
        if following > len(tail):
            return None
        gap_us = int.from_bytes(tail[start + 1 : following], "little")
        stamp_us += gap_us
        if _gap_code(gap_us) != code or stamp_us >> 64:
            return None
        edges.append(RawEdge(stamp_us, what & 31, bool(what & 32)))
        start = following
    return tuple(edges)


def _packed_lamps(lamps: "tuple[Lamp, ...]") -> bytes:
    packed = bytearray()
    for lamp in lamps:
        packed.append(lamp.phase << 4 | lamp.mode)
        packed.append(lamp.brightness)
        packed.append(lamp.period)
    return bytes(packed)


def _unpacked_lamps(tail: bytes) -> "tuple[Lamp, ...] | None":
    if len(tail) % 3:
        return None
    return tuple(Lamp(tail[at] & 15, tail[at] >> 4, tail[at + 1], tail[at + 2]) for at in range(0, len(tail), 3))
