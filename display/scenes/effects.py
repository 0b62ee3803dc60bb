"""Light and movement over the table: flights, the light of a press, lost races, hints, armed spaces."""

from __future__ import annotations

from cabinet.engine.actions import Draw, Hinted, Move, Moved, Play, Played, Refused
from cabinet.engine.cards import Card
from cabinet.engine.table import OWN_SIDE, PILE_NAMES, SEATS, PileName, Seat, View
from display import motion, text
from display.cards import Size
from display.layout import Box
from display.light import BRIGHT, DOWN, NORMAL
from display.memory import Landing
from display.motion import MS, SECOND_NS, STREAK_NS, STREAK_PLAYS
from display.scenes.centre import flight_length_ns, in_flight, size_between
from display.sprites import ADD
from display.stage import Stage

HINT_SHOWN_NS = 3 * SECOND_NS


def lamp_levels(stage: Stage, view: View) -> tuple[int, int]:
    """How bright each seat's lamp burns: turned down while locked, brighter in a streak."""
    levels = []
    for seat in SEATS:
        plays = sum(
            1
            for happening in stage.snapshot.happenings
            if isinstance(happening.event, Played)
            and happening.event.seat == seat
            and not happening.event.by_machine
            and 0 <= stage.age(happening.at_ns) < STREAK_NS
        )
        if lock_left_ns(stage, view, seat) > 0:
            levels.append(DOWN)
        else:
            levels.append(BRIGHT if plays >= STREAK_PLAYS else NORMAL)
    return levels[0], levels[1]


def lock_left_ns(stage: Stage, view: View, seat: Seat) -> int:
    """How long a seat's stock buttons stay locked; 0 or less when they are not."""
    if view.phase != "play":
        return 0
    return view.side(seat).locked_until_ns + stage.snapshot.match_offset_ns - stage.now_ns


def lock_length_ns(stage: Stage, view: View, seat: Seat) -> int:
    """How long the present lock was when it began; half a second when that was not seen."""
    until = view.side(seat).locked_until_ns
    for happening in reversed(stage.snapshot.happenings):
        event = happening.event
        if isinstance(event, Refused) and event.seat == seat and event.locked_until_ns == until:
            return max(1, until - event.at_ns)
    return max(500 * MS, lock_left_ns(stage, view, seat))


