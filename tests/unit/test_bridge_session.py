"""The host's side of the protocol, rule by rule: PROTOCOL.md, "What the host does"."""

from __future__ import annotations

from itertools import pairwise

from firmware_bridge.protocol import (
    ACK_PLAY,
    ACK_RESEND,
    ERROR_CAPTURE,
    ERROR_NO_HELLO,
    ERROR_PINS,
    ERROR_VERSION,
    Ack,
    Bye,
    Error,
    Greeting,
    Hello,
    Lines,
    Ping,
    Pong,
    refusal,
)
from firmware_bridge.session import SILENCE_NS, id_text
from tests.bridge_talk import BOOT, CHIP, MS, NAMES, Talk, beat_of, edges_of, of_kind


def is_linked(talk: Talk) -> bool:
    return talk.session.is_linked


# 1. Greeting


def test_hello_is_said_at_once_and_every_200_ms_until_there_is_an_answer() -> None:
    talk = Talk().open()
    assert talk.said() == [Hello(1, 100, 0, 0)]
    assert talk.pass_ms(199) == []
    assert talk.pass_ms(1) == [Hello(1, 100, 0, 0)]
    assert len(talk.pass_ms(600)) == 3


def test_everything_before_the_greeting_is_ignored() -> None:
    talk = Talk().open()
    talk.said()
    assert (
        talk.tell(talk.snapshot(), edges_of(0, (1, 0, True)), beat_of(1, 1), Pong(1, 1, 1), Lines(0, NAMES)) == []
    )
    assert not talk.session.is_greeted
    assert not talk.session.is_linked
    assert talk.session.names == {}
    assert talk.session.received.needs_next == 0


def test_a_greeting_of_another_session_is_ignored() -> None:
    talk = Talk().open()
    talk.tell(talk.greeting(session=99))
    assert not talk.session.is_greeted
    talk.tell(talk.greeting())
    assert talk.session.is_greeted


def test_it_is_linked_when_names_levels_and_a_map_are_there_and_says_hello_until_then() -> None:
    talk = Talk().open()
    talk.said()
    talk.tell(talk.greeting(), Lines(0, "a.1 a.2"), talk.snapshot())
    talk.trip()
    assert not is_linked(talk), "a name is missing"
    assert of_kind(Hello, talk.pass_ms(400)) == [Hello(1, 100, 0, 0)] * 2
    talk.tell(talk.greeting(), Lines(2, "a.spit"))
    assert is_linked(talk)
    assert of_kind(Hello, talk.pass_ms(400)) == []
    assert talk.session.names == {0: "a.1", 1: "a.2", 2: "a.spit"}


def test_edges_are_not_taken_before_their_clock_can_be_mapped() -> None:
    talk = Talk().open()
    talk.said()
    talk.tell(talk.greeting(), Lines(0, NAMES), talk.snapshot())
    assert talk.tell(edges_of(0, (talk.device_us, 1, True))) == []
    assert talk.session.received.needs_next == 0
    assert of_kind(Ack, talk.pass_ms(150)) == []
    talk.trip()
    assert talk.session.is_linked
    assert talk.said()[0] == Ack(0, ACK_PLAY + ACK_RESEND), "and asked for again then"


def test_a_greeting_of_another_version_ends_the_attempt_in_words() -> None:
    talk = Talk().open()
    talk.said()
    talk.tell(Greeting(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ""))
    assert talk.session.refused == refusal(2, "firmware")
    assert not talk.session.is_greeted
    assert talk.pass_ms(500) == []
    talk.open()
    assert talk.session.refused == ""
    assert isinstance(talk.said()[0], Hello)


def test_a_device_that_refuses_our_version_ends_the_attempt_in_its_words() -> None:
    talk = Talk().open()
    talk.tell(Error(ERROR_VERSION, "The cabinet speaks protocol 1, here it is 2."))
    assert talk.session.refused == "The cabinet speaks protocol 1, here it is 2."


def test_another_version_in_the_middle_of_a_session_is_noise() -> None:
    talk = Talk()
    talk.link()
    talk.tell(Greeting(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ""), Error(ERROR_VERSION, "?"))
    assert talk.session.refused == ""
    assert talk.session.is_linked


def test_another_device_in_its_place_is_refused() -> None:
    talk = Talk()
    talk.link()
    talk.session.lost(talk.now_ns)
    talk.open()
    talk.said()
    talk.tell(talk.greeting(unique_id=CHIP + 1))
    assert talk.session.refused == "Another device answers, 0505061718293a2b."
    assert not talk.session.is_greeted
    estimate = talk.session.estimate()
    assert estimate is not None
    assert estimate.epoch == 1, "the map of its own device stays"


def test_a_chips_number_is_written_as_usb_shows_it() -> None:
    assert id_text(CHIP) == "0405061718293a2b"


