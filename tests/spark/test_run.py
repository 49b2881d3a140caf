"""The story of one run, on real Spark and Iceberg. Written from docs/guide/run.md and docs/guide/project.md."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from forge.connection import Connection, Report
from forge.flows.build import Event
from forge.flows.care import find_problems
from forge.flows.records import OutputStatus, RunStatus
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, TableName

pytestmark = pytest.mark.spark

MakeProject = Callable[..., Connection]

SHOP = {
    "sources/shop.yaml": """
        sources:
          - output: raw.orders
            connector: files
            format: csv
            path: data/orders/*.csv
            options: {header: "true"}
            columns: {id: long, customer: string, amount: "decimal(12,2)", day: date}
            kind: append
    """,
    "data/orders/1.csv": "id,customer,amount,day\n1,a,10.00,2026-11-01\n2,b,20.00,2026-11-01\n",
    "transforms/core/orders.sql": """
        /* forge
        checks: [{type: range, column: amount, min: 0, max: 1000, severity: critical}]
        */
        SELECT o.id, o.customer, o.amount, o.day FROM raw.orders o
    """,
    "transforms/marts/revenue.sql": "SELECT day, sum(amount) AS total FROM core.orders GROUP BY day",
    "transforms/marts/customers.sql": "SELECT customer, count(*) AS orders FROM raw.orders GROUP BY customer",
}


def write(connection: Connection, name: str, text: str) -> None:
    path = connection.wiring.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")


def statuses(report: Report) -> dict[str, str]:
    return {str(o.table): str(o.status) for o in report.result.run.outputs}


def rows(connection: Connection, table: str, at: str | None = None) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in connection.table(table, at=at).collect())


def head(connection: Connection, branch: str = "main") -> str | None:
    return connection.wiring.branch_head(BranchName(branch))


def assert_nothing_staged(connection: Connection) -> None:
    assert connection.wiring.lake.stages() == ()


def test_a_run_is_one_commit_of_all_tables(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    report = project.run()
    assert report.status == "succeeded"
    assert set(statuses(report).values()) == {"published"}
    assert report.commit is not None
    assert head(project) == report.commit.id
    assert {str(t) for t in report.commit.statistics} == {
        "raw.orders",
        "core.orders",
        "marts.revenue",
        "marts.customers",
    }
    assert report.commit.statistics[TableName("core", "orders")].rows_added == 2
    assert [row[1] for row in rows(project, "marts.revenue")] == [30]
    assert_nothing_staged(project)


def test_the_same_again_is_a_no_op_without_a_job(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    first = project.run()
    second = project.run()
    assert second.status == "nothing to do"
    assert set(statuses(second).values()) == {"up to date"}
    assert sum(o.spark_jobs for o in second.result.run.outputs) == 0
    assert first.commit is not None
    assert head(project) == first.commit.id


def test_a_change_of_code_reruns_it_and_what_stands_on_it(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    write(project, "transforms/marts/revenue.sql", "SELECT day, sum(amount) AS revenue FROM core.orders GROUP BY day")
    assert statuses(project.run()) == {
        "raw.orders": "up to date",
        "core.orders": "up to date",
        "marts.customers": "up to date",
        "marts.revenue": "published",
    }
    assert project.table("marts.revenue").columns == ["day", "revenue"]
    assert project.table("marts.revenue", at="HEAD~1").columns == ["day", "total"]


def test_a_failed_gate_leaves_the_table_and_what_stands_on_it_where_they_were(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    before = rows(project, "core.orders"), rows(project, "marts.revenue")
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,a,250000.00,2026-11-02\n")
    report = project.run()
    assert report.status == "blocked"
    assert statuses(report) == {
        "raw.orders": "published",
        "marts.customers": "published",
        "core.orders": "blocked",
        "marts.revenue": "skipped",
    }
    assert (rows(project, "core.orders"), rows(project, "marts.revenue")) == before
    assert len(rows(project, "raw.orders")) == 3
    assert_nothing_staged(project)
    (incident,) = report.incidents
    assert str(incident.column) == "core.orders.amount"
    assert str(incident.origin) == "raw.orders.amount"
    assert incident.commit == report.commit
    assert [str(s.column) for s in incident.spared] == ["marts.revenue.total"]


def test_with_publish_all_a_failed_gate_publishes_nothing(make_project: MakeProject) -> None:
    project = make_project(
        {**SHOP, "data/orders/1.csv": "id,customer,amount,day\n1,a,-1.00,2026-11-01\n"}, **{"run.publish": "all"}
    )
    report = project.run()
    assert report.status == "blocked"
    assert head(project) is None
    assert project.wiring.lake.tables() == ()
    assert_nothing_staged(project)


def test_a_schema_that_breaks_the_contract_is_blocked_before_anything_is_written(make_project: MakeProject) -> None:
    contract = """
        apiVersion: v3.1.0
        kind: DataContract
        id: orders
        version: 1.0.0
        status: active
        schema:
          - name: core.orders
            properties:
              - {name: id, logicalType: integer, required: true}
              - {name: amount, logicalType: string}
              - {name: currency, logicalType: string}
    """
    project = make_project({**SHOP, "contracts/core.orders.odcs.yaml": contract})
    report = project.run("+core.orders")
    assert statuses(report)["core.orders"] == "blocked"
    codes = {v.details["code"] for v in report.result.verdicts if v.blocks}
    assert codes == {"E530", "E531"}
    (output,) = [o for o in report.result.run.outputs if str(o.table) == "core.orders"]
    assert output.spark_jobs == 0


def test_a_branch_does_not_move_main(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    main = project.run().commit
    create_branch(project, "fix/orders")
    write(project, "transforms/core/orders.sql", "SELECT id, customer, amount * 2 AS amount, day FROM raw.orders")
    report = project.run("core.orders", branch="fix/orders")
    assert main is not None
    assert head(project) == main.id
    assert head(project, "fix/orders") == (report.commit and report.commit.id)
    assert [r[2] for r in rows(project, "core.orders")] == [10, 20]
    assert [r[2] for r in rows(project, "core.orders", at="fix/orders")] == [20, 40]
    # Tables the branch has not touched are read at the fork point.
    assert rows(project, "raw.orders", at="fix/orders") == rows(project, "raw.orders")
    refs = pyiceberg(project).load_table("core.orders").metadata.refs
    assert set(refs) == {"main", "fix/orders"}


def test_a_table_that_is_new_on_a_branch_is_not_on_main(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    create_branch(project, "dev")
    write(project, "transforms/marts/top.sql", "SELECT customer, orders FROM marts.customers")
    assert project.run("marts.top", branch="dev").status == "succeeded"
    assert len(rows(project, "marts.top", at="dev")) == 2
    with pytest.raises(ForgeError, match=r"no table marts\.top"):
        project.table("marts.top")
    assert not pyiceberg(project).table_exists("marts.top")
    # A second run on the branch goes on from the first.
    assert statuses(project.run("marts.top", branch="dev")) == {"marts.top": "up to date"}
    write(project, "transforms/marts/top.sql", "SELECT customer FROM marts.customers")
    assert statuses(project.run("marts.top", branch="dev")) == {"marts.top": "published"}
    assert project.table("marts.top", at="dev").columns == ["customer"]


def test_a_branch_may_change_a_schema_without_main_seeing_it(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    create_branch(project, "dev")
    write(project, "transforms/core/orders.sql", "SELECT id, upper(customer) AS buyer, amount FROM raw.orders")
    project.run("core.orders", branch="dev")
    assert project.table("core.orders").columns == ["id", "customer", "amount", "day"]
    assert project.table("core.orders", at="dev").columns == ["id", "amount", "buyer"]
    assert project.spark.table("forge.core.orders").columns == ["id", "customer", "amount", "day"]


def test_append_loads_only_new_files(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,c,5.00,2026-11-02\n")
    report = project.run("raw.orders")
    (output,) = report.result.run.outputs
    assert (output.rows_added, output.rows) == (1, 3)
    assert project.run("raw.orders").status == "nothing to do"


def test_unique_keys_are_updated_and_new_ones_inserted(make_project: MakeProject) -> None:
    project = make_project(
        {
            "transforms/core/people.sql": """
                /* forge
                kind: incremental_by_unique_key
                unique_key: [id]
                */
                SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, name)
            """
        }
    )
    project.run()
    text = "/* forge\nkind: incremental_by_unique_key\nunique_key: [id]\n*/\n"
    write(project, "transforms/core/people.sql", text + "SELECT * FROM VALUES (2, 'B'), (3, 'c') AS t(id, name)")
    project.run()
    assert rows(project, "core.people") == [(1, "a"), (2, "B"), (3, "c")]
    write(project, "transforms/core/people.sql", text + "SELECT * FROM VALUES (4, 'x'), (4, 'y') AS t(id, name)")
    report = project.run()
    assert report.status == "failed"
    assert report.result.run.error is not None
    assert report.result.run.error["code"] == "FORGE-E212"
    assert rows(project, "core.people") == [(1, "a"), (2, "B"), (3, "c")]


def test_a_time_range_is_replaced_and_the_rest_stays(make_project: MakeProject) -> None:
    sql = """
        /* forge
        kind: incremental_by_time_range
        time_column: day
        */
        SELECT o.id, o.day FROM raw.orders o WHERE o.day >= :start AND o.day < :end
    """
    project = make_project({**SHOP, "transforms/core/daily.sql": sql})
    project.run("+core.daily")
    assert len(rows(project, "core.daily")) == 2
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,c,5.00,2026-11-02\n4,c,5.00,2026-11-03\n")
    second = (datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 3, tzinfo=UTC))
    project.run("raw.orders", "core.daily", start=second[0], end=second[1])
    assert [r[0] for r in rows(project, "core.daily")] == [1, 2, 3]
    project.run("core.daily", start=second[0], end=second[1], force=True)
    assert [r[0] for r in rows(project, "core.daily")] == [1, 2, 3]
    report = project.run("core.daily", force=True)
    assert report.status == "failed"
    assert "time range" in str(report.result.run.error)


def test_a_view_is_read_by_being_expanded(make_project: MakeProject) -> None:
    view = "/* forge\nkind: view\n*/\nSELECT id, amount * 2 AS twice FROM raw.orders"
    project = make_project(
        {
            **SHOP,
            "transforms/staging/double.sql": view,
            "transforms/core/sums.sql": "SELECT sum(twice) AS s FROM staging.double",
        }
    )
    report = project.run("+core.sums")
    assert report.status == "succeeded"
    assert [r[0] for r in rows(project, "core.sums")] == [60]
    assert [r[1] for r in project.spark.sql("SELECT * FROM staging.double ORDER BY id").collect()] == [20, 40]
    up = [item.name for item in project.lineage.upstream("core.sums", "s", depth=2).items]
    assert up == ["staging.double.twice", "raw.orders.amount"]


def test_column_edges_are_recorded_by_run_and_commit(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    found = project.lineage.upstream("marts.revenue", "total")
    assert [(item.name, item.depth) for item in found.items] == [
        ("core.orders.amount", 1),
        ("raw.orders.amount", 2),
        ("files:data/orders/*.csv.amount", 3),
    ]
    link = found.items[0].path[-1]
    assert (str(link.transformation), link.expression) == ("aggregation", "sum(amount)")


def test_a_python_transform_gets_inputs_parameters_and_context(make_project: MakeProject) -> None:
    code = """
        from forge import transform
        from pyspark.sql import functions as F

        @transform(output="marts.flagged", inputs={"orders": "core.orders"})
        def flagged(orders, ctx):
            ctx.lineage.record("crm.people.name", "who")
            return orders.where(F.col("day") == ctx.params["day"]).select("id", F.lit("x").alias("who"))
    """
    settings = "user: {name: Ada, email: a@example.com}\nparams: {day: {type: date, default: 2026-11-01}}\n"
    project = make_project({**SHOP, "forge.yaml": settings, "transforms/marts/flagged.py": code})
    assert project.run("+marts.flagged").status == "succeeded"
    assert len(rows(project, "marts.flagged")) == 2
    assert project.run("marts.flagged", params={"day": "2026-11-02"}).status == "succeeded"
    assert rows(project, "marts.flagged") == []
    assert "crm.people.name" in {i.name for i in project.lineage.upstream("marts.flagged", "who").items}


def test_a_database_is_a_source_like_any_other(make_project: MakeProject, tmp_path: Path) -> None:
    import sqlite3

    crm = tmp_path / "crm.db"
    with sqlite3.connect(crm) as database:
        database.execute("CREATE TABLE people (id INTEGER, mail TEXT)")
        database.execute("INSERT INTO people VALUES (1, 'a@example.com')")
    source = f"sources:\n  - {{output: raw.people, connector: jdbc, url: 'jdbc:sqlite:{crm}', table: people}}\n"
    project = make_project({"sources/crm.yaml": source})
    assert project.run().status == "succeeded"
    assert rows(project, "raw.people") == [(1, "a@example.com")]
    (edge,) = [i.name for i in project.lineage.upstream("raw.people", "mail").items]
    assert edge.endswith("crm.db:people.mail")


def test_checks_that_manifests_can_answer_cost_no_job(make_project: MakeProject) -> None:
    sql = """
        /* forge
        checks:
          - {type: not_null, column: id}
          - {type: range, column: amount, min: 0, max: 1000}
          - {type: row_count, min: 1}
        */
        SELECT id, amount FROM raw.orders
    """
    project = make_project({**SHOP, "transforms/core/slim.sql": sql})
    report = project.run("+core.slim")
    (output,) = [o for o in report.result.run.outputs if str(o.table) == "core.slim"]
    assert output.spark_jobs == 1, "the write alone"
    assert len([v for v in report.result.verdicts if v.table == "core.slim"]) == 3


def test_all_other_plain_checks_share_one_scan(make_project: MakeProject) -> None:
    sql = """
        /* forge
        checks:
          - {type: accepted_values, column: customer, values: [a, b]}
          - {type: regex, column: customer, pattern: '^[a-z]$'}
          - {type: expression, sql: amount > 0, name: positive}
          - {type: range, column: amount, min: 15, max: 1000, severity: warning}
        */
        SELECT id, customer, amount FROM raw.orders
    """
    project = make_project({**SHOP, "transforms/core/slim.sql": sql})
    report = project.run("+core.slim")
    (output,) = [o for o in report.result.run.outputs if str(o.table) == "core.slim"]
    # One write, one scan for the checks, one small job for the sample of the failed warning.
    assert output.spark_jobs == 3
    assert str(output.status) == "published"


def test_a_sample_of_failing_rows_masks_personal_data(make_project: MakeProject) -> None:
    contract = """
        apiVersion: v3.1.0
        kind: DataContract
        id: people
        version: 1.0.0
        status: active
        schema:
          - name: core.people
            properties:
              - {name: id, logicalType: integer}
              - {name: mail, logicalType: string, classification: pii}
    """
    sql = """
        /* forge
        checks: [{type: range, column: id, min: 1}]
        */
        SELECT 0 AS id, 'ada@example.com' AS mail
    """
    project = make_project({"transforms/core/people.sql": sql, "contracts/core.people.odcs.yaml": contract})
    report = project.run()
    (verdict,) = [v for v in report.result.verdicts if v.blocks]
    assert verdict.details["sample"] == [{"id": 0, "mail": "***"}]
    assert "ada@example.com" not in str(project.wiring.metadata.verdicts())


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
    theirs: list[Report] = []

    def meddle(event: Event) -> None:
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
    theirs: list[Report] = []

    def meddle(event: Event) -> None:
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

    def meddle(event: Event) -> None:
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


def create_branch(project: Connection, name: str) -> None:
    from forge.flows.branches import create_branch as create

    wiring = project.wiring
    create(wiring.metadata, name, "HEAD", current=BranchName("main"), author=wiring.author, clock=wiring.clock)


def pyiceberg(project: Connection) -> Any:
    from pyiceberg.catalog.sql import SqlCatalog

    settings = project.wiring.settings
    return SqlCatalog("forge", uri=settings.database_url(), warehouse=settings.warehouse_path())


def test_the_catalog_row_of_a_table_has_its_own_name(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    assert project.wiring.lake.tables() == (CatalogName("raw", "orders"),)
