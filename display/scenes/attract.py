"""Nobody plays: two lamps swing slowly over a match of two robots, beneath the title."""

from __future__ import annotations

from typing import Final

from cabinet.engine.table import SEATS, Seat
from display import motion, text
from display.motion import MS, SECOND_NS
from display.scenes import centre, effects, speed, table
from display.scenes.prompts import Words, message
from display.stage import Stage

PERIODS_NS: Final[dict[Seat, int]] = {"a": 9 * SECOND_NS, "b": 11 * SECOND_NS}
STEP_NS: Final = 40 * MS
"""The lamps move 25 times a second: slow light needs no more."""
LAMP_STRENGTH: Final = 0.4
DRIFT_PX: Final = 10
TITLE_PX: Final = 216
SUBTITLE_PX: Final = 74


def draw(stage: Stage) -> None:
    """The attract picture; it wanders slowly, so that nothing burns in."""
    table.dark_ground(stage)
    drift = wandered(stage)
    stage.shift = (drift[0], drift[1] + stage.px(52))
    view = stage.snapshot.view
    if view is not None:
        for seat in SEATS:
            table.stock_row(stage, seat, view, dim=True)
        centre.centre_piles(stage, view, dim=True)
        speed.side_piles(stage, view, dim=True)
        effects.flights(stage, dim=True)
        speed.slides(stage, dim=True)
        speed.draws(stage, view, dim=True)
    _lamps(stage)
    flare = motion.steps(motion.hint_strength(stage.now_ns // 2), 6)
    for seat in SEATS:
        words = [Words(word, 92, stage.theme.ink) for word in text.PRESS_START.split()]
        message(stage, seat, words, icon="button", flare=flare)
    stage.shift = drift
    _title(stage)


def wandered(stage: Stage) -> tuple[int, int]:
    """How far the picture has wandered by now."""
    return motion.drift(stage.now_ns, stage.px(DRIFT_PX)) if stage.kit.settings.drift else (0, 0)


def _title(stage: Stage) -> None:
    """Spit or Speed, and beneath it the name of the game that is shown, where that is another."""
    layout, game = stage.layout, stage.snapshot.game
    middle, subtitle = layout.width // 2, text.game_subtitle(game)
    title = stage.kit.lit_words(
        text.GAME_TITLES[game.rules.game], layout.text_px(TITLE_PX if subtitle is None else 168)
    )
    y = layout.strip.y + stage.px(86 if subtitle is None else 62)
    stage.centred(title, (middle, y))
    if subtitle is not None:
        px = stage.type.fitting_px(subtitle, layout.text_px(SUBTITLE_PX), "heavy", layout.strip.w)
        stage.centred(stage.kit.lit_words(subtitle, px), (middle, y + stage.px(112)))


def _lamps(stage: Stage) -> None:
    """Two pools of light that pass over felt and cards alike."""
    now = stage.now_ns // STEP_NS * STEP_NS
    width, height = stage.layout.width, stage.layout.height
    size = (width * 7 // 16, height * 10 // 16)
    for seat, middle in zip(SEATS, (0.29, 0.71), strict=True):
        swing = motion.swing(now, PERIODS_NS[seat], 0.1)
        x = round(width * (middle + 0.12 * swing))
        y = round(height * (0.56 - 0.05 * swing * swing))
        stage.shine(stage.kit.light.glow(size, stage.theme.seat(seat), LAMP_STRENGTH), (x, y))
