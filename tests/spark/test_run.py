"""The story of one run, on real Spark and Iceberg: one commit, gates, branches. From docs/guide/run.md."""

from __future__ import annotations

import pytest
from shop_project import SHOP, MakeProject, assert_nothing_staged, create_branch, head, pyiceberg, rows, statuses, write

from forge.model.errors import ForgeError
from forge.model.names import TableName

pytestmark = pytest.mark.spark


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


def test_an_append_of_a_run_holds_the_key_that_is_remembered_or_declared(make_project: MakeProject) -> None:
    project = make_project(SHOP)
    project.run()
    project.commit("raw.orders", rows=[{"id": 1, "customer": "ada"}], mode="merge", key="id")
    write(project, "data/orders/2.csv", "id,customer,amount,day\n2,b,5.00,2026-11-02\n3,c,5.00,2026-11-02\n")
    report = project.run()
    assert statuses(report)["raw.orders"] == "failed"
    (failed,) = (o for o in report.result.run.outputs if str(o.table) == "raw.orders")
    assert failed.error is not None
    assert (failed.error["code"], "id = 2" in str(failed.error["what"])) == ("FORGE-E611", True)
    assert [row[0] for row in rows(project, "raw.orders")] == [1, 2]
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,c,5.00,2026-11-02\n")
    assert statuses(project.run())["raw.orders"] == "published"
    version = project.wiring.metadata.tree(head(project))[TableName("raw", "orders")]  # type: ignore[arg-type]
    assert version.key == ("id",)
