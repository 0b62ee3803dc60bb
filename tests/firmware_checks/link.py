"""The link: every check runs under CPython and under MicroPython."""

from firmware_bridge.firmware.capture import NoCapture
from firmware_bridge.firmware.lamps import Lamps, duty_of
from firmware_bridge.firmware.link import Identity, Link, is_interrupt, lines_messages
from firmware_bridge.protocol import (
    ACK_PLAY,
    ACK_RESEND,
    CAPTURE_PIO,
    ERROR_CAPTURE,
    ERROR_NO_HELLO,
    ERROR_PINS,
    ERROR_RESET,
    ERROR_VERSION,
    LAMP_ON,
    MAX_FRAME,
    WINDOW_EDGES,
    Ack,
    Beat,
    Bye,
    Decoder,
    Edges,
    Error,
    Greeting,
    Hello,
    Lamp,
    Lines,
    Ping,
    Pong,
    Snapshot,
    encode,
)
from firmware_bridge.protocol import Lamps as LampsMessage
from tests.firmware_desk import Desk, SoftPort, of_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_bridge.protocol import Message, RawEdge


def arrived(messages: "list[Message]", needed: int = 0) -> "list[RawEdge]":
    """The edges a host takes of what it hears, in order, when it needs this number next."""
    edges: list[RawEdge] = []
    for message in messages:
        if isinstance(message, Edges) and message.first <= needed < message.first + len(message.edges):
            edges.extend(message.edges[needed - message.first :])
            needed = message.first + len(message.edges)
    return edges


def press(desk: Desk, count: int) -> "list[int]":
    """As many edges as that, and their stamps."""
    return [desk.close(0) if index % 2 == 0 else desk.open(0) for index in range(count)]


def check_it_is_silent_until_greeted() -> None:
    desk = Desk()
    desk.close(0)
    assert desk.turns(2000) == []
    desk.port.to_device = b"AT+GCAP\r\n\0\0garbage"
    assert desk.turns(500) == []


def check_it_answers_a_hello_with_all_about_itself() -> None:
    desk = Desk()
    desk.close(28)
    heard = desk.greet(session=123)
    assert [type(message) for message in heard[:3]] == [Greeting, Lines, Snapshot]
    greeting, lines, snapshot = heard[:3]
    assert isinstance(greeting, Greeting)
    assert greeting.session == 123
    assert (greeting.boot_id, greeting.unique_id) == (77, 0x1122334455667788)
    assert (greeting.buttons, greeting.lamps) == (4, 0b101)
    assert (greeting.capture, greeting.err_us, greeting.ring) == (CAPTURE_PIO, 1, 16)
    assert greeting.board == "Soft Pico"
    assert lines == Lines(0, "a.1 a.2 b.1 b.2")
    assert isinstance(snapshot, Snapshot)
    assert (snapshot.levels, snapshot.first, snapshot.next_seq) == (0b1000, 1, 1)
    assert arrived(heard, 1) == []


def check_long_lists_of_names_are_cut_between_names() -> None:
    names = ["b." + "x" * (number % 14) + str(number) for number in range(26)]
    messages = lines_messages(names)
    assert all(len(encode(message)) <= MAX_FRAME for message in messages)
    assert " ".join([message.names for message in messages]).split(" ") == names
    for message in messages:
        assert names[message.first] == message.names.split(" ")[0]


def check_another_version_is_refused_in_words_and_changes_nothing() -> None:
    desk = Desk()
    heard = desk.tell(Hello(2, 5, 0, 0))
    assert heard == [Error(ERROR_VERSION, "The cabinet speaks protocol 2, here it is 1.")]
    assert not desk.link.is_greeted
    desk.greet()
    heard = desk.tell(Hello(7, 5, 0, 0))
    assert of_kind(Error, heard) == [Error(ERROR_VERSION, "The cabinet speaks protocol 7, here it is 1.")]
    stamp_us = desk.close(0)
    assert arrived(desk.turns(10))[0].stamp_us == stamp_us


def check_who_speaks_before_a_hello_is_told_so_five_times_a_second() -> None:
    desk = Desk()
    heard = []
    for number in range(100):
        heard.extend(desk.tell(Ping(number)))
        heard.extend(desk.turns(10))
    errors = of_kind(Error, heard)
    assert len(heard) == len(errors)
    assert 5 <= len(errors) <= 6
    assert all(isinstance(error, Error) and error.code == ERROR_NO_HELLO for error in errors)


