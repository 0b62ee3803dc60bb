"""The bridge's protocol over all messages and any bytes: nothing raises or is mistaken, good frames pass."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.protocol import (
    LAMP_BLINK,
    LAMP_BREATHE,
    LAMP_SHORTEST_PERIOD,
    MAX_BUTTONS,
    MAX_FRAME,
    VERSION,
    Ack,
    Beat,
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
    Pong,
    RawEdge,
    Snapshot,
    edges_that_fit,
    encode,
)
from tests.golden_frames import GOLDEN
from tests.micropython import run_micropython
from tests.protocol_fuzz import fuzz

DAMAGE_DRAWS = 100_000
FUZZED_BYTES = 10_000_000

u8, u16, u32, u64 = (st.integers(0, (1 << bits) - 1) for bits in (8, 16, 32, 64))


def plain(longest: int) -> st.SearchStrategy[str]:
    return st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=longest)


@st.composite
def some_edges(draw: st.DrawFn) -> Edges:
    """Edges in order, as many as fit into a frame."""
    gaps_us = draw(st.lists(st.one_of(st.just(0), st.integers(1, 300), u16, u32), min_size=1, max_size=45))
    stamp_us = draw(st.integers(0, (1 << 63)))
    edges = []
    for gap_us in gaps_us:
        stamp_us += gap_us
        edges.append(RawEdge(stamp_us, draw(st.integers(0, MAX_BUTTONS - 1)), draw(st.booleans())))
    return Edges(draw(u32), draw(u16), draw(u16), tuple(edges[: edges_that_fit(edges)]))


@st.composite
def lamps(draw: st.DrawFn) -> Lamp:
    mode = draw(st.integers(0, 4))
    shortest = LAMP_SHORTEST_PERIOD if mode in (LAMP_BLINK, LAMP_BREATHE) else 0
    return Lamp(mode, draw(st.integers(0, 15)), draw(u8), draw(st.integers(shortest, 255)))


messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(Hello, st.just(VERSION), u32, u32, u32),
    st.builds(
        Greeting,
        *(st.just(VERSION), u32, st.integers(1, (1 << 32) - 1), u64, u8, u8, u8),
        *(st.integers(0, MAX_BUTTONS), u32, u8, u16, u16, plain(25)),
    ),
    st.builds(Lines, u8, plain(54)),
    st.builds(Snapshot, u64, u32, u32, u32),
    some_edges(),
    st.builds(Ack, u32, st.integers(0, 3)),
    st.builds(Ping, u16),
    st.builds(Pong, u16, u64, u32),
    st.builds(Beat, u64, u32, u32, u16, u32, u16, u16),
    st.builds(Lamps, u8, st.lists(lamps(), max_size=18).map(tuple)),
    st.builds(Error, u8, plain(54)),
    st.just(Bye()),
)


@given(messages)
def test_what_is_heard_is_what_was_said(message: Message) -> None:
    frame = encode(message)
    assert len(frame) <= MAX_FRAME
    assert frame.index(0) == len(frame) - 1
    (heard,) = Decoder().feed(frame)
    assert heard == message
    assert type(heard) is type(message)


@given(st.lists(messages, max_size=8), st.data())
def test_frames_may_be_cut_anywhere(said: list[Message], data: st.DataObject) -> None:
    rest = b"".join(encode(message) for message in said)
    decoder = Decoder()
    heard = []
    while rest:
        cut = data.draw(st.integers(1, len(rest)))
        heard += decoder.feed(rest[:cut])
        rest = rest[cut:]
    assert heard == said
    assert (decoder.bad_frames, decoder.strange_frames) == (0, 0)


@given(st.lists(st.binary(max_size=200), max_size=5), messages)
def test_no_bytes_raise_and_a_good_frame_after_a_delimiter_is_decoded(
    garbage: list[bytes], message: Message
) -> None:
    decoder = Decoder()
    for chunk in garbage:
        decoder.feed(chunk)
    assert decoder.feed(b"\0" + encode(message))[-1] == message


@given(st.binary(max_size=200), messages, messages)
def test_after_any_garbage_the_next_frame_but_one_is_decoded(
    garbage: bytes, lost: Message, message: Message
) -> None:
    assert Decoder().feed(garbage + encode(lost) + encode(message))[-1] == message


@given(st.binary(min_size=1, max_size=MAX_FRAME))
def test_whatever_is_decoded_would_be_sent_in_the_same_bytes(body: bytes) -> None:
    for message in Decoder().feed(body + b"\0"):
        if not isinstance(message, (Hello, Greeting)) or message.version == VERSION:
            assert encode(message).endswith(body.rpartition(b"\0")[2] + b"\0")


def test_no_single_wrong_bit_in_any_golden_frame_makes_another_message() -> None:
    for name, message in GOLDEN.items():
        frame = encode(message)
        for bit in range(8 * len(frame)):
            damaged = bytearray(frame)
            damaged[bit // 8] ^= 1 << bit % 8
            assert Decoder().feed(bytes(damaged)) in ([], [message]), (name, bit)


def test_damaged_frames_never_become_another_message() -> None:
    """Bursts of 2 to 24 bits, bytes lost, doubled or overwritten, in frames of every kind."""
    random = Random(16)
    frames = [(message, encode(message)) for message in GOLDEN.values()]
    found = 0
    for _ in range(DAMAGE_DRAWS):
        message, frame = random.choice(frames)
        damaged = with_damage(frame, random)
        heard = Decoder().feed(damaged + b"\0")
        assert heard in ([], [message]), (message, damaged.hex())
        found += heard == []
    assert found > 0.95 * DAMAGE_DRAWS


def with_damage(frame: bytes, random: Random) -> bytes:
    """The frame with one piece of it wrong."""
    kind = random.randrange(4)
    at = random.randrange(len(frame))
    if kind == 0:
        length = random.randint(2, 24)
        burst = 1 | random.getrandbits(length) | 1 << length - 1
        number = int.from_bytes(frame, "little") ^ burst << random.randrange(max(1, 8 * len(frame) - length))
        return number.to_bytes(len(frame) + 4, "little").rstrip(b"\0")
    if kind == 1:
        return frame[:at] + frame[at + random.randint(1, 4) :]
    if kind == 2:
        return frame[:at] + frame[max(0, at - random.randint(1, 4)) :]
    length = random.randint(1, 8)
    return (frame[:at] + random.randbytes(length) + frame[at + length :])[: max(len(frame), at + length)]


FUZZ_IN_MICROPYTHON = """
import random
from tests.protocol_fuzz import fuzz

