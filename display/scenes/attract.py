"""Nobody plays: the title in the light of two slowly swinging lamps, over a match of two robots."""

from __future__ import annotations

from cabinet.engine.table import SEATS
from display import motion, text
from display.scenes import effects, table
from display.scenes.prompts import Words, message
from display.stage import Stage

PERIODS_NS = {"a": 9_000_000_000, "b": 11_000_000_000}
STEP_NS = 33_000_000
"""The lamps move thirty times a second: slow light needs no more."""
DRIFT_PX = 10


def draw(stage: Stage) -> None:
    """The attract picture; it wanders slowly, so that nothing burns in."""
    table.dark_ground(stage)
    if stage.kit.settings.drift:
        stage.shift = motion.drift(stage.now_ns, stage.px(DRIFT_PX))
    _lamps(stage)
    view = stage.snapshot.view
    if view is not None:
        for seat in SEATS:
            table.stock_row(stage, seat, view, dim=True)
        table.centre_piles(stage, view, dim=True)
        effects.moves(stage)
        effects.flights(stage)
    flare = motion.steps(motion.hint_strength(stage.now_ns // 2), 6)
    for seat in SEATS:
        words = [Words(word, 88, stage.theme.ink) for word in text.PRESS_START.split()]
        message(stage, seat, words, icon="button", flare=flare)
        half = stage.layout.seat(seat)
        px = stage.px(86)
        x = half.header.x if seat == "a" else half.header.right - px
        stage.put(stage.kit.sign(seat, px), x, half.header.y)
    title = stage.kit.lit_words(text.TITLE, stage.layout.text_px(206))
    stage.centred(title, (stage.layout.width // 2, stage.layout.strip.y + stage.px(66)))


def _lamps(stage: Stage) -> None:
    now = stage.now_ns // STEP_NS * STEP_NS
    width, height = stage.layout.width, stage.layout.height
    size = (width * 7 // 16, height * 9 // 16)
    for seat, middle in zip(SEATS, (0.27, 0.73), strict=True):
        swing = motion.swing(now, PERIODS_NS[seat], 0.1)
        x = round(width * (middle + 0.09 * swing))
        y = round(height * (0.5 - 0.04 * swing * swing))
        stage.shine(stage.kit.light.glow(size, stage.theme.lamp(seat), 1.0), (x, y))
