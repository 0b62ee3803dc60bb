"""Files that hold either their old content or the new, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

_READABLE = 0o644


def write_atomically(path: Path, content: bytes) -> None:
    """Replaces a file's content, or makes the file; its folder is made if it has none.

    The file keeps its owner and who may read it; a link stays one, and what it points to is replaced. Raises
    OSError.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            _make_alike(file.fileno(), path)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _make_alike(handle: int, path: Path) -> None:
    try:
        old = path.stat()
    except FileNotFoundError:
        os.fchmod(handle, _READABLE)
        return
    with contextlib.suppress(PermissionError):
        os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, old.st_mode & 0o7777)
