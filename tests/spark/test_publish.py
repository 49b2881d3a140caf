"""Publishing beside others, and runs that cannot run, on real Spark and Iceberg."""

from __future__ import annotations

import pytest
from shop_project import SHOP, MakeProject, assert_nothing_staged, create_branch, head, pyiceberg, rows, statuses, write

from forge.connection import RunReport
from forge.flows.runs.build import StepEvent
from forge.flows.runs.records import OutputStatus, RunStatus
from forge.flows.upkeep.maintenance import find_problems
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, TableName

pytestmark = pytest.mark.spark


def test_a_foreign_key_sees_the_version_of_this_run(make_project: MakeProject) -> None:
    sql = """
        /* forge
        checks: [{type: foreign_key, columns: [customer], references: marts.customers.customer}]
        */
        SELECT id, customer FROM raw.orders
    """
    project = make_project({**SHOP, "transforms/core/linked.sql": sql})
    assert project.run().status == "succeeded"
    write(project, "transforms/marts/customers.sql", "SELECT 'a' AS customer, 1L AS orders")
    report = project.run()
    assert statuses(report)["core.linked"] == "up to date", "its own inputs did not change"
    assert statuses(project.run("core.linked", force=True))["core.linked"] == "blocked"


def test_what_another_engine_wrote_is_seen_and_reported(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    table = pyiceberg(project).load_table("raw.orders")
    table.append(table.scan().to_arrow().slice(0, 1))
    assert len(rows(project, "raw.orders")) == 3
    findings = find_problems(project.wiring.metadata, project.wiring.lake, BranchName("main"))
    assert [(f.kind, f.subject) for f in findings] == [("foreign write", "raw.orders")]
    report = project.run("marts.customers")
    assert statuses(report) == {"marts.customers": "published"}
    assert sum(r[1] for r in rows(project, "marts.customers")) == 3


def test_a_publish_of_the_same_table_meanwhile_is_a_conflict(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    theirs: list[RunReport] = []

    def meddle(event: StepEvent) -> None:
        if event.step == "staged" and not theirs:
            theirs.append(project.run("core.orders", force=True))

    ours = project.run("core.orders", force=True, notify=meddle)
    assert theirs[0].status == "succeeded"
    assert ours.status == "conflict"
    assert ours.result.conflicts == (TableName("core", "orders"),)
    assert theirs[0].commit is not None
    assert head(project) == theirs[0].commit.id
    assert_nothing_staged(project)


def test_a_publish_of_another_table_meanwhile_is_no_conflict(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    theirs: list[RunReport] = []

    def meddle(event: StepEvent) -> None:
        if event.step == "staged" and not theirs:
            theirs.append(project.run("marts.customers", force=True))

    ours = project.run("core.orders", force=True, notify=meddle)
    assert ours.status == "succeeded"
    assert theirs[0].commit is not None
    assert ours.commit is not None
    assert ours.commit.parents == (theirs[0].commit.id,)
    assert head(project) == ours.commit.id


def test_pyiceberg_commits_beside_spark_on_another_branch(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    create_branch(project, "dev")
    seen: list[str] = []

    def meddle(event: StepEvent) -> None:
        if event.step == "staged" and not seen:
            seen.append("now")
            project.run("core.orders", branch="dev", force=True)

    assert project.run("core.orders", force=True, notify=meddle).status == "succeeded"
    assert len(rows(project, "core.orders")) == 2
    assert len(rows(project, "core.orders", at="dev")) == 2
    assert project.spark.sql("SELECT * FROM core.orders VERSION AS OF 'dev'").count() == 2


def test_an_exception_in_one_transform_publishes_nothing(make_project: MakeProject) -> None:
    code = """
        from forge import transform

        @transform(output="marts.broken", inputs={"orders": "raw.orders"})
        def broken(orders):
            return orders.select(str(1 / 0))
    """
    project = make_project({**SHOP, "transforms/marts/broken.py": code}, parallel=1)
    report = project.run()
    assert report.status == "failed"
    assert report.result.run.error is not None
    assert report.result.run.error["code"] == "FORGE-E207"
    assert report.result.run.error["where"] == "transforms/marts/broken.py:6"
    assert head(project) is None
    assert project.wiring.lake.tables() == ()
    assert_nothing_staged(project)
    assert project.wiring.metadata.runs()[0].status is RunStatus.FAILED
    with pytest.raises(ForgeError, match="ZeroDivisionError"):
        report.raise_for_status()
    assert OutputStatus.PUBLISHED not in {o.status for o in report.result.run.outputs}


def test_an_unknown_column_names_the_line_and_the_nearest(make_project: MakeProject) -> None:
    project = make_project({**SHOP, "transforms/core/orders.sql": "SELECT o.id,\n       o.amuont\nFROM raw.orders o\n"})
    report = project.run("+core.orders")
    error = report.result.run.error
    assert error is not None
    assert error["code"] == "FORGE-E203"
    assert error["where"] == "transforms/core/orders.sql:2:8"
    assert "amount" in str(error["fix"])


def test_bad_rows_refuse_the_file_whole(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,c,5.00,2026-11-02\nfour,c,5.00,2026-11-02\n")
    report = project.run("raw.orders")
    assert report.result.run.error is not None
    assert report.result.run.error["code"] == "FORGE-E210"
    assert len(rows(project, "raw.orders")) == 2


def test_the_catalog_row_of_a_table_has_its_own_name(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    assert project.wiring.lake.tables() == (CatalogName("raw", "orders"),)
