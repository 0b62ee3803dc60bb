"""What the owner can set for the sounds."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]
TimeOfDay = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9])?\Z",
        description='a time from "00:00" to "23:59", or "" for none',
    ),
]

MINUTES_IN_HOUR = 60


class SoundSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is heard, how loud, and when."""

    mute: bool = False
    """Whether there is no sound at all."""
    volume: Percent = 80
    """How loud everything is, in percent. Half of it is heard as about half as loud."""
    attract_volume: Percent = 40
    """How loud the cabinet calls for players when nobody plays, in percent of volume; 0: it never does."""
    attract_every_s: Annotated[int, msgspec.Meta(ge=10, le=3_600)] = 120
    """Seconds between two such calls."""
    quiet_from: TimeOfDay = ""
    """When quiet hours begin, by this machine's clock."""
    quiet_to: TimeOfDay = ""
    """When quiet hours end, on the same or the next day."""
    quiet_volume: Percent = 25
    """How loud play is in quiet hours, in percent of volume. The cabinet does not call for players then."""
    sides: Literal["left_right", "right_left", "middle"] = "left_right"
    """Where each seat is heard: a left and b right, the other way round, or both in the middle (one speaker)."""
    device: str = ""
    """Sound card as ALSA names it: "default:CARD=vc4hdmi0" is a Raspberry Pi's HDMI; empty: the default."""
    buffer_samples: Literal[256, 512] = 256
    """Samples that are sent at a time, 48 of them a millisecond; 512 where sound crackles."""

    def mistakes(self) -> tuple[str, ...]:
        """What does not go together, one line each."""
        if bool(self.quiet_from) != bool(self.quiet_to):
            return ("quiet_from and quiet_to: both or neither",)
        return ()


def minutes(time_of_day: TimeOfDay) -> int | None:
    """Minutes since midnight; None when no time is set."""
    if not time_of_day:
        return None
    hours, _, rest = time_of_day.partition(":")
    return int(hours) * MINUTES_IN_HOUR + int(rest)
