"""Starts the cabinet where something is missing, and tells as JSON what it said and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.virtual_pi.in_guest.header import plug_in


def start(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "cabinet", "run", *words], capture_output=True, text=True, check=False, timeout=100
    )
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}


def main() -> None:
    result = {
        f"no header for {name}": start("--source", name, "--headless") for name in ("gpio-chip", "gpio-zero")
    }
    plug_in()
    result["no screen"] = start("--source", "gpio-zero")
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