random.seed(int(sys.argv[1]))
print(*fuzz(random, int(sys.argv[2])))
"""


def fuzz_in_micropython(seed: int, size: int) -> list[int]:
    """As `fuzz`, in MicroPython."""
    told = run_micropython(FUZZ_IN_MICROPYTHON, str(seed), str(size), timeout_s=900)
    return [int(number) for number in told.split()]


def fuzz_here(seed: int, size: int) -> list[int]:
    """As `fuzz`, in this Python."""
    return list(fuzz(Random(seed), size))


@pytest.mark.parametrize("python", [fuzz_here, fuzz_in_micropython])
def test_good_frames_among_garbage_are_all_decoded(python: Callable[[int, int], list[int]]) -> None:
    sent, decoded, bad, strange = python(1, 100_000)
    assert sent == decoded > 500
    assert bad > 500
    assert strange > 50


@pytest.mark.long
@pytest.mark.parametrize("python", [fuzz_here, fuzz_in_micropython])
def test_good_frames_among_ten_million_bytes_of_garbage_are_all_decoded(
    python: Callable[[int, int], list[int]],
) -> None:
    sent, decoded, bad, strange = python(2, FUZZED_BYTES)
    assert sent == decoded > 50_000
    assert bad > 50_000
    assert strange > 5_000
