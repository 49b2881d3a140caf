"""`plan` and `run` where no JVM is needed: what is wrong is found before Spark starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A session could not start: what passes here needs none."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("plan", "marts.revenu"), 2, "E108"),
        (("plan", "--branch", "nope"), 2, "E602"),
        (("run", "--branch", "nope"), 2, "E602"),
        (("run", "--param", "sinc=2026-11-15"), 2, "E108"),
        (("run", "--param", "since=yesterday"), 2, "E105"),
        (("run", "--param", "since"), 2, "E105"),
        (("run", "--start", "2026-11-15"), 2, "E105"),
        (("check", "marts.revenu"), 2, "E108"),
        (("gc", "--older-than", "soon"), 2, "E105"),
        (("query", "SELECT 1 FROM", "--limit", "5"), 3, "E201"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_a_wrong_word_has_its_code_and_status(
    forge: Any, project: Path, words: tuple[str, ...], status: int, code: str
) -> None:
    ended = forge(*words, at=project)
    assert (ended.status, ended.err.split()[0]) == (status, f"FORGE-{code}"), ended.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("plan", "marts.revenu"), "marts.revenue"),
        (("run", "--param", "sinc=2026-11-15"), "since"),
        (("check", "marts.revenu"), "marts.revenue"),
        (("plan", "--branch", "mian"), "main"),
    ],
)
def test_an_unknown_name_gets_the_nearest(forge: Any, project: Path, words: tuple[str, ...], nearest: str) -> None:
    assert f"Did you mean {nearest}" in forge(*words, at=project).err


def test_a_selection_plans_only_what_it_names(forge: Any, project: Path) -> None:
    steps = forge("plan", "raw.orders", "--json", at=project).json["steps"]
    assert [step["table"] for step in steps] == ["raw.orders"]


@pytest.mark.slow
def test_a_plan_counts_what_is_blocked(forge: Any, project: Path) -> None:
    ended = forge("plan", "marts.revenue", at=project)
    assert "0 tables to run, 0 up to date, 1 blocked, on main" in ended.err


def test_a_dry_run_is_the_plan_and_leaves_no_run(forge: Any, project: Path) -> None:
    dry, plan = forge("run", "--dry-run", at=project), forge("plan", at=project)
    assert (dry.status, dry.out, dry.err) == (0, plan.out, plan.err)
    assert forge("runs", "--json", at=project).json["runs"] == []


def test_a_missing_file_fails_the_run_with_its_place(forge: Any, project: Path) -> None:
    (project / "data" / "orders.csv").unlink()
    ended = forge("run", at=project)
    assert ended.status == 3
    assert "FORGE-E208 sources/shop.yaml:" in ended.err
    assert "Traceback" not in ended.err
    assert forge("runs", "--json", at=project).json["runs"][0]["status"] == "failed"
    assert forge("log", at=project).status == 2  # nothing was published


def test_a_run_without_java_says_how_to_install_it(forge: Any, project: Path) -> None:
    ended = forge("run", at=project)
    assert ended.status == 3
    assert "FORGE-E301" in ended.err
    assert "  fix: Install it" in ended.err


@pytest.mark.slow
def test_with_json_a_failed_run_is_data_too(forge: Any, project: Path) -> None:
    ended = forge("run", "--json", at=project)
    assert ended.status == 3
    outputs = {output["table"]: output for output in ended.json["outputs"]}
    assert outputs["raw.orders"]["error"]["code"] == "FORGE-E301"
    assert outputs["marts.revenue"]["status"] == "skipped"


def test_a_syntax_error_names_file_and_line(forge: Any, project: Path) -> None:
    (project / "transforms" / "marts" / "revenue.sql").write_text("SELECT day\nFROM raw.orders WHERE (\n")
    ended = forge("plan", at=project)
    assert ended.status == 3
    assert "\nFORGE-E201 transforms/marts/revenue.sql:2" in ended.err


def test_all_errors_of_a_project_are_shown_at_once(forge: Any, project: Path) -> None:
    (project / "transforms" / "marts" / "a.sql").write_text("SELECT * FROM raw.nope\n")
    (project / "transforms" / "marts" / "b.sql").write_text("SELECT * FROM raw.neither\n")
    ended = forge("plan", at=project)
    assert ended.status == 3
    assert ended.err.count("FORGE-E202") == 2
    assert ended.err.endswith("2 errors\n")


def test_a_check_of_what_was_never_published_is_said_not_failed(forge: Any, project: Path) -> None:
    ended = forge("check", "--json", at=project)
    assert ended.status == 0
    assert ended.json["verdicts"] == []
    assert "marts.revenue is not there yet" in ended.err
