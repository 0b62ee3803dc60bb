"""The match at play: waiting for both to be ready, the count, playing, stuck and spitting again."""

from __future__ import annotations

from cabinet.engine.table import OTHER_SEAT, OWN_SIDE, SEATS, BeatView, Seat, View
from display import motion, text
from display.light import DOWN
from display.scenes import centre, effects, photo, points, speed, table
from display.scenes.buttons import buttons
from display.scenes.prompts import Words, message, side_choice
from display.stage import Stage, heavy

PULSES = {"deal": 3, "spit": 1}
"""Flares of the count before cards turn (RULES.md 4, 16): at most three a second."""


def draw(stage: Stage, view: View) -> None:
    """Ready, play and stuck."""
    body(stage, view)
    for seat in SEATS:
        table.header(stage, seat, _note(view, seat))
        points.score(stage, seat, view)
    _top(stage, view)


def body(stage: Stage, view: View) -> None:
    """All but the top of the picture."""
    level_a, level_b = effects.lamp_levels(stage, view)
    if view.beat is not None:
        level_a = level_b = DOWN
    table.ground(stage, level_a, level_b)
    for seat in SEATS:
        effects.armed(stage, seat, view)
    if view.beat is None:
        centre.pile_light(stage, view)
    else:
        _pulses(stage, view.beat, view)
    effects.hints(stage, view)
    effects.press_lights(stage)
    _table(stage, view)
    for seat in SEATS:
        locked = effects.lock_left_ns(stage, view, seat) > 0
        buttons(stage, seat, strength=0.4 if locked else 1.0)
        effects.lock_bar(stage, view, seat)
        _message(stage, view, seat)
        effects.targets(stage, seat, view)
    effects.moves(stage)
    effects.ghosts(stage)
    effects.flights(stage)
    speed.slides(stage)
    speed.draws(stage, view)
    for seat in SEATS:
        effects.seat_words(stage, view, seat)


def _table(stage: Stage, view: View) -> None:
    for seat in SEATS:
        locked = effects.lock_left_ns(stage, view, seat) > 0
        table.closed_cards(stage, seat, view)
        table.stock_row(stage, seat, view, dim=locked)
    speed.side_piles(stage, view)
    centre.centre_piles(stage, view)
    if view.beat is not None:
        _count(stage, view.beat, view)


def _note(view: View, seat: Seat) -> str:
    side = view.side(seat)
    if view.rules.game == "speed":
        return text.left_over(side.owned)
    if view.phase == "ready" and view.beat is None and view.round > 1 and view.rules.score == "cards":
        return f"{side.owned} {text.OWNED}"
    return text.left_over(side.stock_size)


def _top(stage: Stage, view: View) -> None:
    news, box = speed.news(stage), stage.layout.strip
    if news is not None:
        stage.words(news, box.centre, heavy(68, stage.theme.ink), width=box.w)
    elif photo.is_shown(stage):
        photo.strip(stage)
    elif view.phase == "ready" or (view.beat is not None and view.beat.kind == "deal"):
        stage.words(text.round_title(view.round), box.centre, heavy(68, stage.theme.ink), width=box.w)


def _message(stage: Stage, view: View, seat: Seat) -> None:
    theme, side = stage.theme, view.side(seat)
    colour = theme.seat(seat)
    if view.beat is not None or (view.phase == "ready" and stage.snapshot.lesson is not None):
        return
    if view.phase == "ready":
        if side.is_ready:
            message(stage, seat, [Words(text.READY, 84, colour)], icon="tick")
        else:
            flare = motion.steps(motion.hint_strength(stage.now_ns), 6)
            words = [Words(word, 84, theme.ink) for word in text.PRESS_START.split()]
            message(stage, seat, words, icon="button", flare=flare)
    elif view.is_stuck and view.lone_spitter is not None:
        _lone(stage, view, seat)
    elif view.is_stuck:
        _call(stage, view, seat)
    elif _has_lifted(stage, view, seat):
        message(stage, seat, [Words(word, 84, colour) for word in text.WHICH_PILE.split()])


def _has_lifted(stage: Stage, view: View, seat: Seat) -> bool:
    """Whether a card of the seat waits for the pile to put it on (stack_equal)."""
    number = stage.snapshot.seat(seat).armed_stock
    return number is not None and bool(view.side(seat).stock[number - 1].size)


def _call(stage: Stage, view: View, seat: Seat) -> None:
    colour = stage.theme.seat(seat)
    if view.side(seat).has_called:
        message(stage, seat, [Words(text.CALLED, 76, colour)], icon="tick")
    else:
        flare = motion.steps(motion.hint_strength(stage.now_ns), 6)
        call = text.SLIDE if view.rules.game == "speed" else text.SPIT
        message(stage, seat, [Words(call, 150, stage.theme.ink)], icon="button", flare=flare)


def _lone(stage: Stage, view: View, seat: Seat) -> None:
    theme = stage.theme
    if seat != view.lone_spitter:
        lines = [
            Words(text.SEAT_NAMES[OTHER_SEAT[seat]], 52, theme.seat(OTHER_SEAT[seat])),
            Words(text.SPITS_ALONE, 52, theme.muted),
        ]
        message(stage, seat, lines)
    elif view.needs_pile:
        box = stage.layout.seat(seat).message
        top = box.y + box.h // 4
        stage.words(text.SPIT, (box.centre[0], top), heavy(128, theme.ink), width=box.w)
        lower = type(box)(box.x, top + stage.px(70), box.w, box.bottom - top - stage.px(70))
        side_choice(stage, seat, lower, len(view.side(seat).stock))
    else:
        _call(stage, view, seat)


def _pulses(stage: Stage, beat: BeatView, view: View) -> None:
    """Both lamps narrow onto the piles where a card will turn, once for each pulse."""
    start = beat.starts_ns + stage.snapshot.match_offset_ns
    strength = motion.pulse_strength(stage.age(start), beat.ends_ns - beat.starts_ns, PULSES[beat.kind])
    level = motion.steps(strength, 6)
    if level <= 0:
        return
    for name in beat.piles:
        pile = view.pile(name)
        own_side: Seat = "a" if name == OWN_SIDE["a"] else "b"
        owner = view.lone_spitter or own_side
        centre.pile_halo(stage, name, pile.size if pile else 0, stage.theme.seat(owner), 0.12 + 0.6 * level)


def _count(stage: Stage, beat: BeatView, view: View) -> None:
    """Three, two, one where the first cards will be seen."""
    if beat.kind != "deal":
        return
    start = beat.starts_ns + stage.snapshot.match_offset_ns
    number = motion.pulse_number(stage.age(start), beat.ends_ns - beat.starts_ns, PULSES[beat.kind])
    for name in beat.piles:
        pile, box = view.pile(name), stage.layout.pile(name)
        if pile is not None and pile.size:
            stage.centred(stage.kit.disc(stage.px(206), stage.theme.felt_edge), box.centre)
        if pile is not None and pile.top is None:
            stage.words(str(number), box.centre, heavy(170 if pile.size else 210, stage.theme.ink))
