"""What bridge and cabinet say to each other: golden frames in both Pythons, and a decoder that nothing upsets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from firmware_bridge.protocol import (
    HELLO,
    LAMP_BLINK,
    LAMP_SHORTEST_PERIOD,
    MAX_FRAME,
    VERSION,
    Ack,
    Bye,
    Decoder,
    Edges,
    Error,
    Greeting,
    Hello,
    Lamp,
    Lamps,
    Lines,
    Message,
    Ping,
    RawEdge,
    crc16,
    edges_that_fit,
    encode,
    refusal,
    seq_distance,
)
from tests.golden_frames import GOLDEN, LATER_VERSION
from tests.micropython import run_micropython
from tests.protocol_fuzz import with_check

PAGE = Path(__file__).parents[2] / "firmware_bridge/PROTOCOL.md"

GOLDEN_IN_MICROPYTHON = """
import binascii
from firmware_bridge.protocol import Decoder, encode
from tests.golden_frames import GOLDEN

for name, wire in zip(sys.argv[1::2], sys.argv[2::2]):
    frame = binascii.unhexlify(wire)
    heard = Decoder().feed(frame)
    message = GOLDEN.get(name, heard[0])
    assert heard == [message] and type(heard[0]) is type(message), (name, heard)
    assert name not in GOLDEN or encode(message) == frame, (name, encode(message))
    print(name)
"""

REFUSALS_IN_MICROPYTHON = """
from firmware_bridge.protocol import *

for wrong in (Ack(-1, 0), Ack(2**32, 0), Ack(0, 4), Edges(0, 0, 0, ()), Lines(0, "x" * 55), Ping(65536)):
    try:
        encode(wrong)
    except ValueError as error:
        print(error)
"""


def golden_frames() -> dict[str, bytes]:
    """PROTOCOL.md's golden frames by name."""
    _, _, after = PAGE.read_text(encoding="utf-8").partition("## Golden frames\n")
    table, _, _ = after.partition("\n## ")
    return {name: bytes.fromhex(wire) for name, wire in re.findall(r"^\| (.+?) \| `([0-9a-f]+)` \|", table, re.M)}


def test_every_golden_frame_says_what_it_should() -> None:
    frames = golden_frames()
    assert list(frames) == [*GOLDEN, LATER_VERSION]
    for name, message in GOLDEN.items():
        assert encode(message) == frames[name], name
        assert Decoder().feed(frames[name]) == [message], name
        assert type(Decoder().feed(frames[name])[0]) is type(message), name


def test_every_kind_of_message_has_a_golden_frame() -> None:
    assert {type(message) for message in GOLDEN.values()} == set(get_args(Message))


def test_golden_frames_are_the_same_under_micropython() -> None:
    frames = golden_frames()
    arguments = [word for name, frame in frames.items() for word in (name, frame.hex())]
    assert run_micropython(GOLDEN_IN_MICROPYTHON, *arguments).splitlines() == list(frames)


def test_micropython_refuses_to_send_what_is_out_of_range_instead_of_cutting_it_off() -> None:
    assert len(run_micropython(REFUSALS_IN_MICROPYTHON).splitlines()) == 6


def test_the_check_is_the_named_crc() -> None:
    assert crc16(b"123456789", 9) == 0x29B1


def test_a_hello_of_another_version_is_known_by_its_version_alone() -> None:
    decoder = Decoder()
    assert decoder.feed(with_check(bytes((HELLO, 9)) + b"anything")) == [Hello(9, 0, 0, 0)]
    (greeting,) = decoder.feed(golden_frames()[LATER_VERSION])
    assert isinstance(greeting, Greeting)
    assert greeting.version == 2
    assert (decoder.bad_frames, decoder.strange_frames) == (0, 0)


def test_another_version_is_refused_in_words_that_fit_into_an_error() -> None:
    assert refusal(VERSION, "cabinet") == ""
    assert refusal(2, "cabinet") == "The cabinet speaks protocol 2, here it is 1."
    longest = Error(1, refusal(255, "firmware"))
    assert Decoder().feed(encode(longest)) == [longest]


@pytest.mark.parametrize("cut", range(1, 18))
def test_a_frame_may_come_in_any_pieces(cut: int) -> None:
    frame = encode(Hello(1, 2, 3, 4))
    decoder = Decoder()
    assert decoder.feed(frame[:cut]) + decoder.feed(frame[cut:]) == [Hello(1, 2, 3, 4)]
    assert decoder.feed(b"") == []


def test_a_frame_may_come_byte_by_byte_and_from_any_kind_of_buffer() -> None:
    frame = encode(Ping(513))
    decoder = Decoder()
    heard = [message for byte in frame for message in decoder.feed(bytes((byte,)))]
    assert heard == [Ping(513)]
    assert decoder.feed(memoryview(bytearray(frame))) == [Ping(513)]


def test_a_good_frame_after_a_delimiter_is_decoded_whatever_came_before() -> None:
    for garbage in (b"\x01", b"\xff" * 500, encode(Ping(3))[:-1], bytes(range(256)), b"\0\0\0"):
        assert Decoder().feed(garbage + b"\0" + encode(Ping(7)))[-1] == Ping(7)


def test_after_garbage_without_a_delimiter_only_one_frame_is_lost() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\x33garbage" + encode(Ping(1)) + encode(Ping(2))) == [Ping(2)]
    assert decoder.bad_frames == 1


def test_a_frame_that_points_past_its_end_is_broken() -> None:
    frame = encode(Ping(257))
    assert frame[0] == len(frame) - 1
    decoder = Decoder()
    assert decoder.feed(bytes((frame[0] + 1,)) + frame[1:]) == []
    assert decoder.bad_frames == 1


