"""What holds the house together: small files, told meanings, true citations, a true README, rooms kept apart."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp
import pytest
from gpiozero import pi_info

from cabinet.buttons.gpio_pins import RESERVED_PINS, GpioSettings
from cabinet.buttons.keyboard import KeyboardSettings
from tests.rooms_contract import RoomsContract

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 500
OUR_PACKAGES = ("cabinet", "display", "firmware_bridge")
TEXT_SUFFIXES = (".py", ".md", ".toml", ".sh")


def our_files(*suffixes: str) -> list[Path]:
    """Every file of the repository with such a suffix: those that git does not ignore, or all without git."""
    names: Iterable[str] = (str(path) for path in ROOT.rglob("*"))
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            names = listed.stdout.split("\0")
    paths = (ROOT / name for name in names if name)
    return sorted(
        path for path in paths if path.suffix in suffixes and path.is_file() and ".venv" not in path.parts
    )


def our_modules() -> list[Path]:
    return [path for path in our_files(".py") if path.relative_to(ROOT).parts[0] in OUR_PACKAGES]


def without_docstring(tree: ast.Module) -> Iterator[str]:
    """Public classes, functions and methods that do not say what they mean."""

    def visit(node: ast.Module | ast.ClassDef, owner: str) -> Iterator[str]:
        for child in node.body:
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if child.name.startswith("_"):
                continue
            if not ast.get_docstring(child) and not is_overload(child):
                yield f"{owner}{child.name}"
            if isinstance(child, ast.ClassDef):
                yield from visit(child, f"{child.name}.")

    yield from visit(tree, "")


def is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list)


def rules_rows() -> set[int]:
    text = (ROOT / "cabinet/engine/RULES.md").read_text(encoding="utf-8")
    return {int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}


def clarification_rows() -> set[int]:
    text = (ROOT / "cabinet/engine/CLARIFICATIONS.md").read_text(encoding="utf-8")
    return {int(number) for number in re.findall(r"^\| C(\d+) \|", text, re.MULTILINE)}


def cited_rows(text: str) -> set[int]:
    """The rows in ``RULES.md 22, 28`` and in ``RULES.md 5-7``."""
    rows: set[int] = set()
    for citation in re.findall(r"RULES\.md\s+(?:rows?\s+)?(\d+(?:(?:,\s*|\s+and\s+|[-–])\d+)*)", text):
        for first, last in re.findall(r"(\d+)(?:[-–](\d+))?", citation):
            rows |= set(range(int(first), int(last or first) + 1))
    return rows


def readme_rows(header: str) -> list[list[str]]:
    """The cells of the README table with that header line."""
    _, _, after = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"{header}\n")
    assert after, f"README.md has no table {header}"
    table, _, _ = after.partition("\n\n")
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]


def contract(
    *rooms: str, pure: tuple[str, ...] = (), although: tuple[str, ...] = (), on_top: tuple[str, ...] = ("cabinet",)
) -> RoomsContract:
    options = {
        "rooms": list(rooms),
        "on_top": list(on_top),
        "pure": list(pure),
        "impure_imports": ["time"],
        "pure_although": list(although),
    }
    return RoomsContract("rooms", {"root_packages": ["cabinet", "display"]}, options)


def wrong_imports(rooms: RoomsContract, *imports: tuple[str, str]) -> list[str]:
    graph = grimp.ImportGraph()
    for importer, imported in imports:
        graph.add_import(importer=importer, imported=imported)
    wrong: list[str] = rooms.check(graph, verbose=False).metadata["wrong"]
    return wrong


def test_every_file_fits_on_a_few_screens() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in our_files(*TEXT_SUFFIXES)}
    assert len(lines) > 30
    assert {str(path.relative_to(ROOT)): n for path, n in lines.items() if n > LONGEST_FILE} == {}


def test_no_unit_or_property_test_sleeps() -> None:
    call = re.compile(r"\bsleep" + r"\(")
    tests = [path for path in our_files(".py") if path.is_relative_to(ROOT / "tests")]
    checked = [path for path in tests if path.parts[len(ROOT.parts) + 1] in ("unit", "property")]
    assert Path(__file__) in checked
    assert [path.name for path in checked if call.search(path.read_text(encoding="utf-8"))] == []


def test_every_public_name_says_what_it_means() -> None:
    silent = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in our_modules()
        for name in without_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_a_public_name_that_says_nothing_would_be_found() -> None:
    says = '"""Says."""'
    source = (
        f"def f():\n    {says}\nclass A:\n    {says}\n    def g(self): ...\n    def _h(self): ...\ndef k(): ..."
    )
    assert list(without_docstring(ast.parse(source))) == ["A.g", "k"]


def test_every_module_with_code_says_what_it_is() -> None:
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in our_modules()}
    silent = [path for path, tree in modules.items() if tree.body and not ast.get_docstring(tree)]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


def test_every_cited_rule_exists() -> None:
    rows = rules_rows()
    assert {1, 55} <= rows
    wrong = {
        str(path.relative_to(ROOT)): cited - rows
        for path in our_files(".py")
        if path != Path(__file__) and (cited := cited_rows(path.read_text(encoding="utf-8"))) - rows
    }
    assert wrong == {}


def test_every_cited_clarification_exists() -> None:
    rows = clarification_rows()
    assert 1 in rows
    cited = {
        int(number)
        for path in our_modules()
        for citation in re.findall(r"CLARIFICATIONS\.md ((?:C\d+(?:, )?)+)", path.read_text(encoding="utf-8"))
        for number in re.findall(r"C(\d+)", citation)
    }
    assert cited
    assert cited <= rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("(RULES.md 99)", {99}),
        ("(RULES.md 22, 28). 5 more", {22, 28}),
        ("RULES.md 5-7 and 12", {5, 6, 7, 12}),
        ("RULES.md\n    38", {38}),
        ("RULES.md, section 9", set()),
    ],
)
def test_citations_are_read_as_they_are_written(text: str, rows: set[int]) -> None:
    assert cited_rows(text) == rows


def test_the_readme_s_wiring_is_that_of_the_program() -> None:
    rows = readme_rows("| line | what | GPIO | pin |")
    gpio = GpioSettings()
    assert {row[0]: int(row[2]) for row in rows if not row[0].startswith("lamp")} == gpio.pins
    lamps = {row[0].removeprefix("lamp `"): int(row[2]) for row in rows if row[0].startswith("lamp")}
    assert lamps == gpio.lamps


def test_the_readme_s_header_pins_are_those_of_a_raspberry_pi() -> None:
    pi_4b = pi_info("b03111")
    for row in readme_rows("| line | what | GPIO | pin |"):
        (_, pin) = next(iter(pi_4b.find_pin(f"GPIO{row[2]}")))
        assert int(row[3]) == pin.number, row


def test_the_readme_names_the_pins_that_stay_free() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "**Left free**: GPIO 0 and 1 (" in text
    assert "14 and 15 (serial console), 18 to 21 (" in text
    assert sorted(RESERVED_PINS) == [0, 1, 14, 15, 18, 19, 20, 21]


def test_the_readme_s_keys_are_those_of_the_program() -> None:
    lines = ("spit", "1", "2", "3", "4", "5")
    seats = zip("ab", readme_rows("| | SPIT / START | 1 | 2 | 3 | 4 | 5 |"), strict=True)
    keys = {f"{seat}.{line}": key for seat, row in seats for line, key in zip(lines, row[1:], strict=True)}
    [(service, coin)] = readme_rows("| service | coin |")
    assert {**keys, "service": service, "coin": coin} == KeyboardSettings().keys


def test_an_import_that_no_line_allows_is_found() -> None:
    rooms = contract("cabinet.panel: cabinet.engine, cabinet.buttons.edges", "cabinet.engine:")
    assert wrong_imports(
        rooms,
        ("cabinet.panel", "cabinet.engine.cards"),
        ("cabinet.panel", "cabinet.buttons.edges"),
        ("cabinet.panel", "cabinet.buttons.debounce"),
        ("cabinet.panel", "random"),
        ("cabinet.engine.spit", "cabinet.engine.cards"),
        ("cabinet.engine.spit", "display"),
    ) == [
        "cabinet.panel imports cabinet.buttons.debounce; "
        "cabinet.panel may import cabinet.panel, cabinet.engine, cabinet.buttons.edges",
        "cabinet.engine.spit imports display; cabinet.engine may import cabinet.engine",
    ]


def test_a_clock_in_a_pure_room_is_found() -> None:
    rooms = contract(pure=("cabinet.engine",))
    assert wrong_imports(rooms, ("cabinet.engine.spit", "time"), ("cabinet.game", "time")) == [
        "cabinet.engine.spit imports time; cabinet.engine is pure"
    ]


def test_a_pure_room_that_leans_on_one_that_is_not_is_found() -> None:
    rooms = contract(pure=("cabinet.engine", "cabinet.panel"))
    assert wrong_imports(
        rooms,
        ("cabinet.panel", "cabinet.engine.cards"),
        ("cabinet.panel", "cabinet.game"),
        ("cabinet.game", "time"),
    ) == ["cabinet.panel imports cabinet.game, which is not pure; cabinet.panel is"]


def test_a_room_of_which_nothing_is_said_is_found() -> None:
    rooms = contract("cabinet.panel: cabinet.engine", "cabinet.engine:", on_top=("cabinet.game",))
    assert wrong_imports(
        rooms,
        ("cabinet.game", "cabinet.panel"),
        ("cabinet.game", "cabinet.news"),
        ("cabinet.panel", "cabinet.engine"),
    ) == ["cabinet.news has no line among the rooms, and is not on top"]


def test_an_exception_holds_for_one_import_only() -> None:
    rooms = contract(pure=("cabinet.engine",), although=("cabinet.engine.spit -> time",))
    assert wrong_imports(rooms, ("cabinet.engine.spit", "time"), ("cabinet.engine.speed", "time")) == [
        "cabinet.engine.speed imports time; cabinet.engine is pure"
    ]


def test_what_says_that_it_is_pure_is_held_to_it() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    pure = tuple(contracts["contracts"][0]["pure"])
    said = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in our_modules()
        if re.search(r"\bPure\b", ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
    ]
    assert len(said) > 20
    assert [module for module in said if not f"{module}.".startswith(tuple(f"{one}." for one in pure))] == []


def test_a_room_that_is_not_built_yet_is_held_to_its_line_from_the_day_it_appears() -> None:
    rooms = contract("cabinet.operator: cabinet.snapshot")
    assert wrong_imports(rooms, ("cabinet.game", "cabinet.engine")) == []
    assert len(wrong_imports(rooms, ("cabinet.operator.menu", "cabinet.game"))) == 1
