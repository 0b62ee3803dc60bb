"""What lies over any scene: trouble in plain words, and the question whether anybody is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cabinet.snapshot import Trouble
from display import text
from display.motion import SECOND_NS
from display.scenes import photo
from display.stage import Stage, heavy, plain

LINE_PX: Final = 54
NOTE_PX: Final = 36
COUNT_PX: Final = 380
COUNT_VEIL: Final = 110
PAUSE_LINES: Final = 4
NOTE_LINES: Final = 3
"""Lines that are shown at once; the rest of a longer text has its turn."""
TURN_NS: Final = 5 * SECOND_NS
"""How long a trouble, or a part of one, is shown before the next has its turn."""


def draw(stage: Stage) -> None:
    """Whatever overlays the snapshot asks for."""
    snapshot = stage.snapshot
    stage.shift = (0, 0)
    pausing = [trouble for trouble in snapshot.troubles if trouble.pauses_game]
    if snapshot.goes_on_ns is not None:
        _count(stage, snapshot.goes_on_ns)
    elif pausing or snapshot.paused_since_ns is not None:
        _pause(stage, pausing or list(snapshot.troubles))
    elif snapshot.still_there_until_ns is not None:
        _still_there(stage, snapshot.still_there_until_ns)
    elif snapshot.troubles and not _top_is_needed(stage):
        note(stage, [trouble.text for trouble in snapshot.troubles])


def _top_is_needed(stage: Stage) -> bool:
    """Whether players must see what stands where a note would lie: the cue to slap, or a photo finish."""
    snapshot, view = stage.snapshot, stage.snapshot.view
    if snapshot.scene not in ("match", "result"):
        return False
    return photo.is_shown(stage) or (view is not None and view.phase in ("slap", "choose"))


def _lines_in_turn(stage: Stage, texts: Sequence[str], px: int, width: int, most: int) -> list[str]:
    """The lines whose turn it is: a trouble, or a part of one that is longer than `most` lines."""
    pages: list[list[str]] = []
    for words in texts:
        lines = stage.type.lines(words, px, width)
        for first in range(0, len(lines), most):
            page, is_last = list(lines[first : first + most]), first + most >= len(lines)
            pages.append(page if is_last else [*page[:-1], f"{page[-1]} …"])
    return pages[stage.now_ns // TURN_NS % len(pages)] if pages else []


def _veil(stage: Stage) -> None:
    stage.put(stage.kit.flat(stage.kit.size, stage.theme.felt_edge), 0, 0, alpha=222)


def _pause(stage: Stage, troubles: list[Trouble]) -> None:
    layout = stage.layout
    _veil(stage)
    room = layout.width - layout.px(320)
    texts = [trouble.text for trouble in troubles]
    lines = _lines_in_turn(stage, texts, layout.text_px(LINE_PX), room, PAUSE_LINES)
    x, y = layout.width // 2, layout.height // 2
    row = round(layout.text_px(LINE_PX) * 1.35)
    y -= row * len(lines) // 2
    stage.centred(stage.kit.warning(layout.px(170)), (x, y - layout.px(210)))
    stage.words(text.PAUSED, (x, y - layout.px(40)), heavy(130, stage.theme.ink))
    for number, line in enumerate(lines):
        stage.words(line, (x, y + layout.px(90) + row * number), plain(LINE_PX, stage.theme.ink))


def _count(stage: Stage, goes_on_ns: int) -> None:
    """Play goes on in three, two, one: over the table, which everybody looks at meanwhile."""
    left_ns = max(1, goes_on_ns - stage.now_ns)
    middle = (stage.layout.width // 2, stage.layout.height // 2)
    stage.put(stage.kit.flat(stage.kit.size, stage.theme.felt_edge), 0, 0, alpha=COUNT_VEIL)
    stage.centred(stage.kit.lit_words(text.seconds(left_ns), stage.layout.text_px(COUNT_PX)), middle)


def _still_there(stage: Stage, until_ns: int) -> None:
    layout = stage.layout
    _veil(stage)
    x, y = layout.width // 2, layout.height // 2
    stage.centred(stage.kit.lit_words(text.STILL_THERE, layout.text_px(190)), (x, y - layout.px(200)))
    left = text.seconds(until_ns - stage.now_ns)
    stage.words(left, (x, y + layout.px(40)), heavy(230, stage.theme.ink))
    stage.words(text.PRESS_ANY, (x, y + layout.px(240)), heavy(76, stage.theme.ink))


def note(stage: Stage, texts: Sequence[str]) -> None:
    """Trouble that does not stop the game: between the headers, and where a title stands there at the foot."""
    layout = stage.layout
    left, right = layout.px(360), layout.width - layout.px(360)
    px = layout.text_px(NOTE_PX)
    mark, pad = layout.px(60), layout.px(24)
    room = right - left - mark - 4 * pad
    lines = _lines_in_turn(stage, texts, px, room, NOTE_LINES)
    row = round(px * 1.25)
    height = max(layout.strip.h, row * len(lines) + pad)
    is_at_foot = stage.snapshot.scene in ("attract", "lobby")
    top = layout.height - height - layout.px(12) if is_at_foot else layout.strip.y
    stage.put(stage.kit.panel((right - left, height), stage.theme.panel), left, top)
    middle = top + height // 2
    stage.put(stage.kit.warning(mark), left + pad, middle - mark // 2)
    for number, line in enumerate(lines):
        y = middle + round((number - (len(lines) - 1) / 2) * row)
        stage.words(line, (left + 2 * pad + mark, y), plain(NOTE_PX, stage.theme.ink), anchor="left")
