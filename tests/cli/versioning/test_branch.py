"""`forge branch` on real SQLite stores. No JVM."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from recorded_history import MORNING, ORDERS, write_history
from typer.testing import CliRunner

from forge.cli.main import app
from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.branches import create_branch
from forge.model.names import BranchName, CatalogName
from forge.wiring import Wiring


@pytest.fixture(scope="module")
def wiring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wiring]:
    """A history of its own: these commands change it."""
    root = tmp_path_factory.mktemp("branches") / "shop"
    assert CliRunner().invoke(app, ["init", str(root)]).exit_code == 0
    made = Wiring.of(root, clock=lambda: MORNING + timedelta(days=2))
    write_history(made)
    yield made
    made.close()


@pytest.fixture
def root(wiring: Wiring) -> Path:
    return wiring.root


@pytest.fixture
def fix(wiring: Wiring) -> Iterator[str]:
    """A branch `fix` that is there for one test, whatever becomes of it."""
    author, clock = wiring.author, wiring.clock
    known = {b.name for b in wiring.metadata.branches()}
    create_branch(wiring.metadata, "fix", "HEAD", current=wiring.default_branch, author=author, clock=clock)
    yield "fix"
    for branch in wiring.metadata.branches():
        if branch.name not in known:
            wiring.metadata.delete_branch(branch.name, AuditRecord(clock(), "test", "branch.delete", branch.name))


def listed(forge: Any, root: Path, *options: str) -> dict[str, dict[str, Any]]:
    found = forge("branch", "list", *options, "--json", at=root).json["branches"]
    return {branch["name"]: branch for branch in found}


@pytest.mark.slow
def test_a_branch_starts_at_a_tag_a_commit_or_a_time(forge: Any, root: Path, wiring: Wiring) -> None:
    head = wiring.branch_head(wiring.default_branch)
    assert head is not None
    first = wiring.metadata.log(head)[-1]
    for number, start in enumerate((first.id[:8], "2026-11-14", "HEAD~1")):
        ended = forge("branch", "create", f"b{number}", "--from", start, "--json", at=root)
        assert ended.json["branches"][0]["head_commit"] == first.id, ended.err
        assert forge("branch", "delete", f"b{number}", at=root).status == 0


@pytest.mark.slow
def test_a_renamed_branch_takes_its_native_refs_along(forge: Any, root: Path, wiring: Wiring, fix: str) -> None:
    orders = CatalogName(ORDERS.schema, ORDERS.name)
    state = wiring.lake.state(orders)
    assert state is not None
    wiring.lake.set_ref(orders, fix, state.refs["main"])
    head = listed(forge, root)[fix]["head_commit"]
    ended = forge("branch", "rename", fix, "feature/a", "--json", at=root)
    assert ended.json["branches"][0]["name"] == "feature/a"
    assert listed(forge, root)["feature/a"]["head_commit"] == head
    assert fix not in listed(forge, root)
    moved = wiring.lake.state(orders)
    assert moved is not None
    assert moved.refs == {"main": state.refs["main"], "feature/a": state.refs["main"]}
    wiring.lake.set_ref(orders, "feature/a", None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("rename", "main", "x"), 4, "E605"),
        (("rename", "dev", "main"), 1, "E603"),
        (("rename", "dev", "a..b"), 2, "E604"),
        (("rename", "nope", "x"), 2, "E602"),
        (("archive", "main"), 4, "E605"),
        (("protect", "nope"), 2, "E602"),
        (("describe", "nope", "x"), 2, "E602"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_refused(forge: Any, root: Path, words: tuple[str, ...], status: int, code: str) -> None:
    ended = forge("branch", *words, at=root)
    assert (ended.status, ended.out) == (status, "")
    assert ended.err.startswith(f"FORGE-{code} ")


def test_an_archived_branch_is_out_of_sight_until_asked_for(forge: Any, root: Path, fix: str) -> None:
    assert forge("branch", "archive", fix, at=root).status == 0
    assert fix not in listed(forge, root)
    assert "1 archived not shown" in forge("branch", "list", at=root).err
    assert listed(forge, root, "--all")[fix]["status"] == "archived"
    assert "archived" in forge("branch", "list", "-a", at=root).out
    assert forge("branch", "archive", fix, "--restore", at=root).status == 0
    assert listed(forge, root)[fix]["status"] == "active"


def test_a_protected_branch_is_not_deleted_and_says_what_to_type(forge: Any, root: Path, fix: str) -> None:
    ended = forge("branch", "protect", fix, "--allow", "ada@example.com", "--allow", "grace@example.com", at=root)
    assert ended.status == 0
    found = listed(forge, root)[fix]
    assert (found["is_protected"], found["require_approval"]) == (True, True)
    assert found["allowed_mergers"] == ["ada@example.com", "grace@example.com"]
    assert "protected" in forge("branch", "list", at=root).out
    refused = forge("branch", "delete", fix, "--force", "--yes", at=root)
    assert refused.status == 4
    assert "FORGE-E608" in refused.err
    assert f"forge branch unprotect {fix}" in refused.err
    assert forge("branch", "unprotect", fix, at=root).status == 0
    assert forge("branch", "delete", fix, at=root).status == 0


def test_doing_without_an_approval_is_audited(forge: Any, root: Path, wiring: Wiring, fix: str) -> None:
    assert forge("branch", "protect", fix, "--no-approval", at=root).status == 0
    found = listed(forge, root)[fix]
    assert (found["is_protected"], found["require_approval"]) == (True, False)
    assert wiring.metadata.audit(limit=1)[0].action == "branch.approval_waived"


def test_what_forge_yaml_protects_stays_protected(
    forge: Any, root: Path, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_VERSIONING__PROTECTED_BRANCHES", "main, fi*")
    found = listed(forge, root)
    assert {name for name, branch in found.items() if branch["is_protected"]} == {"main", fix}
    assert found[fix]["require_approval"] is True
    for words in (("unprotect", fix), ("delete", fix), ("rename", fix, "x")):
        ended = forge("branch", *words, at=root)
        assert (ended.status, "FORGE-E608" in ended.err) == (4, True), words
    monkeypatch.setenv("FORGE_VERSIONING__REQUIRE_REVIEW_FOR_PROTECTED", "false")
    assert listed(forge, root)[fix]["require_approval"] is False


def test_a_branch_says_what_it_is_for(forge: Any, root: Path, wiring: Wiring, fix: str) -> None:
    assert forge("branch", "describe", fix, "Orders of the 14th", at=root).status == 0
    assert "Orders of the 14th" in forge("branch", "list", at=root).out
    found = wiring.metadata.branch(BranchName(fix))
    assert found is not None
    assert found.description == "Orders of the 14th"
