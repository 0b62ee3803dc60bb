"""The lamps: what the host told once, played on the device's own clock. PROTOCOL.md says what each mode does."""

from array import array

from firmware_bridge.protocol import (
    LAMP_BLINK,
    LAMP_BREATHE,
    LAMP_FADE,
    LAMP_OFF,
    LAMP_PERIOD_MS,
    Lamp,
)

UPDATE_EVERY_US = 1000 * LAMP_PERIOD_MS
FULL_DUTY = 65535
BRIGHTEST = 255

FLASHES = 3
FLASH_WINDOW_MS = 1000
"""No lamp begins to rise more than FLASHES times in any such window, whatever it was told.

More than three flashes a second can cause seizures.
"""

DARK = Lamp(LAMP_OFF, 0, 0, 0)


def duty_of(brightness: int) -> int:
    """The duty cycle that the eye sees as this brightness of 255: its square, near enough to the eye's law."""
    return brightness * brightness * FULL_DUTY // (BRIGHTEST * BRIGHTEST)


class Lamps:
    """All lamps of the device."""

    def __init__(self, numbers: "list[int]", set_duty) -> None:  # type: ignore[no-untyped-def]
        """`numbers`: the buttons that have a lamp. `set_duty(place, duty)` drives the lamp of that place there."""
        self._numbers = numbers
        self._set_duty = set_duty
        count = len(numbers)
        self._told = [DARK] * count
        self._told_us = [0] * count
        self._from = bytearray(count)
        self._shown = bytearray(count)
        self._rises = [FlashLimit() for _ in numbers]
        self._are_out = True

    def tell(self, button: int, lamp: Lamp, now_us: int) -> None:
        """The lamp of that button does this from now on; what it does already goes on. Without a lamp: nothing."""
        if button not in self._numbers:
            return
        place = self._numbers.index(button)
        if self._told[place] != lamp:
            self._told[place] = lamp
            self._told_us[place] = now_us
            self._from[place] = self._shown[place]

    def put_out(self) -> None:
        """All dark at once, until `take_up`."""
        self._are_out = True
        for place in range(len(self._numbers)):
            self._show(place, 0)

    def take_up(self) -> None:
        """They do again what they were told."""
        self._are_out = False

    def forget(self) -> None:
        """Nothing was told."""
        for place in range(len(self._numbers)):
            self._told[place] = DARK

    def update(self, now_us: int) -> None:
        """Drives all lamps as of now."""
        if self._are_out:
            return
        for place in range(len(self._numbers)):
            wanted = brightness(self._told[place], self._from[place], now_us, self._told_us[place])
            shown = self._shown[place]
            if wanted != shown and self._rises[place].allows(shown, wanted, now_us // 1000):
                self._show(place, wanted)

    def shown(self, button: int) -> int:
        """The brightness of that button's lamp now."""
        return self._shown[self._numbers.index(button)]

    def _show(self, place: int, value: int) -> None:
        self._shown[place] = value
        self._set_duty(place, duty_of(value))


class FlashLimit:
    """When one lamp began to rise lately."""

    def __init__(self) -> None:
        self._began_ms = array("q", (-FLASH_WINDOW_MS,) * FLASHES)
        self._next = 0
        self._has_fallen = True

    def allows(self, shown: int, wanted: int, now_ms: int) -> bool:
        """Whether the lamp may go from one brightness to the other; a rise after a fall is counted as a flash."""
        if wanted < shown:
            self._has_fallen = True
        elif self._has_fallen:
            if now_ms - self._began_ms[self._next] < FLASH_WINDOW_MS:
                return False
            self._began_ms[self._next] = now_ms
            self._next = (self._next + 1) % FLASHES
            self._has_fallen = False
        return True


def brightness(lamp: Lamp, before: int, now_us: int, told_us: int) -> int:
    """How bright a lamp is that was told this at `told_us`, when it was as bright as `before`."""
    mode = lamp.mode
    full = lamp.brightness
    if mode == LAMP_OFF:
        return 0
    period_us = 1000 * LAMP_PERIOD_MS * lamp.period
    if mode == LAMP_FADE:
        since_us = now_us - told_us
        return full if since_us >= period_us else before + (full - before) * since_us // period_us
    if mode not in (LAMP_BLINK, LAMP_BREATHE):
        return full
    place_us = (now_us - lamp.phase * period_us // 16) % period_us
    half_us = period_us // 2
    if mode == LAMP_BLINK:
        return full if place_us < half_us else 0
    return full * (place_us if place_us < half_us else period_us - place_us) // half_us
