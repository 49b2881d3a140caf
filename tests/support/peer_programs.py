"""Programs of others that Forge is tested beside, each in an environment of its own (scripts/peers.sh)."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@cache
def programs_of(name: str) -> Path:
    """The folder of the programs of requirements/NAME.lock; made if it is not there yet."""
    made = subprocess.run([ROOT / "scripts" / "peers.sh", name], capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip()) / "bin"


def ask_client(asked: object) -> Any:
    """What the client of OpenLineage answers: the script beside this file, run where that client is installed."""
    words = [str(programs_of("dbt") / "python"), str(Path(__file__).with_name("openlineage_client.py"))]
    ended = subprocess.run(words, input=json.dumps(asked), capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
