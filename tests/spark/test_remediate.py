"""Remediation on Spark: the same answers as on the driver, and a governed run that sets bad rows aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from forge.connection import Connection
from forge.flows.quality.judge import judge_dataset
from forge.flows.quality.remediation.decision import approve, revert
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.proposal import RemedyOrder, observe_failures, start
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
from forge.flows.versioning.time_travel import travel
from forge.model.names import BranchName, TableName
from forge.quality.check import Check
from forge.quality.checks import ExpressionCheck, ForeignKeyCheck, NotNullCheck, RangeCheck, UniqueCheck
from forge.quality.remediation import Remediation, RemedyStatus, RemedyStep
from forge.quality.remedy import load_actions
from forge.quality.verdict import Outcome

pytestmark = pytest.mark.spark

ORDERS, SIDE = TableName.parse("core.orders"), TableName.parse("core.orders_quarantine")
MAIN = BranchName("main")
NOON = datetime(2026, 10, 25, 2, 30, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("amount", pa.decimal128(12, 2)),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("score", pa.float64()),
        ("city", pa.string()),
    ]
)


def row(id: int | None, amount: str | None, day: int | None, score: float | None, city: str | None) -> dict[str, Any]:
    return {
        "id": id,
        "amount": None if amount is None else Decimal(amount),
        "day": None if day is None else date(2026, 11, day),
        "at": None if day is None else NOON.replace(day=day),
        "score": score,
        "city": city,
    }


FIRST = [row(1, "10.00", 1, 1.5, "Ulm"), row(2, "20.00", 2, None, "Bonn"), row(3, "-5.00", 3, 2.5, "Ulm")]
SECOND = [
    row(4, None, None, float("nan"), None),
    row(1, "11.00", 5, 4.5, "Köln"),
    row(None, "7.00", 6, None, "Ulm"),
]


@pytest.fixture
def project(make_project: Callable[..., Connection]) -> Connection:
    project = make_project()
    for rows in (FIRST, SECOND):
        add(project, rows)
    return project


def add(project: Connection, rows: Sequence[dict[str, Any]], table: TableName = ORDERS) -> None:
    given = pa.Table.from_pylist(list(rows), schema=SCHEMA if table == ORDERS else None)
    commit_data(CommitRequest(table=table, branch="main", rows=given), project.wiring.versioning.ports())


def ports_of(project: Connection, *checks: Check, spark: bool = True) -> RemedyPorts:
    """With these checks of the table; on Spark whatever its size."""
    versions = project.wiring.versioning.ports()
    known = versions.project()
    given = replace(known, checks={ORDERS: checks})
    small = 0 if spark else versions.small_bytes
    versions = replace(versions, project=lambda: given, small_bytes=small)
    return project.wiring.quality.remedies(versions=versions)


def observe(project: Connection, *checks: Check) -> tuple[Remediation, RemedyPorts]:
    ports = ports_of(project, *checks)
    judged = judge_dataset("core.orders", replace(project.wiring.quality.check_ports(), project=ports.versions.project))
    (made,) = observe_failures(judged, ports)
    return made, ports


def table_of(project: Connection, table: TableName = ORDERS, at: str = "main") -> list[dict[str, Any]]:
    found = travel(project.wiring.versioning.ports(), table, at)
    rows = [dict(zip(found.schema.names, values, strict=True)) for values in found.rows]
    return sorted(rows, key=lambda one: repr((one["id"], one["amount"])))


def outcomes(project: Connection, *checks: Check) -> list[Outcome]:
    ports = ports_of(project, *checks)
    judged = judge_dataset("core.orders", replace(project.wiring.quality.check_ports(), project=ports.versions.project))
    return [verdict.outcome for verdict in judged.verdicts]


FILLS: list[dict[str, Any]] = [
    {"method": "median", "columns": ["amount", "day", "at", "score"]},
    {"method": "mode", "columns": ["city", "amount", "at"]},
    {"method": "constant", "columns": ["amount"], "value": "3.25"},
    {"method": "constant", "columns": ["at"], "value": "2026-10-25T02:30:00+00:00"},
    {"method": "constant", "columns": ["day"], "value": date(2026, 1, 2)},
    {"method": "forward_fill", "columns": ["score", "city"], "order_by": "id"},
    {"method": "forward_fill", "columns": ["score"], "key": "city", "order_by": ["day", "at"]},
]


@pytest.mark.parametrize("options", FILLS, ids=lambda options: f"{options['method']} {options['columns']}")
def test_cells_are_filled_on_spark_as_on_the_driver(project: Connection, options: dict[str, Any]) -> None:
    steps = tuple(RemedyStep(action, ()) for action in load_actions({"action": "impute", **options}))
    found = []
    for spark in (True, False):
        made = start(RemedyOrder(ORDERS, MAIN, steps), ports_of(project, spark=spark))
        assert made.status is RemedyStatus.PROPOSED, made.note
        found.append((table_of(project, at=str(made.preview_branch)), made.counts, made.results[0].details["cells"]))
    assert repr(found[0]) == repr(found[1])
    assert repr(found[0][0]) != repr(table_of(project))


@pytest.mark.parametrize("order_by", ["day", "amount", "at", "city"])
def test_duplicates_are_removed_on_spark_as_on_the_driver(project: Connection, order_by: str) -> None:
    add(project, [row(2, None, None, None, None), row(2, "1.00", 9, 1.0, "Aalen")])
    steps = tuple(RemedyStep(a, ()) for a in load_actions({"action": "deduplicate", "key": "id", "order_by": order_by}))
    found = []
    for spark in (True, False):
        made = start(RemedyOrder(ORDERS, MAIN, steps), ports_of(project, spark=spark))
        assert made.counts[0].deleted == 3
        found.append(table_of(project, at=str(made.preview_branch)))
    assert repr(found[0]) == repr(found[1])
    assert sorted(str(one["id"]) for one in found[0]) == ["1", "2", "3", "4", "None"]


def test_only_the_files_that_change_are_written_anew(project: Connection) -> None:
    tables, metadata = project.wiring.versioning.ports().tables, project.wiring.metadata

    def files() -> set[str]:
        version = metadata.tree(project.wiring.branch_head(MAIN))[ORDERS]
        assert version.snapshot_id is not None
        return {file.path for file in tables.files(version.catalog, version.snapshot_id).files}

    before = files()
    (action,) = load_actions({"action": "impute", "method": "constant", "columns": "amount", "value": 1})
    start(RemedyOrder(ORDERS, MAIN, (RemedyStep(action, ()),)), ports_of(project), auto=True)
    assert len(before) == 2
    assert len(before & files()) == 1


def test_a_custom_query_gives_the_new_content(project: Connection) -> None:
    (action,) = load_actions({"action": "custom", "sql": "SELECT * FROM core.orders WHERE amount > 0"})
    made = start(RemedyOrder(ORDERS, MAIN, (RemedyStep(action, ()),)), ports_of(project))
    done = approve(made.id, ports_of(project))
    assert done.status is RemedyStatus.APPLIED
    assert sorted(str(one["id"]) for one in table_of(project)) == ["1", "1", "2", "None"]
    revert(made.id, ports_of(project))
    assert len(table_of(project)) == 6


def test_a_function_of_the_project_gives_the_new_content(project: Connection) -> None:
    file = project.wiring.root / "quality" / "mend.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text("def positive(orders):\n    return orders.where('amount > 0')\n")
    (action,) = load_actions({"action": "custom", "function": "quality/mend.py:positive"})
    made = start(RemedyOrder(ORDERS, MAIN, (RemedyStep(action, ()),)), ports_of(project))
    assert len(table_of(project, at=str(made.preview_branch))) == 4


def in_range(actions: object = "quarantine", **options: Any) -> RangeCheck:
    return RangeCheck(column="amount", min=0, on_failure=load_actions(actions), **options)


def asks(check: type[Check], **options: Any) -> Check:
    return check(on_failure=load_actions("quarantine"), auto=True, **options)


QUARANTINES: list[tuple[Check, list[str]]] = [
    (asks(RangeCheck, column="amount", min=0), ["3"]),
    (asks(NotNullCheck, columns=("id", "amount")), ["4", "None"]),
    (asks(UniqueCheck, columns=("id",)), ["1"]),
    (asks(ExpressionCheck, sql="score < 4"), ["1", "4"]),  # NaN is greater than every number
    (asks(ExpressionCheck, sql="city <> 'Ulm'", where="id > 1"), ["3"]),
    (asks(ForeignKeyCheck, columns=("city",), table=TableName.parse("core.cities"), references=("name",)), ["1"]),
]


@pytest.mark.parametrize(("check", "moved"), QUARANTINES, ids=lambda one: getattr(one, "type", ""))
def test_a_quarantine_restores_a_table_that_passes(project: Connection, check: Check, moved: list[str]) -> None:
    rows = pa.table({"name": ["Ulm", "Bonn"]})
    commit_data(
        CommitRequest(table=TableName.parse("core.cities"), branch="main", rows=rows), project.wiring.versioning.ports()
    )
    assert outcomes(project, check) == [Outcome.FAILED]
    before = table_of(project)
    made, _ = observe(project, check)
    assert made.status is RemedyStatus.APPLIED, made.note
    assert outcomes(project, check) == [Outcome.PASSED]
    aside = table_of(project, SIDE)
    assert [str(one["id"]) for one in aside] == moved
    assert {tuple(one["forge_checks"]) for one in aside} == {made.check_ids}
    assert sorted(repr(clean(one)) for one in (*aside, *table_of(project))) == sorted(map(repr, before))
    (commit,) = project.wiring.metadata.log(project.wiring.branch_head(MAIN), limit=1)  # type: ignore[arg-type]
    assert {str(table) for table in commit.statistics} == {"core.orders", "core.orders_quarantine"}


def clean(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in SCHEMA.names}


def test_a_quarantine_appends_follows_the_columns_and_is_taken_back(project: Connection) -> None:
    check = in_range(auto=True)
    observe(project, check)
    versions = project.wiring.versioning.ports()
    sql = "SELECT *, id * 10 AS tenfold FROM core.orders UNION ALL SELECT 8, -1, null, null, null, null, 80"
    commit_data(CommitRequest(table=ORDERS, branch="main", mode=CommitMode.OVERWRITE, sql=sql), versions)
    made, ports = observe(project, check)
    rows = {one["id"]: one for one in table_of(project, SIDE)}
    assert {key: one["tenfold"] for key, one in rows.items()} == {3: None, 8: 80}
    revert(made.id, ports)
    assert [one["id"] for one in table_of(project, SIDE)] == [3]
    assert 8 in [one["id"] for one in table_of(project)]


def test_values_of_failing_rows_are_replaced(project: Connection) -> None:
    made, _ = observe(project, in_range({"action": "impute", "method": "median"}, auto=True))
    assert made.status is RemedyStatus.APPLIED, made.note
    assert {str(one["id"]): one["amount"] for one in table_of(project)}["3"] == Decimal("10.00")
    assert {str(one["id"]): one["amount"] for one in table_of(project)}["4"] is None  # NULL is in every range


def test_repairs_come_first_and_quarantine_sees_what_they_left(project: Connection) -> None:
    fill = NotNullCheck(
        columns=("amount",),
        auto=True,
        on_failure=load_actions({"action": "impute", "method": "constant", "value": -1}),
    )
    made, _ = observe(project, in_range(auto=True), fill)
    assert [str(one.action) for one in made.results] == ["impute", "quarantine"]
    assert [one["id"] for one in table_of(project, SIDE)] == [3, 4]
    assert outcomes(project, in_range(), fill) == [Outcome.PASSED, Outcome.PASSED]


# in governed runs

CHECK = "core.orders:\n  - {type: range, column: amount, min: 0, severity: %s, on_failure: [%s], auto: %s}\n"
FILES = {
    "sources/shop.yaml": """
        sources:
          - output: raw.orders
            connector: files
            format: csv
            path: data/*.csv
            options: {header: "true"}
            columns: {id: long, amount: long}
            kind: append
    """,
    "data/1.csv": "id,amount\n1,10\n2,20\n",
    "transforms/core/orders.sql": "SELECT id, amount FROM raw.orders",
    "transforms/marts/total.sql": "SELECT sum(amount) AS total FROM core.orders",
}


def governed(make_project: Callable[..., Connection], severity: str, action: str, auto: str) -> Connection:
    """A first run that passes, and a new file with a bad row."""
    project = make_project({**FILES, "checks/orders.yaml": CHECK % (severity, action, auto)})
    assert project.run().status == "succeeded"
    (project.wiring.root / "data" / "2.csv").write_text("id,amount\n3,-5\n4,40\n")
    return project


def values(project: Connection, table: str) -> list[tuple[Any, ...]]:
    return sorted(travel(project.wiring.versioning.ports(), TableName.parse(table), "main").rows)


def test_a_failing_check_blocks_and_a_warning_does_not(make_project: Callable[..., Connection]) -> None:
    blocked = governed(make_project, "error", "quarantine", "false")
    assert blocked.run().status == "blocked"
    assert values(blocked, "core.orders") == [(1, 10), (2, 20)]
    warned = governed(make_project, "warning", "rollback", "false")
    assert warned.run().status == "succeeded"
    assert values(warned, "core.orders") == [(1, 10), (2, 20), (3, -5), (4, 40)]


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_a_run_sets_bad_rows_aside_and_publishes_the_rest(
    make_project: Callable[..., Connection], severity: str
) -> None:
    project = governed(make_project, severity, "quarantine", "true")
    report = project.run()
    assert report.status == "succeeded"
    assert values(project, "core.orders") == [(1, 10), (2, 20), (4, 40)]
    assert values(project, "marts.total") == [(70,)]
    ((id_, amount, checks, run, _),) = values(project, "core.orders_quarantine")
    assert (id_, amount, list(checks), run) == (3, -5, ["core.orders.amount.range"], report.result.run.id)
    assert report.commit is not None
    assert "core.orders_quarantine" in {str(table) for table in report.commit.statistics}
    (verdict,) = (v for v in report.result.verdicts if v.check_id == "core.orders.amount.range")
    assert verdict.outcome is Outcome.PASSED
    assert verdict.details["quarantined"]["rows"] == 1  # type: ignore[index]
    assert project.run().status == "nothing to do"
    (project.wiring.root / "data" / "3.csv").write_text("id,amount\n5,-1\n")
    project.run()
    assert [row[0] for row in values(project, "core.orders_quarantine")] == [3, 3, 5]


@pytest.mark.parametrize("last_step", ["staged", "checked", "prepared", "publish.pointers", "publish.records"])
def test_a_run_that_dies_leaves_both_tables_as_they_were(
    make_project: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch, last_step: str
) -> None:
    class Killed(BaseException):
        pass

    project = governed(make_project, "error", "quarantine", "true")
    real = project.wiring.runs.ports

    def dying(*given: Any, **more: Any) -> Any:
        def die(step: str) -> None:
            if step == last_step:
                raise Killed

        return replace(real(*given, **more), fault_point=die)

    head = project.wiring.branch_head(MAIN)
    with monkeypatch.context() as patch:
        patch.setitem(vars(project.wiring.runs), "ports", dying)
        with pytest.raises(Killed):
            project.run()
    assert project.wiring.branch_head(MAIN) == head
    assert values(project, "core.orders") == [(1, 10), (2, 20)]
    assert SIDE not in project.wiring.metadata.tree(head)
    assert project.run().status == "succeeded"
    assert values(project, "core.orders") == [(1, 10), (2, 20), (4, 40)]


def test_a_rollback_restores_a_table_that_passes(make_project: Callable[..., Connection]) -> None:
    project = governed(make_project, "warning", "rollback", "false")
    project.run()
    (made,) = project.wiring.quality.remedies().store.find()
    assert made.status is RemedyStatus.PROPOSED, made.note
    assert approve(made.id, project.wiring.quality.remedies()).status is RemedyStatus.APPLIED
    assert values(project, "core.orders") == [(1, 10), (2, 20)]
    assert values(project, "marts.total") == [(65,)]  # other tables are untouched
    judged = judge_dataset("core.orders", project.wiring.quality.check_ports())
    assert [verdict.outcome for verdict in judged.verdicts] == [Outcome.PASSED]
