"""What an input device's events say of its switches: repeats, axes, and what was lost."""

from __future__ import annotations

from cabinet.buttons.encoder_contacts import (
    EV_ABS,
    EV_KEY,
    EV_SYN,
    SYN_DROPPED,
    SYN_REPORT,
    Change,
    Contact,
    Contacts,
    DeviceState,
)

TRIGGER, THUMB = Contact(EV_KEY, 0x120), Contact(EV_KEY, 0x121)
LEFT, RIGHT = Contact(EV_ABS, 0, -1), Contact(EV_ABS, 0, 1)
AXES = {0: (0, 255)}
OPEN = DeviceState(frozenset(), {0: 127})
END = (EV_SYN, SYN_REPORT, 0)


def contacts(state: DeviceState = OPEN) -> Contacts:
    return Contacts([TRIGGER, THUMB, LEFT, RIGHT], AXES, state, now_ns=0)


def events(t_ns: int, *events: tuple[int, int, int]) -> list[tuple[int, int, int, int]]:
    return [(t_ns, *event) for event in (*events, END)]


def key(code: int, value: int) -> tuple[int, int, int]:
    return (EV_KEY, code, value)


def stick(value: int) -> tuple[int, int, int]:
    return (EV_ABS, 0, value)


def dropped(t_ns: int, newest: tuple[int, int, int] = END) -> list[tuple[int, int, int, int]]:
    """What the kernel leaves in a buffer that was full."""
    return [(t_ns, EV_SYN, SYN_DROPPED, 0), (t_ns, *newest)]


def told(changes: list[Change]) -> list[tuple[Contact, bool, int]]:
    assert all(change.from_ns == change.to_ns and not change.is_lost for change in changes)
    return [(change.contact, change.closed, change.to_ns) for change in changes]


def test_a_key_closes_and_opens_with_its_stamps() -> None:
    switches = contacts()
    changes = switches.take([*events(1_000, key(0x120, 1)), *events(9_000, key(0x120, 0))])
    assert told(changes) == [(TRIGGER, True, 1_000), (TRIGGER, False, 9_000)]


def test_the_kernels_repeats_of_a_held_key_say_nothing() -> None:
    switches = contacts()
    switches.take(events(1_000, key(0x120, 1)))
    assert switches.take([*events(2_000, key(0x120, 2)), *events(3_000, key(0x120, 2))]) == []
    assert switches.take(events(4_000, key(0x121, 2))) == [], "a repeat is no press either"
    assert switches.closed() == {TRIGGER}


def test_keys_that_are_no_button_are_passed_over() -> None:
    assert contacts().take(events(1_000, key(0x123, 1), (EV_ABS, 5, 255), (4, 4, 0x9_0001))) == []


def test_an_axis_is_a_switch_in_the_last_quarter_of_either_end() -> None:
    switches = contacts()
    changes = switches.take(
        [
            *events(1, stick(64)),
            *events(2, stick(63)),
            *events(3, stick(0)),
            *events(4, stick(191)),
            *events(5, stick(192)),
            *events(6, stick(127)),
        ]
    )
    assert told(changes) == [(LEFT, True, 2), (LEFT, False, 4), (RIGHT, True, 5), (RIGHT, False, 6)]


def test_a_stick_that_jumps_from_end_to_end_opens_one_and_closes_the_other() -> None:
    switches = contacts()
    switches.take(events(1, stick(0)))
    assert sorted(told(switches.take(events(2, stick(255))))) == [(LEFT, False, 2), (RIGHT, True, 2)]


def test_a_hat_has_three_places() -> None:
    hat = [Contact(EV_ABS, 16, -1), Contact(EV_ABS, 16, 1)]
    switches = Contacts(hat, {16: (-1, 1)}, DeviceState(frozenset(), {16: 0}), 0)
    changes = switches.take(
        [*events(1, (EV_ABS, 16, -1)), *events(2, (EV_ABS, 16, 0)), *events(3, (EV_ABS, 16, 1))]
    )
    assert told(changes) == [(hat[0], True, 1), (hat[0], False, 2), (hat[1], True, 3)]


def test_what_is_closed_when_a_device_is_opened_is_known() -> None:
    switches = contacts(DeviceState(frozenset([0x121]), {0: 255}))
    assert switches.closed() == {THUMB, RIGHT}
    assert told(switches.take(events(1, key(0x121, 0)))) == [(THUMB, False, 1)]