def check_edges_go_out_at_once_with_numbers_and_stamps() -> None:
    desk = Desk()
    desk.greet()
    stamps = press(desk, 3)
    heard = of_kind(Edges, desk.turn())
    assert len(heard) == 1
    edges = heard[0]
    assert isinstance(edges, Edges)
    assert (edges.first, edges.ahead, edges.err_us) == (0, 0, 1)
    assert [edge.stamp_us for edge in edges.edges] == stamps
    assert [edge.closed for edge in edges.edges] == [True, False, True]


def check_edges_are_sent_again_until_they_are_acknowledged() -> None:
    desk = Desk()
    desk.greet()
    begun_us = desk.ticks.now_us
    press(desk, 2)
    times = []
    while desk.ticks.now_us < begun_us + 900000:
        desk.ticks.now_us += 500
        if desk.ticks.now_us % 100000 < 500:
            desk.port.to_device += encode(Ping(1))
        for message in of_kind(Edges, desk.turn()):
            assert isinstance(message, Edges)
            assert (message.first, len(message.edges)) == (0, 2)
            times.append((desk.ticks.now_us - begun_us) // 1000)
    waits = [times[index + 1] - times[index] for index in range(len(times) - 1)]
    for wait, wanted in zip(waits, (20, 40, 80, 160, 320)):  # noqa: B905
        assert wanted <= wait <= wanted + 4
    desk.tell(Ack(2, 0))
    assert of_kind(Edges, desk.turns(900)) == []
    assert desk.ring.held == 0


def check_an_acknowledgement_brings_back_the_short_wait() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 2)
    desk.turns(400)
    desk.tell(Ack(1, 0))
    again = of_kind(Edges, desk.turns(24))
    assert len(again) == 1
    assert isinstance(again[0], Edges)
    assert (again[0].first, again[0].ahead) == (1, 0)


def check_the_host_can_ask_for_edges_again() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 5)
    desk.turn()
    heard = of_kind(Edges, desk.tell(Ack(3, ACK_RESEND)))
    assert len(heard) == 1
    assert isinstance(heard[0], Edges)
    assert (heard[0].first, len(heard[0].edges)) == (3, 2)


def check_an_acknowledgement_of_what_is_not_held_is_ignored() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 3)
    desk.turn()
    desk.tell(Ack(7, 0))
    desk.tell(Ack(0xFFFFFFFF, 0))
    assert desk.ring.held == 3


def check_no_more_edges_are_on_their_way_than_the_window_holds() -> None:
    desk = Desk(ring=1024, samples=4096)
    desk.greet()
    press(desk, 900)
    sent = arrived(desk.turns(15))
    assert len(sent) == WINDOW_EDGES
    heard = desk.tell(Ack(WINDOW_EDGES, 0))
    heard.extend(desk.turns(15))
    assert len(arrived(heard, WINDOW_EDGES)) == 900 - WINDOW_EDGES


def check_a_full_ring_shows_in_edges_and_beats() -> None:
    desk = Desk(ring=16)
    desk.greet()
    desk.port.room = 0
    stamps = press(desk, 20)
    desk.turn()
    desk.port.room = 10000
    heard = desk.turns(60)
    edges = of_kind(Edges, heard)[0]
    assert isinstance(edges, Edges)
    assert (edges.first, edges.ahead) == (4, 0)
    assert [edge.stamp_us for edge in edges.edges] == stamps[4:]
    beat = of_kind(Beat, heard)[0]
    assert isinstance(beat, Beat)
    assert (beat.next_seq, beat.held, beat.drops) == (20, 16, 4)


def check_beats_come_every_5_ms_in_play_and_every_50_else() -> None:
    desk = Desk()
    desk.greet()
    assert 9 <= len(of_kind(Beat, desk.turns(500))) <= 11
    desk.tell(Ack(0, ACK_PLAY))
    assert 85 <= len(of_kind(Beat, desk.turns(500))) <= 101
    desk.tell(Ack(0, 0))
    assert 9 <= len(of_kind(Beat, desk.turns(500))) <= 11


def check_a_beat_tells_levels_watermark_and_the_next_number_after_its_edges() -> None:
    desk = Desk()
    desk.greet()
    desk.tell(Ack(0, ACK_PLAY))
    desk.turns(20)
    stamp_us = desk.close(7)
    heard = desk.turns(8)
    kinds = [type(message) for message in heard]
    assert kinds.index(Edges) < kinds.index(Beat)
    beat = of_kind(Beat, heard)[0]
    assert isinstance(beat, Beat)
    assert (beat.levels, beat.next_seq, beat.held, beat.drops) == (0b100, 1, 1, 0)
    assert stamp_us <= beat.watermark_us <= desk.ticks.now_us


