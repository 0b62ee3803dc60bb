"""A bridge as a source: linked, unplugged, back under another number, started anew; all in virtual time."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from cabinet.buttons.edges import HOST_CLOCK, WIDE_ERROR_NS
from cabinet.buttons.lamp_state import LampState
from firmware_bridge.bridge import FIRST_RETRY_NS, LAST_RETRY_NS, BridgeSource, Host
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.port import Place, Port
from firmware_bridge.protocol import Bye, Decoder, Error, Greeting, Hello, Message, Ping, Pong, Snapshot, encode
from firmware_bridge.session import SILENCE_NS
from firmware_bridge.simulated_line import Faults
from tests.bridge_desk import MS, START_NS, BridgeDesk, VirtualClock


def is_live(desk: BridgeDesk) -> bool:
    return desk.status.is_live


# At work


def test_it_is_live_soon_and_its_presses_come_with_the_devices_error_and_the_maps_bound() -> None:
    desk = BridgeDesk().settle()
    assert desk.now_ns - START_NS < 300 * MS
    desk.run(60)
    at_ns = desk.press("a.1")
    desk.run(30)
    [press] = desk.presses
    assert (press.line, press.err_ns, press.judged_ns, press.clock) == ("a.1", 1_000, None, "bridge 1")
    assert 0 < press.map_err_ns < MS
    assert abs(press.t_ns - at_ns) <= press.err_ns + press.map_err_ns


def test_before_the_first_greeting_it_waits_and_says_for_what() -> None:
    desk = BridgeDesk()
    status = desk.status
    assert (status.is_live, status.clock) == (False, HOST_CLOCK)
    assert status.trouble == "Waiting for the bridge /dev/serial/by-id/usb-simulated."


def test_a_press_is_known_within_15_ms() -> None:
    """A beat every 5 ms, and what the line takes (HOUSE.md, What it must reach)."""
    desk = BridgeDesk().settle().run(60)
    for _ in range(50):
        known = len(desk.presses)
        at_ns = desk.press("b.3", after_ms=desk.chance.random())
        while len(desk.presses) == known:
            desk.step()
        assert desk.now_ns - at_ns <= 15 * MS
        desk.run(150)


def test_edges_keep_their_distance_to_the_microsecond_whatever_the_line_does() -> None:
    desk = BridgeDesk(faults=Faults(stalled=0.2), ppm=0).settle().run(60)
    begun_ns = desk.now_ns
    for number in range(20):
        desk.device.change("a.2", number % 2 == 0, begun_ns + number * 71_003_000)
    desk.run(1_600)
    times_ns = [edge.t_ns for edge in desk.edges]
    assert [later - times_ns[0] for later in times_ns] == [number * 71_003_000 for number in range(20)]


def test_no_edge_comes_before_somebody_was_told_its_clock() -> None:
    desk = BridgeDesk()
    seat = desk.seats[0]
    desk.device.change("a.1", True, desk.now_ns + 900 * MS)
    for _ in range(1_000):
        desk.clock.now_ns += MS
        desk.device.run_until(desk.now_ns)
        seat.source.round()
    assert seat.fresh == []
    seat.source.status(desk.now_ns)
    seat.source.round()
    assert [edge.line for edge in seat.fresh] == ["a.1"]


def test_all_below_the_watermark_has_been_delivered() -> None:
    desk = BridgeDesk(faults=Faults(garbled=0.05)).settle().run(60)
    seat = desk.seats[0]
    true_ns = [desk.press(line, after_ms=20 * number) for number, line in enumerate(("a.1", "a.2", "a.3", "b.1"))]
    delivered = 0
    for _ in range(200):
        desk.step()
        delivered = sum(edge.active for edge in seat.edges)
        bound_ns = desk.status.map_err_ns
        assert delivered >= sum(at_ns < desk.status.watermark_ns - bound_ns for at_ns in true_ns)
    assert delivered == 4


def test_lamps_are_lit_while_it_is_linked_and_dark_when_the_cabinet_is_gone() -> None:
    desk = BridgeDesk()
    desk.source.set({"a.1": LampState("on"), "nowhere": LampState("on")})
    desk.settle().run(60)
    assert desk.device.lit() == {"a.1"}
    desk.source.set({"b.spit": LampState("blink", period_ms=1_000)})
    lit = [desk.run(100).device.lit() for _ in range(20)]
    assert lit.count(frozenset({"b.spit"})) == lit.count(frozenset()) == 10
    desk.source.set({"a.1": LampState("on")})
    desk.run(60)
    desk.source.close()
    desk.device.run_until(desk.now_ns + 20 * MS)
    assert desk.device.lit() == frozenset()


# Unplugged


def test_unplugged_it_is_told_not_live_and_its_buttons_let_go() -> None:
    desk = BridgeDesk().settle().run(60)
    desk.press("a.1", hold_ms=5_000)
    desk.run(100)
    assert desk.intake.pressed() == {"a.1"}
    desk.device.unplug()
    desk.run(20)
    assert not desk.status.is_live
    assert desk.status.trouble == "The bridge at /dev/ttyACM1 is not there: plug it in."
    released = desk.edges[-1]
    assert (released.line, released.active, released.made_up) == ("a.1", False, True)
    assert released.err_ns > WIDE_ERROR_NS
    assert desk.intake.pressed() == frozenset()
    assert desk.status.losses == 1


def test_it_is_found_under_another_number_and_a_new_boot_has_a_clock_of_its_own() -> None:
    desk = BridgeDesk().settle().run(60)
    desk.device.unplug()
    desk.run(300)
    desk.device.plug_in()
    desk.settle().run(60)
    assert desk.status.trouble is None
    assert desk.status.clock == "bridge 2"
    desk.press("a.1")
    desk.run(50)
    assert [(press.line, press.clock) for press in desk.presses] == [("a.1", "bridge 2")]


def test_a_finger_that_stays_on_a_button_presses_once() -> None:
    desk = BridgeDesk().settle().run(60)
    desk.press("a.1", hold_ms=10_000)
    desk.run(100)
    for keeps_power in (True, False):
        desk.device.unplug(keeps_power=keeps_power)
        desk.run(300)
        desk.device.plug_in()
        desk.settle().run(500)
        assert desk.lines_pressed() == ["a.1"]
    assert desk.status.trouble == "Held since the start: a.1; let go, or check the switch and its wires."


def test_a_press_whose_contact_closed_right_before_the_plug_was_pulled_comes_when_it_is_back() -> None:
    desk = BridgeDesk().settle().run(60)
    at_ns = desk.press("a.1", after_ms=0.2)
    desk.step()
    desk.device.unplug(keeps_power=True)
    desk.run(400)
    assert desk.presses == []
    desk.device.plug_in()
    desk.settle().run(5)
    [press] = desk.presses
    assert abs(press.t_ns - at_ns) <= press.err_ns + press.map_err_ns
    assert press.judged_ns is not None, "its place is decided: it is judged as it comes"
    assert (desk.status.losses, desk.status.clock) == (0, "bridge 1")


def test_a_reset_is_noticed_on_a_line_that_stays_open() -> None:
    desk = BridgeDesk().settle().run(60)
    desk.device.reset()
    told = list(dict.fromkeys(desk.run(1).status.trouble for _ in range(400)))
    assert told == [
        None,
        "The bridge at /dev/ttyACM1 was started anew.",
        "The bridge at /dev/ttyACM1 is there: its clock is being compared.",
    ]
    assert desk.status.is_live
    assert desk.status.clock == "bridge 2"


def test_a_short_stall_is_no_unplugging_and_a_long_one_is() -> None:
    desk = BridgeDesk().settle().run(60)
    desk.device.stall(SILENCE_NS - 50 * MS)
    desk.run(1_000)
    assert is_live(desk)
    desk.device.stall(SILENCE_NS + 200 * MS)
    desk.run(1_050)
    assert not is_live(desk)
    assert desk.status.trouble == "The bridge at /dev/ttyACM1 does not answer any more: is its cable sound?"
    desk.settle()
    assert desk.status.clock == "bridge 1", "the same boot, the same clock"


# Ports


def linking(message: Message) -> bytes:
    """A device without buttons."""
    if isinstance(message, Hello):
        greeting = Greeting(1, message.session, 1, 0, 0, 1, 0, 0, 0, 2, 1, 16, "test")
        return encode(greeting) + encode(Snapshot(1, 0, 0, 0))
    return encode(Pong(message.number, 1, 0)) if isinstance(message, Ping) else b""


class OnePort:
    """A computer with a port at which a test answers."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START_NS)
        self.opened_ns: list[int] = []
        self.error: OSError | None = None
        self.paths = ["/dev/ttyACM0"]
        self.opened: list[str] = []
        self.looked_for: list[Place] = []
        self.heard: list[Message] = []
        self.answer: Callable[[Message], bytes] = lambda _message: b""
        self.chip: str | None = None
        self.is_closed = False
        self._decoder = Decoder()
        self._waiting = b""
        clocks = HostClocks(self.clock, self.clock)
        host = Host(ports=self, clocks=clocks, draw=lambda: 7, pause=lambda _seconds: None)
        self.source = BridgeSource(Place(path="/dev/ttyACM0"), "bridge", host)
        self.source.claim(lambda _edge: None)

    def run(self, for_ms: int) -> OnePort:
        for _ in range(for_ms):
            self.clock.now_ns += MS
            self.source.round()
        return self

    @property
    def trouble(self) -> str | None:
        return self.source.status(self.clock.now_ns).trouble

    def find(self, place: Place) -> list[str]:
        self.looked_for.append(place)
        return self.paths

    def open(self, path: str) -> Port:
        self.opened.append(path)
        self.opened_ns.append(self.clock.now_ns)
        if self.error is not None:
            raise self.error
        self.is_closed = False
        return self

    def read(self, _wait_s: float) -> bytes:
        data, self._waiting = self._waiting, b""
        return data

    def write(self, data: bytes) -> int:
        for message in self._decoder.feed(data):
            self.heard.append(message)
            self._waiting += self.answer(message)
        return len(data)

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (errno.EACCES, "The bridge at /dev/ttyACM0 may not be opened by this user: add it to the group dialout."),
        (
            errno.EBUSY,
            "The bridge at /dev/ttyACM0 is in use by another program: end that, or wait until it lets go.",
        ),
        (
            errno.EAGAIN,
            "The bridge at /dev/ttyACM0 is in use by another program: end that, or wait until it lets go.",
        ),
        (errno.ENXIO, "The bridge at /dev/ttyACM0 cannot be opened (No such device): plug it in again."),
    ],
)
def test_a_port_that_cannot_be_opened_is_one_line(error: int, says: str) -> None:
    port = OnePort()
    port.error = OSError(error, "No such device")
    port.run(10)
    assert port.trouble == says


