"""Loads of Delta tables and of APIs: what a run makes of them, and what it makes of what has changed since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from rest_api import Answer, Asked, RestApi, rest_api
from shop_project import MakeProject

from forge.connection import Connection
from forge.flows.runs.plan import PlannedStep, plan
from forge.flows.runs.run import RunRequest
from forge.model.names import BranchName

pytestmark = pytest.mark.spark

FEED = {"delta.enableChangeDataFeed": "true"}
DELTA = """
sources:
  - {name: events, connector: delta, path: data/events}
  - {output: raw.events, source: events, kind: incremental_by_unique_key, unique_key: [id]}
  - {output: raw.whole, source: events}
"""
REST = """
sources:
  - name: shop
    connector: rest
    url: URL
    password: env:SHOP_TOKEN
    tables:
      orders:
        path: /orders
        columns: {id: bigint, city: string, amount: "decimal(10,2)", at: timestamp}
        paging: {type: page, size: 40, size_parameter: n}
  - {output: raw.orders, source: shop, table: orders}
"""


def table(*rows: tuple[int | None, str | None]) -> pa.Table:
    return pa.table({"id": pa.array([one[0] for one in rows], pa.int64()), "v": [one[1] for one in rows]})


def rows(project: Connection, name: str = "raw.events") -> list[tuple[Any, ...]]:
    return sorted(
        (tuple(one.values()) for one in project.query(f"SELECT * FROM {name}").to_arrow().to_pylist()), key=str
    )


def planned(project: Connection, table: str) -> PlannedStep:
    wiring = project.wiring
    request = RunRequest(branch=BranchName("main"), selection=(table,))
    (step,) = plan(request, wiring.project(), wiring.runs.plan_ports()).steps
    return step


def rows_of(delta: Path) -> list[tuple[Any, ...]]:
    return sorted((tuple(one.values()) for one in DeltaTable(delta).to_pyarrow_table().to_pylist()), key=str)


@pytest.fixture
def project(make_project: MakeProject) -> Connection:
    made = make_project({"sources/delta.yaml": DELTA})
    write_deltalake(made.wiring.root / "data" / "events", table((1, "a"), (2, "b"), (3, "c")), configuration=FEED)
    return made


@pytest.fixture
def delta(project: Connection) -> Path:
    return project.wiring.root / "data" / "events"


def test_changes_of_a_delta_table_are_merged_by_key(project: Connection, delta: Path) -> None:
    assert project.run().status == "succeeded"
    assert rows(project) == rows(project, "raw.whole") == [(1, "a"), (2, "b"), (3, "c")]
    again = project.run()
    assert again.status == "nothing to do"
    assert sum(one.spark_jobs for one in again.result.run.outputs) == 0

    DeltaTable(delta).update(updates={"v": "'z'"}, predicate="id = 2")
    DeltaTable(delta).delete("id = 3")
    write_deltalake(delta, table((4, "d"), (5, "e"), (None, "n")), mode="append")
    DeltaTable(delta).delete("id = 5")  # came and went
    DeltaTable(delta).update(updates={"id": "9"}, predicate="id = 1")  # its key changed
    assert planned(project, "raw.events").reason == "what it loads changed"
    project.run()
    assert rows(project) == [(2, "z"), (4, "d"), (9, "a"), (None, "n")]
    assert not list((project.wiring.root / ".forge" / "loads").iterdir())

    more = table((4, "new")).append_column("w", pa.array([1.5]))
    DeltaTable(delta).delete("id = 4")
    write_deltalake(delta, more, mode="append", schema_mode="merge")
    project.run()
    assert rows(project) == [(2, "z", None), (4, "new", 1.5), (9, "a", None), (None, "n", None)]
    assert rows(project) == rows(project, "raw.whole")


def test_what_something_else_wrote_is_loaded_as_a_whole(project: Connection, delta: Path) -> None:
    project.run()
    write_deltalake(delta, table((4, "d")), mode="append")
    project.run("raw.events")
    project.revert("HEAD")
    assert len(rows(project)) == 3
    project.run("raw.events")
    assert rows(project) == rows_of(delta)
    project.commit("raw.events", rows=[{"id": 1}], mode="delete", key="id")
    assert len(rows(project)) == 3
    write_deltalake(delta, table((5, "e")), mode="append")
    assert planned(project, "raw.events").reason.endswith("it will be made anew without that")
    project.run("raw.events")
    assert rows(project) == rows_of(delta)
    write_deltalake(delta, pa.table({"id": ["x"], "other": [1]}), mode="overwrite", schema_mode="overwrite")
    project.run("raw.events")
    assert rows(project) == [("x", 1)]
    assert project.run("raw.events", force=True).status == "succeeded"
    assert rows(project) == [("x", 1)]


def test_a_key_that_is_there_twice_stops_the_load(project: Connection, delta: Path) -> None:
    project.run()
    write_deltalake(delta, table((7, "x"), (7, "y")), mode="append")
    report = project.run("raw.events")
    (error,) = (one.error for one in report.result.run.outputs)
    assert error is not None
    assert error["code"] == "FORGE-E212"
    assert len(rows(project)) == 3


def test_a_table_without_a_feed_and_a_key_that_is_no_column_are_told(project: Connection, delta: Path) -> None:
    DeltaTable(delta).alter.set_table_properties({"delta.enableChangeDataFeed": "false"})
    report = project.run()
    found = {str(one.table): one.error for one in report.result.run.outputs}
    assert found["raw.whole"] is None
    assert found["raw.events"] is not None
    assert "delta.enableChangeDataFeed" in str(found["raw.events"]["fix"])


def orders(asked: Asked) -> Answer:
    assert asked.headers["authorization"] == "Bearer s3cret"
    records = [
        {"id": number, "city": (None, "Paris")[number % 2], "amount": number / 4, "at": "2026-03-29T02:30:00+02:00"}
        for number in range(100)
    ]
    start = (int(asked.query["page"]) - 1) * 40
    return Answer(records[start : start + 40])


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[RestApi]:
    monkeypatch.setenv("SHOP_TOKEN", "s3cret")
    with rest_api() as found:
        found.endpoints["/orders"] = orders
        yield found


def test_an_api_is_loaded_page_by_page_and_anew_each_time(make_project: MakeProject, api: RestApi) -> None:
    project = make_project({"sources/shop.yaml": REST.replace("URL", api.url)})
    assert project.run().status == "succeeded"
    found = project.query("SELECT count(*), sum(amount), count(city), min(at) FROM raw.orders").to_arrow().to_pylist()
    assert [str(one) for one in found[0].values()][:3] == ["100", "1237.50", "50"]
    assert len(api.asked) == 4
    assert planned(project, "raw.orders").reason == "an API is read anew each time"
    assert [one.name for one in project.lineage.upstream("raw.orders.city").items] == ["shop.orders.city"]

    api.endpoints["/orders"] = lambda asked: Answer([{"id": "no number"}])
    report = project.run()
    (output,) = report.result.run.outputs
    assert output.error is not None
    assert output.error["code"] == "FORGE-E310"
    assert project.query("SELECT count(*) AS n FROM raw.orders").to_arrow().to_pylist() == [{"n": 100}]
    assert "s3cret" not in "".join(
        one.read_text(errors="ignore") for one in (project.wiring.root / ".forge").rglob("*") if one.is_file()
    )
