"""Versioning from Python, on real stores. No JVM."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_folder import KeptFolder
from migrated import lay_database

import forge
from forge.connection import Connection
from forge.model.errors import ForgeError
from forge.model.names import BranchName

ROWS = [{"order_id": 1, "amount": 10.0}, {"order_id": 2, "amount": 20.0}]


@pytest.fixture
def f(shop_folder: KeptFolder) -> Iterator[Connection]:
    with forge.connect(shop_folder.lay("shop", make_shop)) as connection:
        yield connection


@pytest.fixture
def torn(shop_folder: KeptFolder) -> Iterator[Connection]:
    """Row 1 is 11 on main and 12 on `fix`, which has a row 3."""
    with forge.connect(shop_folder.lay("torn", make_torn_shop)) as connection:
        yield connection


@pytest.fixture(scope="module")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder:
    return KeptFolder(tmp_path_factory.mktemp("shop"))


@pytest.fixture(autouse=True)
def no_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))


def make_shop(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    lay_database(root / ".forge" / "forge.db")
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    with forge.connect(root) as connection:
        connection.commit("core.orders", rows=ROWS, key="order_id", message="First load")


def make_torn_shop(root: Path) -> None:
    make_shop(root)
    with forge.connect(root) as connection:
        connection.branch("fix", description="a try")
        connection.commit("core.orders", rows=[{"order_id": 1, "amount": 11.0}], mode="merge")
        theirs = [{"order_id": 1, "amount": 12.0}, {"order_id": 3, "amount": 30.0}]
        connection.commit("core.orders", rows=theirs, mode="merge", branch="fix")


def amounts(f: Connection, revision: str = "HEAD") -> dict[Any, Any]:
    """The rows of the first commit, and what became of them."""
    (table,) = f.diff(f.log()[-1].id, revision, table="core.orders", limit=1000).tables or (None,)
    found: dict[Any, Any] = {row["order_id"]: row["amount"] for row in ROWS}
    for change in table.rows.rows if table else ():
        key = change.key["order_id"]
        found.pop(key, None)
        if change.after is not None:
            found[key] = change.after["amount"]
    return found


@pytest.mark.parametrize("form", ["arrow", "pandas", "dicts", "file"])
def test_rows_are_committed_from_whatever_holds_them(f: Connection, form: str, tmp_path: Path) -> None:
    import pandas
    import pyarrow as pa

    rows = [{"order_id": 2, "amount": 21.0}, {"order_id": 3, "amount": 30.0}]
    given: dict[str, Any]
    match form:
        case "arrow":
            given = {"rows": pa.Table.from_pylist(rows)}
        case "pandas":
            given = {"rows": pandas.DataFrame(rows, index=[7, 8])}
        case "dicts":
            given = {"rows": rows}
        case _:
            (tmp_path / "rows.csv").write_text("order_id,amount\n2,21\n3,30\n")
            given = {"file": tmp_path / "rows.csv"}
    done = f.commit("core.orders", **given, mode="merge", message="By hand").raise_for_status()
    assert done.commit is not None
    assert done.commit.message == "By hand"
    assert [done.to_dict()[f"rows_{name}"] for name in ("added", "modified", "deleted")] == [1, 1, 0]
    assert amounts(f) == {1: 10.0, 2: 21.0, 3: 30.0}


def test_rows_of_dicts_may_leave_columns_out(f: Connection) -> None:
    f.commit("core.people", rows=[{"id": 1}, {"id": 2, "name": "bo"}], key=["id"])
    (table,) = f.diff("HEAD~1").tables
    assert [change.after for change in table.rows.rows] == [{"id": 1, "name": None}, {"id": 2, "name": "bo"}]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({}, "E105"),
        ({"rows": ROWS, "sql": "SELECT 1"}, "E105"),
        ({"rows": ROWS, "mode": "upsert"}, "E105"),
        ({"rows": 7}, "E621"),
        ({"rows": [{"order_id": "x", "amount": 1.0}]}, "E621"),
        ({"rows": ROWS, "branch": "nothing"}, "E602"),
    ],
    ids=["nothing", "both", "mode", "number", "type", "branch"],
)
def test_what_is_no_commit_is_refused(f: Connection, words: dict[str, Any], code: str) -> None:
    with pytest.raises(ForgeError) as refused:
        f.commit("core.orders", **words)
    assert refused.value.code == code
    assert len(f.log()) == 1


@pytest.mark.slow
def test_a_connection_to_a_branch_works_on_it(torn: Connection) -> None:
    aside = Connection(torn.wiring, BranchName("fix"))
    assert len(aside.log()) == 2
    done = aside.commit("core.orders", rows=[{"order_id": 4, "amount": 40.0}])
    assert done.commit is not None
    assert done.commit.branch == "fix"
    assert aside.compare("main", "HEAD").ahead == 2
    assert [b.branch.name for b in aside.branches()] == ["main", "fix"]


@pytest.mark.slow
def test_a_diff_is_data_a_frame_and_a_picture(torn: Connection) -> None:
    diff = torn.diff("main", "fix")
    assert len(diff) == 1
    assert [table.table for table in diff] == ["core.orders"]
    assert (diff["core.orders"].rows.inserted, diff["core.orders"].rows.updated) == (1, 1)
    assert diff.to_dict()["tables"][0]["rows"][0]["after"] == {"order_id": 1, "amount": 12.0}
    assert list(diff.to_pandas()["kind"]) == ["updated", "inserted"]
    assert "<td>amount=12.0</td>" in diff._repr_html_()
    assert repr(diff) == "main..fix: core.orders +1 ~1 −0"


def test_what_is_in_a_cell_is_no_markup(f: Connection) -> None:
    f.commit("core.people", rows=[{"name": "<script>x</script>"}])
    assert "<script>" not in f.diff("HEAD~1")._repr_html_()


def test_two_lines_are_compared_from_metadata(torn: Connection) -> None:
    found = torn.compare("main", "fix")
    assert (found.ahead, found.behind, found.can_fast_forward) == (1, 1, False)
    assert found.merge_base == torn.log()[-1].id
    assert [(t["table"], t["both"]) for t in found.to_dict()["tables"]] == [("core.orders", True)]


@pytest.mark.slow
def test_a_conflict_is_a_result_that_is_resolved_and_continued(torn: Connection) -> None:
    seen = torn.merge("fix", dry_run=True)
    assert (seen.can_merge, seen.conflict_count, seen.to_dict()["ahead"]) == (False, 1, 1)
    report = torn.merge("fix")
    assert (report.type, report.conflict_count, report.commit) == ("conflicted", 1, None)
    assert report.merge_id is not None
    assert list(report.to_pandas()["theirs"]) == [12.0]
    assert "<td>order_id=1</td>" in report._repr_html_()
    with pytest.raises(ForgeError) as waits:
        report.raise_for_status()
    assert (waits.value.code, report.merge_id in str(waits.value)) == ("E617", True)
    assert [m.id for m in torn.merges()] == [report.merge_id]
    (conflict,) = torn.conflicts(report.merge_id)
    assert (conflict.column, conflict.base, conflict.ours, conflict.theirs) == ("amount", 10.0, 11.0, 12.0)
    assert torn.resolve(report.merge_id, value=None, id=conflict.id).fully_resolved
    assert torn.resolve(report.merge_id, expression="ours + theirs", column="amount").fully_resolved
    done = torn.continue_merge(report.merge_id).raise_for_status()
    assert (done.type, done.to_dict()["tables"][0]["inserted"]) == ("three_way", 1)
    assert amounts(torn) == {1: 23.0, 2: 20.0, 3: 30.0}
    assert torn.merges() == ()


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ({"take": "theirs"}, 12.0),
        ({"rules": {"core.orders.amount": "least(ours, theirs)"}}, 11.0),
        ({"take": "theirs", "rules": {"amount": "base"}}, 10.0),
    ],
    ids=["take", "expression", "narrower"],
)
def test_rules_answer_beforehand(torn: Connection, words: dict[str, Any], amount: float) -> None:
    assert torn.merge("fix", **words).type == "three_way"
    assert amounts(torn)[1] == amount


def test_a_merge_can_be_given_up(torn: Connection) -> None:
    report = torn.merge("fix")
    assert report.merge_id is not None
    assert torn.abort_merge(report.merge_id).status == "aborted"
    with pytest.raises(ForgeError, match="aborted"):
        torn.continue_merge(report.merge_id)


@pytest.mark.parametrize("words", [{}, {"take": "ours", "value": 1}, {"take": "mine"}], ids=["none", "two", "side"])
def test_an_answer_is_one_thing(torn: Connection, words: dict[str, Any]) -> None:
    merge = torn.merge("fix").merge_id
    assert merge is not None
    with pytest.raises(ForgeError) as refused:
        torn.resolve(merge, **words)
    assert refused.value.code == "E619"


def test_someone_else_approves(torn: Connection) -> None:
    root = torn.wiring.settings.root
    root.joinpath("forge.yaml").write_text(
        "project: shop\nuser: {name: Ada, email: ada@example.com}\nversioning: {protected_branches: [main]}\n"
    )
    with (
        forge.connect(root) as ada,
        forge.connect(root, user={"name": "Grace", "email": "grace@x.org"}) as grace,
    ):
        report = ada.merge("fix", take="theirs")
        assert report.type == "pending"
        assert report.merge_id is not None
        with pytest.raises(ForgeError) as own:
            ada.approve(report.merge_id)
        assert own.value.code == "E620"
        assert grace.approve(report.merge_id, comment="fine").type == "three_way"
        again = ada.merge("fix~0", take="theirs")
        assert again.type == "up_to_date"


@pytest.mark.slow
def test_commits_are_picked_reverted_and_left(torn: Connection) -> None:
    picked = torn.cherry_pick("fix", take="theirs")
    assert (picked.kind, picked.type) == ("cherry-pick", "three_way")
    assert amounts(torn) == {1: 12.0, 2: 20.0, 3: 30.0}
    assert torn.revert("HEAD").raise_for_status().kind == "revert"
    assert amounts(torn) == {1: 11.0, 2: 20.0}
    assert [str(table) for table in torn.reset("HEAD~1").tables] == ["core.orders"]
    assert len(torn.log()) == 3


def test_tags_name_revisions(torn: Connection) -> None:
    tag = torn.tag("v1", "HEAD~1", message="the first")
    assert (tag.target, [t.name for t in torn.tags()]) == (torn.log()[-1].id, ["v1"])
    assert amounts(torn, "v1") == {1: 10.0, 2: 20.0}


def test_blame_tells_who_wrote_each_cell(torn: Connection) -> None:
    found = torn.blame("core.orders", key={"order_id": 1}, columns=["amount"])
    (row,) = found.to_dict()["rows"]
    assert [(cell["column"], cell["commit"]) for cell in row["cells"]] == [("amount", torn.log()[0].id)]
    older = torn.blame("core.orders@v1", key={"order_id": 1}).to_pandas()
    assert set(older["commit"]) == {torn.log()[-1].id}
    assert "core.orders at" in found._repr_html_()


def test_the_history_is_verified(torn: Connection) -> None:
    found = torn.verify("full")
    assert (found.is_good, found.commits) == (True, 3)
    with pytest.raises(ForgeError, match="no level"):
        torn.verify("deep")
