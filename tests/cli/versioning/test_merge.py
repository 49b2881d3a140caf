"""`forge merge`, `cherry-pick`, `revert`, `reset` and `approve`, on real stores. No JVM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FOUR = "order_id,customer,amount,status\n4,di,40,new\n"


@pytest.fixture
def ahead(house: Any, house_folder: Any) -> Any:
    """`fix` has one commit more than main: a new row, and a cell."""

    def make(_: Path) -> None:
        assert house("branch", "create", "fix").status == 0
        house.change("order_id,amount\n1,12\n", "--branch", "fix", "-m", "Amount of 1")
        house.commit(FOUR, "--branch", "fix", "-m", "Order 4")

    house_folder.lay("ahead", make)
    return house


@pytest.fixture
def apart(ahead: Any, house_folder: Any) -> Any:
    """And main has a commit that `fix` does not have, in another cell of the same row."""
    house_folder.lay("apart", lambda _: ahead.change("order_id,status\n1,paid\n", "-m", "Paid"))
    return ahead


def head(house: Any, revision: str = "main") -> str:
    return str(house("log", revision, "-n", "1", "--json").json["commits"][0]["id"])


@pytest.mark.slow
def test_a_branch_that_is_only_ahead_is_fast_forwarded(ahead: Any) -> None:
    ended = ahead("merge", "fix", "--json")
    assert ended.status == 0
    found = ended.json
    assert (found["kind"], found["type"]) == ("merge", "fast_forward")
    assert (found["source_branch"], found["target_branch"]) == ("fix", "main")
    assert found["commit"]["id"] == head(ahead) == head(ahead, "fix")
    assert found["tables"][0] | {"bytes_read": 0} == {
        "table": "core.orders",
        "how": "fast_forward",
        "inserted": 1,
        "updated": 1,
        "deleted": 0,
        "conflicts": 0,
        "resolved": 0,
        "bytes_read": 0,
        "engine": "",
        "key": [],
        "warning": "",
    }
    assert ahead.values("main", "amount") == {1: 12.0, 2: 20.0, 3: 30.0, 4: 40.0}


@pytest.mark.slow
def test_the_sides_are_merged_cell_by_cell(apart: Any) -> None:
    ended = apart("merge", "fix")
    assert ended.status == 0
    first, second, *_ = ended.out.splitlines()
    assert first.startswith("fix → main: merged as ")
    assert second.split()[:3] == ["core.orders", "+1", "~1"]
    assert apart.values("main", "amount")[1] == 12.0
    assert apart.values("main", "status")[1] == "paid"
    shown = apart("show", "--json").json
    assert shown["commit"]["message"] == "Merge branch 'fix' into 'main'"
    assert shown["commit"]["is_merge"]
    assert shown["commit"]["parents"] == [head(apart, "main^1"), head(apart, "fix")]


@pytest.mark.slow
def test_what_is_merged_is_up_to_date(apart: Any) -> None:
    apart("merge", "fix")
    before = head(apart)
    ended = apart("merge", "fix")
    assert (ended.status, ended.out) == (0, "fix → main: already up to date\n")
    assert head(apart) == before


@pytest.mark.slow
def test_no_ff_makes_a_merge_commit_with_its_message(ahead: Any) -> None:
    assert ahead("merge", "fix", "--no-ff", "-m", "By hand").status == 0
    commit = ahead("show", "--json").json["commit"]
    assert (commit["message"], len(commit["parents"])) == ("By hand", 2)
    assert (commit["rows_added"], commit["rows_modified"]) == (1, 1)


@pytest.mark.slow
def test_a_squash_is_one_commit_with_one_parent_and_keeps_the_targets_changes(apart: Any) -> None:
    before = head(apart)
    ended = apart("merge", "fix", "--strategy", "squash")
    assert "squashed as" in ended.out
    commit = apart("show", "--json").json["commit"]
    assert (commit["message"], commit["parents"]) == ("Squash merge branch 'fix'", [before])
    assert apart.values("main", "status")[1] == "paid"


@pytest.mark.slow
def test_a_rebase_replays_each_commit(apart: Any) -> None:
    ended = apart("merge", "fix", "--strategy", "rebase")
    assert ended.status == 0, ended.err
    messages = [commit["message"] for commit in apart("log", "--json").json["commits"]]
    assert messages == ["Order 4", "Amount of 1", "Paid", "First load"]


@pytest.mark.slow
def test_a_fast_forward_that_is_not_possible_moves_nothing(apart: Any) -> None:
    before = head(apart)
    ended = apart("merge", "fix", "main", "--strategy", "ff")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("FORGE-E609 ")
    assert "forge merge fix main" in ended.err
    assert head(apart) == before


@pytest.mark.parametrize(
    ("words", "status", "code", "said"),
    [
        (("merge", "fxi"), 2, "E601", "Did you mean fix?"),
        (("merge", "fix", "mian"), 2, "E602", "Did you mean main?"),
        (("merge", "fix", "--strategy", "sqash"), 2, "E105", "Did you mean squash?"),
        (("merge", "fix", "--key", "id"), 2, "E105", "--key core.orders=id"),
        (("merge", "fix", "--take", "mine"), 2, "E619", "ours, theirs or base"),
        (("merge", "fix", "--rule", "amount"), 2, "E619", "amount=greatest(ours, theirs)"),
        (("merge", "fix", "--rule", "amount=system(ours)"), 2, "E625", "system"),
        (("merge", "--files", "a.parquet"), 2, "E105", "forge merge --files BASE OURS THEIRS"),
        (("cherry-pick", "nothing"), 2, "E601", "forge log"),
        (("revert", "HEAD~99"), 2, "E601", "first commit"),
        (("reset", "nothing", "--yes"), 2, "E601", "forge log"),
        (("approve", "m2026"), 2, "E616", "forge conflicts list"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_slip_is_told_with_the_way_out(ahead: Any, words: tuple[str, ...], status: int, code: str, said: str) -> None:
    before = head(ahead)
    ended = ahead(*words)
    assert (ended.status, ended.out) == (status, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert said in ended.err
    assert head(ahead) == before


@pytest.mark.slow
def test_a_dry_run_tells_and_moves_nothing(torn: Any) -> None:
    before, runs = head(torn), torn("runs", "--json").json["runs"]
    ended = torn("merge", "fix", "--dry-run", "--json")
    assert ended.status == 1
    found = ended.json
    assert (found["can_merge"], found["conflict_count"], found["ahead"], found["behind"]) == (False, 1, 2, 2)
    assert found["conflicts"][0]["column"] == "amount"
    assert "Nothing was moved" in ended.err
    assert (head(torn), torn("runs", "--json").json["runs"]) == (before, runs)
    assert torn("conflicts", "list", "--json").json["merges"] == []


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("fix",), 0, "fix → main: would be fast-forwarded"),
        (("fix", "--no-ff"), 0, "fix → main: would merge"),
        (("main", "fix"), 0, "main → fix: already up to date"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_dry_run_says_what_would_happen(ahead: Any, words: tuple[str, ...], status: int, said: str) -> None:
    ended = ahead("merge", *words, "--dry-run")
    assert (ended.status, ended.out.splitlines()[0]) == (status, said)


@pytest.mark.slow
def test_a_rule_answers_the_conflicts_it_fits(torn: Any) -> None:
    ended = torn("merge", "fix", "--rule", "core.orders.amount=greatest(ours, theirs)")
    assert ended.status == 0, ended.out
    assert torn.values("main", "amount") == {1: 12.0, 2: 20.0, 3: 33.0, 4: 40.0}


def test_a_standing_rule_is_in_the_settings(torn: Any) -> None:
    with Path(torn.root, "forge.yaml").open("a") as file:
        file.write("versioning: {rules: {core.orders: {amount: ours}}}\n")
    assert torn("merge", "fix").status == 0
    assert torn.values("main", "amount")[1] == 11.0


def test_a_cherry_pick_brings_one_commit(apart: Any) -> None:
    ended = apart("cherry-pick", "fix", "--json")
    assert ended.status == 0, ended.err
    assert ended.json["kind"] == "cherry-pick"
    assert apart.values("main", "amount") == {1: 10.0, 2: 20.0, 3: 30.0, 4: 40.0}
    commit = apart("show", "--json").json["commit"]
    assert (commit["message"], commit["metadata"]["cherry-pick"]) == ("Order 4", head(apart, "fix"))


def test_a_revert_takes_back_one_commit_and_keeps_later_ones(ahead: Any) -> None:
    ended = ahead("revert", "fix~1", "--branch", "fix")
    assert ended.status == 0, ended.err
    assert ended.out.startswith("revert of ")
    assert ahead.values("fix", "amount") == {1: 10.0, 2: 20.0, 3: 30.0, 4: 40.0}
    assert 'Revert "Amount of 1"' in ahead("log", "fix", "-n", "1").out


def test_what_changes_nothing_is_no_commit(ahead: Any) -> None:
    ended = ahead("cherry-pick", "HEAD")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("FORGE-E627 ")


def test_a_reset_moves_the_branch_and_tells_the_way_back(ahead: Any) -> None:
    ahead("merge", "fix")
    before = head(ahead)
    ended = ahead("reset", "HEAD~2", "--json")
    assert ended.status == 0
    assert (ended.json["branch"], ended.json["from"], ended.json["to"]) == ("main", before, head(ahead))
    assert ended.json["tables"] == [{"table": "core.orders"}]
    assert ahead.values("main", "amount") == {1: 10.0, 2: 20.0, 3: 30.0}
    assert f"forge reset {before[:12]} --branch main" in ended.err
    ahead("reset", before[:12])
    assert head(ahead) == before


@pytest.fixture
def guarded(ahead: Any) -> Any:
    assert ahead("branch", "protect", "main").status == 0
    return ahead


@pytest.mark.parametrize(
    "words", [("revert", "HEAD"), ("reset", "HEAD"), ("cherry-pick", "fix")], ids=lambda words: words[0]
)
def test_a_protected_branch_changes_by_merges_alone(guarded: Any, words: tuple[str, ...]) -> None:
    ended = guarded(*words)
    assert (ended.status, ended.out) == (4, "")
    assert ended.err.startswith("FORGE-E608 ")


def test_a_merge_into_a_protected_branch_waits_for_someone_else(guarded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = head(guarded)
    assert "wait for an approval" in guarded("merge", "fix", "--dry-run").out
    waits = guarded("merge", "fix", "--json")
    assert (waits.status, waits.json["type"], head(guarded)) == (1, "pending", before)
    merge = waits.json["merge_id"]
    assert f"forge approve {merge}" in waits.err
    own = guarded("approve", merge)
    assert (own.status, own.err.startswith("FORGE-E620 ")) == (4, True)
    monkeypatch.setenv("FORGE_USER__EMAIL", "grace@example.com")
    done = guarded("approve", merge, "-m", "fine", "--json")
    assert (done.status, done.json["type"]) == (0, "fast_forward")
    assert head(guarded) == head(guarded, "fix")
    (given,) = guarded("conflicts", "show", merge, "--json").json["merge"]["approvals"]
    assert (given["user"], given["approved"], given["comment"]) == ("grace@example.com", True, "fine")


def test_a_merge_that_is_rejected_is_closed(guarded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    merge = guarded("merge", "fix", "--json").json["merge_id"]
    monkeypatch.setenv("FORGE_USER__EMAIL", "grace@example.com")
    ended = guarded("approve", merge, "--reject", "-m", "not now", "--json")
    assert (ended.status, ended.json["merges"][0]["status"]) == (0, "rejected")
    again = guarded("approve", merge)
    assert (again.status, again.err.startswith("FORGE-E618 ")) == (1, True)


def test_only_those_who_are_allowed_merge(guarded: Any) -> None:
    guarded("branch", "protect", "main", "--allow", "grace@example.com", "--no-approval")
    ended = guarded("merge", "fix")
    assert (ended.status, ended.err.startswith("FORGE-E620 ")) == (4, True)
    assert "grace@example.com" in ended.err


def test_a_merge_is_a_run_of_its_kind(apart: Any) -> None:
    run = apart("merge", "fix", "--json").json["run_id"]
    newest = apart("runs", "--json").json["runs"][0]
    assert (newest["run_id"], newest["kind"], newest["status"]) == (run, "merge", "succeeded")
    assert [run["kind"] for run in apart("runs", "--json").json["runs"]].count("commit") == 4
    assert apart("runs").out.splitlines()[1].split()[:3] == [run, "merge", "succeeded"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "type_"),
    [("{type: not_null, column: customer}", "conflicted"), ("{type: row_count, max: 3}", "blocked")],
    ids=["constraint", "quality"],
)
def test_what_fails_on_the_merged_tables_holds_the_merge_back_until_it_is_mended(
    checked: Any, check: str, type_: str
) -> None:
    before, checks = head(checked), checked.root / "checks" / "orders.yaml"
    checks.unlink()
    checked("branch", "create", "fix")
    checked.commit("order_id,amount\n4,40\n", "--branch", "fix")
    checks.write_text(f"core.orders:\n  - {check}\n")
    assert checked("merge", "fix", "--no-ff", "--dry-run").status == 1
    ended = checked("merge", "fix", "--no-ff", "--json")
    assert (ended.status, ended.json["type"], head(checked)) == (1, type_, before)
    assert [verdict["blocks"] for verdict in ended.json["verdicts"]] == [True]
    merge = ended.json["merge_id"]
    assert f"forge conflicts continue {merge}" in ended.err
    checks.unlink()
    checked.change("order_id,customer\n4,di\n", "--branch", "fix", "-m", "Mended")
    checks.write_text("core.orders:\n  - {type: not_null, column: customer}\n")
    done = checked("conflicts", "continue", merge)
    assert done.status == 0, done.err
    assert "1 check passed on the merged tables" in done.out
