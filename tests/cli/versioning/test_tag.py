"""`forge tag`, and tags as revisions, on real SQLite stores. No JVM."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from recorded_history import MORNING, History, write_history
from typer.testing import CliRunner

from forge.cli.main import app
from forge.cli.versioning import tag
from forge.wiring import Wiring

Tag = Callable[..., Any]


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    root = tmp_path_factory.mktemp("tags") / "shop"
    assert CliRunner().invoke(app, ["init", str(root)]).exit_code == 0
    wiring = Wiring.of(root, clock=lambda: MORNING + timedelta(days=2))
    yield write_history(wiring)
    wiring.close()


@pytest.fixture
def forge_tag(tagged: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tag]:
    """`forge_tag(*words)` in the project; what it leaves behind is removed."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("NO_COLOR", "")

    def call(*words: str) -> Any:
        monkeypatch.chdir(tagged.root)
        return CliRunner().invoke(tag.app, list(words), prog_name="forge tag")

    yield call
    monkeypatch.delenv("FORGE_VERSIONING__PROTECTED_BRANCHES", raising=False)
    for known in json.loads(call("list", "--json").stdout)["tags"]:
        assert call("delete", known["name"]).exit_code == 0


@pytest.mark.slow
def test_a_tag_is_created_listed_and_deleted(forge_tag: Tag, tagged: History) -> None:
    made = forge_tag("create", "v1.0", "HEAD~1", "-m", "The first\nof many", "--json")
    assert made.exit_code == 0, made.stderr
    (item,) = json.loads(made.stdout)["tags"]
    assert (item["name"], item["target"], item["message"]) == ("v1.0", tagged.first.id, "The first\nof many")
    assert item["signature"] is None
    forge_tag("create", "a/latest")
    listed = forge_tag("list").stdout.splitlines()
    assert [line.split()[:2] for line in listed[1:]] == [
        ["a/latest", tagged.second.id[:12]],
        ["v1.0", tagged.first.id[:12]],
    ]
    assert listed[2].endswith("The first")
    assert forge_tag("delete", "v1.0").exit_code == 0
    assert [t["name"] for t in json.loads(forge_tag("list", "--json").stdout)["tags"]] == ["a/latest"]


@pytest.mark.slow
def test_a_tag_is_a_revision_of_every_command(forge: Any, forge_tag: Tag, tagged: History) -> None:
    forge_tag("create", "v1", "HEAD~1")
    assert forge("log", "v1", "--json", at=tagged.root).json["commits"][0]["id"] == tagged.first.id
    assert forge("show", "raw.orders@v1", "--json", at=tagged.root).json["table"]["rows"] == 6
    assert forge("diff", "v1..main", "--json", at=tagged.root).json["base_commit"] == tagged.first.id


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("create", "v..1"), 2, "E604"),
        (("create", "v2", "nope"), 2, "E601"),
        (("create", "v1"), 1, "E615"),
        (("delete", "v2"), 2, "E614"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_refused(forge_tag: Tag, words: tuple[str, ...], status: int, code: str) -> None:
    forge_tag("create", "v1")
    ended = forge_tag(*words)
    assert (ended.exit_code, ended.stdout) == (status, "")
    assert ended.stderr.startswith(f"FORGE-{code} ")


def test_a_tag_is_moved_by_force_but_not_on_a_protected_branch(
    forge_tag: Tag, tagged: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge_tag("create", "v1")
    moved = forge_tag("create", "v1", "HEAD~1", "--force", "--json")
    assert json.loads(moved.stdout)["tags"][0]["target"] == tagged.first.id
    monkeypatch.setenv("FORGE_VERSIONING__PROTECTED_BRANCHES", "main")
    for words in (("create", "v1", "--force"), ("delete", "v1")):
        ended = forge_tag(*words)
        assert (ended.exit_code, "FORGE-E608" in ended.stderr) == (4, True)


def test_without_tags_it_says_how_to_make_one(forge_tag: Tag) -> None:
    ended = forge_tag("list")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert "forge tag create" in ended.stderr


# the log as a picture shows tags, too


def test_the_graph_stands_before_each_commit(forge: Any, forge_tag: Tag, tagged: History) -> None:
    forge_tag("create", "v1", "HEAD~1")
    lines = forge("log", "--graph", "--oneline", at=tagged.root).out.splitlines()
    assert lines == [
        f"* {tagged.second.id[:12]} (main) Orders of the 15th",
        f"* {tagged.first.id[:12]} (dev, tag: v1) First load",
    ]
    long = forge("log", "--graph", at=tagged.root).out.splitlines()
    assert long[0] == f"* {tagged.second.id[:12]} 2026-11-15 06:10:00 Grace (main) Orders of the 15th"
    short = forge("log", "--oneline", at=tagged.root).out.splitlines()
    assert short == [line.removeprefix("* ") for line in lines]


def test_the_graph_is_for_people_and_data_is_as_ever(forge: Any, tagged: History) -> None:
    plain = forge("log", "--json", at=tagged.root).out
    assert forge("log", "--graph", "--oneline", "--json", at=tagged.root).out == plain


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (("--path", "raw"), ["Orders of the 15th", "First load"]),
        (("--path", "marts"), ["First load"]),
        (("--path", "MARTS.revenue"), ["First load"]),
        (("--path", "raw", "--limit", "1"), ["Orders of the 15th"]),
        (("--path", "raw", "--table", "marts.revenue"), ["First load"]),
        (("--path", "marts", "--author", "grace"), []),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_path_is_a_table_or_a_schema(
    forge: Any, tagged: History, options: tuple[str, ...], messages: list[str]
) -> None:
    found = forge("log", *options, "--json", at=tagged.root).json["commits"]
    assert [commit["message"] for commit in found] == messages


@pytest.mark.parametrize(("path", "nearest"), [("mart", "marts"), ("raw.order", "raw.orders")])
def test_an_unknown_path_gets_the_nearest(forge: Any, tagged: History, path: str, nearest: str) -> None:
    ended = forge("log", "--path", path, at=tagged.root)
    assert (ended.status, f"Did you mean {nearest}?" in ended.err) == (2, True)
