"""Starts the cabinet as a service of the user `pi`, presses buttons, and leaves pictures and a record in /host.

Run with ``auto`` or ``gpio-zero`` it plays by the wires, and with ``keyboard`` it begins a match by the machine's
keys. It knows the table only from the record that the cabinet keeps, as a spectator would.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from cabinet import record
from cabinet.engine.actions import BeatStarted, BecameStuck, CardsTurned, Event, Hinted, Move, Moved, Played
from cabinet.engine.cards import Card, are_neighbours
from cabinet.engine.table import SEATS, Seat, SpitSide
from tests.virtual_pi.in_guest.header import lamp, plug_in, tap, wait_for

HOST: Final = Path("/host")
PROGRAM: Final = Path("/opt/spit-cabinet")
RECORD: Final = Path("/run/spit-cabinet/matches.jsonl")
PLAYS: Final = 8
"""So many cards are played before it ends."""
START_A_MATCH: Final = ("a.spit", "b.spit", "a.spit", "b.spit")

PICTURE_BYTES: Final = 40_000
"""A console's text is smaller than this as a PNG, a table is larger."""

UNIT: Final = f"""\
[Unit]
Conflicts=getty@tty1.service
After=getty@tty1.service
[Service]
User=pi
PAMName=login
TTYPath=/dev/tty1
StandardInput=tty-force
StandardOutput=journal
StandardError=journal
RuntimeDirectory=spit-cabinet
RuntimeDirectoryPreserve=yes
WorkingDirectory={PROGRAM}
ExecStart=/opt/rig/venv/bin/python -m cabinet run --source {{source}} --record {RECORD}
"""


def call(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


class Spectator:
    """What lies on the table, and how many presses were judged, from the record."""

    def __init__(self) -> None:
        self.read = self.presses = self.plays = 0
        self.is_stuck = False
        self.move: tuple[str, ...] = ()
        self.tops: dict[tuple[Seat, int], Card | None] = {}
        self.piles: dict[str, Card] = {}

    def look(self) -> Spectator:
        """Read what was written since the last look; all of it later when a line is only half written."""
        try:
            lines = list(record.read(RECORD))
        except record.RecordError:
            return self
        for line in lines[self.read :]:
            self._see(line)
        self.read = len(lines)
        return self

    def _see(self, line: record.RecordLine) -> None:
        if isinstance(line, record.Began):
            for seat in SEATS:
                side = line.table.side(seat)
                assert isinstance(side, SpitSide)
                for number, pile in enumerate(side.stock, 1):
                    self.tops[seat, number] = pile.top
        elif isinstance(line, record.Pressed):
            self.presses += 1
        elif isinstance(line, record.Happened):
            self._see_event(line.event)

    def _see_event(self, event: Event) -> None:
        if isinstance(event, BecameStuck):
            self.is_stuck = True
        elif isinstance(event, BeatStarted):
            self.is_stuck = False
        elif isinstance(event, CardsTurned):
            self.piles |= {turned.pile: turned.card for turned in event.cards}
        elif isinstance(event, Hinted) and isinstance(event.hint, Move):
            self.move = (f"{event.seat}.{event.hint.target}", f"{event.seat}.{event.hint.source}")
        elif isinstance(event, Moved):
            self.move = ()
            self.tops[event.seat, event.target] = event.card
            self.tops[event.seat, event.source] = event.uncovered
        elif isinstance(event, Played):
            self.plays += 1
            self.piles[event.pile] = event.card
            self.tops[event.seat, event.stock] = event.uncovered

    def wait_for_presses(self, count: int) -> None:
        """Until so many presses were judged since the beginning."""
        wait_for("the press is judged", lambda: self.look().presses >= count)

    def next_lines(self) -> tuple[str, ...]:
        """The buttons to press now; none when the table waits for nobody."""
        if self.is_stuck:
            return ("a.spit", "b.spit")
        for (seat, number), card in self.tops.items():
            if card is not None and any(are_neighbours(card, top) for top in self.piles.values()):
                return (f"{seat}.{number}",)
        return self.move


def start(source: str) -> None:
    """The program on this machine's own disk, where `pi` may read it, as a service at the first console."""
    for folder in ("cabinet", "display", "firmware_bridge"):
        shutil.copytree(HOST / folder, PROGRAM / folder)
    Path("/etc/systemd/system/spit-cabinet.service").write_text(UNIT.format(source=source))
    call("systemctl", "daemon-reload")
    call("systemctl", "start", "spit-cabinet")


def is_running() -> bool:
    return call("systemctl", "show", "--property=ActiveState", "--value", "spit-cabinet") == "active"


def picture(name: str) -> Path:
    path = HOST / name
    call("rig", "screenshot", str(path))
    return path


def has_picture() -> bool:
    """Whether the screen shows more than a console's text."""
    if not is_running():
        raise SystemExit("the cabinet has ended: " + call("journalctl", "-u", "spit-cabinet", "-o", "cat"))
    return picture("attract.png").stat().st_size > PICTURE_BYTES


def play_by_wires(wires: Path) -> None:
    """Join, say ready, and play what fits."""
    spectator = Spectator()
    for line in START_A_MATCH:
        tap(wires, line)
        time.sleep(0.5)
    wait_for("the first cards", lambda: spectator.look().piles)
    while spectator.plays < PLAYS:
        lines = wait_for("something to press", lambda: spectator.look().next_lines())
        judged = spectator.presses + len(lines)
        for line in lines:
            tap(wires, line)
        spectator.wait_for_presses(judged)
    picture("play.png")
    call("systemctl", "stop", "spit-cabinet")


def play_by_keys() -> None:
    """Join and say ready, look at the cards, and end the program with Ctrl-Q."""
    for line in START_A_MATCH:
        call("rig", "key", {"a.spit": "shift", "b.spit": "shift_r"}[line])
        time.sleep(0.5)
    spectator = Spectator()
    wait_for("the first cards", lambda: spectator.look().piles)
    picture("play.png")
    call("rig", "key", "ctrl", "q")
    wait_for("the end of the program", lambda: not is_running())


def main(source: str) -> None:
    wires = plug_in() if source != "keyboard" else None
    call("udevadm", "settle")
    started_s = time.monotonic()
    start(source)
    wait_for("a picture", has_picture, within_s=120)
    picture_s = time.monotonic() - started_s
    if wires is not None:
        wait_for("a lamp is lit", lambda: lamp("a.spit"))
    time.sleep(3)
    picture("attract.png")
    if wires is not None:
        play_by_wires(wires)
    else:
        play_by_keys()
    (HOST / RECORD.name).write_bytes(RECORD.read_bytes())
    status = call("systemctl", "show", "--property=ExecMainStatus", "--value", "spit-cabinet")
    told = call("journalctl", "-u", "spit-cabinet", "-o", "cat", "_TRANSPORT=stdout")
    left = [path.name for path in Path("/tmp").glob("spit-cabinet*")]
    result = {"picture_s": round(picture_s, 1), "status": int(status), "told": told, "left": left}
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
