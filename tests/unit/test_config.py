"""Settings: every mistake at once, each with its line and what is allowed (HOUSE.md, Bad input)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import platformdirs
import pytest
from msgspec import inspect

from cabinet import config
from cabinet.config import Settings, SettingsError, load, load_or_last_good, sample
from cabinet.engine.rules import PROFILES
from cabinet.settings_check import Checker, describe
from cabinet.settings_sample import field_docs, sample_of
from cabinet.toml_lines import read_toml

Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]
Pin = Annotated[int, msgspec.Meta(ge=2, le=27)]


class Wiring(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a made-up room, with all that a room may declare."""

    low: Percent = 10
    """The lower one."""
    high: Percent = 20
    """The higher one."""
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=8)] = "left"
    """What it is called, with a # and a "quote"."""
    colours: tuple[Literal["red", "green"], ...] = ("red",)
    """Which ones."""
    ratio: Annotated[float, msgspec.Meta(gt=0)] = 0.5
    """How much."""
    pins: dict[Literal["a.1", "a.2", "b.1"], Pin] = msgspec.field(default_factory=lambda: {"a.1": 4, "a.2": 5})
    """The GPIO of each button."""

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low is {self.low}, above high, {self.high}")

    def mistakes(self) -> tuple[str, ...]:
        """What does not go together."""
        return ("a pin is given twice",) if len(set(self.pins.values())) < len(self.pins) else ()


class House(msgspec.Struct, frozen=True, kw_only=True):
    """Sections."""

    wiring: Wiring = Wiring()
    """The wires."""


def check(text: str) -> tuple[House, list[str]]:
    checker = Checker("s.toml", read_toml(text), {})
    house = checker.read((), read_toml(text).values, House())
    return house, [str(mistake) for mistake in checker.in_order()]


def mistakes_in(text: str, tmp_path: Path) -> list[str]:
    """The mistakes that `load` reports, without the directory."""
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load(path)
    return [line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()]


def loaded(text: str, tmp_path: Path) -> Settings:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def uncommented(text: str) -> str:
    """Every line with one # less: settings come to life, explanations stay comments."""
    return re.sub(r"^# ?", "", text, flags=re.MULTILINE)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert loaded("", tmp_path) == Settings()


def test_a_value_replaces_its_default_and_no_other(tmp_path: Path) -> None:
    settings = loaded("[debounce]\nrelease_us = 20_000\n", tmp_path)
    assert settings.debounce == msgspec.structs.replace(Settings().debounce, release_us=20_000)
    assert settings.rules == PROFILES["arcade"]


def test_options_stand_on_top_of_the_profile(tmp_path: Path) -> None:
    settings = loaded('[rules]\nhint_ms = 7\nprofile = "table"\n', tmp_path)
    assert settings.rules == msgspec.structs.replace(PROFILES["table"], hint_ms=7)


def test_all_mistakes_are_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = """# my cabinet
[rules]
profile = "arcad"
stock = 6
points_target = "many"

[debounce]
release_us = -4
lock_us = 5ms
[display]
fullscreen = "yes"
[arbiter]
silent_ms = 1.5
"""
    assert mistakes_in(text, tmp_path) == [
        'settings.toml:3: rules.profile: found "arcad"; allowed: "arcade" or "table"',
        "settings.toml:4: rules.stock: found 6; allowed: 4 or 5",
        'settings.toml:5: rules.points_target: found "many"; allowed: a whole number from 1 to 1000',
        "settings.toml:8: debounce.release_us: found -4; allowed: a whole number from 1 to 200000",
        "settings.toml:9: found lock_us = 5ms (Expected newline or end of document after a statement); "
        'allowed: key = 12, key = "text" or [section]',
        'settings.toml:11: display.fullscreen: found "yes"; allowed: true or false',
        "settings.toml:13: arbiter.silent_ms: found 1.5; allowed: a whole number from 5 to 1000",
    ]


def test_an_unknown_key_is_told_with_the_nearest_known_one(tmp_path: Path) -> None:
    assert mistakes_in("[debounce]\n\nrelaese_us = 1\n", tmp_path) == [
        "settings.toml:3: debounce.relaese_us: found an unknown key; allowed: release_us, the nearest known name"
    ]


