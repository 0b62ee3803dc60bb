"""Bytes that no honest side would send, with good frames among them; runs under CPython and MicroPython alike."""

from firmware_bridge.protocol import MAX_FRAME, Decoder, crc16, encode
from tests.golden_frames import GOLDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

FRAMES = [encode(message) for message in GOLDEN.values()]


def with_check(body: bytes) -> bytes:
    """Any body as a sound frame, also one that `encode` would never make."""
    check = crc16(body, len(body))
    frame = bytearray()
    for piece in (body + bytes((check & 0xFF, check >> 8))).split(b"\0"):
        frame.append(len(piece) + 1)
        frame += piece
    frame.append(0)
    return bytes(frame)


def random_bytes(random: "Random", size: int) -> bytes:
    """`size` bytes, each as likely as any other."""
    words = [random.getrandbits(24) for _ in range(size // 3 + 1)]
    return b"".join([word.to_bytes(3, "little") for word in words])[:size]


def garbage(random: "Random") -> bytes:
    """Noise, noise full of delimiters, broken frames, cut frames, or sound frames with anything in them."""
    kind = random.randrange(5)
    if kind == 0:
        return random_bytes(random, random.randrange(400))
    if kind == 1:
        return bytes([byte & 7 for byte in random_bytes(random, random.randrange(200))])
    frame = FRAMES[random.randrange(len(FRAMES))]
    at = random.randrange(len(frame))
    if kind == 2:
        return frame[:at] + bytes((frame[at] ^ 1 << random.randrange(8),)) + frame[at + 1 :]
    if kind == 3:
        return frame[at:] + FRAMES[random.randrange(len(FRAMES))][:at]
    body = random_bytes(random, 1 + random.randrange(56))
    return with_check(bytes((1 + random.randrange(13),)) + (b"\1" + body)[random.randrange(2) :])


def fuzz(random: "Random", size: int) -> "tuple[int, int, int, int]":
    """Feeds `size` bytes of garbage in pieces, each piece followed by a delimiter and a good frame.

    Returns how many good frames were sent, how many of them were decoded, and how many frames of the garbage were
    counted as broken and as strange.
    """
    messages = list(GOLDEN.values())
    decoder = Decoder()
    sent = decoded = fed = 0
    while fed < size:
        chunk = garbage(random)
        third = len(chunk) // 3
        decoder.feed(chunk[:third])
        decoder.feed(chunk[third:])
        decoder.feed(b"\0")
        fed += len(chunk) + 1
        index = random.randrange(len(FRAMES))
        frame = FRAMES[index]
        cut = random.randrange(len(frame))
        sent += 1
        heard = decoder.feed(frame[:cut]) + decoder.feed(frame[cut:])
        if heard == [messages[index]] and len(decoder._held) < MAX_FRAME:
            decoded += 1
    return sent, decoded, decoder.bad_frames, decoder.strange_frames
