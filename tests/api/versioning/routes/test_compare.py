"""Compare, diff, blame and verify over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from version_site import API, ORDERS, VersionSite, problem

from forge.flows.runs.records import Publication, PublishedCommit, RunRecord, RunStatus
from forge.model.names import BranchName, RunId, TableName
from forge.versioning.commit import Author, make_commit

ITEMS = "id,qty\n1,5\n"


@pytest.fixture
def diverged(versions: VersionSite) -> VersionSite:
    """main changed one cell; fix changed that cell, another row, deleted one and added one, and made a table."""
    versions.commit(ORDERS)
    versions.branch("fix")
    versions.commit("id,name,amount\n1,a,13\n2,bb,20\n4,d,40\n", branch="fix", mode="merge")
    versions.commit("id\n3\n", branch="fix", mode="delete")
    versions.commit(ITEMS, table="core.items", branch="fix")
    versions.commit("id,amount\n1,12\n", mode="merge")
    return versions


def flag(site: VersionSite, table: str, *columns: str) -> None:
    """These columns hold personal data from now on, as a run under a contract would record it."""
    from dataclasses import replace

    metadata, now = site.wiring.metadata, site.wiring.clock()
    main, name = metadata.branch(BranchName("main")), TableName.parse(table)
    assert main is not None
    assert main.head is not None
    (known,) = (asset for asset in metadata.assets() if asset.table == name)
    flagged = replace(known, columns=tuple({**c, "pii": c["name"] in columns} for c in known.columns))
    tree, ada = metadata.tree(main.head), Author("Ada", "ada@example.com")
    commit = make_commit(
        tree=tree,
        parents=(main.head,),
        author=ada,
        message="Flag",
        time=now,
        branch=main.name,
        statistics={},
        metadata={},
    )
    run = RunRecord(
        id=RunId("r-flag"),
        branch=main.name,
        status=RunStatus.SUCCEEDED,
        started_at=now,
        user=ada.email,
        host="h",
        pid=1,
        process_started="",
        finished_at=now,
    )
    publication = Publication(
        pointers=(), branch=main.name, expected_head=main.head, commit=commit, tree=tree, run=run, assets=(flagged,)
    )
    assert isinstance(metadata.publish(publication, lambda step: None), PublishedCommit)


def by_table(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["table"]: one for one in found}


@pytest.mark.slow
def test_a_comparison_says_what_a_merge_would_do_and_does_nothing(diverged: VersionSite) -> None:
    heads = diverged.head(), diverged.head("fix")
    found = diverged.get("/compare", base="main", compare="fix")
    assert (found["ahead"], found["behind"], found["previewed"]) == (3, 1, True)
    assert (found["can_merge"], found["can_fast_forward"], found["has_conflicts"]) == (False, False, True)
    assert (found["base_branch"]["name"], found["compare_branch"]["name"]) == ("main", "fix")
    assert found["merge_base"] == diverged.get("/fix")["fork_commit"]
    assert [commit["branch"] for commit in found["commits"]] == ["fix"] * 3
    (conflict,) = found["conflicts"]
    assert (conflict["key"], conflict["column"], found["conflict_count"]) == ({"id": 1}, "amount", 1)
    tables = by_table(found["tables"])
    orders, items = tables["core.orders"], tables["core.items"]
    assert (orders["inserted"], orders["updated"], orders["deleted"]) == (1, 2, 1)
    assert (orders["change"], orders["both"], orders["key"]) == ("changed", True, ["id"])
    assert (items["change"], items["both"], items["inserted"]) == ("added", False, 1)
    assert {tally["table"]: tally["conflicts"] for tally in found["tallies"]}["core.orders"] == 1
    assert (diverged.head(), diverged.head("fix")) == heads
    assert diverged.get("/merges")["items"] == []


@pytest.mark.slow
def test_without_a_preview_only_records_are_read(diverged: VersionSite) -> None:
    found = diverged.get("/compare", base="main", compare="fix", preview=False)
    assert (found["previewed"], found["has_conflicts"], found["tallies"]) == (False, None, [])
    orders = by_table(found["tables"])["core.orders"]
    assert (orders["inserted"], orders["updated"], orders["deleted"]) == (1, 2, 1)
    assert (orders["both"], orders["files_added"] > 0) == (True, True)
    assert diverged.get("/compare", base="fix", compare="fix", preview=False)["has_conflicts"] is False


@pytest.mark.slow
def test_a_comparison_of_one_dataset_leaves_out_the_others(diverged: VersionSite) -> None:
    items = diverged.get("/datasets/core.items/compare", base="main", compare="fix")
    assert [table["table"] for table in items["tables"]] == ["core.items"]
    assert (items["has_conflicts"], items["conflicts"], items["conflict_count"]) == (False, [], 0)
    orders = diverged.get("/datasets/core.orders/compare", base="main", compare="fix")
    assert (orders["has_conflicts"], orders["conflict_count"]) == (True, 1)
    problem(diverged.client.get(f"{API}/datasets/core.no/compare", params={"compare": "fix"}), 404, "E108")


@pytest.mark.slow
def test_a_comparison_that_can_only_go_forward_says_so(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    versions.commit("id,name,amount\n4,d,40\n", branch="fix")
    found = versions.get("/compare", compare="fix")
    assert (found["can_merge"], found["can_fast_forward"], found["has_conflicts"]) == (True, True, False)
    same = versions.get("/compare", base="fix", compare="main")
    assert (same["ahead"], same["can_merge"], same["can_fast_forward"]) == (0, False, False)


@pytest.mark.slow
def test_rows_of_a_diff_have_before_and_after(diverged: VersionSite) -> None:
    start = diverged.get("/fix")["fork_commit"]
    found = diverged.get("/diff", base_commit=start, compare_commit="fix")
    assert found["summary"] == {"tables": 2, "inserted": 2, "updated": 2, "deleted": 1, "schema_changes": 0}
    orders = by_table(found["tables"])["core.orders"]
    rows = {row["key"]["id"]: row for row in orders["rows"]}
    assert (rows[1]["kind"], rows[1]["columns"]) == ("updated", ["amount"])
    assert (rows[1]["before"]["amount"], rows[1]["after"]["amount"]) == (10.5, 13.0)
    assert (rows[3]["kind"], rows[3]["after"]) == ("deleted", None)
    assert (rows[4]["kind"], rows[4]["before"]) == ("inserted", None)
    assert orders["changed_columns"] == {"amount": 1, "name": 1}
    assert [column["name"] for column in orders["columns"]] == ["id", "name", "amount"]


@pytest.mark.slow
def test_a_diff_has_pages_columns_and_one_table(diverged: VersionSite) -> None:
    start = diverged.get("/fix")["fork_commit"]
    asked = {"base_commit": start, "compare_commit": "fix", "table": "core.orders"}
    seen: list[int] = []
    for offset in range(4):
        (orders,) = diverged.get("/diff", **asked, limit=1, offset=offset)["tables"]
        seen += [row["key"]["id"] for row in orders["rows"]]
        assert orders["has_more"] is (offset < 3)
        assert (orders["inserted"], orders["updated"], orders["deleted"]) == (1, 2, 1)
    assert sorted(seen) == [1, 2, 3, 4]
    (narrow,) = diverged.get("/datasets/core.orders/diff", base_commit=start, compare_commit="fix", columns="name")[
        "tables"
    ]
    assert {row["key"]["id"]: row["kind"] for row in narrow["rows"]} == {2: "updated", 3: "deleted", 4: "inserted"}
    problem(diverged.client.get(f"{API}/diff", params={**asked, "columns": "nosuch"}), 404, "E108")
    problem(diverged.client.get(f"{API}/diff", params={**asked, "table": "core.no"}), 404, "E108")
    problem(diverged.client.get(f"{API}/diff", params={"compare_commit": "nosuch"}), 404, "E601")


@pytest.mark.slow
def test_personal_data_is_nowhere_to_be_seen(diverged: VersionSite) -> None:
    flag(diverged, "core.orders", "amount")
    start = diverged.get("/fix")["fork_commit"]
    orders = by_table(diverged.get("/diff", base_commit=start, compare_commit="fix")["tables"])["core.orders"]
    assert {column["name"] for column in orders["columns"] if column["masked"]} == {"amount"}
    for row in orders["rows"]:
        assert [side["amount"] for side in (row["before"], row["after"]) if side] in ([None], [None, None])
    (conflict,) = diverged.get("/compare", base="main", compare="fix")["conflicts"]
    assert (conflict["base"], conflict["ours"], conflict["theirs"], conflict["masked"]) == (None, None, None, True)
    merge = diverged.post("/merge", source_branch="fix")
    assert merge["conflicts"] == [conflict]
    diverged.post(f"/merges/{merge['merge_id']}/resolve", resolution="manual", manual_value=77.0)
    (kept,) = diverged.get(f"/merges/{merge['merge_id']}")["conflicts"]
    assert (kept["resolution"], kept["resolved_value"], kept["key"]) == ("manual", None, {"id": 1})
    secret = diverged.client.get(f"{API}/datasets/core.orders/commits/main/data", params={"filter": "amount=12.0"})
    problem(secret, 403, "E631")
    rows = diverged.get("/datasets/core.orders/commits/main/data", sql="SELECT amount AS x FROM data")["rows"]
    assert rows == [[None]] * 3


@pytest.mark.slow
def test_blame_names_the_commit_of_each_cell(versions: VersionSite) -> None:
    first = versions.commit(ORDERS)
    second = versions.commit("id,amount\n1,11\n", mode="merge", message="Raise 1")
    found = versions.get("/blame", table="core.orders", key="id:1")
    (row,) = found["rows"]
    assert (found["key"], row["key"], row["commit"], row["message"]) == (["id"], {"id": 1}, second["id"], "Raise 1")
    cells = {cell["column"]: cell["commit"] for cell in row["cells"]}
    assert cells == {"id": first["id"], "name": first["id"], "amount": second["id"]}
    assert row["run_id"] == second["run_id"]
    few = versions.get("/blame", table="core.orders", limit=2, columns="name")
    assert ([row["key"]["id"] for row in few["rows"]], few["truncated"]) == ([1, 2], True)
    assert {cell["column"] for row in few["rows"] for cell in row["cells"]} == {"name"}
    old = versions.get("/blame", table="core.orders", key="id:1", at="HEAD~1")
    assert old["rows"][0]["commit"] == first["id"]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"table": "core.orders", "key": "id"}, 422, "E105"),
        ({"table": "core.orders", "key": "id:99"}, 404, "E108"),
        ({"table": "core.orders", "key": "nosuch:1"}, 404, "E108"),
        ({"table": "core.no"}, 404, "E108"),
        ({}, 422, "E105"),
    ],
    ids=str,
)
def test_a_blame_that_cannot_be_is_refused(
    versions: VersionSite, query: dict[str, str], status: int, code: str
) -> None:
    versions.commit(ORDERS)
    problem(versions.client.get(f"{API}/blame", params=query), status, code)


def test_verify_names_a_message_that_was_changed(versions: VersionSite) -> None:
    from sqlalchemy import text

    made = versions.commit(ORDERS, message="As it was")
    good = versions.get("/verify", level="full")
    assert (good["is_good"], good["broken"], good["level"]) == (True, [], "full")
    assert good["bytes"] > 0
    with versions.wiring.database.begin() as connection:
        connection.execute(text("UPDATE forge_commits SET message = 'As it never was'"))
    found = versions.get("/verify", level="chain")
    assert found["is_good"] is False
    assert found["broken"][0]["object"].startswith(made["id"][:12])
    assert found["broken"][0]["error"]["code"] == "FORGE-E623"