def check_watermarks_never_go_back_and_no_edge_comes_below_one() -> None:
    desk = Desk(ring=512, samples=1024)
    desk.greet()
    desk.tell(Ack(0, ACK_PLAY))
    watermark_us = 0
    needed = 0
    for turn in range(400):
        press(desk, turn % 7)
        heard = desk.tell(Ack(needed, ACK_PLAY))
        heard.extend(desk.turns(1, 150 + turn * 37 % 400))
        for message in heard:
            if isinstance(message, Edges):
                for index, edge in enumerate(message.edges):
                    if message.first + index >= needed:
                        assert edge.stamp_us > watermark_us
                needed = message.first + len(message.edges)
            elif isinstance(message, Beat):
                assert message.watermark_us >= watermark_us
                assert message.next_seq == needed
                watermark_us = message.watermark_us
    assert needed > 1000


def check_the_worst_turn_since_the_last_beat_is_told() -> None:
    desk = Desk()
    desk.greet()
    desk.turns(120)
    desk.ticks.now_us += 7777
    worst = [beat.worst_loop_us for beat in of_kind(Beat, desk.turns(120)) if isinstance(beat, Beat)]
    assert 7777 <= worst[0] <= 8500
    assert worst[1] < 1000
    desk.ticks.now_us += 90000
    worst = [beat.worst_loop_us for beat in of_kind(Beat, desk.turns(60)) if isinstance(beat, Beat)]
    assert worst[0] == 65535


def check_a_beat_that_the_line_does_not_take_is_dropped() -> None:
    desk = Desk()
    desk.greet()
    desk.tell(Ack(0, ACK_PLAY))
    desk.turns(50)
    desk.port.room = 0
    assert desk.turns(300) == []
    desk.port.room = 10000
    heard = desk.turns(9)
    assert 1 <= len(of_kind(Beat, heard)) <= 3


def check_nothing_is_sent_twice_into_a_line_that_stands() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 4)
    desk.port.room = 30
    desk.turn()
    before = desk.port.to_host
    for _ in range(20):
        desk.ticks.now_us += 40000
        desk.port.to_device += encode(Ping(1))
        desk.link.step()
    assert before == b""
    assert len(desk.port.to_host) <= 30
    desk.port.room = 10000
    heard = desk.turns(5)
    assert [edge.closed for edge in arrived(heard)] == [True, False, True, False]


def check_a_frame_that_is_taken_in_pieces_arrives_whole() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 6)
    heard = []
    for _ in range(40):
        desk.port.room = 3
        heard.extend(desk.turn())
    assert len(arrived(heard)) == 6
    assert desk.decoder.bad_frames == 0


def check_a_pong_s_stamps_lie_between_the_read_and_the_write() -> None:
    for _ in range(3):
        desk = Desk()
        desk.greet()
        before_us = desk.ticks.now_us
        pong = desk.tell(Ping(500))[0]
        assert isinstance(pong, Pong)
        assert pong.number == 500
        assert before_us <= pong.received_us <= pong.received_us + pong.held_us <= desk.ticks.now_us


def check_a_pong_goes_before_edges() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 4)
    heard = desk.tell(Ping(1))
    assert [type(message) for message in heard[:2]] == [Pong, Edges]


def check_a_quiet_host_puts_the_lamps_out_and_silences_the_link() -> None:
    desk = Desk()
    desk.greet()
    desk.tell(LampsMessage(0, (Lamp(LAMP_ON, 0, 255, 0),)), Ack(0, ACK_PLAY))
    desk.turns(900)
    assert desk.duties == [65535, 0]
    desk.turns(200)
    assert desk.duties == [0, 0]
    stamp_us = desk.close(0)
    assert desk.turns(5000) == []
    heard = desk.tell(Ack(0, 0))
    heard.extend(desk.turns(100))
    assert arrived(heard)[0].stamp_us == stamp_us
    assert of_kind(Beat, heard)
    assert desk.duties == [65535, 0]


def check_lamps_of_the_second_kind_of_button_are_told_by_its_number() -> None:
    desk = Desk()
    desk.greet()
    desk.tell(LampsMessage(1, (Lamp(LAMP_ON, 0, 9, 0), Lamp(LAMP_ON, 0, 128, 0))))
    desk.turns(40)
    assert desk.duties == [0, duty_of(128)]


def check_bye_silences_at_once_until_the_next_hello() -> None:
    desk = Desk()
    desk.greet()
    desk.tell(LampsMessage(0, (Lamp(LAMP_ON, 0, 255, 0),)))
    desk.turns(40)
    assert desk.tell(Bye()) == []
    assert desk.duties == [0, 0]
    press(desk, 3)
    assert desk.tell(Ping(1)) == []
    assert desk.turns(500) == []
    assert of_kind(Greeting, desk.greet(session=10))


