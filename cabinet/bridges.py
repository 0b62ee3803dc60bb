"""Bridges as the program plays on them: which there are, sources, lamps, and how well their clocks compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

from cabinet.buttons.edges import HOST_CLOCK, Deliver, Edge, Line, Source, SourceError, SourceStatus
from cabinet.buttons.keyboard import KeyboardSettings, KeyboardSource
from cabinet.buttons.lamp_state import LampState
from firmware_bridge.bridge import BridgeSource, Host
from firmware_bridge.host_clocks import HostClocks
from firmware_bridge.port import Place, named, picos
from firmware_bridge.settings import BridgeSettings
from firmware_bridge.simulator import PtyBridge

NO_BRIDGE: Final = (
    "no bridge is on USB: plug one in with a cable that carries data, put the firmware on it with "
    "spit-cabinet bridge install, or name its serial port in the settings, devices in [bridge]"
)

NS_IN_MS: Final = 1_000_000


class Simulated(Protocol):
    """A device in software whose contacts are moved."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The buttons that it has."""

    def contact(self, line: Line, closed: bool) -> None:
        """A contact moves now."""

    def close(self) -> None:
        """Switches it off."""


class Bridges:
    """The bridges that are played on. Belongs to one thread, but for what `set` tells the lamps."""

    def __init__(self, places: Sequence[Place], simulated: Simulated | None = None) -> None:
        self.simulated = simulated
        """The device in software, if it is one."""
        self._places = places
        self._sources: tuple[BridgeSource, ...] = ()

    def sources(self, clock_ns: Callable[[], int]) -> tuple[Source, ...]:
        """A source for each, not started; `clock_ns` is the game's clock."""
        host = Host(clocks=HostClocks(clock_ns))
        several = len(self._places) > 1
        self._sources = tuple(
            BridgeSource(place, f"bridge {number}" if several else "bridge", host)
            for number, place in enumerate(self._places, 1)
        )
        return self._sources

    def keys(self, settings: KeyboardSettings) -> KeyboardSource | None:
        """Keys that press the simulated device's buttons, started; None when the device is a real one."""
        if self.simulated is None:
            return None
        keyboard = KeyboardSource(settings)
        keyboard.start(_onto(self.simulated))
        return keyboard

    def set(self, states: Mapping[Line, LampState]) -> None:
        """Tells the lamps, at once; the devices run what blinks."""
        for source in self._sources:
            source.set(states)

    def rest_s(self) -> float | None:
        """Lamps need not be set again before they are told something new."""
        return None

    def close(self) -> None:
        """Switches the simulated device off. May be called twice."""
        if self.simulated is not None:
            self.simulated.close()


def find_bridges(settings: BridgeSettings) -> Bridges:
    """Those that the settings name, else all that are on USB.

    One that is named and not there is waited for. Raises SourceError with one plain line when the settings are
    wrong, or when they name none and there is none.
    """
    if mistakes := settings.mistakes():
        raise SourceError("; ".join(mistakes))
    places = named(settings.devices) or picos()
    if not places:
        raise SourceError(NO_BRIDGE)
    return Bridges(places)


def simulated_bridge() -> Bridges:
    """A device in software, switched on."""
    device = PtyBridge()
    return Bridges([device.place], device)


def compared(statuses: Iterable[SourceStatus]) -> str | None:
    """How well presses on different clocks are compared, in one plain line; None when all are on one.

    None, too, as long as one of them is not live.
    """
    statuses = tuple(statuses)
    clocks = {status.clock: status.map_err_ns for status in statuses}
    if len(clocks) < 2 or not all(status.is_live for status in statuses):
        return None
    bound_ns = sum(sorted(clocks.values())[-2:])
    what = "bridges" if HOST_CLOCK not in clocks else "clocks"
    bound = f"± {bound_ns / NS_IN_MS:.2f} ms"
    return f"Presses on different {what} are compared to {bound}, those on one to their own errors."


class ClockNote:
    """Says at start, once, how well presses on different clocks are compared. Not thread-safe."""

    def __init__(self, sources: Sequence[Source], say: Callable[[str], None]) -> None:
        self._sources = sources
        self._say = say
        self._is_due = len(sources) > 1

    def look(self, now_ns: int) -> None:
        """To be called now and then, by the thread that takes the sources' edges."""
        if self._is_due and (text := compared(source.status(now_ns) for source in self._sources)) is not None:
            self._is_due = False
            self._say(text)


def _onto(device: Simulated) -> Deliver:
    def move(edge: Edge) -> None:
        if edge.line in device.lines:
            device.contact(edge.line, edge.active)

    return move
