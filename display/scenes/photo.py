"""The photo finish: both presses as streaks of light at their true distance, their error as width."""

from __future__ import annotations

from cabinet.engine.table import OTHER_SEAT, SEATS, Seat
from cabinet.snapshot import KEPT_NS, PhotoFinish
from display import motion, text
from display.motion import MS, SECOND_NS
from display.stage import Stage, heavy

SHOWN_NS = KEPT_NS
HANDED_OVER_NS = 700 * MS
"""How long the token takes from one seat to the other after a dead heat."""
WORDS_PX = 56
SIGN_PX = 54
TOKEN_PX = 30
SCALES_NS = (MS // 2, MS, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 50 * MS, 100 * MS, SECOND_NS)
"""What the strip's inner width can stand for."""


def is_shown(stage: Stage) -> bool:
    """Whether there is a photo finish to show."""
    photo = stage.snapshot.photo
    return photo is not None and 0 <= stage.age(photo.at_ns) < SHOWN_NS


def strip(stage: Stage) -> None:
    """The strip at the top, while a photo finish is fresh."""
    photo = stage.snapshot.photo
    if photo is None or not is_shown(stage):
        return
    box = stage.layout.strip
    stage.put(stage.kit.panel((box.w, box.h), stage.theme.panel), box.x, box.y)
    if photo.decided_by == "nobody":
        _level(stage)
        return
    middle, px, sign_x = box.centre[1], stage.px(SIGN_PX), box.x + stage.px(30)
    stage.put(stage.kit.sign(photo.first, px), sign_x, middle - px // 2)
    at, face = (sign_x + px + stage.px(22), middle), heavy(WORDS_PX, stage.theme.ink)
    x, right = box.x + stage.px(450), box.right - stage.px(28)
    if photo.decided_by == "arrival":
        stage.words(text.BY_ARRIVAL, at, face, anchor="left", width=right - at[0])
        return
    words = text.DEAD_HEAT if photo.is_dead_heat else text.ahead(photo.margin_ns)
    stage.words(words, at, face, anchor="left", width=stage.px(325))
    if photo.is_dead_heat:
        _token(stage, photo, x, right)
    else:
        _streaks(stage, photo, x, right)


def _level(stage: Stage) -> None:
    """A dead heat in which nobody went first: both seats alike."""
    box, px = stage.layout.strip, stage.px(SIGN_PX)
    away = box.w // 2 - stage.px(30) - px // 2
    for seat, x in zip(SEATS, (-away, away), strict=True):
        stage.centred(stage.kit.sign(seat, px), (box.centre[0] + x, box.centre[1]))
    stage.words(text.DEAD_HEAT, box.centre, heavy(WORDS_PX, stage.theme.ink))


def _streaks(stage: Stage, photo: PhotoFinish, left: int, right: int) -> None:
    box, width = stage.layout.strip, right - left
    scale = next((scale for scale in SCALES_NS if photo.margin_ns <= scale * 0.85), SCALES_NS[-1])
    base = box.bottom - stage.px(20)
    stage.put(stage.kit.flat((width, max(2, stage.px(2))), stage.theme.muted), left, base)
    for tick in range(6):
        x = left + round(width * 0.06) + round(width * 0.88 * tick / 5)
        stage.put(stage.kit.flat((max(2, stage.px(2)), stage.px(8)), stage.theme.muted), x, base)
    origin = left + round(width * 0.06)
    second = origin + round(width * 0.88 * min(1.0, photo.margin_ns / scale))
    places: dict[Seat, int] = {photo.first: origin, OTHER_SEAT[photo.first]: second}
    errors: dict[Seat, int] = {"a": photo.a_err_ns, "b": photo.b_err_ns}
    height = base - box.y - stage.px(16)
    for seat in SEATS:
        x, colour = places[seat], stage.theme.seat(seat)
        half_width = min(width // 4, round(width * 0.88 * errors[seat] / scale))
        blur = stage.kit.flat((max(2, half_width * 2), height), colour)
        stage.put(blur, x - blur.get_width() // 2, box.y + stage.px(16), alpha=72)
        core = stage.kit.flat((max(4, stage.px(6)), height), colour)
        stage.put(core, x - core.get_width() // 2, box.y + stage.px(16))


def _token(stage: Stage, photo: PhotoFinish, left: int, right: int) -> None:
    """The token, handed from the one who went first to the other."""
    middle, px = stage.layout.strip.centre[1], stage.px(44)
    done = motion.eased_out(motion.share(stage.age(photo.at_ns), HANDED_OVER_NS))
    ends: dict[Seat, int] = {"a": left + px // 2, "b": right - px // 2}
    for seat, x in ends.items():
        stage.centred(stage.kit.sign(seat, px), (x, middle))
    gap = px
    start, end = (ends["a"] + gap, ends["b"] - gap) if photo.first == "a" else (ends["b"] - gap, ends["a"] + gap)
    track = stage.kit.flat((abs(end - start), max(2, stage.px(3))), stage.theme.muted)
    stage.put(track, min(start, end), middle - track.get_height() // 2, alpha=110)
    x = motion.between((start, middle), (end, middle), done)[0]
    stage.centred(stage.kit.disc(stage.px(TOKEN_PX), stage.theme.ink), (x, middle))
    stage.centred(stage.kit.disc(stage.px(16), stage.theme.panel), (x, middle))
