"""The device's side of the protocol: its rules are in PROTOCOL.md under "What the device does"."""

from firmware_bridge.firmware.capture import CLOCKS_US, ERR_US, Capture, NoCapture
from firmware_bridge.firmware.clock import Clock
from firmware_bridge.firmware.lamps import UPDATE_EVERY_US, Lamps
from firmware_bridge.firmware.pins import MOST_TEXT, plain
from firmware_bridge.firmware.sending import EdgeSender
from firmware_bridge.protocol import (
    ACK_PLAY,
    BEAT_IDLE_MS,
    BEAT_PLAY_MS,
    CAPTURE_PIO,
    ERROR_CAPTURE,
    ERROR_NO_HELLO,
    ERROR_VERSION,
    HELLO_EVERY_MS,
    HOST_QUIET_MS,
    VERSION,
    Ack,
    Beat,
    Bye,
    Decoder,
    Error,
    Greeting,
    Hello,
    Lines,
    Ping,
    Pong,
    Snapshot,
    encode,
    refusal,
)
from firmware_bridge.protocol import Lamps as LampsMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.firmware.hardware import Port
    from firmware_bridge.protocol import Message

FIRMWARE_VERSION = (0, 1, 0)
FRAMES_A_TURN = 4
LONGEST_LOOP_US = 65535
MOST_NAMES = 54
MOST_BOARD = 24
MOST_PONGS = 4
PONG_TIME_US = 200
"""How long a pong is thought to take from its stamp to its write, at first; later as long as the last one took."""

INTERRUPT = 3
"""Ctrl-C: what mpremote and others send to reach MicroPython's prompt."""


class Identity:
    """Who the device is, and which buttons and lamps it has."""

    def __init__(self, board: str, unique_id: int, boot_id: int) -> None:
        self.board = plain(board)[:MOST_BOARD]
        self.unique_id = unique_id
        self.boot_id = boot_id or 1
        self.names: list[str] = []
        self.lamp_buttons: list[int] = []


