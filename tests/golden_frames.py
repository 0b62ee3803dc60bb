"""The messages of PROTOCOL.md's golden frames by name; imports under CPython and MicroPython alike."""

from firmware_bridge.protocol import (
    ACK_PLAY,
    ACK_RESEND,
    CAPTURE_LOOP,
    ERROR_VERSION,
    LAMP_BLINK,
    LAMP_FADE,
    LAMP_OFF,
    LAMP_ON,
    Ack,
    Beat,
    Bye,
    Edges,
    Error,
    Greeting,
    Hello,
    Lamp,
    Lamps,
    Lines,
    Ping,
    Pong,
    RawEdge,
    Snapshot,
    refusal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.protocol import Message

DAY_US = 86_400_000_000

GOLDEN: "dict[str, Message]" = {
    "hello": Hello(1, 0xC0FFEE, 0, 0),
    "hello, resuming": Hello(1, 0xC0FFEF, 0xB0071D, 1000),
    "greeting": Greeting(
        1, 0xC0FFEE, 0xB0071D, 0xE6616407E35B2A21, 0, 1, 0, 12, 0xFFF, CAPTURE_LOOP, 60, 1024, "Pico"
    ),
    "lines": Lines(0, "a.1 a.2 a.3 a.4 a.5 a.spit"),
    "snapshot": Snapshot(DAY_US, 0b100000000001, 0, 2),
    "one edge": Edges(0, 0, 60, (RawEdge(DAY_US, 5, True),)),
    "edges": Edges(
        4294967295,
        7,
        60,
        (
            RawEdge(DAY_US, 0, True),
            RawEdge(DAY_US, 6, True),
            RawEdge(DAY_US + 8, 0, False),
            RawEdge(DAY_US + 1_008, 0, True),
            RawEdge(DAY_US + 1_001_008, 31, False),
        ),
    ),
    "ack": Ack(2, ACK_PLAY),
    "ack, send again": Ack(1000, ACK_RESEND + ACK_PLAY),
    "ping": Ping(65535),
    "pong": Pong(65535, DAY_US, 143),
    "beat": Beat(DAY_US + 5_000, 0b100000, 1, 1, 0, 212, 0),
    "beat, after losses": Beat(2**64 - 1, 0xFFFFFFFF, 3000, 1024, 976, 65535, 3),
    "lamps": Lamps(
        0,
        (
            Lamp(LAMP_ON, 0, 255, 0),
            Lamp(LAMP_BLINK, 8, 128, 25),
            Lamp(LAMP_OFF, 0, 0, 0),
            Lamp(LAMP_FADE, 0, 40, 50),
        ),
    ),
    "error": Error(ERROR_VERSION, refusal(2, "cabinet")),
    "bye": Bye(),
}

LATER_VERSION = "greeting, version 2"
"""The frame of a firmware to come: only its first two bytes are known here."""
