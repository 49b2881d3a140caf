"""Runs the stages of `make test` one after the other and ends with a table of what they said and how long they took.

All stages run even when one fails: whoever reads the log of a machine wants to know everything that is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
NO_TESTS = 5  # pytest's exit status when nothing was collected

WITHOUT = "FORGE_TEST_WITHOUT"
# The tools and the tests start hundreds of interpreters: all of them would compile every package anew.
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def _pytest(markers: str) -> tuple[str, ...]:
    return ("pytest", "-m", markers, "--durations=5", "--durations-min=1")


Commands = tuple[tuple[str, ...], ...]

STAGES: dict[str, Commands] = {
    "lint": (("ruff", "check", "."), ("ruff", "format", "--check", ".")),
    "types": (("mypy",),),
    "imports": (("lint-imports",),),
    # On all cores: nothing here shares a JVM or a server.
    "unit": ((*_pytest("not spark and not services and not browser"), "-n", "auto", "--dist", "worksteal"),),
    # The packages and the built app are there already where nothing changed.
    "web": (("scripts/web.sh",), ("npm", "--prefix", "ui", "run", "check"), ("npm", "--prefix", "ui", "run", "size")),
    "spark": (_pytest("spark and not services and not browser"),),
    "services": (_pytest("services and not browser"),),
    "browser": (_pytest("browser"),),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    stage: str
    passed: bool
    seconds: float
    closing: str  # the last line the stage printed


def _run(command: tuple[str, ...]) -> tuple[int, str]:
    """Runs one tool, passes its output on as it comes, and gives back its status and its last line."""
    print(f"$ {' '.join(command)}", flush=True)
    closing = ""
    # A tool of the environment goes before one of the machine.
    program = shutil.which(command[0], path=str(BIN)) or shutil.which(command[0]) or shutil.which(ROOT / command[0])
    if program is None:
        print(f"{command[0]}: not found", flush=True)
        return 127, f"{command[0]}: not found"
    environ = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    words = [program, *command[1:]]
    process = subprocess.Popen(words, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    for line in process.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.flush()
        closing = line.decode(errors="replace").strip() or closing
    return process.wait(), closing.strip("= ")


def run_stage(stage: str, commands: Commands, left_out: str) -> Outcome:
    print(f"\n━━ {stage} ━━", flush=True)
    began = time.monotonic()
    passed, closing = True, ""
    for command in commands:
        status, closing = _run(command)
        # A stage without tests proves nothing; only who left services out by name may have none.
        passed = passed and (status == 0 or (status == NO_TESTS and bool(left_out)))
    return Outcome(stage, passed, time.monotonic() - began, closing)


def summary_of(outcomes: Iterable[Outcome], left_out: str) -> str:
    outcomes = tuple(outcomes)
    lines = ["", "━━ summary ━━"]
    for outcome in outcomes:
        word = "passed" if outcome.passed else "FAILED"
        lines.append(f"  {outcome.stage:<10}{word:<8}{outcome.seconds:7.1f} s   {outcome.closing}")
    word = "passed" if all(outcome.passed for outcome in outcomes) else "FAILED"
    lines.append(f"  {'total':<10}{word:<8}{sum(outcome.seconds for outcome in outcomes):7.1f} s")
    if left_out:
        lines.append(f"  !! NOT TESTED: {left_out} ({WITHOUT} is set): this run does not show that they work")
    return "\n".join(lines)


def main(names: Sequence[str], stages: Mapping[str, Commands] = STAGES, left_out: str = "") -> int:
    unknown = [name for name in names if name not in stages]
    if unknown or not names:
        print(f"usage: stages.py {' '.join(stages)}", file=sys.stderr)
        return 2
    outcomes = [run_stage(name, stages[name], left_out) for name in names]
    print(summary_of(outcomes, left_out), flush=True)
    return 0 if all(outcome.passed for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], left_out=os.environ.get(WITHOUT, "")))
