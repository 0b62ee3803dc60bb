"""One file a scene; `draw` picks the scene that a snapshot asks for."""

from __future__ import annotations

from display.scenes import attract, lesson, lobby, overlays, play, result, round, slap, table  # noqa: A004
from display.stage import Stage


def draw(stage: Stage) -> None:
    """Fill the stage with what the snapshot shows, overlays included."""
    snapshot, view = stage.snapshot, stage.snapshot.view
    if snapshot.lesson is not None and view is not None and snapshot.scene in ("attract", "lobby"):
        lesson.draw(stage, view, snapshot.lesson)
    elif snapshot.scene == "attract":
        attract.draw(stage)
    elif snapshot.scene == "lobby":
        lobby.draw(stage)
    elif view is None:
        table.dark_ground(stage)
    elif snapshot.scene == "result" or view.phase == "over":
        result.draw(stage, view)
    elif view.phase in ("slap", "choose"):
        slap.draw(stage, view)
    else:
        gain = round.given(stage)
        if view.phase == "ready" and view.beat is None and gain is not None:
            round.draw(stage, view, gain)
        else:
            play.draw(stage, view)
    overlays.draw(stage)
