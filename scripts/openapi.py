"""Writes ui/openapi.json, from which the web app's types are generated.

`python scripts/openapi.py` writes, `--check` only says whether it is out of date."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "ui" / "openapi.json"


def document() -> str:
    """The description of the API as text, the same on every machine."""
    from forge.api.app import create_app
    from forge.settings import Keys, Settings
    from forge.wiring import Wiring

    wiring = Wiring(Settings(ROOT, Keys(), {"USER": "nobody"}))
    return json.dumps(create_app(wiring).openapi(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    wanted, text = parser.parse_args(arguments), document()
    if FILE.is_file() and FILE.read_text(encoding="utf-8") == text:
        return 0
    if wanted.check:
        print("ui/openapi.json is out of date: run python scripts/openapi.py")
        return 1
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text, encoding="utf-8")
    print("wrote ui/openapi.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
