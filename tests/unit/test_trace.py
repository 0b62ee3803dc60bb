"""Raw edges to and from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.buttons.edges import HOST_CLOCK, Edge
from cabinet.buttons.trace import TraceError, TraceWriter, read_trace, write_trace

EDGES = (
    Edge(HOST_CLOCK, "a.1", True, 12_272_000, 100_000, 1),
    Edge("pico", "b.spit", False, 1 << 60, 0, 2, made_up=True),
)
HEADER = '{"kind":"spit-cabinet edges","version":1}\n'
GOOD = '{"clock":"host","line":"a.1","active":true,"t_ns":1,"err_ns":0,"seq":1}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "switches.trace"


def test_what_was_written_is_read_back(path: Path) -> None:
    write_trace(path, EDGES)
    assert read_trace(path) == EDGES
    assert path.read_text().splitlines()[0] + "\n" == HEADER


def test_a_trace_without_edges_is_a_trace(path: Path) -> None:
    write_trace(path, [])
    assert read_trace(path) == ()


def test_a_writer_closes_its_file_and_may_be_closed_again(path: Path) -> None:
    with TraceWriter(path) as writer:
        for edge in EDGES:
            writer.write(edge)
    writer.close()
    assert read_trace(path) == EDGES


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ":1: found an empty line; a file of spit-cabinet edges begins with"),
        ("hello\n", ":1: found 'hello'; a file of spit-cabinet edges begins with"),
        ('{"kind":"spit-cabinet matches","version":2}\n', ":1: found a file of 'spit-cabinet matches', and no"),
        (
            '{"kind":"spit-cabinet edges","version":2}\n',
            ":1: found version 2 of spit-cabinet edges, which a newer",
        ),
        (HEADER + '{"clock":' + "[" * 100_000, ":2: no edge but"),
        (HEADER + GOOD + '{"clock":"ho', """:3: no edge but '{"clock":"ho'"""),
        (HEADER + GOOD + "\n" + GOOD, ":3: no edge but an empty line"),
        (HEADER + GOOD.replace("true", '"yes"'), ":2: no edge but"),
        (HEADER + GOOD.replace('"err_ns":0', '"err_ns":-1'), ":2: err_ns is -1; it must be 0 or more"),
        (HEADER + GOOD.replace("a.1", "a.1" * 100), ""),
    ],
)
def test_a_foreign_or_damaged_file_gets_one_line_with_its_place(path: Path, text: str, complaint: str) -> None:
    path.write_text(text)
    if not complaint:
        assert len(read_trace(path)) == 1
        return
    with pytest.raises(TraceError) as error:
        read_trace(path)
    assert str(error.value).startswith(f"{path}{complaint}")
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text_get_one_line(path: Path) -> None:
    path.write_bytes(HEADER.encode() + b"\xff\xfe\n")
    with pytest.raises(TraceError, match=r":2: no edge but"):
        read_trace(path)
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(TraceError, match=r":1: found .* begins with .*; name a file of raw edges$"):
        read_trace(path)