def test_it_is_looked_for_after_a_tenth_of_a_second_then_each_time_twice_as_late_up_to_two() -> None:
    port = OnePort()
    port.error = OSError(errno.ENXIO, "No such device")
    port.run(12_000)
    gaps_ns = [b - a for a, b in zip(port.opened_ns, port.opened_ns[1:], strict=False)]
    doubled = [FIRST_RETRY_NS << power for power in range(20)]
    assert gaps_ns == [min(gap_ns, LAST_RETRY_NS) for gap_ns in doubled[: len(gaps_ns)]]
    assert gaps_ns.count(LAST_RETRY_NS) > 2


def test_a_bridge_that_was_linked_is_looked_for_quickly_again() -> None:
    desk = BridgeDesk()
    desk.device.unplug()
    desk.run(7_000)
    for _ in range(2):
        desk.device.plug_in()
        desk.settle().run(60)
        desk.device.unplug()
        begun_ns = desk.now_ns
        desk.run(50)
        desk.device.plug_in()
        desk.settle()
        assert desk.now_ns - begun_ns < 600 * MS
        desk.device.unplug()
        desk.run(7_000)


def test_a_frame_cut_short_by_an_unplugging_spoils_none_of_the_next_session() -> None:
    port = OnePort()
    port.answer = lambda _message: encode(Bye())[:-1]
    port.run(1_050)
    assert port.is_closed
    port.answer = linking
    port.run(70)
    assert port.source._session.is_greeted


