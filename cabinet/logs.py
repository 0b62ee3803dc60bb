"""Logging: one plain line on the terminal, and the whole story, with traces, in a file that stays small."""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

LOG_BYTES: Final = 1_000_000
LOG_FILES: Final = 3


class _OneLine(logging.Formatter):
    """The message alone: a trace is for the file."""

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage()


class _LogFile(RotatingFileHandler):
    """Says once, in one line, that the log cannot be written; logging itself would show a trace each time."""

    _has_told = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        error = sys.exception()
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._has_told:
            self._has_told = True
            logging.getLogger(__name__).warning("The log cannot be written (%s); make room.", error.strerror)

    def close(self) -> None:
        try:
            super().close()
        except OSError:
            if not self._has_told:
                raise


def set_up(state_dir: Path) -> Path | None:
    """Starts logging; the log file, or None when none can be written."""
    terminal = logging.StreamHandler()
    terminal.setFormatter(_OneLine())
    terminal.setLevel(logging.WARNING)
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(terminal)
    path = state_dir / "spit-cabinet.log"
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        file = _LogFile(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
    except OSError as error:
        root.warning("No log can be kept in %s (%s).", path, error.strerror)
        return None
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(file)
    return path


def log_unforeseen(error: Exception) -> None:
    """Writes the trace of an error that nobody foresaw to the log file only."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, RotatingFileHandler):
            record = logging.LogRecord(
                "cabinet",
                logging.ERROR,
                __file__,
                0,
                "unforeseen",
                None,
                (type(error), error, error.__traceback__),
            )
            handler.handle(record)
