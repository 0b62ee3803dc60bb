"""Every sound that there is: what it is made of, how important it is, and on which side it is heard.

Each seat has a pitch family and a timbre of its own: a is wood on D4, b is glass on A4, a fifth above, so that
both together are in tune. What concerns both comes from the middle.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from cabinet.engine.table import SEATS, Seat
from display.sound.synthesis import Noise, Note, Part

SeatSound = Literal[
    "play",
    "streak_1",
    "streak_2",
    "streak_3",
    "streak_4",
    "move",
    "turn",
    "armed",
    "refused",
    "locked",
    "lost_race",
    "call",
    "slap",
    "joined",
    "ready",
    "round_won",
    "match_won",
]
"""Heard on a seat's side."""
CentreSound = Literal[
    "count",
    "go",
    "turned",
    "stuck",
    "slap_cue",
    "shuffle",
    "deadlock",
    "paused",
    "still_there",
    "page",
    "attract",
]
"""Heard in the middle."""
SoundName = SeatSound | CentreSound

SEAT_SOUNDS: Final[tuple[SeatSound, ...]] = get_args(SeatSound)
CENTRE_SOUNDS: Final[tuple[CentreSound, ...]] = get_args(CentreSound)
STREAKS: Final[tuple[SeatSound, ...]] = ("streak_1", "streak_2", "streak_3", "streak_4")
"""Each a step higher than the one before."""


class Voice(msgspec.Struct, frozen=True, gc=False):
    """One sound as it is played: whose it is, or nobody's."""

    name: SoundName
    seat: Seat | None = None


ALL_VOICES: Final = (
    *(Voice(name) for name in CENTRE_SOUNDS),
    *(Voice(name, seat) for name in SEAT_SOUNDS for seat in SEATS),
)

Importance = Literal[0, 1, 2, 3]
"""0: decoration; 1: what a player did; 2: what a player must know; 3: what both act upon."""

_IMPORTANT: Final[dict[SoundName, Importance]] = {
    **dict.fromkeys(("turn", "move", "armed", "page", "attract"), 0),
    **dict.fromkeys(("refused", "locked", "lost_race", "call", "stuck", "joined", "ready"), 2),
    **dict.fromkeys(("round_won", "deadlock", "paused", "still_there"), 2),
    **dict.fromkeys(("count", "go", "turned", "slap_cue", "slap", "match_won"), 3),
}

_PEAKS: Final[dict[SoundName, float]] = {
    **dict.fromkeys(("turn", "armed", "page"), 0.16),
    **dict.fromkeys(("move", "locked", "attract", "shuffle", "refused", "lost_race"), 0.2),
    **dict.fromkeys(("count", "turned", "match_won", "go"), 0.36),
    "slap": 0.4,
    "slap_cue": 0.55,
}
_USUAL_PEAK: Final = 0.28


def importance(name: SoundName) -> Importance:
    """What may be left out first when too much happens at once."""
    return _IMPORTANT.get(name, 1)


def peak(name: SoundName) -> float:
    """The loudest sample of its louder side at full volume, from 0 to 1."""
    return _PEAKS.get(name, _USUAL_PEAK)


_PITCH: Final[dict[Seat, float]] = {"a": 293.66, "b": 440.0}
"""D4 and A4."""
_STEPS: Final = (1.0, 9 / 8, 5 / 4, 3 / 2, 5 / 3, 2.0)
"""The pentatonic scale: no two of its tones are sour together, whoever plays them when."""
_FIFTH: Final = 3 / 2
_THIRD: Final = 5 / 4

_Partials = tuple[tuple[float, float, float], ...]
_WOOD: Final[_Partials] = ((1.0, 1.0, 1.0), (3.93, 0.4, 2.5), (9.2, 0.12, 5.0))
"""A bar of wood rings at these ratios."""
_GLASS: Final[_Partials] = ((1.0, 1.0, 1.0), (2.0, 0.5, 1.4), (3.01, 0.3, 2.0), (5.02, 0.1, 3.0))
_TIMBRE: Final[dict[Seat, _Partials]] = {"a": _WOOD, "b": _GLASS}
_REED: Final[_Partials] = ((1.0, 1.0, 1.0), (3.0, 0.5, 1.0), (5.0, 0.35, 1.0), (7.0, 0.2, 1.0))
"""Odd partials: hollow and a little cross, for what does not go."""
_BELL: Final[_Partials] = ((1.0, 1.0, 1.0), (2.0, 0.6, 1.3), (2.76, 0.25, 2.0), (5.4, 0.15, 3.0))
_SOFT: Final[_Partials] = ((1.0, 1.0, 1.0), (2.0, 0.25, 1.5))
_CARD: Final = Noise(ms=30, below_hz=3_500, above_hz=500, level=0.8, attack_ms=1.5)
"""A card laid down."""


def _tune(
    pitch: float, timbre: _Partials, steps: tuple[float, ...], every_ms: int, last_ms: int
) -> tuple[Part, ...]:
    """Tones one after the other; each rings on into the next, the last for `last_ms`."""
    last = len(steps) - 1
    return tuple(
        Note(
            hz=pitch * step,
            ms=last_ms if number == last else 2 * every_ms,
            at_ms=number * every_ms,
            partials=timbre,
        )
        for number, step in enumerate(steps)
    )


