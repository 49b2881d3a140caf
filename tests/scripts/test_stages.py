"""The log of `make test`: stages in order, their times, what each said last, and what was left out."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


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


def python(code: str) -> tuple[tuple[str, ...], ...]:
    return ((Path(sys.executable).name, "-c", code),)


def test_a_failed_stage_fails_the_whole_and_the_others_still_run(
    stages: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = {"one": python("print('bad'); exit(1)"), "two": python("print('== 3 passed in 0.1s ==')")}
    assert stages.main(["one", "two"], commands) == 1
    log = capfd.readouterr().out
    summary = log[log.index("━━ summary ━━") :]
    assert [line.split()[:2] for line in summary.splitlines()[1:]] == [
        ["one", "FAILED"],
        ["two", "passed"],
        ["total", "FAILED"],
    ]
    assert "3 passed in 0.1s" in summary


def test_every_command_of_a_stage_must_pass(stages: ModuleType) -> None:
    assert stages.main(["one"], {"one": python("exit(1)") + python("")}) == 1
    assert stages.main(["one"], {"one": python("") + python("")}) == 0


def test_a_stage_without_tests_fails_unless_a_service_was_left_out_by_name(
    stages: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = {"services": python(f"exit({int(pytest.ExitCode.NO_TESTS_COLLECTED)})")}
    assert stages.main(["services"], commands) == 1
    assert "NOT TESTED" not in capfd.readouterr().out
    assert stages.main(["services"], commands, left_out="postgres") == 0
    assert "!! NOT TESTED: postgres" in capfd.readouterr().out


def test_an_unknown_stage_is_refused(stages: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    assert stages.main(["lnit"]) == 2
    assert "lint types imports unit web spark services browser" in capfd.readouterr().err


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
@pytest.mark.browser
def test_browser(): pass
@pytest.mark.browser
@pytest.mark.services
@pytest.mark.spark
def test_all(): pass
"""


def test_each_test_belongs_to_exactly_one_stage(stages: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    collected = []
    for stage in ("unit", "spark", "services", "browser"):
        ((program, *arguments),) = stages.STAGES[stage]
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
        collected += [line.rpartition("::")[2] for line in listing.splitlines() if "::" in line]
    assert sorted(collected) == ["test_all", "test_both", "test_browser", "test_plain", "test_services", "test_spark"]


def test_a_tool_of_the_machine_is_found_where_the_environment_has_none(
    stages: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert stages.main(["one"], {"one": (("git", "--version"),)}) == 0
    assert "git version" in capfd.readouterr().out


def test_a_tool_that_is_nowhere_fails_its_stage_and_the_others_still_run(
    stages: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = {"one": (("no-such-tool",),), "two": python("print('fine')")}
    assert stages.main(["one", "two"], commands) == 1
    log = capfd.readouterr().out
    assert "no-such-tool: not found" in log
    assert "fine" in log


def test_what_python_compiles_is_kept_for_the_next_process_whatever_the_machine_says(
    stages: ModuleType, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import os, sys; print(sys.dont_write_bytecode, 'PATH' in os.environ)"
    assert stages.main(["one"], {"one": python(code)}) == 0
    assert "False True" in capfd.readouterr().out