def test_it_is_looked_for_by_its_chip_once_that_is_known() -> None:
    port = OnePort()
    port.chip = "e66164084373532b"
    port.answer = linking
    port.run(200)
    port.answer = lambda _message: b""
    port.run(1_500)
    assert port.looked_for[0] == Place(path="/dev/ttyACM0")
    assert port.looked_for[-1] == Place(path="/dev/ttyACM0", chip="e66164084373532b")


def test_all_places_where_it_may_be_are_tried_in_turn() -> None:
    port = OnePort()
    port.paths = ["/dev/ttyACM0", "/dev/ttyACM3"]
    port.run(5_000)
    assert port.opened[:4] == ["/dev/ttyACM0", "/dev/ttyACM3"] * 2


def test_what_does_not_answer_as_a_bridge_is_left_and_told_how_it_becomes_one() -> None:
    port = OnePort()
    port.answer = lambda _message: b">>> \r\nTraceback (most recent call last):\r\n"
    port.run(1_050)
    assert port.is_closed
    assert port.trouble == (
        "What is at /dev/ttyACM0 does not answer as a bridge: "
        "put the firmware on it with spit-cabinet bridge install."
    )


def test_chatter_of_other_programs_before_the_greeting_changes_nothing() -> None:
    """ModemManager asks every new port whether it is a modem."""
    desk = BridgeDesk()
    desk.step()
    line = desk.device._line
    line.host_write(b"AT\r\rAT+GCAP\r\x7e\x00\x78\xf0\x7e" * 3)
    line._to_host.put(b"AT\r\r\nERROR\r\n\x00\x09\x09\x00" * 3, desk.now_ns)
    desk.settle()
    assert desk.status.trouble is None


