"""What holds for every test: no real pins, no sound, no file of the user, and skips that can be forbidden."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

NO_SKIPS = "SPIT_NO_SKIPS"
"""Set to 1 in the environment: a skipped test fails the run."""

# How long an example takes depends on what else the machine does, so no example has a time limit.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")


@pytest.fixture(scope="session", autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPIOZERO_PIN_FACTORY", "mock")
        patch.setenv("LG_WD", str(home))
        patch.setenv("SDL_AUDIODRIVER", "dummy")
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(home / name.lower()))
        yield


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turns a run with skipped tests into a failed one, where they are forbidden."""
    if _forbidden_skips(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Names the skipped tests and why they were, where they are forbidden."""
    for report in _forbidden_skips(config):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"{NO_SKIPS}: {report.nodeid} was skipped: {reason}", red=True)


def _forbidden_skips(config: pytest.Config) -> list[pytest.TestReport]:
    if os.environ.get(NO_SKIPS) != "1":
        return []
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return list(reporter.stats.get("skipped", [])) if reporter else []