def test_broken_frames_and_strange_ones_are_counted_apart() -> None:
    decoder = Decoder()
    frame = bytearray(encode(Ping(258)))
    frame[2] ^= 4
    assert decoder.feed(bytes(frame)) == []
    assert (decoder.bad_frames, decoder.strange_frames) == (1, 0)
    unknown_kind, too_long, too_short, no_lamp = b"\xc8", b"\x0c\x01", b"\x07\x01", b"\x0a\x01\x01"
    for body in (unknown_kind, too_long, too_short, no_lamp):
        assert decoder.feed(with_check(body)) == []
    assert (decoder.bad_frames, decoder.strange_frames) == (1, 4)
    assert decoder.feed(b"\0\0\0") == []
    assert (decoder.bad_frames, decoder.strange_frames) == (1, 4)


@pytest.mark.parametrize(
    "tail",
    [
        pytest.param(bytes(8), id="no edge"),
        pytest.param(bytes(8) + b"\x41\x05", id="the first edge has a distance"),
        pytest.param(bytes(8) + b"\x01\x41", id="cut short"),
        pytest.param(bytes(8) + b"\x01\xc1\x01\x00\x01", id="four bytes cut to three"),
        pytest.param(bytes(8) + b"\x01\x41\x00", id="a longer distance than needed"),
        pytest.param(bytes(8) + b"\x01\x81\xff\x00", id="two bytes for one"),
        pytest.param(b"\xff" * 8 + b"\x01\x41\x01", id="past 64 bits"),
    ],
)
def test_edges_have_one_way_to_be_written(tail: bytes) -> None:
    decoder = Decoder()
    assert decoder.feed(with_check(b"\x05" + bytes(8) + tail)) == []
    assert decoder.strange_frames == 1


def test_a_delimiter_that_never_comes_costs_no_memory() -> None:
    decoder = Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\x05" * 1000) == []
        assert len(decoder._held) <= MAX_FRAME
    assert decoder.feed(b"\0" + encode(Bye())) == [Bye()]
    assert decoder.bad_frames == 1


def test_the_longest_frame_has_sixty_bytes_and_one_more_is_refused() -> None:
    frame = encode(Lines(0, "x" * 54))
    assert len(frame) == MAX_FRAME
    assert Decoder().feed(frame) == [Lines(0, "x" * 54)]
    with pytest.raises(ValueError, match=r"at most 56 bytes, not 57"):
        encode(Lines(0, "x" * 55))
    decoder = Decoder()
    assert decoder.feed(with_check(b"\x03\x00" + b"x" * 55)) == []
    assert decoder.bad_frames == 1


@pytest.mark.parametrize(
    "message",
    [
        Ack(-1, 0),
        Ack(1 << 32, 0),
        Ack(0, 4),
        Ping(1 << 16),
        Edges(0, 0, 0, ()),
        Edges(0, 0, 0, (RawEdge(5, 0, True), RawEdge(4, 0, False))),
        Edges(0, 0, 0, (RawEdge(0, 0, True), RawEdge(1 << 32, 0, False))),
        Edges(0, 0, 0, (RawEdge(0, 32, True),)),
        Lamps(0, (Lamp(5, 0, 0, 0),)),
        Lamps(0, (Lamp(1, 16, 0, 0),)),
        Lamps(0, (Lamp(1, 0, 256, 0),)),
        Lamps(0, (Lamp(LAMP_BLINK, 0, 255, LAMP_SHORTEST_PERIOD - 1),)),
        Error(1, "kaput ✗"),
        Error(1, "two\nlines"),
        Greeting(1, 1, 0, 1, 0, 1, 0, 12, 0, 0, 60, 1024, "its boot id is 0"),
        Greeting(1, 1, 1, 1, 0, 1, 0, 33, 0, 0, 60, 1024, "33 buttons"),
    ],
)
def test_what_the_protocol_does_not_allow_is_never_sent(message: Message) -> None:
    with pytest.raises(ValueError, match=r"range|allow|in order"):
        encode(message)


def test_lamps_never_flash_more_than_three_times_a_second() -> None:
    decoder = Decoder()
    assert decoder.feed(with_check(bytes((10, 0, LAMP_BLINK, 255, LAMP_SHORTEST_PERIOD)))) != []
    assert decoder.feed(with_check(bytes((10, 0, LAMP_BLINK, 255, LAMP_SHORTEST_PERIOD - 1)))) == []


@pytest.mark.parametrize(
    ("gap_us", "fit"), [(0, 39), (1, 20), (255, 20), (256, 13), (65_535, 13), (65_536, 8), (1 << 32, 1)]
)
def test_as_many_edges_go_into_a_frame_as_fit(gap_us: int, fit: int) -> None:
    edges = tuple(RawEdge(index * gap_us, index % 32, index % 2 == 0) for index in range(50))
    assert edges_that_fit(edges) == fit
    message = Edges(0, 0, 60, edges[:fit])
    assert Decoder().feed(encode(message)) == [message]
    with pytest.raises(ValueError, match=r"56 bytes|apart"):
        encode(Edges(0, 0, 60, edges[: fit + 1]))


def test_no_edges_fit_where_there_are_none() -> None:
    assert edges_that_fit(()) == 0


def test_edge_numbers_are_compared_across_their_end() -> None:
    assert seq_distance(5, 3) == 2
    assert seq_distance(3, 5) == -2
    assert seq_distance(1, 4294967295) == 2
    assert seq_distance(4294967295, 1) == -2
    assert seq_distance(7, 7) == 0
