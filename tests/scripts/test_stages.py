"""The log of `make test`: stages unmixed, their times, what each said last, and what was left out."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
Commands = Mapping[str, tuple[tuple[str, ...], ...]]
Run = Callable[..., int]


@pytest.fixture(scope="module")
def stages() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("stages", ROOT / "scripts" / "stages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["stages"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["stages"]


@pytest.fixture
def run(stages: ModuleType, tmp_path: Path) -> Run:
    """`run({"one": (python("…"),)}, jobs=2)`: the exit status of these stages, run in this order."""

    def run(
        commands: Commands, jobs: int = 1, after: Mapping[str, tuple[str, ...]] | None = None, **options: str
    ) -> int:
        made = {name: stages.Stage(each, (after or {}).get(name, ())) for name, each in commands.items()}
        status: int = stages.main(["--jobs", str(jobs), *made], made, logs=tmp_path / "logs", **options)
        return status

    return run


def python(code: str) -> tuple[str, ...]:
    return (Path(sys.executable).name, "-c", code)


def test_a_failed_stage_fails_the_whole_and_the_others_still_run(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    commands = {"one": (python("print('bad'); exit(1)"),), "two": (python("print('== 3 passed in 0.1s ==')"),)}
    assert run(commands) == 1
    log = capfd.readouterr().out
    summary = log[log.index("━━ summary ━━") :]
    assert [line.split()[:2] for line in summary.splitlines()[1:]] == [
        ["one", "FAILED"],
        ["two", "passed"],
        ["total", "FAILED"],
    ]
    assert "3 passed in 0.1s" in summary


def test_every_command_of_a_stage_must_pass(run: Run) -> None:
    assert run({"one": (python("exit(1)"), python(""))}) == 1
    assert run({"one": (python(""), python(""))}) == 0


MEETING = """
import pathlib, time
print('early', flush=True)
pathlib.Path({mine!r}).touch()
deadline = time.monotonic() + 60
while not pathlib.Path({other!r}).exists():
    assert time.monotonic() < deadline, 'alone'
    time.sleep(0.01)
