"""Errors in the terminal: their shape, where they go, and the exit status."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer
from each_case import each_case
from typer.testing import CliRunner

from forge.cli.command import command
from forge.cli.failure import problem_text
from forge.cli.terminal import Terminal
from forge.model.codes import CODES
from forge.model.errors import ForgeError, ForgeErrors

SHAPE = re.compile(r"FORGE-E\d{3} .+\n(  why: .+\n)?(  fix: .+\n)?")


def ended(error: BaseException, *words: str) -> Any:
    """A command that ends with this error."""

    def fail(terminal: Terminal) -> None:
        raise error

    app = typer.Typer()
    app.command("fail")(command(fail))
    return CliRunner().invoke(app, list(words))


def test_an_error_says_where_what_why_and_fix() -> None:
    error = ForgeError("E530", "amount is text", where="contracts/a.yaml:17", why="Readers break.", fix="Cast it.")
    assert problem_text(error.to_dict()) == (
        "FORGE-E530 contracts/a.yaml:17  amount is text\n  why: Readers break.\n  fix: Cast it."
    )


def test_an_error_without_place_and_reason_is_one_line() -> None:
    assert problem_text(ForgeError("E101", "bad").to_dict()) == "FORGE-E101 bad"


@pytest.mark.slow
@each_case(sorted(CODES))
def test_each_code_ends_the_command_with_its_own_status(code: str) -> None:
    result = ended(ForgeError(code, "something"))
    assert result.exit_code == CODES[code].exit
    assert result.stderr == f"FORGE-{code} something\n"
    assert result.stdout == ""


def test_all_errors_of_a_group_are_shown_and_counted() -> None:
    group = ForgeErrors([ForgeError("E201", "one", where="a.sql:1"), ForgeError("E202", "two", fix="Mend it.")])
    result = ended(group)
    assert result.stderr == "FORGE-E201 a.sql:1  one\nFORGE-E202 two\n  fix: Mend it.\n2 errors\n"
    assert result.exit_code == CODES["E201"].exit


def test_with_json_the_error_is_data_too() -> None:
    import json

    result = ended(ForgeError("E602", "no branch", fix="Create it."), "--json")
    assert json.loads(result.stdout) == {
        "schema_version": 1,
        "error": {"code": "FORGE-E602", "what": "no branch", "where": None, "why": None, "fix": "Create it."},
    }
    assert result.stderr.startswith("FORGE-E602 no branch\n")


def test_what_nobody_expected_is_one_line_without_a_stack_trace() -> None:
    result = ended(ZeroDivisionError("division by zero"))
    assert result.exit_code == 3
    assert result.stderr.startswith("FORGE-E000 unexpected: ZeroDivisionError: division by zero\n")
    assert "run with -vv for the stack trace" in result.stderr
    assert "Traceback" not in result.stderr


def test_vv_shows_the_stack_trace() -> None:
    assert "Traceback (most recent call last)" in ended(ZeroDivisionError("x"), "-vv").stderr
    assert "Traceback" not in ended(ZeroDivisionError("x"), "-v").stderr


def test_ctrl_c_ends_with_130() -> None:
    result = ended(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stderr.startswith("FORGE-E901 ")


def test_outside_a_project_the_message_names_forge_init(forge: Any) -> None:
    result = forge("log")
    assert result.status == CODES["E102"].exit == 2
    assert SHAPE.fullmatch(result.err)
    assert "forge init" in result.err


def test_malformed_settings_could_not_run(forge: Any, tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: [\n")
    result = forge("plan")
    assert result.status == CODES["E103"].exit == 3
    assert "FORGE-E103 forge.yaml:" in result.err


def test_an_unknown_setting_names_the_nearest(forge: Any, tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("wharehouse: here\n")
    result = forge("plan")
    assert result.status == 3
    assert "Did you mean warehouse" in result.err


def test_a_database_that_cannot_be_reached_is_status_5(forge: Any, tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("database: postgresql+psycopg://nobody@127.0.0.1:1/none\n")
    result = forge("log")
    assert result.status == CODES["E401"].exit == 5
    assert "FORGE-E401" in result.err


@pytest.mark.slow
def test_what_is_not_allowed_is_status_4(forge: Any, history: Any) -> None:
    result = forge("branch", "delete", "main", "--yes", at=history.root)
    assert result.status == 4
    assert "FORGE-E605" in result.err


@pytest.mark.slow
def test_a_conflict_is_a_finding(forge: Any, history: Any) -> None:
    result = forge("branch", "create", "dev", at=history.root)
    assert result.status == 1
    assert "FORGE-E603" in result.err
