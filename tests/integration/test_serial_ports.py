"""A serial line is ours alone while it is open: no other program may take bytes from between ours."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import struct
import sys
from collections.abc import Iterator

import pytest

from firmware_bridge.port import SerialPorts

TIOCGEXCL = 0x80045440

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux whether a line is taken")


@pytest.fixture
def line() -> Iterator[int]:
    """A pseudo terminal's end that is opened as a port."""
    device, end = pty.openpty()
    yield end
    os.close(end)
    os.close(device)


def is_taken(line: int) -> bool:
    """Whether the kernel refuses the line to who asks for it now; root it never refuses."""
    return fcntl.ioctl(line, TIOCGEXCL, bytes(4)) == struct.pack("i", 1)


def test_the_kernel_refuses_an_open_line_to_programs_that_do_not_ask(line: int) -> None:
    port = SerialPorts().open(os.ttyname(line))
    assert is_taken(line)
    port.close()
    assert not is_taken(line)
    port.close()


def test_a_line_that_another_cabinet_has_is_busy(line: int) -> None:
    ports = SerialPorts()
    port = ports.open(os.ttyname(line))
    with pytest.raises(OSError, match="lock") as caught:
        ports.open(os.ttyname(line))
    assert caught.value.errno == errno.EAGAIN
    assert is_taken(line)
    port.close()
    ports.open(os.ttyname(line)).close()