def test_an_axis_that_nothing_has_moved_yet_reads_0_and_is_at_rest() -> None:
    assert contacts(DeviceState(frozenset(), {0: 0})).closed() == frozenset()


# Lost events


def test_after_a_loss_the_state_is_due_once_the_report_has_ended_and_what_differs_was_lost() -> None:
    switches = contacts()
    switches.take(events(1_000, key(0x120, 1)))
    switches.seen_empty(2_000)
    switches.take(dropped(5_000, key(0x121, 1)))
    assert switches.compare(OPEN, 5_500, 5_500) == [], "the report has not ended"
    switches.take(events(5_000))
    assert switches.must_read_state
    lost = switches.compare(DeviceState(frozenset([0x121]), {0: 255}), 6_000, 6_000)
    assert lost == [
        Change(TRIGGER, False, 2_000, 6_000, is_lost=True),
        Change(THUMB, True, 2_000, 6_000, is_lost=True),
        Change(RIGHT, True, 2_000, 6_000, is_lost=True),
    ]
    assert switches.compare(OPEN, 7_000, 7_000) == [], "once is enough"
    assert switches.closed() == {THUMB, RIGHT}


def test_the_rest_of_a_report_that_was_cut_says_nothing() -> None:
    switches = contacts()
    changes = switches.take([*dropped(5_000, key(0x120, 1)), *events(5_000, key(0x121, 1))])
    assert changes == []


def test_what_comes_after_the_cut_report_has_its_own_stamps() -> None:
    switches = contacts()
    changes = switches.take([*dropped(5_000), *events(6_000, key(0x120, 1)), *events(7_000, stick(255))])
    assert told(changes) == [(TRIGGER, True, 6_000), (RIGHT, True, 7_000)]
    assert switches.compare(DeviceState(frozenset([0x120]), {0: 255}), 8_000, 8_000) == []


def test_what_changed_after_the_last_event_changed_after_it() -> None:
    """The device moves on between the last event that was read and its answer."""
    switches = contacts()
    switches.take([*dropped(5_000), *events(6_000, key(0x120, 1)), *events(7_000, stick(255))])
    lost = switches.compare(DeviceState(frozenset([0x121]), {0: 255}), 8_000, 8_000)
    assert lost == [
        Change(TRIGGER, False, 7_000, 8_000, is_lost=True),
        Change(THUMB, True, 0, 8_000, is_lost=True),
    ]


def test_a_second_loss_while_the_first_is_read_puts_all_in_doubt_again() -> None:
    switches = contacts()
    switches.take([*dropped(5_000), *events(6_000, key(0x120, 1)), *dropped(9_000, key(0x121, 1))])
    lost = switches.compare(OPEN, 9_500, 9_500)
    assert lost == [Change(TRIGGER, False, 6_000, 9_500, is_lost=True)], (
        "the second one begins after the last event"
    )
    switches.take(events(9_900))
    assert switches.compare(DeviceState(frozenset([0x120]), {0: 127}), 10_000, 10_000) == [
        Change(TRIGGER, True, 9_500, 10_000, is_lost=True)
    ]


def test_a_press_of_a_key_that_was_down_tells_of_the_release_that_was_lost() -> None:
    switches = contacts()
    switches.take(events(1_000, key(0x120, 1)))
    switches.seen_empty(2_000)
    changes = switches.take([*dropped(5_000), *events(9_000, key(0x120, 1)), *events(9_500, key(0x120, 1))])
    assert changes == [
        Change(TRIGGER, False, 2_000, 9_000, is_lost=True),
        Change(TRIGGER, True, 9_000, 9_000),
    ]


def test_without_a_loss_an_event_that_changes_nothing_is_no_change() -> None:
    switches = contacts()
    switches.take(events(1_000, key(0x120, 1)))
    assert switches.take(events(2_000, key(0x120, 1))) == []


def test_an_axis_that_moves_within_its_place_after_a_loss_is_no_change() -> None:
    switches = contacts()
    switches.take(events(1_000, stick(0)))
    assert switches.take([*dropped(5_000), *events(6_000, stick(3))]) == []


def test_a_state_that_does_not_name_an_axis_leaves_it() -> None:
    switches = contacts()
    switches.take([*events(1_000, stick(0)), *dropped(2_000)])
    assert switches.compare(DeviceState(frozenset(), {}), 3_000, 3_000) == []
    assert switches.closed() == {LEFT}
