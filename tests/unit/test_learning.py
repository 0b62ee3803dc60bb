"""Learning the buttons by pressing them: what is asked, taken, refused, and written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cabinet import cli, config, learn_command
from cabinet.buttons.edges import SourceError
from cabinet.buttons.encoder_contacts import EV_ABS, EV_KEY, Contact
from cabinet.buttons.lines import OPTIONAL_LINES, PANEL_LINES
from cabinet.learn_command import BEGIN, HOW, learn, write
from cabinet.learning import ASKED, DEAF_NS, Learner, Switch, summary
from cabinet.listening import Listener
from tests.encoder_model import CODES, LEFT, MS, RIGHT, START_NS, ModelInputs

S = 1_000 * MS
TRIGGER, THUMB, TOP = (Contact(EV_KEY, code) for code in (0x120, 0x121, 0x123))
KEYBOARD = "/dev/input/by-path/platform-xhci-hcd.0-usb-0:1.4:1.0-event-kbd"
ENTER = 28


def pressed(learner: Learner, contact: Contact, t_ns: int, device: str = LEFT) -> str | None:
    return learner.press(Switch(device, contact), "Joystick", t_ns)


# What is asked and taken


def test_every_button_is_asked_for_by_the_name_that_its_owner_sees() -> None:
    learner = Learner()
    asked = []
    while learner.asked is not None:
        asked.append(learner.question())
        learner.skip()
    assert learner.question() == ""
    assert asked[0] == "AMBER 1: press it now (1 of 18)"
    assert asked[5] == "AMBER SPIT: press it now (6 of 18)"
    assert asked[6].startswith("CYAN 1: ")
    assert [one.split(":")[0] for one in asked[12:]] == [
        "SERVICE",
        "COIN",
        "AMBER LEFT",
        "AMBER RIGHT",
        "CYAN LEFT",
        "CYAN RIGHT",
    ]
    assert (*PANEL_LINES, *OPTIONAL_LINES) == ASKED


def test_what_is_pressed_is_taken_and_said() -> None:
    learner = Learner()
    assert pressed(learner, THUMB, 1 * S) == "AMBER 1 is BTN_THUMB of Joystick"
    assert pressed(learner, Contact(EV_ABS, 0, -1), 2 * S, RIGHT) == "AMBER 2 is ABS_X- of Joystick"
    assert learner.devices() == {LEFT: {"BTN_THUMB": "a.1"}, RIGHT: {"ABS_X-": "a.2"}}


def test_a_button_that_is_taken_twice_is_told_and_asked_for_again() -> None:
    learner = Learner()
    pressed(learner, THUMB, 1 * S)
    assert pressed(learner, THUMB, 2 * S) == "BTN_THUMB is AMBER 1 already: press another for AMBER 2, or go back"
    assert learner.asked == "a.2"
    pressed(learner, TOP, 3 * S)
    assert learner.devices() == {LEFT: {"BTN_THUMB": "a.1", "BTN_TOP": "a.2"}}


def test_the_same_key_of_another_encoder_is_another_button() -> None:
    learner = Learner()
    pressed(learner, THUMB, 1 * S, LEFT)
    assert pressed(learner, THUMB, 2 * S, RIGHT) == "AMBER 2 is BTN_THUMB of Joystick"


def test_a_press_that_bounces_or_is_told_as_two_answers_one_question() -> None:
    learner = Learner()
    pressed(learner, THUMB, 1 * S)
    assert pressed(learner, THUMB, 1 * S + 5 * MS) is None
    assert pressed(learner, TOP, 1 * S + DEAF_NS - 1) is None
    assert learner.asked == "a.2"
    assert pressed(learner, TOP, 1 * S + DEAF_NS) is not None


def test_going_back_forgets_the_button_and_asks_for_it_again() -> None:
    learner = Learner()
    assert learner.back() == "This is the first button"
    pressed(learner, THUMB, 1 * S)
    assert learner.back() == "Back to AMBER 1"
    assert (learner.asked, learner.devices(), learner.learned) == ("a.1", {}, 0)
    assert pressed(learner, THUMB, 1 * S + 10 * MS) == "AMBER 1 is BTN_THUMB of Joystick", "at once"


def test_a_skipped_button_is_left_out_or_stays_as_the_settings_have_it() -> None:
    learner = Learner({LEFT: {"BTN_TOP": "a.2", "BTN_BASE": "a.3"}})
    assert learner.skip() == "AMBER 1 is left out"
    assert learner.skip() == "AMBER 2 stays BTN_TOP, as in the settings"
    pressed(learner, THUMB, 1 * S)
    assert learner.devices() == {LEFT: {"BTN_TOP": "a.2", "BTN_THUMB": "a.3"}}


def test_a_key_that_another_button_had_in_the_settings_changes_hands() -> None:
    learner = Learner({LEFT: {"BTN_THUMB": "a.2", "BTN_TOP": "b.5"}})
    pressed(learner, THUMB, 1 * S)
    assert learner.skip() == "AMBER 2 is left out"
    assert learner.devices() == {LEFT: {"BTN_THUMB": "a.1", "BTN_TOP": "b.5"}}


def test_when_all_is_learned_anew_nothing_of_the_old_plugs_is_left() -> None:
    known = {"/dev/input/by-path/old": {f"BTN_{number}": line for number, line in enumerate(ASKED[:9])}}
    learner = Learner(known)
    for count in range(len(ASKED)):
        pressed(learner, Contact(EV_KEY, 0x2C0 + count), count * S)
    assert learner.asked is None
    assert list(learner.devices()) == [LEFT]
    assert tuple(learner.devices()[LEFT].values()) == ASKED
    assert pressed(learner, THUMB, 99 * S) is None, "nothing is asked for any more"


def test_a_summary_counts_what_was_learned() -> None:
    assert summary({LEFT: {"A": "a.1", "B": "a.2"}, RIGHT: {"A": "b.1"}}) == "3 buttons on 2 encoders"
    assert summary({LEFT: {"A": "a.1"}}) == "1 button on 1 encoder"


# On the terminal


class Owner:
    """Types at the keyboard, and presses buttons, in virtual time."""

    def __init__(self, *paths: str) -> None:
        self.inputs = ModelInputs(paths or (LEFT, RIGHT))
        self.inputs.plug_in(KEYBOARD).keys = frozenset([ENTER, 16, 30])
        self.inputs.devices[KEYBOARD].name = "Dell Keyboard"
        self.said: list[str] = []
        self.learner = Learner()
        self.listener = Listener(self.inputs)
        self.listener.open(START_NS)
        self._typing: list[tuple[int, str]] = []
        self._at_ns = START_NS

    def types(self, key: str, *, from_afar: bool = False) -> Owner:
        """A second later; from afar no device of this computer sends it."""
        self._at_ns += 1 * S
        self._typing.append((self._at_ns, key))
        if key == "\n" and not from_afar:
            self.inputs.report(KEYBOARD, self._at_ns, (EV_KEY, ENTER, 1))
            self.inputs.report(KEYBOARD, self._at_ns + 50 * MS, (EV_KEY, ENTER, 0))
        return self

    def presses(self, path: str, code: int, kind: int = EV_KEY, value: int = 1, rest: int = 0) -> Owner:
        self._at_ns += 1 * S
        self.inputs.report(path, self._at_ns, (kind, code, value))
        self.inputs.report(path, self._at_ns + 500 * MS, (kind, code, rest))
        return self

    def typed(self) -> str:
        keys = "".join(key for at_ns, key in self._typing if at_ns <= self.inputs.now_ns)
        self._typing = [one for one in self._typing if one[0] > self.inputs.now_ns]
        return keys

    def learns(self) -> bool:
        return learn(self.listener, self, self.learner, self.said.append, self.inputs.clock_ns)


def test_presses_on_any_encoder_are_learned_one_after_the_other() -> None:
    owner = Owner().types("\n").presses(LEFT, CODES["1"]).presses(RIGHT, CODES["1"]).types("q")
    assert owner.learns()
    assert owner.learner.devices() == {LEFT: {"BTN_TRIGGER": "a.1"}, RIGHT: {"BTN_TRIGGER": "a.2"}}
    assert owner.said == [
        BEGIN,
        HOW,
        "AMBER 1: press it now (1 of 18)",
        f"  AMBER 1 is BTN_TRIGGER of Generic USB Joystick at {LEFT}",
        "AMBER 2: press it now (2 of 18)",
        f"  AMBER 2 is BTN_TRIGGER of Generic USB Joystick at {RIGHT}",
        "AMBER 3: press it now (3 of 18)",
    ]


def test_what_the_owner_types_is_a_command_and_no_button_and_still_typed() -> None:
    owner = Owner().types("\n").types("\n").presses(LEFT, CODES["1"]).types("\x7f").types("\n").types("q")
    assert not owner.learns()
    assert [line for line in owner.said if line.startswith("  ")] == [
        "  AMBER 1 is left out",
        f"  AMBER 2 is BTN_TRIGGER of Generic USB Joystick at {LEFT}",
        "  Back to AMBER 2",
        "  AMBER 2 is left out",
    ]
    assert not owner.inputs.devices[KEYBOARD].is_open
    assert owner.inputs.devices[LEFT].is_ours, "a keyboard encoder does not type into the terminal"


def test_over_the_network_a_keyboard_of_the_cabinet_can_be_its_buttons() -> None:
    owner = Owner().types("\n", from_afar=True).presses(KEYBOARD, 30).types("q")
    assert owner.learns()
    assert owner.learner.devices() == {KEYBOARD: {"KEY_A": "a.1"}}
    assert "  AMBER 1 is KEY_A of Dell Keyboard" in owner.said


def test_a_stick_is_learned_by_its_ends() -> None:
    owner = Owner(LEFT)
    left = owner.inputs.devices[LEFT]
    left.axes, left.values = {0: (0, 255), 16: (-1, 1)}, {0: 127}
    owner.listener.close()
    owner.listener.open(START_NS)
    owner.types("\n").presses(LEFT, 0, EV_ABS, 255, 127).presses(LEFT, 16, EV_ABS, -1).types("q")
    assert owner.learns()
    assert owner.learner.devices() == {LEFT: {"ABS_X+": "a.1", "ABS_HAT0X-": "a.2"}}


def test_a_pads_places_are_no_sticks_and_a_device_without_switches_is_not_listened_to() -> None:
    owner = Owner(LEFT, RIGHT)
    owner.listener.close()
    pad, lid = owner.inputs.devices[LEFT], owner.inputs.devices[RIGHT]
    pad.keys, pad.axes = frozenset([0x14A, 0x110]), {0: (0, 4_000), 1: (0, 3_000)}
    lid.keys, lid.axes = frozenset(), {}
    owner.listener.open(START_NS)
    assert set(owner.listener.names) == {LEFT, KEYBOARD}
    assert not lid.is_open
    owner.types("\n").presses(LEFT, 0, EV_ABS, 3_999, 2_000).presses(LEFT, 0x110).types("q")
    assert owner.learns()
    assert owner.learner.devices() == {LEFT: {"BTN_LEFT": "a.1"}}


def test_a_button_that_is_down_from_the_start_answers_nothing() -> None:
    owner = Owner()
    owner.inputs.devices[LEFT].down.add(CODES["4"])
    owner.types("\n").types("q")
    assert not owner.learns()


def test_an_encoder_that_is_unplugged_is_told_and_the_others_are_heard() -> None:
    owner = Owner().types("\n").presses(LEFT, CODES["1"]).types("q")
    owner.inputs.pull_out(RIGHT, START_NS + 1_500 * MS)
    assert owner.learns()
    assert f"{RIGHT} was unplugged; plug it in and start again" in owner.said
    assert set(owner.listener.names) == {LEFT}


def test_one_that_another_program_holds_is_told() -> None:
    owner = Owner()
    owner.listener.close()
    owner.inputs.devices[RIGHT].refusal = SourceError(f"{RIGHT} is held by another program; stop that program")
    owner.listener.open(START_NS)
    owner.types("\n").types("q")
    owner.learns()
    assert f"{RIGHT} is held by another program; stop that program" in owner.said


def test_with_the_owners_keyboard_alone_there_is_nothing_to_listen_to() -> None:
    owner = Owner()
    for path in (LEFT, RIGHT):
        owner.inputs.pull_out(path)
    owner.listener.close()
    owner.listener.open(START_NS)
    owner.types("\n")
    assert not owner.learns()
    assert owner.said[-1] == "No input device is left to listen to."


def test_all_eighteen_end_it() -> None:
    owner = Owner().types("\n")
    owner.inputs.devices[LEFT].keys = frozenset(range(0x2C0, 0x2C0 + len(ASKED)))
    owner.listener.close()
    owner.listener.open(START_NS)
    for count in range(len(ASKED)):
        owner.presses(LEFT, 0x2C0 + count)
    assert owner.learns()
    assert tuple(owner.learner.devices()[LEFT].values()) == ASKED


# Written


DEVICES = {LEFT: {"BTN_TRIGGER": "a.1"}, RIGHT: {"BTN_TRIGGER": "b.1"}}


def test_it_is_written_into_the_settings_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("# mine\n[encoder]\npoll_us = 1000\n")
    said: list[str] = []
    assert write(path, DEVICES, said.append) == 0
    assert said == [f"{path}: 2 buttons on 2 encoders. Try them: spit-cabinet buttons --source encoder"]
    assert path.read_text().startswith("# mine\n[encoder]\npoll_us = 1000\n\n[encoder.devices.")
    encoder = config.load(path).encoder
    assert (encoder.devices, encoder.poll_us) == (DEVICES, 1_000)


def test_a_file_that_is_not_there_is_made_also_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "spit-cabinet" / "settings.toml"
    assert write(path, DEVICES, lambda _: None) == 0
    assert config.load(path).encoder.devices == DEVICES


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xef\xbb\xbf[rules]\r\n")
    assert write(path, DEVICES, lambda _: None) == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf[rules]\r\n\r\n[encoder.devices.")
    assert config.load(path).encoder.devices == DEVICES


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            b"encoder = { poll_us = 1 }\n",
            "its section [encoder] is written in a way that cannot be changed line by line",
        ),
        (b"# caf\xe9\n", "it is not saved as UTF-8"),
    ],
)
def test_what_cannot_be_written_is_printed_and_the_file_stays(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    said: list[str] = []
    assert write(path, DEVICES, said.append) == 1
    assert said[0] == f"{path} could not be changed: {why}. Put this into it, in place of its [encoder.devices]:"
    assert said[2:] == [
        f'[encoder.devices."{LEFT}"]',
        'BTN_TRIGGER = "a.1"',
        "",
        f'[encoder.devices."{RIGHT}"]',
        'BTN_TRIGGER = "b.1"',
    ]
    assert path.read_bytes() == content


def test_a_place_that_may_not_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path, _content: bytes) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(learn_command, "write_atomically", refuse)
    said: list[str] = []
    assert write(tmp_path / "settings.toml", DEVICES, said.append) == 1
    assert "could not be changed: Permission denied. Put this into it" in said[0]
    assert len(said) == 7


def test_a_device_without_a_plugs_name_is_told(tmp_path: Path) -> None:
    said: list[str] = []
    write(tmp_path / "settings.toml", {"/dev/input/event3": {"BTN_TRIGGER": "a.1"}}, said.append)
    assert said[0] == (
        "/dev/input/event3 has no name by its plug: if it has another number next time, its buttons are not found."
    )


# The command


def test_it_asks_only_on_a_terminal() -> None:
    result = CliRunner().invoke(cli.commands, ["buttons", "--learn"])
    assert (result.exit_code, result.output) == (1, "--learn asks questions: start it on a terminal\n")