def lock_bar(stage: Stage, view: View, seat: Seat) -> None:
    """How long the stock buttons stay locked, as a bar that shrinks towards its middle."""
    left = lock_left_ns(stage, view, seat)
    if left <= 0:
        return
    box = stage.layout.seat(seat).bar
    share = min(1.0, left / lock_length_ns(stage, view, seat))
    step = max(2, box.w // 120)
    width = max(step, int(box.w * share) // step * step)
    stage.put(stage.kit.flat((box.w, box.h), stage.theme.panel), box.x, box.y)
    stage.put(stage.kit.flat((width, box.h), stage.theme.seat(seat)), box.centre[0] - width // 2, box.y)


def flights(stage: Stage, *, dim: bool = False) -> None:
    """Cards on their way to a centre pile, each in its seat's light."""
    for name in PILE_NAMES:
        for landing in stage.memory.landings(name):
            if landing.came == "played" and in_flight(stage, landing, name):
                _flight(stage, landing, name, dim)


def _flight(stage: Stage, landing: Landing, name: PileName, dim: bool) -> None:
    assert landing.seat is not None
    assert landing.stock is not None
    view = stage.snapshot.view
    if landing.card is None or view is None:
        return
    done = motion.eased_out(motion.share(stage.age(landing.at_ns), flight_length_ns(stage, landing, name)))
    start_box = stage.stock_box(landing.seat, landing.stock)
    pile = view.pile(name)
    rise = stage.layout.pile_rise(pile.size if pile else 1)
    start = (start_box.centre[0], start_box.centre[1] - stage.px(12))
    end = (stage.layout.pile(name).centre[0], stage.layout.pile(name).centre[1] - rise)
    if stage.kit.settings.reduced_motion:
        alpha = round(255 * motion.share(stage.age(landing.at_ns), motion.FADE_NS))
        stage.centred(stage.face(landing.card, stage.layout.big_card), end, alpha=alpha)
        return
    for back in (0.45, 0.3, 0.15):
        behind = motion.between(start, end, max(0.0, done - back * (1 - done)))
        _spark(stage, landing.seat, behind, stage.px(230), 0.16)
    size = size_between(stage.layout.card, stage.layout.big_card, done)
    _flying_card(stage, landing.card, size, motion.between(start, end, done), dim=dim)


def _flying_card(stage: Stage, card: Card, size: Size, middle: tuple[int, int], *, dim: bool = False) -> None:
    deck = stage.kit.deck
    lift = stage.px(10)
    stage.centred(deck.shadow(stage.layout.card, lift), (middle[0], middle[1] + lift * 2))
    picture = stage.face(card, stage.layout.big_card, dim=dim)
    stage.centred(deck.scaled(picture, size), middle)


def _spark(stage: Stage, seat: Seat, middle: tuple[int, int], px: int, strength: float) -> None:
    stage.shine(stage.kit.light.glow((px, px), stage.theme.seat(seat), strength), middle)


def press_lights(stage: Stage) -> None:
    """The light of each press, on the shortest way from its button to where it acts."""
    for sign in stage.snapshot.signs:
        age = stage.age(sign.at_ns)
        seat, _, name = sign.line.partition(".")
        if not 0 <= age < motion.COMET_NS or seat not in SEATS or sign.kind in ("nothing", "locked"):
            continue
        owner: Seat = "a" if seat == "a" else "b"
        half = stage.layout.seat(owner)
        if name.isdigit() and int(name) <= len(half.buttons):
            start, end = half.buttons[int(name) - 1].centre, stage.stock_box(owner, int(name)).centre
        elif name == "spit":
            start = (half.side or half.spit).centre
            end = stage.layout.pile(OWN_SIDE[owner]).centre if sign.kind == "done" else start
        else:
            continue
        if sign.pile is not None:
            end = stage.layout.pile(sign.pile).centre
        done = motion.eased_out(age / motion.COMET_NS)
        for tail in range(4):
            at = motion.between(start, end, max(0.0, done - 0.09 * tail))
            _spark(stage, owner, at, stage.px(96 - 14 * tail), 0.8 - 0.18 * tail)


def ghosts(stage: Stage) -> None:
    """Lost races: the loser's card goes out and springs back, with the time by which it was late."""
    for happening in stage.snapshot.happenings:
        event = happening.event
        if not isinstance(event, Refused) or event.behind_ns is None or not isinstance(event.action, Play):
            continue
        age = stage.age(happening.at_ns)
        if 0 <= age < motion.GHOST_NS:
            _ghost(stage, event, age)


def _ghost(stage: Stage, event: Refused, age: int) -> None:
    view = stage.snapshot.view
    assert isinstance(event.action, Play)
    stock = event.action.stock
    piles = view.side(event.seat).stock if view else ()
    top = piles[stock - 1].top if stock <= len(piles) else None
    if top is None or stage.kit.settings.reduced_motion:
        return
    box = stage.stock_box(event.seat, stock)
    end = stage.layout.pile(event.pile or event.action.pile or OWN_SIDE[event.seat]).centre
    middle = motion.between(box.centre, end, 0.55 * motion.ghost(age))
    _spark(stage, event.seat, middle, stage.px(300), 0.22)
    stage.centred(stage.face(top, stage.layout.card), middle, alpha=150)


def seat_words(stage: Stage, view: View, seat: Seat) -> None:
    """One short line right above the stock piles: a stuck button, a lost race, a refusal, a lock."""
    found = _words(stage, view, seat)
    if found is None:
        return
    line, stock, colour_name = found
    half = stage.layout.seat(seat)
    colour = {"seat": stage.theme.seat(seat), "ink": stage.theme.ink, "warning": stage.theme.warning}[colour_name]
    picture = stage.type.fitted(line, stage.layout.text_px(46), colour, "heavy", half.words.w - stage.px(36))
    x = stage.stock_box(seat, stock).centre[0] if stock else _row_middle(half.stock)
    plate = (picture.get_width() + stage.px(36), stage.px(56))
    left = min(max(half.words.x, x - plate[0] // 2), half.words.right - plate[0])
    y = half.words.centre[1]
    stage.put(stage.kit.panel(plate, stage.theme.felt_edge, 215), left, y - plate[1] // 2)
    stage.put(picture, left + stage.px(18), y - picture.get_height() // 2)


def _row_middle(stock: tuple[Box, ...]) -> int:
    return (stock[0].x + stock[-1].right) // 2


def _words(stage: Stage, view: View, seat: Seat) -> tuple[str, int | None, str] | None:
    status = stage.snapshot.seat(seat)
    for line in status.stuck_lines:
        label = stage.kit.key_labels.get(line, line.partition(".")[2]).upper()
        number = line.partition(".")[2]
        return text.stuck_button(label), int(number) if number.isdigit() else None, "warning"
    for sign in reversed(stage.snapshot.signs):
        owner, _, name = sign.line.partition(".")
        if owner != seat or stage.age(sign.at_ns) >= motion.WORDS_NS:
            continue
        stock = int(name) if name.isdigit() else None
        if sign.behind_ns is not None:
            return text.behind(sign.behind_ns), stock, "seat"
        if sign.kind == "refused" and sign.reason is not None:
            return text.REFUSALS[sign.reason], stock, "ink"
        break
    if status.armed_stock is not None and not view.side(seat).stock[status.armed_stock - 1].size:
        return text.WHICH_CARD, status.armed_stock, "seat"
    if lock_left_ns(stage, view, seat) > 0:
        return text.LOCKED, None, "ink"
    return None


def armed(stage: Stage, seat: Seat, view: View) -> None:
    """The space that waits for a card glows, or what lies beneath the card that waits for a pile."""
    number = stage.snapshot.seat(seat).armed_stock
    if number is None:
        return
    pile, box, colour = view.side(seat).stock[number - 1], stage.stock_box(seat, number), stage.theme.seat(seat)
    middle = (box.centre[0], box.centre[1] - stage.layout.stock_rise(pile.size))
    stage.shine(stage.kit.light.halo((box.w, box.h), (stage.px(40),) * 3, colour, 0.5), middle)
    if not pile.size:
        stage.put(stage.kit.slot((box.w, box.h), colour, 255), box.x, box.y)


def targets(stage: Stage, seat: Seat, view: View) -> None:
    """Where a card that waits for a pile may go: own spaces and tops of its rank are framed (RULES.md 9, 42)."""
    number, stock = stage.snapshot.seat(seat).armed_stock, view.side(seat).stock
    if number is None or not stock[number - 1].size:
        return
    line = stage.px(8)
    for place, pile in enumerate(stock, 1):
        if place != number and (not pile.size or _same_rank(pile.top, stock[number - 1].top)):
            box = stage.stock_box(seat, place)
            frame = stage.kit.frame((box.w + 2 * line, box.h + 2 * line), stage.theme.seat(seat), line)
            stage.put(frame, box.x - line, box.y - line - stage.layout.stock_rise(pile.size))


def _same_rank(card: Card | None, other: Card | None) -> bool:
    return card is not None and other is not None and card.rank == other.rank


def hints(stage: Stage, view: View) -> None:
    """A slow pulse around a card that could be played, or a slot to draw into; it lies beneath the card."""
    for happening in stage.snapshot.happenings:
        event = happening.event
        age = stage.age(happening.at_ns)
        if not isinstance(event, Hinted) or not 0 <= age < HINT_SHOWN_NS:
            continue
        stock = _hinted_place(event, view)
        strength = motion.steps(motion.hint_strength(age), 6)
        if stock is None or not strength:
            continue
        box, piles, spread = stage.stock_box(event.seat, stock), view.side(event.seat).stock, stage.px(46)
        rise = stage.layout.stock_rise(piles[stock - 1].size if stock <= len(piles) else 0)
        colour = stage.theme.seat(event.seat)
        halo = stage.kit.light.halo((box.w, box.h), (spread,) * 3, colour, 0.7 * strength)
        stage.put(halo, box.x - spread, box.y - rise - spread, flags=ADD)


def _hinted_place(event: Hinted, view: View) -> int | None:
    """The stock pile or slot that a hint is about, if it is told; a card is drawn into the lowest empty slot."""
    if isinstance(event.hint, Draw):
        return next((place for place, pile in enumerate(view.side(event.seat).stock, 1) if not pile.size), None)
    if isinstance(event.hint, Move):
        return event.hint.source
    return event.hint.stock if event.hint is not None else None


def moves(stage: Stage) -> None:
    """A card that goes into an empty space slides there."""
    for happening in stage.snapshot.happenings:
        event, age = happening.event, stage.age(happening.at_ns)
        if isinstance(event, Moved) and 0 <= age < motion.SHORTEST_FLIGHT_NS:
            done = motion.eased_out(age / motion.SHORTEST_FLIGHT_NS)
            start = stage.stock_box(event.seat, event.source).centre
            end = stage.stock_box(event.seat, event.target).centre
            middle = motion.between(start, end, done)
            _flying_card(stage, event.card, stage.layout.card, middle)