def check_a_session_is_resumed_where_the_host_stopped() -> None:
    desk = Desk()
    desk.greet()
    stamps = press(desk, 5)
    desk.turn()
    heard = desk.greet(session=10, resume_boot=77, resume_seq=2)
    snapshot = of_kind(Snapshot, heard)[0]
    assert isinstance(snapshot, Snapshot)
    assert (snapshot.first, snapshot.next_seq) == (2, 5)
    assert [edge.stamp_us for edge in arrived(heard, 2)] == stamps[2:]


def check_another_boot_or_an_unknown_number_is_not_resumed() -> None:
    for boot, number in ((78, 2), (77, 6), (0, 0)):
        desk = Desk()
        desk.greet()
        press(desk, 5)
        desk.turn()
        heard = desk.greet(session=10, resume_boot=boot, resume_seq=number)
        snapshot = of_kind(Snapshot, heard)[0]
        assert isinstance(snapshot, Snapshot)
        assert (snapshot.first, snapshot.next_seq) == (5, 5)
        assert of_kind(Edges, heard) == []


def check_the_same_session_again_forgets_nothing() -> None:
    desk = Desk()
    desk.greet()
    press(desk, 3)
    desk.turn()
    heard = desk.greet()
    assert len(of_kind(Greeting, heard)) == 1
    assert desk.ring.held == 3


def check_garbage_is_counted_and_the_next_frame_is_heard() -> None:
    desk = Desk()
    desk.greet()
    desk.port.to_device = b"\x07garbage\0\0\xff\xff\0"
    assert of_kind(Pong, desk.tell(Ping(3)))
    beat = of_kind(Beat, desk.turns(60))[0]
    assert isinstance(beat, Beat)
    assert beat.bad_frames == 2


def check_ctrl_c_reaches_the_prompt_only_while_no_host_is_there() -> None:
    desk = Desk()
    desk.greet()
    desk.port.to_device = b"\r\x03"
    desk.turn()
    interrupted = [desk.link.is_interrupted]
    desk.turns(1100)
    desk.port.to_device = b"\r\x03"
    desk.turn()
    interrupted.append(desk.link.is_interrupted)
    assert interrupted == [False, True]
    assert not is_interrupt(b"\r\n")
    assert not is_interrupt(encode(Ack(3, 3)))


def check_a_capture_that_died_is_told_and_started_anew() -> None:
    desk = Desk()
    desk.greet()
    desk.samples.runs = False
    errors = of_kind(Error, desk.turns(160))
    assert errors
    assert isinstance(errors[0], Error)
    assert errors[0].code == ERROR_CAPTURE
    assert desk.samples.restarts == 1


def check_wrong_pins_and_a_crash_are_told_with_every_greeting() -> None:
    desk = Desk()
    port = SoftPort()
    identity = Identity("x" * 80, 1, 0)
    link = Link(identity, desk.clock, NoCapture(desk.clock), Lamps([], None), port)
    link.report(ERROR_PINS, "pins.json: it is not JSON")
    link.report(ERROR_RESET, "TypeError: " + "z" * 90 + "\n\u00e4")
    decoder = Decoder()
    for session in (1, 2):
        port.to_device = encode(Hello(1, session, 0, 0))
        heard = []
        for _ in range(3):
            link.step()
            heard.extend(decoder.feed(port.to_host))
            port.to_host = b""
        assert isinstance(heard[0], Greeting)
        assert (heard[0].buttons, heard[0].boot_id) == (0, 1)
        errors = [message for message in heard if isinstance(message, Error)]
        assert [error.code for error in errors] == [ERROR_PINS, ERROR_RESET]
        assert errors[0].text == "pins.json: it is not JSON"
    assert decoder.bad_frames == 0


def check_every_frame_is_shorter_than_a_usb_packet() -> None:
    desk = Desk(ring=500, samples=1024)
    desk.greet()
    sizes = []
    for turn in range(60):
        press(desk, turn)
        desk.port.to_device += encode(Ack(desk.ring.next_seq, ACK_PLAY)) + encode(Ping(turn))
        desk.ticks.now_us += 5000
        desk.link.step()
        sizes.extend([len(frame) + 1 for frame in desk.port.to_host.split(b"\0") if frame])
        desk.port.to_host = b""
    assert len(sizes) > 100
    assert max(sizes) <= MAX_FRAME
