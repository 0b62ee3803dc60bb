"""The virtual Pi for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.virtual_pi.guest import Guest


@pytest.fixture
def guest(tmp_path: Path) -> Guest:
    """A virtual Pi with a copy of the program; what it leaves under /host is in `guest.share`."""
    return Guest(tmp_path)
