"""The words of the terminal, and what they cost."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer.main

from forge.cli import command_table
from forge.cli import main as entry

WORDS = [
    "init",
    "setup",
    "demo",
    "serve",
    "catalog",
    "pii",
    "plan",
    "run",
    "runs",
    "log",
    "show",
    "diff",
    "branch",
    "merge",
    "quality",
    "contract",
    "compile",
    "approve",
    "commit",
    "revert",
    "cherry-pick",
    "reset",
    "blame",
    "verify",
    "conflicts",
    "tag",
    "query",
    "saved-query",
    "source",
    "cache",
    "vtable",
    "lineage",
    "upstream",
    "downstream",
    "impact",
    "erd",
    "ingest",
    "check",
    "doctor",
    "repair",
    "gc",
    "explain",
    "version",
    "token",
]
GROUPS = {
    "cache": "stats",
    "catalog": "show",
    **dict.fromkeys(("branch", "conflicts", "saved-query", "source", "tag", "token", "vtable"), "list"),
    "lineage": "show",
    "quality": "run",
    "contract": "lint",
    "pii": "scan",
}
HEAVY = (
    *("pyspark", "pyiceberg", "sqlalchemy", "sqlglot", "pandas", "pyarrow", "pydantic", "alembic", "rich", "yaml"),
    *("numpy", "neo4j", "py4j", "fastapi", "starlette", "uvicorn", "jinja2", "psycopg", "cryptography", "cronsim"),
)
SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"


def modules_of(process: subprocess.Popen[str]) -> set[str]:
    """All that a command and its processes imported; it went well."""
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return set(re.findall(r"\| +([\w.]+)$", err, re.MULTILINE))


def imported(process: subprocess.Popen[str]) -> set[str]:
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    names = re.findall(r"\| +([\w.]+)$", err, re.MULTILINE)
    assert "forge.cli.main" in names or "typer" in names
    return {name.split(".")[0] for name in names}


def test_help_lists_every_command(forge: Any) -> None:
    ended = forge("--help")
    assert ended.status == 0
    listed = re.findall(r"^  ([a-z-]+)  ", ended.out.split("Begin:")[1], re.MULTILINE)
    assert sorted(listed) == sorted(WORDS)
    assert all(f"{title}:" in ended.out for title in command_table.GROUPS)


@pytest.mark.parametrize("word", command_table.WORDS.values(), ids=lambda word: word.name)
def test_every_command_shows_an_example_that_it_would_take(forge: Any, word: command_table.CommandEntry) -> None:
    assert word.example in " ".join(forge(word.name, "--help").out.split())
    program, *words = shlex.split(word.example)
    assert (program, words[0]) == ("forge", word.name)
    command: Any = typer.main.get_command(entry.app)
    context = command.make_context("forge", ["--quiet"], resilient_parsing=True)
    while hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
        group = hasattr(command, "commands")
        context = command.make_context(name, [] if group else words, context, resilient_parsing=group)
    assert not context.args


@pytest.mark.parametrize("word", WORDS)
def test_every_command_has_help_and_the_shared_options(forge: Any, word: str) -> None:
    words = (word, GROUPS[word], "--help") if word in GROUPS else (word, "--help")
    ended = forge(*words)
    assert ended.status == 0
    for option in ("--format", "--json", "--quiet", "--verbose", "--no-progress", "--project"):
        assert option in ended.out


def test_help_imports_nothing_heavy(forge_process: Callable[..., subprocess.Popen[str]]) -> None:
    seen = imported(forge_process("--help", PYTHONPROFILEIMPORTTIME="1"))
    assert seen & set(HEAVY) == set()


# How many modules a command may import, and what it has no use for. Processor time follows these counts: about a
# millisecond for each module.
COSTS: tuple[tuple[tuple[str, ...], int, frozenset[str]], ...] = (
    (("--help",), 170, frozenset(HEAVY)),
    (("log",), 510, frozenset(HEAVY) - {"sqlalchemy", "pydantic", "yaml"}),
    (("branch", "list"), 520, frozenset(HEAVY) - {"sqlalchemy", "pydantic", "yaml"}),
    (("upstream", "marts.revenue"), 650, frozenset(HEAVY) - {"sqlalchemy", "pydantic", "yaml", "numpy"}),
    (("lineage", "extract", "q.sql"), 420, frozenset(HEAVY) - {"sqlglot", "yaml"}),
    (("plan",), 765, frozenset(HEAVY) - {"sqlalchemy", "pydantic", "yaml", "sqlglot"}),
)


@pytest.mark.slow
@pytest.mark.parametrize(("words", "most", "without"), COSTS, ids=[" ".join(cost[0]) for cost in COSTS])
def test_a_command_imports_what_it_needs_and_no_more(
    forge_process: Callable[..., subprocess.Popen[str]],
    history: Any,
    words: tuple[str, ...],
    most: int,
    without: frozenset[str],
) -> None:
    (history.root / "q.sql").write_text("CREATE TABLE a AS SELECT b FROM c")
    forge_process(*words, at=history.root).communicate(
        timeout=120
    )  # the graph follows the commits when it is first asked
    names = modules_of(forge_process(*words, at=history.root, PYTHONPROFILEIMPORTTIME="1"))
    assert {name.split(".")[0] for name in names} & without == set()
    assert len(names) <= most


@pytest.fixture
def shop_folder(tmp_path: Path) -> Path:
    """The project of the demo with a file of every source, before its first run."""
    root = Path(shutil.copytree(SHOP, tmp_path / "shop", ignore=shutil.ignore_patterns(".forge", "data")))
    for source in (root / "sources").glob("*.yaml"):
        for path in re.findall(r"path: (\S+)", source.read_text()):
            file = root / path.replace("*", "one")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    (root / "data" / "countries.csv").write_text("country,name,currency,rate_to_eur\nCH,Switzerland,CHF,1.05\n")
    return root


@pytest.mark.slow
def test_a_plan_of_the_demo_imports_neither_spark_nor_pyiceberg(
    forge_process: Callable[..., subprocess.Popen[str]], shop_folder: Path
) -> None:
    """Three of its transforms are Python and import pyspark."""
    assert sum("pyspark" in path.read_text() for path in (shop_folder / "transforms").rglob("*.py")) == 3
    modules_of(
        forge_process("commit", "raw.countries", "--file", "data/countries.csv", at=shop_folder)
    )  # a table to look at
    names = modules_of(forge_process("plan", at=shop_folder, PYTHONPROFILEIMPORTTIME="1"))
    without = set(HEAVY) - {"sqlalchemy", "pydantic", "yaml", "sqlglot"}
    assert {name.split(".")[0] for name in names} & without == set()
    assert len(names) <= 780  # the packages of rooms count, and cost nothing


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("log",), ("show",), ("runs",), ("upstream", "marts.revenue"), ("branch", "list"), ("conflicts", "list")]
)
def test_a_command_on_records_imports_no_spark(
    forge_process: Callable[..., subprocess.Popen[str]], history: Any, words: tuple[str, ...]
) -> None:
    seen = imported(forge_process(*words, at=history.root, PYTHONPROFILEIMPORTTIME="1"))
    assert "pyspark" not in seen
    assert "py4j" not in seen


def test_an_unknown_command_names_the_nearest(forge: Any) -> None:
    ended = forge("lgo")
    assert ended.status == 2
    assert "'log'" in ended.err
    assert ended.out == ""


def test_an_unknown_option_names_the_nearest(forge: Any) -> None:
    ended = forge("log", "--frmat", "json")
    assert ended.status == 2
    assert "--format" in ended.err


def test_version_is_the_installed_one(forge: Any) -> None:
    from importlib.metadata import version

    assert forge("--version").out == version("forge") + "\n"
    assert forge("version", "--json").json["version"] == version("forge")


@pytest.mark.slow
def test_shared_options_stand_before_and_after_the_command(forge: Any, history: Any) -> None:
    before = forge("--json", "--project", str(history.root), "log")
    after = forge("log", "--project", str(history.root), "--format", "json")
    assert before.status == 0
    assert before.json == after.json


@pytest.mark.slow
def test_an_option_after_the_command_wins_over_one_before_it(forge: Any, history: Any) -> None:
    ended = forge("--format", "yaml", "log", "--json", at=history.root)
    assert ended.json["schema_version"] == 1


def test_a_reader_that_goes_away_is_no_error(forge_process: Callable[..., subprocess.Popen[str]], history: Any) -> None:
    process = forge_process("explain", at=history.root)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0


def test_sigterm_behaves_like_ctrl_c(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(sys, "argv", ["forge", "--version"])
    try:
        with pytest.raises(SystemExit):
            entry.main()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err == ""


def test_the_module_runs_as_the_command_does(
    forge_process: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    out, err = forge_process("init", "a-shop").communicate(timeout=60)
    assert "a-shop/forge.yaml" in out
    assert "forge plan" in err
    assert (tmp_path / "a-shop" / "forge.yaml").exists()
