"""Suggestions, kept rows and imported checks on Spark: as the plain measurer has them, in few jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from forge.connection import Connection
from forge.flows.catalog.personal_data import find_flagged, find_personal
from forge.flows.catalog.profile import profile_dataset
from forge.flows.quality.keep_failing import keep_failing
from forge.flows.versioning.data.commit import CommitRequest, commit_data
from forge.model.names import RunId, TableName
from forge.quality.imports import TableNames, read_soda_file
from forge.quality.profile import KeyColumn, Profile, first_measures, guess_formats, profile_of, second_measures
from forge.quality.suggest import suggest_checks
from forge.stores.memory.measure import MemoryMeasurer

pytestmark = pytest.mark.spark

SALES, PEOPLE = TableName.parse("core.sales"), TableName.parse("core.people")
NOW = datetime.now(UTC).replace(microsecond=0)
ROWS: list[dict[str, object]] = [
    {
        "order_id": number,
        "customer_id": number % 200 + 1,
        "amount": float(number % 97) + 0.5,
        "rate": None if number % 500 == 0 else (number % 100) / 100,
        "status": ("new", "paid", "paid", "sent")[number % 4],
        "mail": f"person{number % 200}@example.com" if number % 700 else "n/a",
        "updated_at": NOW - timedelta(hours=number % 50),
    }
    for number in range(1, 2001)
]
CHECKS = """\
checks:
  core.people:
    - {type: unique, column: customer_id}
  core.sales:
    - {type: range, column: amount, max: 90}
    - {type: accepted_values, column: status, values: [new, paid]}
    - {type: row_count, min: 5000}
"""


@pytest.fixture
def project(make_project: Callable[..., Connection]) -> Connection:
    made = make_project()
    ports = made.wiring.versioning.ports()
    people = pa.table({"customer_id": list(range(1, 301))})
    commit_data(CommitRequest(table=PEOPLE, branch="main", rows=people), ports)
    commit_data(CommitRequest(table=SALES, branch="main", rows=pa.Table.from_pylist(ROWS)), ports)
    (made.wiring.root / "quality").mkdir()
    (made.wiring.root / "quality" / "checks.yaml").write_text(CHECKS)
    return made


def plain_profile(found: Profile, project: Connection) -> Profile:
    """The same, measured in Python."""
    snapshot = project.wiring.lake.snapshot(project.wiring.versioning.reader().pin(SALES, None).catalog)
    assert snapshot is not None
    keys = [KeyColumn(PEOPLE, "customer_id", "bigint")]
    measurer = MemoryMeasurer(ROWS, {PEOPLE: [{"customer_id": n} for n in range(1, 301)]})
    guessed = guess_formats(snapshot.schema, ROWS)
    readings = dict(measurer.measure(first_measures(snapshot.schema)))
    readings |= measurer.measure(second_measures(snapshot.schema, readings, guessed, keys))
    return profile_of(SALES, snapshot.schema, readings, guessed, keys, frozenset(), found.now)


def test_spark_suggests_what_plain_python_suggests(project: Connection) -> None:
    found, existing = profile_dataset("core.sales", project.wiring.quality.check_ports())
    assert found.rows == 2000
    suggested = suggest_checks(found, existing)
    assert suggested == suggest_checks(plain_profile(found, project), existing)
    kinds = {(str(one.spec["type"]), str(one.spec.get("column", ""))) for one in suggested}
    assert {("regex", "mail"), ("unique", ""), ("foreign_key", ""), ("range", "rate"), ("freshness", "")} <= kinds


def test_a_profile_of_all_columns_takes_few_jobs(project: Connection) -> None:
    run_id = RunId("r_profile")
    ports = project.wiring.quality.check_ports(run_id)
    ports.engine().begin(run_id, SALES)
    profile_dataset("core.sales", ports)
    assert ports.engine().progress(run_id, SALES).jobs <= 12


def test_all_failing_rows_are_kept_with_the_checks_they_fail_and_where_they_come_from(project: Connection) -> None:
    wiring = project.wiring
    checked = project.quality.run("core.sales", keep_failing=True)
    assert [one.verdict for one in checked] == ["failed", "failed", "failed"]
    kept = project.query("SELECT order_id, forge_checks FROM core.sales_failing ORDER BY order_id").rows
    wrong = {
        row["order_id"]: [
            *(["core.sales.amount.range"] if float(str(row["amount"])) > 90 else []),
            *(["core.sales.status.accepted_values"] if row["status"] == "sent" else []),
        ]
        for row in ROWS
    }
    assert {row[0]: list(row[1]) for row in kept} == {key: ids for key, ids in wrong.items() if ids}  # type: ignore[call-overload]
    assert any("No row can be named for core.sales.row_count" in note for note in checked.notes)
    edges = [edge for _, one in wiring.metadata.lineage(_runs(project)) for edge in one.edges]
    assert ("core.sales.mail", "core.sales_failing.mail") in {(str(e.source), str(e.target)) for e in edges}
    asset = next(one for one in wiring.metadata.assets() if one.table == SALES)
    flagged = replace(asset, columns=({"name": "mail", "pii": True},))
    assert ("core.sales_failing", "mail") in find_personal(find_flagged([flagged]), edges), "what is personal stays so"


def _runs(project: Connection) -> list[RunId]:
    return [run.id for run in project.wiring.metadata.runs(limit=100)]


def test_nothing_is_written_where_no_row_fails(project: Connection) -> None:
    from forge.flows.quality.judge import judge_dataset

    ports = project.wiring.quality.check_ports()
    kept = keep_failing(judge_dataset("core.people", ports), ports, project.wiring.versioning.ports())
    assert (kept.commit_id, kept.rows, kept.without_rows) == (None, 0, ())


SODA = """\
checks for sales:
  - missing_percent(rate) < 1
  - missing_count(rate) <= 3
  - duplicate_count(customer_id) < 10
  - duplicate_count(order_id) = 0
  - invalid_count(mail) < 5: {valid format: email}
  - invalid_percent(mail) < 1: {valid format: email}
  - avg(amount) > 1000
  - percentile(amount, 0.5) between 40 and 60
  - stddev(amount) <= 30
  - max(amount) = 97
  - row_count not between 1 and 10
  - row_count same as people
  - values in (customer_id) must exist in people (customer_id)
  - values in (order_id) must not exist in people (customer_id)
  - min_length(mail) >= 3
  - our_share between 0 and 1: {our_share expression: count_if(status = 'paid') / count(*)}
  - failed rows: {fail condition: status = 'sent' and amount > 1000}
"""


def test_imported_checks_say_on_spark_what_they_said_there(project: Connection) -> None:
    from forge.quality.spec import load_check

    found = read_soda_file(SODA, "soda.yml", TableNames(frozenset({SALES, PEOPLE})))
    assert found.unmapped == ()
    checks = [load_check(one.spec, table=SALES, where=one.place) for one in found.mapped]
    checked = project.quality.run("core.sales", checks=checks)
    told = {one.what.removesuffix(" on sales"): view.verdict for one, view in zip(found.mapped, checked, strict=True)}
    assert [view.message for view in checked if view.verdict == "not measured"] == []
    assert {what for what, verdict in told.items() if verdict == "failed"} == {
        "missing_count(rate) <= 3",
        "duplicate_count(customer_id) < 10",
        "avg(amount) > 1000",
        "max(amount) = 97",
        "row_count same as people",
        "values in (order_id) must not exist in people (customer_id)",
    }
