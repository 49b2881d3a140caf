"""Runs the stages of `make test` and `make check`, several at a time, and ends with a table of what they said and how
long they took.

All stages run even when one fails: whoever reads the log of a machine wants to know everything that is wrong. Each
writes to build/stages/<stage>.log as it goes and is printed whole when it ends, so that no two are mixed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LOGS = ROOT / "build" / "stages"
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
NO_TESTS = 5  # pytest's exit status when nothing was collected

WITHOUT = "FORGE_TEST_WITHOUT"
# The tools and the tests start hundreds of interpreters: all of them would compile every package anew.
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
# Thousands of small projects and databases: in memory, where it is big enough, none of them waits for a disk.
MEMORY_FOLDER, MEMORY_NEEDED = Path("/dev/shm"), 4 * 2**30  # noqa: S108 — pytest makes a folder of its own there
TEMPORARY_FOLDERS = "PYTEST_DEBUG_TEMPROOT"

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """`after` names the stages it waits for, where they are part of the run. `shared`: its tests are dealt out to
    one process per core. pytest-xdist would balance them better, but each of its workers collects all tests, and
    every result is sent to yet another process: a fifth of the time where tests take milliseconds. `in_memory`: its
    temporary folders are small."""

    commands: tuple[Command, ...]
    after: tuple[str, ...] = ()
    shared: bool = False
    in_memory: bool = False


def _pytest(markers: str, *options: str) -> Command:
    return ("pytest", "-m", markers, "--durations=5", "--durations-min=1", *options)


NO_MACHINERY = "not spark and not services and not browser"
# On all cores: nothing here shares a JVM or a server.
ON_ALL_CORES = ("-n", "auto", "--dist", "worksteal")
# What takes a sixth of a second or needs other programs waits for `make test`.
FOLDERS_OF_MACHINERY = tuple(f"--ignore=tests/{name}" for name in ("spark", "services", "browser"))
QUICK = _pytest(f"not slow and {NO_MACHINERY}", "--hypothesis-profile=quick", *FOLDERS_OF_MACHINERY)

STAGES: dict[str, Stage] = {
    "lint": Stage((("ruff", "check", "."), ("ruff", "format", "--check", "."))),
    "types": Stage((("mypy",),)),
    "imports": Stage((("lint-imports",),)),
    "quick": Stage((QUICK,), shared=True, in_memory=True),
    "unit": Stage((_pytest(NO_MACHINERY, *ON_ALL_CORES),)),
    # The packages and the built app are there already where nothing changed.
    "web": Stage(
        (("scripts/web.sh",), ("npm", "--prefix", "ui", "run", "check"), ("npm", "--prefix", "ui", "run", "size"))
    ),
    # Two sessions: half of the time a test waits for a Java process to start, or for one of Spark's threads.
    "spark": Stage((_pytest("spark and not services and not browser"),), shared=True),
    "services": Stage((_pytest("services and not browser"),), after=("web",)),  # one of them builds the wheel
    "browser": Stage((_pytest("browser"),), after=("web",)),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    stage: str
    passed: bool
    seconds: float
    closing: str  # the last line the stage printed


def _run(command: Command, log: Path, more: Mapping[str, str]) -> int:
    """Runs one tool with more variables, its output added to the log as it comes."""
    # A tool of the environment goes before one of the machine.
    program = shutil.which(command[0], path=str(BIN)) or shutil.which(command[0]) or shutil.which(ROOT / command[0])
    environ = {name: value for name, value in os.environ.items() if name != NO_BYTECODE} | dict(more)
    with log.open("ab", buffering=0) as output:
        output.write(f"$ {' '.join(command)}\n".encode())
        if program is None:
            output.write(f"{command[0]}: not found\n".encode())
            return 127
        words = [program, *command[1:]]
        return subprocess.run(words, cwd=ROOT, env=environ, stdout=output, stderr=subprocess.STDOUT).returncode


def run_stage(name: str, stage: Stage, left_out: str, logs: Path) -> Outcome:
    began = time.monotonic()
    log = _log_of(name, logs)
    log.write_bytes(b"")
    passed = True
    more = {TEMPORARY_FOLDERS: str(MEMORY_FOLDER)} if stage.in_memory and _has_memory() else {}
    for command in stage.commands:
        status = _run(command, log, more)
        # A stage without tests proves nothing; only who left services out by name may have none, and a share of few.
        may_be_empty = bool(left_out) or "--share" in command
        passed = passed and (status == 0 or (status == NO_TESTS and may_be_empty))
    return Outcome(name, passed, time.monotonic() - began, _closing(log))


def _has_memory() -> bool:
    return os.access(MEMORY_FOLDER, os.W_OK) and shutil.disk_usage(MEMORY_FOLDER).free >= MEMORY_NEEDED


def _log_of(name: str, logs: Path) -> Path:
    return logs / f"{name.replace(' ', '-').replace('/', '-of-')}.log"


def _closing(log: Path) -> str:
    lines = [line for line in log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1].strip("= ") if lines else ""


def run_all(names: Sequence[str], stages: Mapping[str, Stage], left_out: str, jobs: int, logs: Path) -> list[Outcome]:
    """Starts stages in the order given, `jobs` at a time; one that waits for another lets later ones pass."""
    logs.mkdir(parents=True, exist_ok=True)
    waiting, outcomes = list(names), dict[str, Outcome]()
    running: dict[Future[Outcome], str] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            for name in [one for one in waiting if not _unmet(stages[one], names, outcomes)][: jobs - len(running)]:
                waiting.remove(name)
                print(f"━━ {name} begins ━━", flush=True)
                running[pool.submit(run_stage, name, stages[name], left_out, logs)] = name
            for ended in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(ended)
                outcomes[name] = ended.result()
                _print_log(name, _log_of(name, logs))
    return [outcomes[name] for name in names]


def _unmet(stage: Stage, names: Sequence[str], outcomes: Mapping[str, Outcome]) -> bool:
    return any(name in names and name not in outcomes for name in stage.after)


def _print_log(name: str, log: Path) -> None:
    print(f"\n━━ {name} ━━", flush=True)
    with log.open("rb") as text:
        shutil.copyfileobj(text, sys.stdout.buffer)
    print(flush=True)


def summary_of(outcomes: Iterable[Outcome], left_out: str, seconds: float) -> str:
    outcomes = tuple(outcomes)
    lines = ["", "━━ summary ━━"]
    for outcome in outcomes:
        word = "passed" if outcome.passed else "FAILED"
        lines.append(f"  {outcome.stage:<11}{word:<8}{outcome.seconds:7.1f} s   {outcome.closing}")
    word = "passed" if all(outcome.passed for outcome in outcomes) else "FAILED"
    lines.append(f"  {'total':<11}{word:<8}{seconds:7.1f} s")
    if left_out:
        lines.append(f"  !! NOT TESTED: {left_out} ({WITHOUT} is set): this run does not show that they work")
    return "\n".join(lines)


def paths_of(room: str, tests: Path = ROOT / "tests") -> tuple[str, ...]:
    """The tests of a room on every storey: folders of its name, and files whose name begins with it elsewhere."""
    folders = [path for path in sorted(tests.rglob(room)) if path.is_dir()]
    files = [path for path in sorted(tests.rglob(f"test_{room}*.py")) if room not in path.relative_to(tests).parts]
    outermost = [path for path in folders if room not in path.relative_to(tests).parts[:-1]]
    return tuple(str(path.relative_to(tests.parent)) for path in (*outermost, *files))


def of_room(stages: Mapping[str, Stage], paths: Sequence[str]) -> dict[str, Stage]:
    """The same stages, with pytest given these paths only."""
    return {name: replace(stage, commands=_with(stage.commands, paths)) for name, stage in stages.items()}


def dealt_out(names: Sequence[str], stages: Mapping[str, Stage], cores: int) -> dict[str, Stage]:
    """The stages of these names in this order; a shared one is several: `quick 1/2` and `quick 2/2`."""
    dealt: dict[str, Stage] = {}
    for name in names:
        stage = stages[name]
        shares = [f"{number}/{cores}" for number in range(1, cores + 1)] if stage.shared and cores > 1 else []
        for share in shares:
            dealt[f"{name} {share}"] = replace(stage, commands=_with(stage.commands, ("--share", share)), shared=False)
        if not shares:
            dealt[name] = stage
    return dealt


def _with(commands: tuple[Command, ...], words: Sequence[str]) -> tuple[Command, ...]:
    return tuple((*command, *words) if command[0] == "pytest" else command for command in commands)


def main(words: Sequence[str], stages: Mapping[str, Stage] = STAGES, left_out: str = "", logs: Path = LOGS) -> int:
    parser = argparse.ArgumentParser(prog="stages.py", usage=f"stages.py [--jobs N] [--room ROOM] {' '.join(stages)}")
    parser.add_argument("--jobs", type=int, default=CORES + 1)
    parser.add_argument("--room", default="")
    parser.add_argument("names", nargs="+", choices=list(stages))
    try:
        given = parser.parse_args(words)
    except SystemExit as end:
        return int(end.code or 0)
    if given.room:
        paths = paths_of(given.room)
        if not paths:
            print(f"stages.py: no folder of tests/ is called {given.room}", file=sys.stderr)
            return 2
        stages = of_room(stages, paths)
    stages = dealt_out(given.names, stages, CORES)
    began = time.monotonic()
    outcomes = run_all(tuple(stages), stages, left_out, max(1, given.jobs), logs)
    print(summary_of(outcomes, left_out, time.monotonic() - began), flush=True)
    return 0 if all(outcome.passed for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], left_out=os.environ.get(WITHOUT, "")))