def test_a_misspelled_profile_key_is_known_too(tmp_path: Path) -> None:
    assert mistakes_in("[rules]\nprofle = 1\n", tmp_path) == [
        "settings.toml:2: rules.profle: found an unknown key; allowed: profile, the nearest known name"
    ]


def test_an_unknown_key_like_no_other_is_told_with_all_of_the_section() -> None:
    assert check("[wiring]\nzzz = 1\n")[1] == [
        "s.toml:2: wiring.zzz: found an unknown key; allowed: low, high, name, colours, ratio, pins"
    ]


def test_an_unknown_section_is_told(tmp_path: Path) -> None:
    assert mistakes_in("[dislay]\nwidth = 1\n", tmp_path) == [
        "settings.toml:1: dislay: found an unknown section; allowed: display, the nearest known name"
    ]


def test_a_section_that_is_no_table_is_told() -> None:
    assert check("wiring = 3")[1] == [
        "s.toml:1: wiring: found 3; allowed: a table with the keys low, high, name, colours, ratio, pins"
    ]


def test_wrong_items_of_a_table_are_told_each_by_itself() -> None:
    house, mistakes = check('[wiring.pins]\n"a.1" = 40\n\n"a.2" = 7\n"b.9" = 5\n')
    assert mistakes == [
        's.toml:2: wiring.pins."a.1": found 40; allowed: a whole number from 2 to 27',
        's.toml:5: wiring.pins."b.9": found an unknown key; allowed: "b.1", the nearest known name',
    ]
    assert house.wiring.pins == {"a.1": 4, "a.2": 7}


def test_values_that_do_not_go_together_are_told_at_the_key_named_first() -> None:
    assert check("[wiring]\nhigh = 5\nlow = 6\n")[1] == [
        "s.toml:3: wiring.low: found 6; allowed: values that agree (low is 6, above high, 5)"
    ]


def test_a_struct_s_own_list_of_mistakes_is_told() -> None:
    assert check('[wiring]\npins = { "a.1" = 9, "a.2" = 9 }\n')[1] == [
        "s.toml:1: wiring: found values that do not agree; allowed: values that agree (a pin is given twice)"
    ]


def test_values_within_a_table_that_do_not_go_together_are_told_at_their_line(tmp_path: Path) -> None:
    text = '[gpio]\nerr_us = 50\n[gpio.pins]\n"a.1" = 22\n"b.1" = 14\n"a.9" = 27\n'
    assert [line.partition(" (")[0] for line in mistakes_in(text, tmp_path)] == [
        'settings.toml:4: gpio.pins."a.1": found 22; allowed: values that agree',
        'settings.toml:5: gpio.pins."b.1": found 14; allowed: values that agree',
        'settings.toml:6: gpio.pins."a.9": found 27; allowed: values that agree',
    ]


def test_one_wrong_value_does_not_hide_values_that_do_not_go_together() -> None:
    _, mistakes = check('[wiring]\nlow = 99\nname = ""\n')
    assert [line.split(": found")[0] for line in mistakes] == ["s.toml:2: wiring.low", "s.toml:3: wiring.name"]


def test_a_wrong_value_is_not_also_blamed_for_not_going_together() -> None:
    assert check("[wiring]\nlow = 50\nhigh = 101\n")[1] == [
        "s.toml:3: wiring.high: found 101; allowed: a whole number from 0 to 100"
    ]


def test_a_key_set_twice_is_told_at_its_second_line(tmp_path: Path) -> None:
    assert mistakes_in("[debounce]\nlock_us = 1\nlock_us = 2\n[debounce]\nlock_us = 3\n", tmp_path) == [
        "settings.toml:3: found lock_us = 2 (Cannot overwrite a value); allowed: each key and each [section] once",
        "settings.toml:4: found [debounce] (Cannot declare ('debounce',) twice); "
        "allowed: each key and each [section] once",
    ]


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"[rules]\n# caf\xe9\n")
    with pytest.raises(
        SettingsError, match=r"settings\.toml:2: found the byte 0xe9; allowed: text saved as UTF-8$"
    ):
        load(path)


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xef\xbb\xbf[rules]\r\nstock = 4\r\n")
    assert load(path).rules.stock == 4


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_a_file_that_cannot_be_read_is_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=r"found no readable file \(.+\); allowed: a readable file; check"):
        load(tmp_path / name)