def test_another_version_is_refused_in_words_and_the_port_closed() -> None:
    port = OnePort()
    port.answer = lambda _message: encode(Greeting(2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, ""))
    port.run(10)
    assert port.is_closed
    assert port.trouble == (
        "The firmware speaks protocol 2, here it is 1. At /dev/ttyACM0: "
        "put the firmware on it with spit-cabinet bridge install."
    )


def test_it_says_what_a_device_says_of_our_version() -> None:
    port = OnePort()
    port.answer = lambda message: (
        encode(Error(1, "The cabinet speaks protocol 1, here it is 2.")) if isinstance(message, Hello) else b""
    )
    port.run(10)
    assert (port.trouble or "").startswith("The cabinet speaks protocol 1, here it is 2. At /dev/ttyACM0: ")


def test_bye_is_said_before_the_port_is_closed() -> None:
    port = OnePort()
    greeting = Greeting(1, 7, 1, 0, 0, 1, 0, 0, 0, 2, 1, 16, "test")
    port.answer = lambda message: encode(greeting) if isinstance(message, Hello) else b""
    port.run(10)
    port.source.close()
    port.source.close()
    assert port.heard[-1] == Bye()
    assert port.is_closed


def test_a_line_that_takes_no_bytes_gets_each_frame_whole_and_once() -> None:
    port = OnePort()
    greeting = Greeting(1, 7, 1, 0, 0, 1, 0, 0, 0, 2, 1, 16, "test")
    port.answer = lambda message: encode(greeting) if isinstance(message, Hello) else b""
    whole = port.write
    room = iter([1, 0, 2, 3] * 200)
    port.write = lambda data: whole(data[: next(room)])  # type: ignore[method-assign]
    port.run(400)
    assert port._decoder.bad_frames == 0
    assert sum(isinstance(message, Hello) for message in port.heard) >= 1


# Two bridges


def test_two_bridges_race_on_clocks_of_their_own() -> None:
    desk = BridgeDesk(names=("bridge 1", "bridge 2"), ppm=-50).settle().run(2_500)
    one, two = desk.seats
    at_ns = desk.now_ns + 10 * MS
    one.device.change("a.1", True, at_ns)
    two.device.change("b.1", True, at_ns + 3 * MS)
    desk.run(40)
    first, second = desk.presses
    assert (first.line, second.line) == ("a.1", "b.1")
    assert first.clock != second.clock
    assert not first.ties_with(second)


def test_presses_on_two_bridges_closer_than_their_maps_are_a_dead_heat() -> None:
    desk = BridgeDesk(names=("bridge 1", "bridge 2")).settle().run(2_500)
    one, two = desk.seats
    at_ns = desk.now_ns + 10 * MS
    one.device.change("a.1", True, at_ns)
    two.device.change("b.1", True, at_ns + 100_000)
    desk.run(40)
    assert desk.presses[0].ties_with(desk.presses[1])
