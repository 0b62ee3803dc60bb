"""What lies over any scene: trouble in plain words, and the question whether anybody is there."""

from __future__ import annotations

from cabinet.snapshot import Trouble
from display import text
from display.layout import Box
from display.stage import Stage

MOST_LINES = 4


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
    stage.put(stage.kit.flat(stage.kit.size, stage.theme.felt_edge), 0, 0, alpha=170)


def _panel(stage: Stage, height: int) -> Box:
    layout = stage.layout
    width = layout.px(1_300)
    box = Box((layout.width - width) // 2, (layout.height - height) // 2, width, height)
    stage.put(stage.kit.panel((box.w, box.h), stage.theme.panel), box.x, box.y)
    return box


def _pause(stage: Stage, troubles: list[Trouble]) -> None:
    layout = stage.layout
    _veil(stage)
    lines = [line for trouble in troubles[:2] for line in wrapped(stage, trouble.text, layout.px(1_160))][
        :MOST_LINES
    ]
    row = round(layout.text_px(46) * 1.35)
    box = _panel(stage, layout.px(300) + row * max(1, len(lines)))
    mark = layout.px(110)
    stage.put(stage.kit.warning(mark), box.x + layout.px(70), box.y + layout.px(60))
    title = (box.x + layout.px(70) + mark + layout.px(40), box.y + layout.px(60) + mark // 2)
    stage.words(text.PAUSED, title, 96, stage.theme.ink, weight="heavy", anchor="left")
    y = box.y + layout.px(240)
    for line in lines:
        stage.words(line, (box.x + layout.px(70), y), 46, stage.theme.ink, anchor="left")
        y += row


def _still_there(stage: Stage, until_ns: int) -> None:
    layout = stage.layout
    _veil(stage)
    box = _panel(stage, layout.px(470))
    x = box.centre[0]
    stage.words(text.STILL_THERE, (x, box.y + layout.px(115)), 120, stage.theme.ink, weight="heavy", width=box.w)
    left = text.seconds(until_ns - stage.now_ns)
    stage.words(left, (x, box.y + layout.px(255)), 150, stage.theme.ink, weight="heavy")
    stage.words(text.PRESS_ANY, (x, box.y + layout.px(390)), 60, stage.theme.muted, weight="heavy")


def note(stage: Stage, words: str) -> None:
    """One line of trouble along the lower edge; the game goes on."""
    layout = stage.layout
    height = layout.px(60) if layout.px(60) > layout.text_px(36) else layout.text_px(36)
    y = layout.height - height // 2
    stage.put(stage.kit.flat((layout.width, height), stage.theme.panel), 0, layout.height - height)
    mark = height * 7 // 10
    stage.put(stage.kit.warning(mark), layout.px(40), y - mark // 2)
    room = layout.width - layout.px(120) - mark
    stage.words(words, (layout.px(60) + mark, y), 36, stage.theme.ink, anchor="left", width=room)


def wrapped(stage: Stage, words: str, width: int) -> list[str]:
    """The words in lines that fit into `width` pixels."""
    px = stage.layout.text_px(46)
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and stage.type.font(px, "text").size(longer)[0] <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
