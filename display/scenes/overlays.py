"""What lies over any scene: trouble in plain words, and the question whether anybody is there."""

from __future__ import annotations

from cabinet.snapshot import Trouble
from display import text
from display.stage import Stage, heavy, plain

MOST_LINES = 4
LINE_PX = 54
NOTE_PX = 36


def draw(stage: Stage) -> None:
    """Whatever overlays the snapshot asks for."""
    snapshot = stage.snapshot
    stage.shift = (0, 0)
    pausing = [trouble for trouble in snapshot.troubles if trouble.pauses_game]
    if pausing or snapshot.paused_since_ns is not None:
        _pause(stage, pausing or list(snapshot.troubles))
    elif snapshot.still_there_until_ns is not None:
        _still_there(stage, snapshot.still_there_until_ns)
    elif snapshot.troubles:
        note(stage, snapshot.troubles[0].text)


def _veil(stage: Stage) -> None:
    stage.put(stage.kit.flat(stage.kit.size, stage.theme.felt_edge), 0, 0, alpha=222)


def _pause(stage: Stage, troubles: list[Trouble]) -> None:
    layout = stage.layout
    _veil(stage)
    room = layout.width - layout.px(320)
    lines = [line for trouble in troubles[:2] for line in wrapped(stage, trouble.text, room, LINE_PX)][:MOST_LINES]
    x, y = layout.width // 2, layout.height // 2
    row = round(layout.text_px(LINE_PX) * 1.35)
    y -= row * len(lines) // 2
    stage.centred(stage.kit.warning(layout.px(170)), (x, y - layout.px(210)))
    stage.words(text.PAUSED, (x, y - layout.px(40)), heavy(130, stage.theme.ink))
    for number, line in enumerate(lines):
        stage.words(line, (x, y + layout.px(90) + row * number), plain(LINE_PX, stage.theme.ink))


def _still_there(stage: Stage, until_ns: int) -> None:
    layout = stage.layout
    _veil(stage)
    x, y = layout.width // 2, layout.height // 2
    stage.centred(stage.kit.lit_words(text.STILL_THERE, layout.text_px(190)), (x, y - layout.px(200)))
    left = text.seconds(until_ns - stage.now_ns)
    stage.words(left, (x, y + layout.px(40)), heavy(230, stage.theme.ink))
    stage.words(text.PRESS_ANY, (x, y + layout.px(240)), heavy(76, stage.theme.ink))


def note(stage: Stage, words: str) -> None:
    """Trouble that does not stop the game, between the headers; the photo finish gives way."""
    layout = stage.layout
    left, right = layout.px(360), layout.width - layout.px(360)
    px = layout.text_px(NOTE_PX)
    mark, pad = layout.px(60), layout.px(24)
    lines = wrapped(stage, words, right - left - mark - 3 * pad, NOTE_PX)[:2]
    row = round(px * 1.25)
    height = max(layout.strip.h, row * len(lines) + pad)
    stage.put(stage.kit.panel((right - left, height), stage.theme.panel), left, layout.strip.y)
    middle = layout.strip.y + height // 2
    stage.put(stage.kit.warning(mark), left + pad, middle - mark // 2)
    for number, line in enumerate(lines):
        y = middle + round((number - (len(lines) - 1) / 2) * row)
        stage.words(line, (left + 2 * pad + mark, y), plain(NOTE_PX, stage.theme.ink), anchor="left")


def wrapped(stage: Stage, words: str, width: int, px_1080: int) -> list[str]:
    """The words in lines that fit into `width` pixels."""
    px = stage.layout.text_px(px_1080)
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and stage.type.font(px, "text").size(longer)[0] <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