def test_lines_are_found_past_strings_arrays_inline_tables_and_dotted_keys() -> None:
    text = '''"a.1" = """
[not.a.header]
x = 1
"""
list = [  # [nor.this]
  [1],
]
inline = { p = 1, q.r = 2 }
one . "two.three" = 3
[ "gpio" . pins ]
'b.1' = \'\'\'
k = 2\'\'\'
last = 1'''
    document = read_toml(text)
    assert document.broken == ()
    assert document.lines == {
        ("a.1",): 1,
        ("list",): 5,
        ("inline",): 8,
        ("inline", "p"): 8,
        ("inline", "q"): 8,
        ("inline", "q", "r"): 8,
        ("one",): 9,
        ("one", "two.three"): 9,
        ("gpio",): 10,
        ("gpio", "pins"): 10,
        ("gpio", "pins", "b.1"): 11,
        ("gpio", "pins", "last"): 13,
    }


@pytest.mark.parametrize(
    ("text", "lines", "kept"),
    [
        ("a = 1\nb = [1, 2\nc = 3\n", [2], {"a": 1, "c": 3}),
        ('a = 1\nb = """\nc = 3\n', [2], {"a": 1, "c": 3}),
        ("a = [\n  1,\n  one,\n  3,\n]\nb = 2\n", [3], {"b": 2}),
        ("a = \nb = True\nc = 3\n", [1, 2], {"c": 3}),
        ("[a\nb = 1\n[c]\nd = 2\n", [1], {"c": {"d": 2}}),
        ("a = 1\n= 2", [2], {"a": 1}),
        (f"a = {'[' * 5000}\nb = 2\n", [1], {"b": 2}),
    ],
)
def test_a_broken_line_does_not_hide_what_follows(text: str, lines: list[int], kept: dict[str, object]) -> None:
    document = read_toml(text)
    assert [broken.line for broken in document.broken] == lines
    assert document.values == kept


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (bool, "true or false"),
        (int, "a whole number"),
        (Annotated[int, msgspec.Meta(ge=3)], "a whole number from 3 up"),
        (Annotated[int, msgspec.Meta(le=3)], "a whole number up to 3"),
        (Annotated[float, msgspec.Meta(gt=0, lt=1)], "a number above 0 below 1"),
        (Annotated[str, msgspec.Meta(max_length=3)], "a text in quotes, 0 to 3 letters"),
        (Literal["b", "a"], '"a" or "b"'),
        (str | None, "a text in quotes"),
        (dict[str, bool], "a table of keys, each with true or false"),
        (
            bool | Annotated[tuple[int, ...], msgspec.Meta(min_length=2, max_length=2)],
            "true or false, or a list in [brackets], each a whole number, 2 of them",
        ),
    ],
)
def test_what_is_allowed_is_read_from_the_type(declared: object, words: str) -> None:
    assert describe(inspect.type_info(declared)) == words


def test_the_sample_gives_the_defaults(tmp_path: Path) -> None:
    assert loaded(sample(), tmp_path) == Settings()


def test_the_sample_with_every_line_uncommented_gives_the_defaults_too(tmp_path: Path) -> None:
    text = uncommented(sample())
    assert loaded(text, tmp_path) == Settings()
    assert "\nprofile = " in text


def test_the_sample_has_every_key_of_every_section() -> None:
    values = read_toml(uncommented(sample())).values
    for section in msgspec.structs.fields(Settings):
        declared = getattr(Settings(), section.name)
        expected = {field.encode_name for field in msgspec.structs.fields(declared)}
        unset = {field.encode_name for field in msgspec.structs.fields(declared) if field.default is None}
        assert values[section.encode_name].keys() - {"profile"} == expected - unset, section.name


def test_every_setting_says_what_it_means() -> None:
    for section in msgspec.structs.fields(Settings):
        declared = type(getattr(Settings(), section.name))
        assert field_docs(declared).keys() == {field.name for field in msgspec.structs.fields(declared)}


def test_a_sample_tells_meaning_range_and_default_and_survives_the_way_back() -> None:
    text = sample_of(House(), {})
    assert "## The lower one. Allowed: a whole number from 0 to 100.\n# low = 10\n" in text
    pins = "## The GPIO of each button. Allowed: a table of keys, each with a whole number from 2 to 27.\n"
    assert f'\n{pins}[wiring.pins]\n# "a.1" = 4\n# "a.2" = 5\n' in text
    assert check(uncommented(text)) == (House(), [])