# 2. Boots and resuming


def test_a_session_asks_to_resume_from_the_edge_that_is_needed_next() -> None:
    talk = Talk()
    talk.link(first=10)
    talk.tell(edges_of(10, (talk.device_us, 0, True), (talk.device_us + 5, 0, False)))
    talk.session.lost(talk.now_ns)
    talk.open()
    assert talk.said() == [Hello(1, 101, BOOT, 12)]


def test_what_a_resumed_device_has_dropped_is_gone_and_what_another_boot_had_is_not() -> None:
    talk = Talk()
    talk.link(first=10)
    talk.session.lost(talk.now_ns)
    talk.link(first=15)
    assert talk.session.received.gone == 5
    talk.session.lost(talk.now_ns)
    talk.link(boot=78, first=900)
    assert talk.session.received.gone == 5


def test_beats_narrow_the_map() -> None:
    talk = Talk()
    talk.link()
    before = talk.session.estimate()
    talk.now_ns += 10 * MS
    talk.tell(beat_of(talk.device_us, 0))
    after = talk.session.estimate()
    assert before is not None
    assert after is not None
    assert after.err_ns < before.err_ns


def test_a_boot_whose_edges_were_never_taken_is_not_resumed() -> None:
    talk = Talk()
    talk.link(first=10)
    talk.session.lost(talk.now_ns)
    talk.open()
    talk.tell(talk.greeting(boot=78))
    talk.session.lost(talk.now_ns)
    talk.open()
    assert talk.said() == [Hello(1, 102, BOOT, 10)], "what is needed next is a number of the older boot"


def test_another_boot_id_begins_a_new_map() -> None:
    talk = Talk()
    talk.link()
    before = talk.session.estimate()
    talk.session.lost(talk.now_ns)
    talk.open()
    talk.said()
    talk.tell(talk.greeting(boot=78))
    assert talk.session.estimate() is None
    talk.trip()
    after = talk.session.estimate()
    assert before is not None
    assert after is not None
    assert (before.epoch, after.epoch) == (1, 2)


def test_the_same_boot_id_keeps_the_map() -> None:
    talk = Talk()
    talk.link()
    talk.session.lost(talk.now_ns)
    talk.link()
    estimate = talk.session.estimate()
    assert estimate is not None
    assert estimate.epoch == 1


def test_a_device_that_was_not_greeted_since_it_booted_is_greeted_anew_and_its_buttons_let_go() -> None:
    talk = Talk()
    talk.link()
    talk.now_ns += 100 * MS
    talk.tell(edges_of(0, (talk.device_us, 1, True)))
    talk.now_ns += 7 * MS
    released = talk.tell(Error(ERROR_NO_HELLO, "This device was not greeted since it booted."))
    assert [(one.button, one.closed, one.made_up) for one in released] == [(1, False, True)]
    assert not talk.session.is_linked
    assert talk.said() == [Hello(1, 101, BOOT, 1)]


def test_no_hello_while_a_hello_is_on_its_way_changes_nothing() -> None:
    talk = Talk().open()
    talk.said()
    talk.tell(Error(ERROR_NO_HELLO, ""))
    assert talk.pass_ms(200) == [Hello(1, 100, 0, 0)]


# 4. Asking for edges again


def test_a_lost_frame_is_asked_for_once_and_again_after_8_ms() -> None:
    talk = Talk()
    talk.link()
    talk.said()
    hole = edges_of(3, (talk.device_us, 0, True), ahead=3)
    assert talk.tell(hole) == []
    assert of_kind(Ack, talk.said()) == [Ack(0, ACK_PLAY + ACK_RESEND)]
    talk.tell(hole)
    assert of_kind(Ack, talk.said()) == [Ack(0, ACK_PLAY)]
    talk.now_ns += 8 * MS
    talk.tell(hole)
    assert of_kind(Ack, talk.said()) == [Ack(0, ACK_PLAY + ACK_RESEND)]


def test_a_beat_that_tells_of_edges_that_did_not_come_asks_for_them_too() -> None:
    talk = Talk()
    talk.link()
    talk.said()
    talk.tell(beat_of(talk.device_us, 2, held=2))
    assert of_kind(Ack, talk.said()) == [Ack(0, ACK_PLAY + ACK_RESEND)]


def test_a_beat_does_not_ask_for_edges_that_may_wait_behind_the_window() -> None:
    talk = Talk()
    talk.link()
    talk.said()
    talk.tell(beat_of(talk.device_us, 600, held=600))
    assert talk.said() == []


def test_a_bounce_is_over_when_nothing_was_known_for_20_ms() -> None:
    """The game has gone on without the device by then."""
    talk = Talk()
    talk.link()
    talk.pass_ms(100)
    talk.tell(
        edges_of(0, (talk.device_us, 0, True), (talk.device_us + 300, 0, False)), beat_of(talk.device_us + 400, 2)
    )
    talk.pass_ms(20)
    assert talk.tell(edges_of(2, (talk.device_us - 19_000, 0, True))) == []