print('late', flush=True)
"""


def test_stages_run_side_by_side_and_each_is_printed_whole(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    commands = {
        "one": (python(MEETING.format(mine=a, other=b)),),
        "two": (python(MEETING.format(mine=b, other=a)),),
    }
    assert run(commands, jobs=2) == 0
    words = [line for line in capfd.readouterr().out.splitlines() if line in ("early", "late") or line.startswith("━━")]
    assert words[:2] == ["━━ one begins ━━", "━━ two begins ━━"]
    assert sorted((words[2:5], words[5:8])) == [["━━ one ━━", "early", "late"], ["━━ two ━━", "early", "late"]]
    assert (tmp_path / "logs" / "one.log").read_text().endswith("early\nlate\n")


def test_a_stage_waits_for_what_it_needs_and_lets_others_pass(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mark = str(tmp_path / "built")
    commands = {
        "browser": (python(f"assert __import__('os').path.exists({mark!r})"),),
        "web": (python(f"open({mark!r}, 'w')"),),
        "lint": (python(""),),
    }
    assert run(commands, jobs=3, after={"browser": ("web", "not in this run")}) == 0
    begun = [line.split()[1] for line in capfd.readouterr().out.splitlines() if line.endswith("begins ━━")]
    assert begun == ["web", "lint", "browser"]


def test_a_stage_runs_even_if_what_it_waited_for_failed(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    commands = {"web": (python("exit(1)"),), "browser": (python("print('it ran')"),)}
    assert run(commands, jobs=2, after={"browser": ("web",)}) == 1
    assert "it ran" in capfd.readouterr().out


def test_a_stage_without_tests_fails_unless_a_service_was_left_out_by_name(
    run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = {"services": (python(f"exit({int(pytest.ExitCode.NO_TESTS_COLLECTED)})"),)}
    assert run(commands) == 1
    assert "NOT TESTED" not in capfd.readouterr().out
    assert run(commands, left_out="postgres") == 0
    assert "!! NOT TESTED: postgres" in capfd.readouterr().out


def test_an_unknown_stage_or_room_is_refused(stages: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    assert stages.main(["lnit"]) == 2
    assert "lint types imports quick unit web spark services browser" in capfd.readouterr().err
    assert stages.main(["--room", "qualty", "quick"]) == 2
    assert "no folder of tests/ is called qualty" in capfd.readouterr().err


def test_a_room_is_tested_on_every_storey(stages: ModuleType) -> None:
    paths = stages.paths_of("quality")
    assert {"tests/quality", "tests/flows/quality", "tests/cli/quality", "tests/api/quality"} <= set(paths)
    assert "tests/ports/test_lineage_store.py" in stages.paths_of("lineage")
    assert not any(other.startswith(f"{path}/") for path in paths for other in paths)
    narrowed = stages.of_room(stages.STAGES, paths)
    assert narrowed["quick"].commands[0][-len(paths) :] == paths
    assert narrowed["lint"] == stages.STAGES["lint"]


def test_a_shared_stage_is_dealt_out_to_the_cores(stages: ModuleType) -> None:
    made = {"quick": stages.Stage((("pytest", "-q"), ("lint",)), ("web",), shared=True), "lint": stages.Stage(())}
    dealt = stages.dealt_out(["lint", "quick"], made, 2)
    assert list(dealt) == ["lint", "quick 1/2", "quick 2/2"]
    assert dealt["quick 2/2"] == stages.Stage((("pytest", "-q", "--share", "2/2"), ("lint",)), ("web",))
    assert stages.dealt_out(["quick"], made, 1) == {"quick": made["quick"]}


@pytest.mark.slow
def test_every_file_of_tests_is_in_one_share() -> None:
    def collect(*options: str) -> set[str]:
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/model", "tests/versioning", *options]
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120).stdout
        return {line for line in listing.splitlines() if "::" in line}

    shares = [collect("--share", f"{number}/3") for number in (1, 2, 3)]
    assert all(shares)
    assert sum(map(len, shares)) == len(set().union(*shares))
    assert set().union(*shares) == collect()


MARKED = """
import pytest
def test_plain(): pass
@pytest.mark.spark
def test_spark(): pass
@pytest.mark.services
def test_services(): pass
@pytest.mark.spark
@pytest.mark.services
def test_both(): pass
@pytest.mark.slow
def test_slow(): pass
@pytest.mark.browser
def test_browser(): pass
@pytest.mark.browser
@pytest.mark.services
@pytest.mark.spark
def test_all(): pass
"""

PROFILES = "import hypothesis; hypothesis.settings.register_profile('quick')"


@pytest.mark.slow
def test_each_test_belongs_to_exactly_one_stage(stages: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    (tmp_path / "conftest.py").write_text(PROFILES)
    collected: dict[str, list[str]] = {stage: [] for stage in ("quick", "unit", "spark", "services", "browser")}
    for stage in collected:
        ((program, *arguments),) = stages.STAGES[stage].commands
        command = [
            str(Path(sys.executable).parent / program),
            *arguments,
            "--collect-only",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:schemathesis",  # as in the settings of the repository: it takes a second to load
        ]
        listing = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60).stdout
        collected[stage] = [line.rpartition("::")[2] for line in listing.splitlines() if "::" in line]
    assert collected == {
        "quick": ["test_plain"],  # of the unit tests, those that are not slow
        "unit": ["test_plain", "test_slow"],
        "spark": ["test_spark"],
        "services": ["test_services", "test_both"],
        "browser": ["test_browser", "test_all"],
    }


def test_a_tool_of_the_machine_is_found_where_the_environment_has_none(
    run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run({"one": (("git", "--version"),)}) == 0
    assert "git version" in capfd.readouterr().out


def test_a_tool_that_is_nowhere_fails_its_stage_and_the_others_still_run(
    run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run({"one": (("no-such-tool",),), "two": (python("print('fine')"),)}) == 1
    log = capfd.readouterr().out
    assert "no-such-tool: not found" in log
    assert "fine" in log


def test_what_python_compiles_is_kept_for_the_next_process_whatever_the_machine_says(
    run: Run, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import os, sys; print(sys.dont_write_bytecode, 'PATH' in os.environ)"
    assert run({"one": (python(code),)}) == 0
    assert "False True" in capfd.readouterr().out