def test_without_a_file_the_cabinet_starts_on_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "SYSTEM_PATH", tmp_path / "etc.toml")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    assert config.default_path() == tmp_path / "home" / "spit-cabinet" / "settings.toml"
    assert load() == Settings()
    assert load_or_last_good(None, tmp_path / "state") == (Settings(), ())


def test_the_cabinet_s_own_file_comes_before_the_user_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "SYSTEM_PATH", tmp_path / "etc.toml")
    (tmp_path / "etc.toml").write_text("[rules]\nstock = 4\n")
    assert load().rules.stock == 4


def test_mistakes_bring_back_the_last_good_settings_and_say_so(tmp_path: Path) -> None:
    path, state = tmp_path / "settings.toml", tmp_path / "state"
    path.write_text("[rules]\nstock = 4\n")
    good, lines = load_or_last_good(path, state)
    assert (good.rules.stock, lines) == (4, ())

    path.write_text("[rules]\nstock = 3\npairs = 0\n")
    settings, lines = load_or_last_good(path, state)
    assert settings == good
    assert len(lines) == 3
    assert lines[0] == f"{path}:2: rules.stock: found 3; allowed: 4 or 5"
    assert lines[2].startswith(f"{path} is not used: the cabinet starts on the last good settings, {state}/")


def test_the_last_good_settings_of_another_file_are_not_taken(tmp_path: Path) -> None:
    other, path = tmp_path / "other.toml", tmp_path / "settings.toml"
    other.write_text("[rules]\nstock = 4\n")
    load_or_last_good(other, tmp_path / "state")
    path.write_text("stock")
    settings, lines = load_or_last_good(path, tmp_path / "state")
    assert settings == Settings()
    assert lines[-1] == (
        f"{path} is not used: the cabinet starts on the defaults, because no good settings were seen before"
    )


def test_last_good_settings_that_do_not_fit_any_more_give_the_defaults(tmp_path: Path) -> None:
    path, state = tmp_path / "settings.toml", tmp_path / "state"
    path.write_text("[rules]\nstock = 4\n")
    load_or_last_good(path, state)
    next(state.iterdir()).write_text("[rules]\nstok = 4\n")
    path.write_text("stock")
    settings, lines = load_or_last_good(path, state)
    assert settings == Settings()
    assert "the defaults, because the last good settings do not fit this version" in lines[-1]


def test_good_settings_hold_even_when_no_copy_can_be_kept(tmp_path: Path) -> None:
    path, state = tmp_path / "settings.toml", tmp_path / "state"
    path.write_text("[rules]\nstock = 4\n")
    state.write_text("a file where the directory should be")
    settings, lines = load_or_last_good(path, state)
    assert settings.rules.stock == 4
    assert lines == (f"{state}: no copy of the good settings could be kept (File exists)",)


def test_a_copy_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, state = tmp_path / "settings.toml", tmp_path / "state"
    path.write_text("[rules]\nstock = 4\n")
    load_or_last_good(path, state)
    kept = next(state.iterdir())

    def no_space(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    path.write_text("[rules]\nstock = 5\n")
    _, lines = load_or_last_good(path, state)
    assert "No space left on device" in lines[0]
    assert kept.read_text() == "[rules]\nstock = 4\n"
    assert list(state.iterdir()) == [kept]


@pytest.mark.parametrize("text", ["seed = " + "9" * 5_000, "[" + "a." * 6_000 + "b]", "a" + ".b" * 6_000 + " = 1"])
def test_numbers_and_names_without_end_are_mistakes_with_their_line(text: str, tmp_path: Path) -> None:
    (mistake, *_) = mistakes_in("[robot]\nstrength = 'quick'\n" + text + "\n", tmp_path)
    assert ":3:" in mistake


def test_a_place_that_may_not_be_looked_at_is_as_if_nothing_were_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", closed)
    assert config.load() == Settings()
    settings, lines = config.load_or_last_good(tmp_path / "none.toml", tmp_path)
    assert settings == Settings()
    assert "the defaults" in lines[-1]


def test_a_user_without_a_home_has_places_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(_name: str) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(platformdirs, "user_state_path", homeless)
    monkeypatch.setattr(platformdirs, "user_config_path", homeless)
    assert config.state_dir().name == config.PROGRAM
    assert config.default_path().name == "settings.toml"