def test_a_bounce_goes_on_while_beats_come() -> None:
    talk = Talk()
    talk.link()
    talk.pass_ms(100)
    talk.tell(
        edges_of(0, (talk.device_us, 0, True), (talk.device_us + 300, 0, False)), beat_of(talk.device_us + 400, 2)
    )
    talk.pass_ms(19)
    assert len(talk.tell(edges_of(2, (talk.device_us - 18_000, 0, True)))) == 1


# 6. Acks


def test_edges_are_acknowledged_after_the_read_that_brought_them() -> None:
    talk = Talk()
    talk.link()
    talk.said()
    talk.tell(edges_of(0, (talk.device_us, 0, True)))
    assert of_kind(Ack, talk.said()) == [Ack(1, ACK_PLAY)]
    assert of_kind(Ack, talk.said()) == []


def test_an_ack_is_the_hosts_sign_of_life_every_100_ms() -> None:
    talk = Talk()
    talk.link()
    talk.said()
    acks = of_kind(Ack, talk.pass_ms(1_000))
    assert acks == [Ack(0, ACK_PLAY)] * 10


# 7. Pings


def test_pings_come_every_20_ms_for_two_seconds_then_every_100() -> None:
    talk = Talk().open()
    talk.said()
    talk.tell(talk.greeting(), Lines(0, NAMES))
    talk.trip()
    begun_ns = talk.now_ns
    at_ns = []
    while talk.now_ns < begun_ns + 4_000 * MS:
        if of_kind(Ping, talk.pass_ms(1)):
            at_ns.append(talk.now_ns)
        talk.tell(beat_of(talk.device_us, 0))
    fast = [t_ns for t_ns in at_ns if t_ns < begun_ns + 1_900 * MS]
    slow = [t_ns for t_ns in at_ns if t_ns > begun_ns + 2_200 * MS]
    assert {b - a for a, b in pairwise(fast)} == {20 * MS}
    assert {b - a for a, b in pairwise(slow)} == {100 * MS}


def test_no_ping_before_the_greeting() -> None:
    talk = Talk().open()
    assert of_kind(Ping, talk.pass_ms(1_000)) == []


def test_a_pong_counts_once_and_only_for_its_own_ping() -> None:
    talk = Talk().open()
    talk.tell(talk.greeting())
    [ping] = of_kind(Ping, talk.pass_ms(1))
    talk.tell(Pong(ping.number + 1, talk.device_us, 0))
    assert talk.session.estimate() is None
    talk.now_ns += MS
    talk.tell(Pong(ping.number, talk.device_us, 0))
    estimate = talk.session.estimate()
    assert estimate is not None
    talk.now_ns += 30 * MS
    talk.tell(Pong(ping.number, talk.device_us, 0))
    assert talk.session.estimate() == estimate


def test_pings_of_an_older_session_are_not_matched() -> None:
    talk = Talk().open()
    talk.tell(talk.greeting())
    [ping] = of_kind(Ping, talk.pass_ms(1))
    talk.session.lost(talk.now_ns)
    talk.open()
    talk.tell(talk.greeting(boot=78))
    talk.tell(Pong(ping.number, talk.device_us, 0))
    assert talk.session.estimate() is None


# 9. Bye, silence and troubles


def test_bye_is_said_to_a_device_that_was_greeted() -> None:
    talk = Talk().open()
    assert talk.session.farewell() == []
    talk.link()
    assert talk.session.farewell() == [Bye()]


def test_a_device_that_says_nothing_for_a_second_is_silent() -> None:
    talk = Talk()
    talk.link()
    talk.tell(beat_of(talk.device_us, 0))
    assert not talk.session.is_silent(talk.now_ns + SILENCE_NS - 1)
    assert talk.session.is_silent(talk.now_ns + SILENCE_NS)


def test_what_answers_no_hello_is_silent_whatever_it_says_else() -> None:
    talk = Talk().open()
    talk.now_ns += SILENCE_NS
    talk.tell(beat_of(1, 0), Error(ERROR_NO_HELLO, ""))
    assert talk.session.is_silent(talk.now_ns)


def test_what_the_device_says_is_wrong_is_shown_what_passed_is_for_the_log() -> None:
    talk = Talk()
    talk.link()
    talk.tell(Error(ERROR_CAPTURE, "The capture stood still; it was started anew."))
    assert talk.session.error == ""
    talk.tell(Error(ERROR_PINS, "pins.json: there is no button in it"))
    assert talk.session.error == "pins.json: there is no button in it"
    assert len(talk.session.notes) == 2