def _streak(pitch: float, timbre: _Partials) -> tuple[Part, ...]:
    return (
        _CARD,
        Note(hz=pitch, ms=150, partials=timbre),
        Note(hz=pitch * 2, ms=120, at_ms=35, level=0.6, partials=timbre),
    )


def _of_seat(pitch: float, timbre: _Partials) -> dict[SoundName, tuple[Part, ...]]:
    return {
        **{name: _streak(pitch * step, timbre) for name, step in zip(STREAKS, _STEPS[2:], strict=True)},
        "play": (_CARD, Note(hz=pitch, ms=130, partials=timbre)),
        "move": (Note(hz=pitch * 0.75, to_hz=pitch, ms=90, partials=_SOFT, attack_ms=15, decay=0.4),),
        "turn": (Noise(ms=60, below_hz=5_000, above_hz=pitch * 3, attack_ms=12, decay=0.5),),
        "armed": (Note(hz=pitch * 3, ms=50, partials=_SOFT),),
        "refused": (Note(hz=pitch * 0.5, to_hz=pitch * 0.44, ms=140, partials=_REED, decay=0.35),),
        "locked": (
            Note(hz=pitch * 0.6, to_hz=pitch * 0.3, ms=80, partials=_SOFT, attack_ms=3),
            Noise(ms=40, below_hz=900, level=0.7),
        ),
        "lost_race": (Note(hz=pitch * 2, to_hz=pitch * 0.75, ms=170, partials=_SOFT, attack_ms=4, decay=0.5),),
        "call": _tune(pitch, timbre, (1.0, _FIFTH), 70, 150),
        "slap": (
            Noise(ms=120, below_hz=6_000, above_hz=300, level=1.3, attack_ms=1.5),
            Note(hz=pitch * 0.5, to_hz=pitch * 0.25, ms=220, partials=_SOFT, level=0.9),
        ),
        "joined": _tune(pitch, timbre, (1.0, _THIRD, _FIFTH), 70, 180),
        "ready": _tune(pitch, timbre, (_FIFTH, 2.0), 80, 170),
        "round_won": _tune(pitch, timbre, (1.0, _THIRD, _FIFTH, 2.0), 75, 300),
        "match_won": (
            *_tune(pitch, timbre, (1.0, _THIRD, _FIFTH, 2.0, _FIFTH, 2.0), 120, 800),
            Note(hz=pitch * _THIRD, ms=700, at_ms=600, level=0.7, partials=timbre),
            Note(hz=pitch * 0.5, ms=800, at_ms=600, level=0.8, partials=_SOFT),
        ),
    }


def _centre() -> dict[SoundName, tuple[Part, ...]]:
    low, high = _PITCH["a"], _PITCH["b"]
    return {
        "count": (Note(hz=660.0, ms=110, partials=_BELL),),
        "go": (Note(hz=1_320.0, ms=240, partials=_BELL, decay=0.8),),
        "turned": (
            _CARD,
            msgspec.structs.replace(_CARD, at_ms=25),
            Note(hz=low, ms=220, partials=_BELL),
            Note(hz=high, ms=220, partials=_BELL),
        ),
        "stuck": (
            Note(hz=high, ms=150, partials=_SOFT, attack_ms=8),
            Note(hz=low, ms=190, at_ms=110, partials=_SOFT, attack_ms=8),
        ),
        "slap_cue": (
            Note(hz=880.0, ms=240, partials=_BELL, attack_ms=1.5, decay=0.7),
            Note(hz=1_108.7, ms=240, partials=_BELL, attack_ms=1.5, decay=0.7),
            Noise(ms=25, below_hz=8_000, above_hz=1_000, level=0.7, attack_ms=1.5),
        ),
        "shuffle": tuple(
            Noise(ms=22, below_hz=4_000, above_hz=700, at_ms=at_ms, level=1.0 - 0.004 * (at_ms % 60))
            for at_ms in range(0, 220, 20)
        ),
        "deadlock": (
            Note(hz=low * 0.75, ms=320, partials=_REED, attack_ms=10),
            Note(hz=low * 0.625, ms=320, partials=_REED, attack_ms=10),
        ),
        "paused": _tune(high, _SOFT, (1.0, 0.75, 0.5), 110, 220),
        "still_there": _tune(high, _BELL, (1.0, _FIFTH), 180, 300),
        "page": (Noise(ms=70, below_hz=2_500, above_hz=400, attack_ms=25, decay=0.4),),
        "attract": (
            *_tune(low, _WOOD, (1.0, _FIFTH, 2.0), 160, 400),
            *(
                msgspec.structs.replace(note, at_ms=note.at_ms + 560)
                for note in _tune(high, _GLASS, (1.0, _FIFTH, 2.0), 160, 700)
                if isinstance(note, Note)
            ),
        ),
    }


_RECIPES: Final[dict[Seat | None, dict[SoundName, tuple[Part, ...]]]] = {
    None: _centre(),
    "a": _of_seat(_PITCH["a"], _TIMBRE["a"]),
    "b": _of_seat(_PITCH["b"], _TIMBRE["b"]),
}


def recipe(voice: Voice) -> tuple[Part, ...]:
    """What a sound is made of."""
    return _RECIPES[voice.seat][voice.name]