class Link:
    """One turn after the other, between the serial line, the capture and the lamps."""

    def __init__(
        self, identity: Identity, clock: Clock, capture: "Capture | NoCapture", lamps: Lamps, port: "Port"
    ) -> None:
        self.is_greeted = False
        self.is_interrupted = False
        """Somebody wants MicroPython's prompt."""
        self._identity = identity
        self._clock = clock
        self._capture = capture
        self._ring = capture.ring
        self._lamps = lamps
        self._port = port
        self._decoder = Decoder()
        self._sender = EdgeSender(capture.ring, ERR_US)
        self._session = -1
        self._said_bye = False
        self._is_quiet = True
        self._answers: list[object] = []
        self._errors: list[Error] = []
        self._pongs: list[tuple[int, int]] = []
        self._frame = b""
        self._in_play = False
        now_us = clock.now_us()
        self._heard_us = now_us - 1000 * HOST_QUIET_MS
        self._asked_us = now_us - 1000 * HELLO_EVERY_MS
        self._beat_us = now_us
        self._wants_beat = False
        self._lamps_us = now_us
        self._turn_us = now_us
        self._worst_us = 0
        self._pong_time_us = PONG_TIME_US

    def report(self, code: int, text: str) -> None:
        """Tells the host what is wrong, with every Greeting from now on."""
        error = Error(code, plain(text)[:MOST_TEXT])
        self._errors.append(error)
        if self.is_greeted:
            self._answers.append(error)

    def step(self) -> None:
        """One turn of the loop."""
        now_us = self._clock.now_us()
        self._worst_us = max(self._worst_us, now_us - self._turn_us)
        self._turn_us = now_us
        self._capture.drain()
        self._hear()
        if not self._is_quiet and now_us - self._heard_us >= 1000 * HOST_QUIET_MS:
            self._fall_silent()
        if now_us - self._lamps_us >= UPDATE_EVERY_US:
            self._lamps_us = now_us
            self._lamps.update(now_us)
        if now_us - self._beat_us >= 1000 * (BEAT_PLAY_MS if self._in_play else BEAT_IDLE_MS):
            self._beat_us = now_us
            self._wants_beat = True
            self._check_capture()
        if not self._is_quiet:
            self._say()

    # Hearing

    def _hear(self) -> None:
        data = self._port.read()
        if not data:
            return
        received_us = self._clock.now_us() + CLOCKS_US
        if self._is_quiet and is_interrupt(data):
            self.is_interrupted = True
            return
        strange = self._decoder.strange_frames
        messages = self._decoder.feed(data)
        if messages or self._decoder.strange_frames != strange:
            self._heard_us = received_us
            if self._is_quiet and not self._said_bye:
                self._is_quiet = False
                self._lamps.take_up()
        for message in messages:
            self._take(message, received_us)

    def _take(self, message: "Message", now_us: int) -> None:
        if isinstance(message, Hello):
            self._take_hello(message)
        elif not self.is_greeted:
            self._ask_for_hello(now_us)
        elif isinstance(message, Ack):
            self._in_play = bool(message.flags & ACK_PLAY)
            self._sender.take(message, now_us)
        elif isinstance(message, Ping):
            self._pongs.append((message.number, now_us))
            self._pongs = self._pongs[-MOST_PONGS:]
        elif isinstance(message, LampsMessage):
            for index, lamp in enumerate(message.lamps):
                self._lamps.tell(message.first + index, lamp, now_us)
        elif isinstance(message, Bye):
            self._fall_silent()
            self.is_greeted = False
            self._said_bye = True

    def _take_hello(self, hello: Hello) -> None:
        self._is_quiet = False
        if hello.version != VERSION:
            self._answers.append(Error(ERROR_VERSION, refusal(hello.version, "cabinet")[:MOST_TEXT]))
            return
        self._said_bye = False
        self._answers = []
        if not self.is_greeted or hello.session != self._session:
            self._begin_session(hello)
        self._answers.append(Greeting)
        self._answers.extend(lines_messages(self._identity.names))
        self._answers.append(Snapshot)
        self._answers.extend(self._errors)

    def _begin_session(self, hello: Hello) -> None:
        self.is_greeted = True
        self._session = hello.session
        self._pongs = []
        self._in_play = False
        self._lamps.forget()
        self._lamps.take_up()
        is_resumed = hello.resume_boot == self._identity.boot_id and self._ring.holds(hello.resume_seq)
        self._ring.forget_before(hello.resume_seq if is_resumed else self._ring.next_seq)
        self._sender.begin()

    def _ask_for_hello(self, now_us: int) -> None:
        if not self._said_bye and now_us - self._asked_us >= 1000 * HELLO_EVERY_MS:
            self._asked_us = now_us
            self._answers.append(Error(ERROR_NO_HELLO, "This device was not greeted since it booted."))

    def _fall_silent(self) -> None:
        self._is_quiet = True
        self._in_play = False
        self._answers = []
        self._pongs = []
        self._wants_beat = False
        self._lamps.put_out()

    def _check_capture(self) -> None:
        if not self._capture.check():
            self._capture.restart()
            if self.is_greeted:
                self._answers.append(Error(ERROR_CAPTURE, "The capture stood still; it was started anew."))

    # Saying

    def _say(self) -> None:
        """Writes what the line takes at once: the rest of a frame, pongs, answers, edges, a beat."""
        for _ in range(FRAMES_A_TURN):
            if self._frame and not self._write():
                break
            if not self._port.is_ready():
                break
            if self._pongs:
                self._say_pong()
                continue
            message = self._next_message()
            if message is None:
                return
            self._frame = encode(message)
            self._write()
        if self._frame or not self._port.is_ready():
            self._wants_beat = False

    def _write(self) -> bool:
        """Whether the whole frame was taken."""
        taken = self._port.write(self._frame)
        self._frame = self._frame[taken:]
        return not self._frame

    def _say_pong(self) -> None:
        """The stamp is that of the write: a time set beforehand, until which the frame is made ready."""
        number, received_us = self._pongs.pop(0)
        begun_us = self._clock.now_us()
        write_us = begun_us + self._pong_time_us
        held_us = max(write_us - CLOCKS_US - received_us, 0)
        self._frame = encode(Pong(number, received_us, min(held_us, 0xFFFFFFFF)))
        ready_us = self._clock.now_us()
        self._pong_time_us = ready_us - begun_us + self._pong_time_us // 8
        while self._clock.now_us() < max(write_us, received_us + CLOCKS_US):
            pass
        self._write()

    def _next_message(self) -> "Message | None":
        if self._answers:
            return self._answer(self._answers.pop(0))
        if not self.is_greeted:
            return None
        now_us = self._clock.now_us()
        self._sender.resend_when_due(now_us)
        edges = self._sender.frame(now_us)
        if edges is not None:
            return edges
        if self._wants_beat:
            self._wants_beat = False
            return self._beat()
        return None

    def _answer(self, answer: object) -> "Message":
        if answer is Greeting:
            identity = self._identity
            return Greeting(
                VERSION,
                self._session,
                identity.boot_id,
                identity.unique_id,
                FIRMWARE_VERSION[0],
                FIRMWARE_VERSION[1],
                FIRMWARE_VERSION[2],
                len(identity.names),
                sum([1 << button for button in identity.lamp_buttons]),
                CAPTURE_PIO,
                ERR_US,
                self._ring.capacity,
                identity.board,
            )
        if answer is Snapshot:
            return Snapshot(
                self._capture.watermark_us, self._capture.levels, self._ring.oldest, self._ring.next_seq
            )
        return answer  # type: ignore[return-value]

    def _beat(self) -> Beat:
        worst_us = self._worst_us
        self._worst_us = 0
        bad_frames = self._decoder.bad_frames + self._decoder.strange_frames
        return Beat(
            self._capture.watermark_us,
            self._capture.levels,
            self._ring.next_seq,
            self._ring.held,
            self._ring.drops,
            min(worst_us, LONGEST_LOOP_US),
            bad_frames & 0xFFFF,
        )


def is_interrupt(data: bytes) -> bool:
    """Whether these bytes are nothing but Ctrl-C, as programs send it that want MicroPython's prompt."""
    return INTERRUPT in data and all(byte in (INTERRUPT, 13, 10) for byte in data)


def lines_messages(names: "list[str]") -> "list[Lines]":
    """The names of all buttons, in as few frames as hold them."""
    messages = []
    first = 0
    while first < len(names):
        text = names[first]
        last = first + 1
        while last < len(names) and len(text) + 1 + len(names[last]) <= MOST_NAMES:
            text += " " + names[last]
            last += 1
        messages.append(Lines(first, text))
        first = last
    return messages
