"""Merges, conflicts and approvals over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_folder import KeptFolder
from version_site import API, ORDERS, YAML, VersionSite, open_version_site, problem

ITEMS = "id,qty\n1,5\n"


def diverge(root: Path) -> None:
    with open_version_site(root) as site:
        site.commit(ORDERS)
        site.branch("fix")
        site.commit("id,name,amount\n1,a,13\n4,d,40\n", branch="fix", mode="merge")
        site.commit("id,name,amount\n1,a,12\n2,bb,20\n", mode="merge")


@pytest.fixture
def diverged(version_folder: KeptFolder) -> Iterator[VersionSite]:
    """main and fix changed the same cell, and each something of its own."""
    with open_version_site(version_folder.lay("diverged", diverge)) as site:
        yield site


def conflicted(site: VersionSite) -> dict[str, Any]:
    result = site.post("/merge", source_branch="fix", target_branch="main")
    assert result["type"] == "conflicted"
    return result


@pytest.mark.slow
def test_a_branch_that_is_only_ahead_is_fast_forwarded(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    made = versions.commit("id,name,amount\n4,d,40\n", branch="fix")
    result = versions.post("/merge", source_branch="fix")
    assert (result["type"], result["merge_commit"], result["target_branch"]) == ("fast_forward", made["id"], "main")
    assert versions.head() == made["id"]
    again = versions.post("/merge", source_branch="fix", target_branch="main")
    assert (again["type"], again["merge_commit"]) == ("up_to_date", None)


@pytest.mark.slow
def test_different_cells_of_a_row_merge(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    theirs = versions.commit("id,amount\n1,11\n", branch="fix", mode="merge")
    ours = versions.commit("id,name\n1,anna\n", mode="merge")
    result = versions.post("/merge", source_branch="fix", target_branch="main", message="Bring the fix")
    assert (result["type"], result["conflict_count"], result["commit"]["message"]) == ("three_way", 0, "Bring the fix")
    assert result["commit"]["parents"] == [ours["id"], theirs["id"]]
    assert result["statistics"]["updated"] == 1
    assert versions.rows() == [[1, "anna", 11.0], [2, "b", 20.0], [3, "c", 30.0]]
    assert versions.get("/fix")["status"] == "merged"


@pytest.mark.slow
@pytest.mark.parametrize("word", ["ff", "fast_forward", "fast-forward"])
def test_a_fast_forward_is_asked_for_by_either_name(versions: VersionSite, word: str) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    versions.commit("id,name,amount\n4,d,40\n", branch="fix")
    assert versions.post("/merge", source_branch="fix", strategy=word)["type"] == "fast_forward"


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "parents"), [("squash", 1), ("rebase", 1), ("three-way", 2)])
def test_a_strategy_says_what_the_commit_is_made_of(versions: VersionSite, strategy: str, parents: int) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    versions.commit("id,amount\n1,11\n", branch="fix", mode="merge")
    versions.commit("id,name\n2,bb\n", mode="merge")
    result = versions.post("/merge", source_branch="fix", target_branch="main", strategy=strategy)
    assert result["type"] == strategy.replace("-", "_")
    assert len(result["commit"]["parents"]) == parents
    assert versions.rows()[:2] == [[1, "a", 11.0], [2, "bb", 20.0]]


@pytest.mark.slow
def test_a_fast_forward_that_is_not_possible_is_refused_and_moves_nothing(diverged: VersionSite) -> None:
    head = diverged.head()
    refused = diverged.client.post(f"{API}/merge", json={"source_branch": "fix", "strategy": "ff"})
    problem(refused, 409, "E609")
    assert diverged.head() == head


@pytest.mark.slow
def test_a_conflict_is_a_result_with_all_three_values(diverged: VersionSite) -> None:
    head = diverged.head()
    result = conflicted(diverged)
    (conflict,) = result["conflicts"]
    assert (conflict["kind"], conflict["table"], conflict["column"]) == ("modify_modify", "core.orders", "amount")
    assert (conflict["key"], conflict["base"], conflict["ours"], conflict["theirs"]) == ({"id": 1}, 10.5, 12.0, 13.0)
    assert conflict["location"] == "column amount of row id = 1"
    assert (result["conflict_count"], result["merge_commit"]) == (1, None)
    assert diverged.head() == head
    (listed,) = diverged.get("/merges", status="conflicted")["items"]
    assert (listed["merge_id"], listed["total_count"], listed["fully_resolved"]) == (result["merge_id"], 1, False)
    assert diverged.get("/merges", status="merged")["items"] == []
    run = diverged.client.get(f"/api/v1/runs/{result['run_id']}").json()
    assert (run["kind"], run["status"], run["merge_id"]) == ("merge", "conflict", result["merge_id"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "said", "amount"),
    [
        ("id", {"resolution": "ours"}, 12.0),
        ("id", {"resolution": "theirs"}, 13.0),
        ("id", {"resolution": "base"}, 10.5),
        ("id", {"resolution": "manual", "manual_value": None}, None),
        ("cell", {"resolution": "manual", "manual_value": 99.5}, 99.5),
        ("column", {"resolution": "expression", "expression": "greatest(ours, theirs)"}, 13.0),
        ("all", {"resolution": "theirs"}, 13.0),
        ("column", {"resolution": "max"}, 13.0),
        ("column", {"resolution": "least(ours, theirs)"}, 12.0),
    ],
    ids=lambda value: str(value.get("resolution")) if isinstance(value, dict) else str(value),
)
def test_a_conflict_is_resolved_by_id_by_cell_by_column_and_with_all(
    diverged: VersionSite, which: str, said: dict[str, Any], amount: float | None
) -> None:
    result = conflicted(diverged)
    chosen: dict[str, dict[str, Any]] = {
        "id": {"conflict_id": result["conflicts"][0]["id"]},
        "cell": {"table": "core.orders", "column": "amount", "key": {"id": 1}},
        "column": {"table": "core.orders", "column": "amount"},
        "all": {},
    }
    path = f"/merges/{result['merge_id']}"
    after = diverged.post(f"{path}/resolve", **chosen[which], **said)
    assert (after["resolved_count"], after["total_count"], after["fully_resolved"]) == (1, 1, True)
    assert after["groups"] == [{"table": "core.orders", "column": "amount", "total": 1, "open": 0}]
    done = diverged.post(f"{path}/continue")
    assert (done["type"], done["merge_commit"]) == ("three_way", diverged.head())
    assert diverged.rows() == [[1, "a", amount], [2, "bb", 20.0], [3, "c", 30.0], [4, "d", 40.0]]
    assert diverged.get(path)["status"] == "merged"
    problem(diverged.client.post(f"{API}{path}/continue"), 409, "E618")


def test_nothing_goes_on_while_a_conflict_is_open(diverged: VersionSite) -> None:
    result, head = conflicted(diverged), diverged.head()
    told = problem(diverged.client.post(f"{API}/merges/{result['merge_id']}/continue"), 409, "E617")
    assert "1 conflict is" in told["detail"]
    assert diverged.head() == head


@pytest.mark.slow
def test_a_list_of_resolutions_is_taken_whole_or_not_at_all(diverged: VersionSite) -> None:
    diverged.commit("id,name\n3,cc\n", branch="fix", mode="merge")
    diverged.commit("id,name\n3,ccc\n", mode="merge")
    result = conflicted(diverged)
    path = f"/merges/{result['merge_id']}"
    good = {"table": "core.orders", "column": "name", "resolution": "theirs"}
    bad = {"conflict_id": "nosuch", "resolution": "ours"}
    problem(diverged.client.post(f"{API}{path}/resolve", json={"resolutions": [good, bad]}), 404, "E616")
    assert diverged.get(path)["resolved_count"] == 0
    half = diverged.post(f"{path}/resolve", resolutions=[good])
    assert (half["resolved_count"], half["total_count"]) == (1, 2)
    (left,) = diverged.get(path, open=True)["conflicts"]
    assert left["column"] == "amount"
    assert [c["column"] for c in diverged.get(path, column="name")["conflicts"]] == ["name"]
    assert diverged.get(path, table="core.items")["conflicts"] == []
    first = diverged.get(path, limit=1)
    assert (len(first["conflicts"]), first["has_more"]) == (1, True)
    second = diverged.get(path, limit=1, cursor=first["next_cursor"])
    assert {first["conflicts"][0]["column"], second["conflicts"][0]["column"]} == {"amount", "name"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "E619"),
        ({"conflict_id": "x"}, "E619"),
        ({"resolution": "manual"}, "E619"),
        ({"resolution": "expression"}, "E619"),
        ({"resolution": "expression", "expression": "drop table x"}, "E625"),
        ({"resolution": "mine"}, "E619"),
        ({"resolution": "ours", "resolutions": [{"resolution": "ours"}]}, "E619"),
        ({"resolution": "ours", "colour": "red"}, "E105"),
    ],
    ids=str,
)
def test_a_resolution_that_says_too_little_or_too_much_is_refused(
    diverged: VersionSite, body: dict[str, Any], code: str
) -> None:
    result = conflicted(diverged)
    problem(diverged.client.post(f"{API}/merges/{result['merge_id']}/resolve", json=body), 422, code)


def test_a_merge_that_is_aborted_leaves_both_branches(diverged: VersionSite) -> None:
    heads = diverged.head(), diverged.head("fix")
    path = f"/merges/{conflicted(diverged)['merge_id']}"
    assert diverged.post(f"{path}/abort")["status"] == "aborted"
    assert (diverged.head(), diverged.head("fix")) == heads
    problem(diverged.client.post(f"{API}{path}/resolve", json={"resolution": "ours"}), 409, "E618")
    problem(diverged.client.get(f"{API}/merges/m_nosuch"), 404, "E616")


@pytest.mark.slow
def test_rules_and_keys_of_the_call_decide(versions: VersionSite) -> None:
    versions.commit(ITEMS, table="core.items")  # a table without a declared key
    versions.branch("fix")
    versions.commit("id,qty\n1,7\n", table="core.items", branch="fix", mode="merge", key="id")
    versions.commit("id,qty\n1,9\n", table="core.items", mode="merge", key="id")
    result = versions.post(
        "/merge",
        source_branch="fix",
        target_branch="main",
        keys={"core.items": ["id"]},
        rules=[{"take": "expression", "table": "core.items", "column": "qty", "value": "ours + theirs - base"}],
    )
    assert (result["type"], result["statistics"]["resolved"]) == ("three_way", 1)
    assert versions.rows(table="core.items") == [[1, 11]]
    bad = {"source_branch": "fix", "rules": [{"take": "expression", "value": 5}]}
    problem(versions.client.post(f"{API}/merge", json=bad), 422, "E619")


def test_what_is_unknown_is_not_found(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    problem(versions.client.post(f"{API}/merge", json={"source_branch": "nosuch"}), 404, "E601")
    versions.branch("fix")
    body = {"source_branch": "fix", "target_branch": "nosuch"}
    problem(versions.client.post(f"{API}/merge", json=body), 404, "E602")


# of one dataset


@pytest.mark.slow
def test_a_merge_of_a_dataset_is_refused_where_the_source_changes_others_too(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.commit(ITEMS, table="core.items")
    versions.branch("fix")
    versions.commit("id,amount\n1,11\n", branch="fix", mode="merge")
    path = f"{API}/datasets/core.orders/merge"
    versions.commit("id,qty\n2,6\n", table="core.items", branch="fix")
    told = problem(versions.client.post(path, json={"source_branch": "fix"}), 409, "E607")
    assert "core.items" in told["detail"]
    forced = versions.client.post(path, json={"source_branch": "fix"}, params={"force": True})
    assert forced.json()["type"] == "fast_forward"
    problem(versions.client.post(f"{API}/datasets/core.no/merge", json={"source_branch": "fix"}), 404, "E108")


@pytest.mark.slow
def test_the_merges_of_a_dataset_have_its_conflicts(diverged: VersionSite) -> None:
    path = "/datasets/core.orders/merges"
    merge_id = diverged.post("/datasets/core.orders/merge", source_branch="fix")["merge_id"]
    assert [merge["merge_id"] for merge in diverged.get(path)["items"]] == [merge_id]
    assert len(diverged.get(f"{path}/{merge_id}")["conflicts"]) == 1
    other = diverged.client.post(f"{API}{path}/{merge_id}/resolve", json={"table": "core.items", "resolution": "ours"})
    problem(other, 422, "E619")
    assert diverged.post(f"{path}/{merge_id}/resolve", resolution="theirs")["fully_resolved"]
    assert diverged.post(f"{path}/{merge_id}/continue")["type"] == "three_way"
    assert diverged.rows()[0] == [1, "a", 13.0]


# protection and approval


@pytest.fixture
def guarded(diverged: VersionSite) -> VersionSite:
    """main takes merges that someone else approved."""
    answer = diverged.client.patch(f"{API}/main", json={"is_protected": True})
    assert answer.json()["require_approval"] is True
    return diverged


@pytest.mark.slow
def test_a_merge_into_a_protected_branch_waits_for_someone_else(guarded: VersionSite) -> None:
    head, ben = guarded.head(), guarded.token_of("ben@example.com")
    result = guarded.post("/merge", source_branch="fix", target_branch="main")
    assert (result["type"], result["merge_commit"]) == ("pending", None)
    path = f"/merges/{result['merge_id']}"
    problem(guarded.client.post(f"{API}{path}/approve"), 409, "E620")
    assert guarded.get("/datasets/core.orders/merges")["items"][0]["status"] == "pending"
    approved = guarded.post(f"{path}/approve", as_=ben, comment="looks right")
    assert approved["type"] == "conflicted"
    assert guarded.head() == head
    (approval,) = guarded.get(path)["approvals"]
    assert (approval["user"], approval["comment"], approval["approved"], approval["is_current"]) == (
        "ben@example.com",
        "looks right",
        True,
        True,
    )
    guarded.post(f"{path}/resolve", resolution="ours")
    done = guarded.post(f"{path}/continue")
    assert done["type"] == "three_way"
    assert guarded.rows()[0] == [1, "a", 12.0]


@pytest.mark.slow
def test_an_approval_expires_when_the_source_moves(guarded: VersionSite) -> None:
    ben = guarded.token_of("ben@example.com")
    path = f"/merges/{guarded.post('/merge', source_branch='fix', target_branch='main')['merge_id']}"
    guarded.post(f"{path}/approve", as_=ben)
    guarded.post(f"{path}/resolve", resolution="ours")
    guarded.commit("id,name,amount\n9,i,90\n", branch="fix")
    assert [one["is_current"] for one in guarded.get(path)["approvals"]] == [False]
    assert guarded.post(f"{path}/continue")["type"] == "pending"


@pytest.mark.slow
def test_an_approval_names_the_commit_that_was_looked_at(guarded: VersionSite) -> None:
    ben = guarded.token_of("ben@example.com")
    path = f"/merges/{guarded.post('/merge', source_branch='fix', target_branch='main')['merge_id']}"
    seen = guarded.get(path)["source_head"]
    guarded.commit("id,name,amount\n9,i,90\n", branch="fix")
    body = {"expected": seen, "comment": "looks right"}
    problem(guarded.client.post(f"{API}{path}/approve", json=body, headers=ben), 409, "E632")
    found = guarded.get(path)
    assert (found["status"], found["approvals"]) == ("pending", [])
    assert found["source_head"] == guarded.head("fix") != seen
    assert guarded.post(f"{path}/approve", as_=ben, expected=found["source_head"])["type"] == "conflicted"


def test_a_rejected_merge_is_closed(guarded: VersionSite) -> None:
    path = f"/merges/{guarded.post('/merge', source_branch='fix', target_branch='main')['merge_id']}"
    rejected = guarded.post(f"{path}/reject", as_=guarded.token_of("ben@example.com"), comment="not now")
    assert (rejected["status"], rejected["approvals"][0]["approved"]) == ("rejected", False)
    problem(guarded.client.post(f"{API}{path}/continue"), 409, "E618")


def test_a_protected_branch_takes_nothing_but_merges(guarded: VersionSite) -> None:
    problem(guarded.upload("id,name,amount\n7,g,70\n"), 409, "E608")
    problem(guarded.client.post(f"{API}/revert", json={"commit": "HEAD"}), 409, "E608")
    problem(guarded.client.post(f"{API}/cherry-pick", json={"commit": "fix"}), 409, "E608")
    problem(guarded.client.post(f"{API}/reset", json={"branch": "main", "commit": "HEAD~1"}), 409, "E608")


def test_only_those_who_are_named_may_merge(diverged: VersionSite) -> None:
    body = {"is_protected": True, "require_approval": False, "allowed_mergers": ["ben@example.com"]}
    assert diverged.client.patch(f"{API}/main", json=body).json()["allowed_mergers"] == ["ben@example.com"]
    problem(diverged.client.post(f"{API}/merge", json={"source_branch": "fix"}), 409, "E620")
    ben = diverged.token_of("ben@example.com")
    assert diverged.post("/merge", as_=ben, source_branch="fix")["type"] == "conflicted"


def test_what_forge_yaml_protects_is_protected(tmp_path: Path) -> None:
    yaml = YAML.replace("versioning: {", "versioning: {protected_branches: [main, 'release/*'], ")
    with open_version_site(tmp_path / "shop", yaml) as site:
        assert site.get("/main")["is_protected"] is True
        problem(site.client.patch(f"{API}/main", json={"is_protected": False}), 409, "E608")
        problem(site.upload(ORDERS), 409, "E608")


# cherry-pick, revert, reset


@pytest.mark.slow
def test_a_commit_is_picked_onto_another_branch(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    versions.commit("id,name,amount\n4,d,40\n", branch="fix", message="Add 4")
    picked = versions.commit("id,name,amount\n5,e,50\n", branch="fix", message="Add 5")
    result = versions.post("/cherry-pick", commit=picked["id"], branch="main")
    assert result["commit"]["message"] == "Add 5"
    assert [row[0] for row in versions.rows()] == [1, 2, 3, 5]


@pytest.mark.slow
def test_a_commit_is_reverted_by_a_new_one(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    bad = versions.commit("id\n2\n", mode="delete", message="Oops")
    versions.commit("id,name,amount\n4,d,40\n")
    result = versions.post("/revert", commit=bad["id"])
    assert result["commit"]["message"].startswith('Revert "Oops"')
    assert [row[0] for row in versions.rows()] == [1, 2, 3, 4]


@pytest.mark.slow
def test_a_branch_is_reset_to_a_commit(versions: VersionSite) -> None:
    first = versions.commit(ORDERS)
    second = versions.commit("id,name,amount\n4,d,40\n")
    answer = versions.post("/reset", branch="main", commit="HEAD~1")
    assert (answer["before"], answer["commit"]["id"]) == (second["id"], first["id"])
    assert (answer["tables"], answer["branch"]["head_commit"]) == (["core.orders"], first["id"])
    assert [row[0] for row in versions.rows()] == [1, 2, 3]
    problem(versions.client.post(f"{API}/reset", json={"branch": "main", "commit": "nosuch"}), 404, "E601")
