"""Runs on an external catalog: what lands, what is recorded, and what a crash between the two leaves. Written from the
last section of docs/guide/run.md."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from forge.flows.runs.records import RunStatus
from forge.flows.runs.run import RunResult
from forge.flows.versioning.branches import create_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, RunId
from forge.transforms.transform import TransformKind
from forge.versioning.commit import Author

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MAIN, DEV = BranchName("main"), BranchName("dev")
ROW = CatalogName("core", "orders")
ADA = Author("Ada", "ada@example.com")
Rows = list[dict[str, object]]


@pytest.fixture
def external_shop(external_world: Any) -> Any:
    external_world.make("raw.orders", lambda: [{"id": 1, "amount": 5}], kind=TransformKind.APPEND)
    external_world.make("core.orders", lambda raw_orders: raw_orders, ("raw.orders",))
    external_world.make(
        "marts.total", lambda core_orders: [{"total": sum(r["amount"] for r in core_orders)}], ("core.orders",)
    )
    return external_world


@pytest.mark.slow
def test_a_run_lands_every_table_and_records_one_commit(external_shop: Any) -> None:
    result = external_shop.run()
    assert result.run.status is RunStatus.SUCCEEDED
    assert set(external_shop.statuses(result).values()) == {"published"}
    assert external_shop.tree() == external_shop.heads()
    assert {str(name) for name in external_shop.lake.tables()} == {"raw.orders", "core.orders", "marts.total"}
    for landed in external_shop.lake.landed():
        assert landed.run_id == result.run.id
    assert external_shop.lake.stages() == ()
    assert external_shop.problems() == []
    assert external_shop.run().run.status is RunStatus.NOTHING_TO_DO


def test_the_promise_is_said_to_be_the_weaker_one(external_world: Any) -> None:
    assert "table by table" in external_world.lake.promise
    assert "sql" in external_world.lake.promise


@pytest.mark.slow
def test_a_branch_run_moves_the_branch_alone(external_shop: Any) -> None:
    external_shop.run()
    before = external_shop.heads()
    create_branch(external_shop.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: NOW)
    external_shop.make(
        "core.orders", lambda raw_orders: [*raw_orders, {"id": 9, "amount": 1}], ("raw.orders",), code="2"
    )
    external_shop.make("marts.extra", lambda core_orders: core_orders, ("core.orders",))
    result = external_shop.run(branch="dev")
    assert result.run.status is RunStatus.SUCCEEDED
    assert external_shop.heads() == before
    assert external_shop.refs()["dev"] == external_shop.tree(DEV)["core.orders"]
    assert "marts.extra" in external_shop.tree(DEV)
    assert external_shop.problems() == []


@pytest.mark.slow
def test_a_table_refused_after_others_landed_is_named_and_the_rest_recorded(external_shop: Any) -> None:
    external_shop.make("other.alone", lambda: [{"id": 1}])
    external_shop.run()

    before = external_shop.tree()

    def meddle(step: str) -> None:
        if step == "land" and external_shop.heads()["core.orders"] == before["core.orders"]:
            table = external_shop.catalog.load_table("core.orders")
            table.append(table.scan().to_arrow())

    result = external_shop.run(force=True, fault_point=meddle)
    assert result.run.status is RunStatus.CONFLICT
    assert [str(t) for t in result.conflicts] == ["core.orders", "marts.total"], "what stands on it stays too"
    assert result.commit is not None
    assert external_shop.metadata.branch(MAIN).head == result.commit.id
    assert {"raw.orders", "other.alone"} >= {str(t) for t in result.commit.statistics}
    assert external_shop.tree()["raw.orders"] == external_shop.heads()["raw.orders"] != before["raw.orders"]
    assert external_shop.tree()["core.orders"] == before["core.orders"]
    assert external_shop.heads()["marts.total"] == before["marts.total"]
    assert result.run.error is not None
    assert "core.orders" in str(result.run.error["what"])
    assert "raw.orders" in str(result.run.error["why"])
    assert external_shop.lake.stages() == ()


@pytest.mark.slow
def test_a_table_moved_before_anything_landed_is_a_plain_conflict(external_shop: Any) -> None:
    external_shop.run()

    def meddle(step: str) -> None:
        if step == "checked" and external_shop.tree() == external_shop.heads():
            table = external_shop.catalog.load_table("marts.total")
            table.append(table.scan().to_arrow())

    before = external_shop.tree()
    result = external_shop.run(force=True, fault_point=meddle)
    assert (result.run.status, result.commit) == (RunStatus.CONFLICT, None)
    assert [str(t) for t in result.conflicts] == ["marts.total"]
    assert external_shop.tree() == before
    assert external_shop.heads()["raw.orders"] == before["raw.orders"]


@pytest.mark.slow
def test_a_publish_of_another_table_meanwhile_is_recorded_once_with_no_second_landing(external_shop: Any) -> None:
    external_shop.run()
    external_shop.make("other.alone", lambda: [{"id": 1}])
    theirs: list[RunResult] = []

    def meddle(step: str) -> None:
        if step == "land" and not theirs:
            theirs.append(external_shop.run("other.alone"))

    ours = external_shop.run("raw.orders", force=True, fault_point=meddle)
    assert theirs[0].commit is not None
    assert ours.commit is not None
    assert ours.commit.parents == (theirs[0].commit.id,)
    assert len(external_shop.rows("raw.orders")) == 2, "one append per run"
    assert external_shop.tree() == external_shop.heads()


@pytest.mark.slow
@pytest.mark.parametrize("step", ["land", "publish.records"])
def test_a_failure_while_publishing_records_what_landed(external_shop: Any, step: str) -> None:
    external_shop.run()
    before = external_shop.heads()
    failed: list[str] = []

    def fail(name: str) -> None:
        if name == step and not failed:
            failed.append(name)
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        external_shop.run(force=True, fault_point=fail)
    newest = external_shop.metadata.runs(limit=1)[0]
    assert newest.status is RunStatus.FAILED
    landed = {name for name, head in external_shop.heads().items() if head != before[name]}
    if step == "land":
        assert landed == {"raw.orders"}
        assert newest.commit_id is not None
        assert external_shop.tree() == external_shop.heads()
        assert external_shop.problems() == []
    else:  # the record itself failed: that is what repair is for
        assert landed == {"raw.orders", "core.orders", "marts.total"}
        assert {kind for kind, _ in external_shop.problems()} == {"unrecorded publish"}
        assert external_shop.repair().completed == (newest.id,)
        assert external_shop.tree() == external_shop.heads()
        assert external_shop.problems() == []


@pytest.mark.slow
def test_ctrl_c_between_two_tables_says_what_had_been_published(external_shop: Any) -> None:
    def interrupt(step: str) -> None:
        if step == "land":
            raise KeyboardInterrupt

    with pytest.raises(ForgeError) as cancelled:
        external_shop.run(fault_point=interrupt)
    assert cancelled.value.code == "E901"
    assert "raw.orders" in str(cancelled.value.why)
    assert external_shop.metadata.runs(limit=1)[0].status is RunStatus.CANCELLED
    assert external_shop.tree() == external_shop.heads()
    assert list(external_shop.tree()) == ["raw.orders"]


@pytest.mark.slow
def test_a_crash_between_two_tables_is_found_and_its_record_completed(external_shop: Any) -> None:
    external_shop.run()
    before = external_shop.tree()
    external_shop.make(
        "core.orders", lambda raw_orders: [{**r, "more": 1} for r in raw_orders], ("raw.orders",), code="2"
    )
    external_shop.make("raw.orders", lambda: [{"id": 2, "amount": 7}], kind=TransformKind.APPEND, code="2")
    external_shop.run_killed("land")
    assert len(external_shop.rows("raw.orders")) == 2, "it landed"
    assert external_shop.tree() == before, "and is in no commit"
    dead = external_shop.metadata.runs(limit=1)[0]
    assert ("unrecorded publish", "raw.orders") in external_shop.problems()
    assert ("interrupted run", dead.id) in external_shop.problems()
    assert ("foreign write", "raw.orders") not in external_shop.problems()

    with pytest.raises(ForgeError) as refused:
        external_shop.run()
    assert (refused.value.code, refused.value.fix) == ("E403", "forge repair")

    mended = external_shop.repair()
    assert mended.completed == (dead.id,)
    assert [r.id for r in mended.interrupted] == [dead.id]
    assert external_shop.tree() == external_shop.heads()
    assert external_shop.tree()["core.orders"] == before["core.orders"]
    assert external_shop.problems() == []
    assert external_shop.lake.stages() == ()
    ended = external_shop.metadata.run(dead.id)
    assert ended is not None
    assert ended.status is RunStatus.INTERRUPTED
    commit = external_shop.metadata.commit(ended.commit_id) if ended.commit_id else None
    assert commit is not None
    assert commit.message.startswith(f"Repair of run {dead.id}")
    assert (commit.author.email, commit.committer.email) == ("ada@example.com", "bo@example.com")
    assert [str(t) for t in commit.statistics] == ["raw.orders"]
    assert external_shop.repair().completed == ()

    rest = external_shop.run()
    assert external_shop.statuses(rest) == {
        "raw.orders": "up to date",
        "core.orders": "published",
        "marts.total": "published",
    }
    assert len(external_shop.rows("raw.orders")) == 2, "the append is not repeated"
    assert external_shop.rows("marts.total") == [{"total": 12}]


@pytest.mark.slow
def test_a_repaired_table_has_its_lineage(external_shop: Any) -> None:
    external_shop.run_killed("land", times=2)
    external_shop.repair()
    assert set(external_shop.tree()) == {"raw.orders", "core.orders"}
    dead = external_shop.metadata.runs(limit=1)[0]
    edges = [str(edge.source) for _, lineage in external_shop.metadata.lineage([dead.id]) for edge in lineage.edges]
    assert sorted(edges) == ["raw.orders.amount", "raw.orders.id"]
    assert {str(asset.table) for asset in external_shop.metadata.assets()} == {"raw.orders", "core.orders"}


@pytest.mark.slow
def test_a_crash_before_anything_landed_leaves_nothing_to_complete(external_shop: Any) -> None:
    external_shop.run_killed("prepared")
    assert [kind for kind, _ in external_shop.problems()] == ["interrupted run", *["leftover stage"] * 3]
    assert external_shop.repair().completed == ()
    assert external_shop.problems() == []
    assert external_shop.lake.tables() == ()


@pytest.mark.slow
def test_what_a_run_of_another_forge_wrote_is_a_foreign_write(external_shop: Any) -> None:
    external_shop.run()
    first = external_shop.heads()["core.orders"]
    stage = external_shop.stage(ROW, first, "r-elsewhere")
    external_shop.append(stage, 1)
    assert external_shop.land(stage, expected=first)
    external_shop.lake.drop_stages(RunId("r-elsewhere"))
    assert external_shop.problems() == [("foreign write", "core.orders")]
    assert external_shop.repair().completed == ()
    assert external_shop.run("core.orders").run.status is RunStatus.SUCCEEDED
