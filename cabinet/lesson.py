"""How to play, as a short match that the engine itself plays: for any game a position, presses and captions.

Pure. The presses go through panel and engine as a player's do, so a lesson shows what the rules make of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

import msgspec
from msgspec.structs import replace

from cabinet.engine.games import Game
from cabinet.engine.match import Chance, Match
from cabinet.engine.rules import MILLISECOND_NS, Rules
from cabinet.engine.table import Seat
from cabinet.lesson_story import Chapter, Story, story_of
from cabinet.players.robot import TAP_NS, Contact
from cabinet.snapshot import Caption, Lesson

LENGTH_MS: Final = 20_000
"""The longest lesson."""
LONGEST_SHARE_MS: Final = 3_200
SHARE_STEP_MS: Final = 20
"""How finely the time is shared out among the chapters."""
CALM_MS: Final = 800
BRISK_MS: Final = 550
"""From one press to the next of a chapter: with time to spare, and at the least."""
READS_MS: Final = 600
"""The least time for a caption before its first press."""
SETTLES_MS: Final = 600
"""The least time after the last press of a chapter: a card flies, and is looked at."""
RESULT_MS: Final = 1_500
"""The least time for the score at the end of a round of Speed."""
BEAT_MS: Final = 600
"""The count before cards turn."""
SLAPS_MS: Final = 600
"""From the opening of the race, or the choice, to the slap."""
LOCK_MS: Final = 500
"""The longest lock after a miss: shorter than from one press to the next."""
SEED: Final = 52
"""For the cards that nobody sees, and the next deal."""


class Cue(msgspec.Struct, frozen=True):
    """From when a caption is shown."""

    at_ns: int
    """From the lesson's start."""
    caption: Caption


class LessonPlan(msgspec.Struct, frozen=True):
    """A whole lesson. Times count from its start."""

    match: Match
    """The position it starts from, in the game's own rules but for timing, and with open hands."""
    cues: tuple[Cue, ...]
    """The first at 0, in order of time."""
    contacts_a: tuple[Contact, ...]
    """What a's fingers do, in order of time."""
    contacts_b: tuple[Contact, ...]
    length_ns: int
    """At most 20 s."""


class RunningLesson:
    """A lesson that is shown, and when it began."""

    def __init__(self, plan: LessonPlan, started_ns: int) -> None:
        self._plan = plan
        self._started_ns = started_ns

    def at(self, now_ns: int) -> Lesson:
        """What it says at host time `now_ns`."""
        cues = self._plan.cues
        number = max(1, sum(self._started_ns + cue.at_ns <= now_ns for cue in cues))
        cue = cues[number - 1]
        return Lesson(cue.caption, self._started_ns + cue.at_ns, number, len(cues))


def lesson_in(game: Game) -> LessonPlan:
    """The lesson for a game: always the same for the same rules."""
    rng = Random(SEED)
    story = story_of(game.rules, rng)
    scenes = _paced(story.chapters)
    return LessonPlan(
        match=_match(taught(game.rules, _opening_ms(scenes)), story, rng),
        cues=tuple(Cue(scene.starts_ms * MILLISECOND_NS, scene.chapter.caption) for scene in scenes),
        contacts_a=_contacts(scenes, "a"),
        contacts_b=_contacts(scenes, "b"),
        length_ns=scenes[-1].ends_ms * MILLISECOND_NS,
    )


def taught(rules: Rules, opening_ms: int) -> Rules:
    """The rules with times for a lesson: the machine neither helps nor ends anything, and nothing is hidden.

    `opening_ms` is the time from the round's end to the opening of the slap race or the choice.
    """
    return replace(
        rules,
        hands="open",
        min_action_ms=min(rules.min_action_ms, LOCK_MS),
        deal_beat_ms=BEAT_MS,
        spit_beat_ms=BEAT_MS,
        spit_wait_ms=0,
        spit_auto_ms=0,
        hint_ms=0,
        force_ms=0,
        slap_delay_ms=opening_ms,
        slap_grace_ms=opening_ms,
        slap_lockout_ms=0,
        slap_timeout_ms=0,
        miss_lockout_ms=min(rules.miss_lockout_ms, LOCK_MS),
        cap_rounds=0,
        cap_minutes=0,
    )


def _match(rules: Rules, story: Story, rng: Random) -> Match:
    return Match(
        rules=rules,
        table=story.table,
        chance=Chance.of(rng),
        token="a",
        phase="play",
        round=story.rounds_before + 1,
        score_a=story.score,
        score_b=story.score,
    )


# When


class _Scene(msgspec.Struct, frozen=True):
    """A chapter and its times from the lesson's start."""

    chapter: Chapter
    starts_ms: int
    presses_ms: tuple[int, ...]
    ends_ms: int


def _paced(chapters: Sequence[Chapter]) -> list[_Scene]:
    """Each chapter has the same share of the time, as much as there is; or what it needs, if that is more.

    Raises ValueError when the chapters need more than `LENGTH_MS` altogether.
    """
    for share_ms in range(LONGEST_SHARE_MS, 0, -SHARE_STEP_MS):
        scenes = _with_shares(chapters, share_ms)
        if scenes[-1].ends_ms <= LENGTH_MS:
            return scenes
    raise ValueError(f"{len(chapters)} chapters need more than {LENGTH_MS} ms")


def _with_shares(chapters: Iterable[Chapter], share_ms: int) -> list[_Scene]:
    scenes: list[_Scene] = []
    starts_ms = 0
    between_ms = max(BRISK_MS, min(CALM_MS, share_ms // 4))
    for chapter in chapters:
        busy_ms = between_ms * max(0, len(chapter.presses) - 1)
        needs_ms = READS_MS + busy_ms + _settles_ms(chapter)
        spare_ms = max(0, share_ms - needs_ms)
        first_ms = starts_ms + READS_MS + spare_ms // 2
        presses_ms = tuple(first_ms + number * between_ms for number in range(len(chapter.presses)))
        ends_ms = starts_ms + needs_ms + spare_ms
        scenes.append(_Scene(chapter, starts_ms, presses_ms, ends_ms))
        starts_ms = ends_ms
    return scenes


def _settles_ms(chapter: Chapter) -> int:
    if chapter.caption in ("spit", "slide"):
        return SETTLES_MS + BEAT_MS
    return RESULT_MS if chapter.caption == "speed_out" else SETTLES_MS


def _opening_ms(scenes: Iterable[_Scene]) -> int:
    """From the play that ends the round to a little before the slap or the choice; 0 in Speed, without either."""
    times_ms = {scene.chapter.caption: scene.presses_ms for scene in scenes}
    settling_ms = times_ms.get("slap") or times_ms.get("choose")
    return settling_ms[0] - SLAPS_MS - times_ms["out"][-1] if settling_ms else 0


def _contacts(scenes: Iterable[_Scene], seat: Seat) -> tuple[Contact, ...]:
    contacts: list[Contact] = []
    for scene in scenes:
        for (of, button), at_ms in zip(scene.chapter.presses, scene.presses_ms, strict=True):
            at_ns = at_ms * MILLISECOND_NS
            if of == seat:
                contacts += [Contact(at_ns, button, True), Contact(at_ns + TAP_NS, button, False)]
    return tuple(contacts)
