"""Kinds of transforms, sources, lineage and the cost of checks, on real Spark. From docs/guide/project.md."""

from __future__ import annotations

import csv
import os
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from shop_project import SHOP, MakeProject, rows, write

from forge.connection import Connection
from forge.flows.runs.plan import plan
from forge.flows.runs.run import RunRequest
from forge.model.errors import ForgeError
from forge.model.names import BranchName

pytestmark = pytest.mark.spark


def test_append_loads_only_new_files(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,c,5.00,2026-11-02\n")
    report = project.run("raw.orders")
    (output,) = report.result.run.outputs
    assert (output.rows_added, output.rows) == (1, 3)
    assert project.run("raw.orders").status == "nothing to do"


def test_a_loaded_file_that_was_only_touched_is_the_same_file(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    file = project.wiring.root / "data/orders/1.csv"
    os.utime(file, ns=(1, 1))
    assert project.run("raw.orders").status == "nothing to do"
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content)  # copied anew
    assert project.run("raw.orders").status == "nothing to do"
    file.write_bytes(content.replace(b"10.00", b"10.01"))  # as long as before, and not the same
    error = project.run("raw.orders").result.run.error
    assert error is not None
    assert error["code"] == "FORGE-E215"


def reasons(project: Connection) -> dict[str, str]:
    request = RunRequest(branch=BranchName("main"))
    found = plan(request, project.wiring.project(), project.wiring.runs.ports())
    return {str(step.table): step.reason for step in found.steps}


def test_a_plan_names_the_commit_of_a_person_that_a_run_would_replace(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    row = {"id": [9], "customer": ["z"], "amount": [Decimal("1.00")], "day": [date(2026, 11, 3)]}
    schema = pa.schema({"id": "int64", "customer": "string", "amount": pa.decimal128(12, 2), "day": "date32"})
    project.commit("core.orders", rows=pa.table(row, schema=schema), mode="append", message="Order by phone")
    found = reasons(project)
    assert found["core.orders"].startswith(f"commit {project.log(limit=1)[0].id[:8]} of ")
    assert found["core.orders"].endswith(" changed it (Order by phone): it will be made anew without that")


def test_a_plan_gives_the_one_reason(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    write(
        project,
        "transforms/marts/customers.sql",
        "SELECT customer, count(1) AS orders FROM raw.orders GROUP BY customer",
    )
    write(project, "checks/core.yaml", "core.orders: [{type: row_count, min: 1}]")
    found = reasons(project)
    assert found["marts.customers"] == "its code changed"
    assert found["core.orders"] == "its checks changed"


def test_a_run_executes_the_steps_that_the_plan_showed(make_project: MakeProject) -> None:
    view = "/* forge\nkind: view\n*/\nSELECT id, amount FROM core.orders"
    project = make_project(
        {**SHOP, "transforms/marts/seen.sql": view, "transforms/marts/kept.sql": "SELECT id FROM marts.seen"}
    )
    project.run()
    write(project, "checks/marts.yaml", "marts.seen: [{type: row_count, min: 1}]")
    planned = plan(
        RunRequest(branch=BranchName("main")), project.wiring.project(), project.wiring.runs.plan_ports()
    ).steps
    said = {str(step.table): (str(step.action), step.reason) for step in planned}
    assert said["marts.seen"] == ("run", "its checks changed")
    assert said["marts.kept"] == ("run", "its input marts.seen will change")
    assert [str(step.table) for step in planned if not step.is_certain] == ["marts.seen", "marts.kept"]
    executed = {str(step.table): (str(step.action), step.reason) for step in project.run().result.steps}
    # the view reads the same as before, which only the run could know
    assert executed == {**said, "marts.kept": ("up to date", "same code, inputs and parameters")}


def test_csv_is_read_as_its_standard_says(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    file = project.wiring.root / "data/orders/1.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        out.write('id,customer,amount,day\r\n1,"Ada ""The Countess"", Lovelace",1.00,2026-11-01\r\n')
        out.write(
            '2,"two\nlines",2.00,2026-11-01\r\n3,back\\slash,3.00,2026-11-01\r\n4,"ends in \\",4.00,2026-11-01\r\n'
        )
    project.run("raw.orders")
    with file.open(encoding="utf-8-sig", newline="") as text:
        expected = [row[1] for row in csv.reader(text)][1:]
    found = [row[1] for row in sorted(rows(project, "raw.orders"))]
    assert found == expected == ['Ada "The Countess", Lovelace', "two\nlines", "back\\slash", "ends in \\"]


def test_options_of_a_source_go_before_the_standard(make_project: MakeProject) -> None:
    source = SHOP["sources/shop.yaml"].replace("options: {", "options: {MULTILINE: \"false\", escape: '\\', ")
    project = make_project({**SHOP, "sources/shop.yaml": source})
    write(project, "data/orders/1.csv", 'id,customer,amount,day\n1,"Ada \\"C\\"",1.00,2026-11-01\n')
    project.run("raw.orders")
    assert [row[1] for row in rows(project, "raw.orders")] == ['Ada "C"']


def test_a_loaded_file_that_changed_is_refused_and_full_loads_all_anew(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run("raw.orders")
    write(project, "data/orders/1.csv", "id,customer,amount,day\n1,a,11.50,2026-11-01\n")
    error = project.run("raw.orders").result.run.error
    assert error is not None
    assert error["code"] == "FORGE-E215"
    assert "data/orders/1.csv" in str(error["what"])
    assert len(rows(project, "raw.orders")) == 2
    source = SHOP["sources/shop.yaml"]
    write(project, "sources/shop.yaml", source.replace("kind: append", "kind: full"))
    assert project.run("raw.orders").status == "succeeded"
    write(project, "sources/shop.yaml", source)
    assert project.run("raw.orders").status == "nothing to do"
    assert [row[0] for row in rows(project, "raw.orders")] == [1]


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


def test_an_incremental_table_takes_new_columns_and_loses_none(make_project: MakeProject) -> None:
    header = "/* forge\nkind: incremental_by_unique_key\nunique_key: [id]\n*/\n"
    project = make_project({"transforms/core/people.sql": header + "SELECT 1 AS id, 'a' AS name"})
    project.run()
    write(project, "transforms/core/people.sql", header + "SELECT 2L AS id, 'b' AS name, 5 AS age")
    assert project.run().status == "succeeded"
    assert rows(project, "core.people") == [(1, "a", None), (2, "b", 5)]
    for text, why in (
        ("SELECT 3 AS id, 1 AS age", "name would be dropped"),
        ("SELECT 3 AS id, 7 AS name, 1 AS age", "string"),
    ):
        write(project, "transforms/core/people.sql", header + text)
        error = project.run().result.run.error
        assert error is not None
        assert error["code"] == "FORGE-E214"
        assert why in str(error["why"])
    assert rows(project, "core.people") == [(1, "a", None), (2, "b", 5)]


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
    with pytest.raises(ForgeError, match="time range") as refused:
        project.run("core.daily", force=True)
    assert refused.value.code == "E206"


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


def test_a_table_does_not_become_a_view_nor_a_view_a_table(make_project: MakeProject) -> None:
    view = "/* forge\nkind: view\n*/\n"
    project = make_project({"transforms/core/a.sql": "SELECT 1 AS x", "transforms/core/b.sql": view + "SELECT 1 AS x"})
    assert project.run().status == "succeeded"
    write(project, "transforms/core/a.sql", view + "SELECT 1 AS x")
    write(project, "transforms/core/b.sql", "SELECT 1 AS x")
    for name in ("core.a", "core.b"):
        error = project.run(name).result.run.error
        assert error is not None
        assert error["code"] == "FORGE-E206"
        assert "cannot become" in str(error["what"])


def test_column_edges_are_recorded_by_run_and_commit(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    found = project.lineage.upstream("marts.revenue", "total")
    assert [(item.name, item.depth) for item in found.items] == [
        ("core.orders.amount", 1),
        ("raw.orders.amount", 2),
        ("files:data/orders/*.csv.amount", 3),
    ]
    link = found.items[0].via
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


def test_loads_take_their_connection_from_declared_sources(make_project: MakeProject) -> None:
    """A relative file starts at the project, wherever Spark's process is."""
    import sqlite3

    text = """
        sources:
          - {name: till, connector: sqlite, path: till.db}
          - {name: rates, connector: files, path: r.csv, columns: {day: date, rate: double}, options: {header: true}}
          - {output: raw.people, source: till, table: people}
          - {output: raw.rates, source: rates}
    """
    project = make_project({"sources/crm.yaml": text, "r.csv": "day,rate\n2026-11-01,1.5\n"})
    with sqlite3.connect(project.wiring.root / "till.db") as database:
        database.execute("CREATE TABLE people (id INTEGER, mail TEXT)")
        database.execute("INSERT INTO people VALUES (1, 'a@example.com')")
    assert project.run().status == "succeeded"
    assert rows(project, "raw.people") == [(1, "a@example.com")]
    assert [rate for _, rate in rows(project, "raw.rates")] == [1.5]


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
