"""What every engine does with rows. SQL and the rows that fail a check are Spark's alone: there is no second one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from spark_house import SparkHouse

from forge.flows.ports import Lake, Stage
from forge.flows.runs.engine import (
    ChangeFile,
    ChangeMode,
    Engine,
    LineageRecorder,
    MeasureBatch,
    Pin,
    RunContext,
    StarvedJobs,
)
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, RunId, TableName
from forge.quality.checks import NotNullCheck
from forge.quality.measure import Measure
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.transforms.transform import PythonFunction, Transform, TransformKind

ORDERS, COPY = TableName("core", "orders"), TableName("core", "copy")
RUN = RunId("r-1")
ROWS, NULLS = Measure(kind="rows"), Measure(kind="nulls", columns=("name",))
ONE: list[dict[str, Any]] = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]


@dataclass(frozen=True, slots=True)
class Bench:
    engine: Engine
    lake: Lake
    folder: Path
    keep: Callable[[Any], Any]  # the body of a transform, in frames of the engine: rows with an id below 2
    numbers: Iterator[int]

    def stage(self, table: TableName = ORDERS, after: Stage | None = None) -> Stage:
        state = self.lake.snapshot(after.catalog) if after else None
        base = state.snapshot_id if state else None
        return self.lake.open_stage(RunId(f"r-{next(self.numbers)}"), table, after.catalog if after else None, base)

    def change(self, rows: list[dict[str, Any]], mode: ChangeMode, stage: Stage, *, evolve: bool = False) -> Stage:
        path = self.folder / f"{next(self.numbers)}.parquet"
        parquet.write_table(pa.Table.from_pylist(rows), path)
        self.engine.change(ChangeFile(path), stage, mode, ("id",), evolve=evolve)
        return stage

    def rows(self, stage: Stage) -> set[tuple[object, ...]]:
        state = self.lake.snapshot(stage.catalog)
        assert state is not None
        found = self.lake.rows(stage.catalog, state.snapshot_id, state.schema.names, 100)
        assert found is not None
        return set(found)

    def pin(self, stage: Stage) -> Pin:
        state = self.lake.snapshot(stage.catalog)
        assert state is not None
        return Pin(stage.table, CatalogName(stage.catalog.namespace, stage.catalog.name), state.snapshot_id)


@pytest.fixture(params=["memory", pytest.param("spark", marks=pytest.mark.spark)])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    if request.param == "memory":
        lake = MemoryLake(MemoryCatalog())
        yield Bench(MemoryEngine(lake), lake, tmp_path, lambda orders: [r for r in orders if r["id"] < 2], count(1))
        return
    house = SparkHouse(tmp_path, request.getfixturevalue("spark"))
    yield Bench(house.spark_engine, house.lake, tmp_path, lambda orders: orders.where("id < 2"), count(1))
    house.close()


def copy_of(function: Callable[..., Any]) -> Transform:
    return Transform(
        output=COPY,
        body=PythonFunction(function, {"orders": ORDERS}, False),
        file="copy.py",
        line=1,
        code_hash="1",
        kind=TransformKind.FULL,
        inputs=(ORDERS,),
    )


def context() -> RunContext:
    return RunContext(
        run_id=RUN,
        params={},
        secrets=lambda name: "",
        logger=logging.getLogger("test"),
        lineage=LineageRecorder(COPY),
    )


def test_rows_are_appended_overwritten_merged_and_deleted(bench: Bench) -> None:
    first = bench.change(ONE, "append", bench.stage())
    assert bench.rows(first) == {(1, "a"), (2, None)}
    more = bench.change([{"id": 3, "name": "c"}], "append", bench.stage(after=first))
    assert bench.rows(more) == {(1, "a"), (2, None), (3, "c")}
    merged = bench.change([{"id": 2, "name": "b"}, {"id": 4, "name": "d"}], "merge", bench.stage(after=more))
    assert bench.rows(merged) == {(1, "a"), (2, "b"), (3, "c"), (4, "d")}
    fewer = bench.change([{"id": 1}, {"id": 9}], "delete", bench.stage(after=merged))
    assert bench.rows(fewer) == {(2, "b"), (3, "c"), (4, "d")}
    assert bench.rows(bench.change([{"id": 7, "name": "x"}], "overwrite", bench.stage(after=fewer))) == {(7, "x")}


def test_a_column_comes_only_where_that_is_wanted(bench: Bench) -> None:
    first = bench.change(ONE, "append", bench.stage())
    wider = [{"id": 3, "name": "c", "size": 5}]
    with pytest.raises(ForgeError) as raised:
        bench.change(wider, "append", bench.stage(after=first))
    assert raised.value.code == "E621"
    grown = bench.change(wider, "append", bench.stage(after=first), evolve=True)
    assert bench.rows(grown) == {(1, "a", None), (2, None, None), (3, "c", 5)}


def test_there_is_nothing_to_delete_from_a_table_that_does_not_exist(bench: Bench) -> None:
    with pytest.raises(ForgeError) as raised:
        bench.change([{"id": 1}], "delete", bench.stage())
    assert raised.value.code == "E627"


def test_a_transform_is_described_first_and_computed_when_it_is_staged(bench: Bench) -> None:
    orders = bench.change(ONE, "append", bench.stage())
    planned = bench.engine.plan(copy_of(bench.keep), {ORDERS: bench.pin(orders)}, {}, context())
    assert planned.schema.names == ("id", "name")
    assert [str(edge.target) for edge in planned.lineage.edges] == ["core.copy.id", "core.copy.name"]
    stage = bench.stage(COPY)
    bench.engine.stage(planned, stage, None)
    assert bench.rows(stage) == {(1, "a")}


def test_what_a_transform_raises_is_told_with_its_place(bench: Bench) -> None:
    def fail(orders: Any) -> Any:
        raise RuntimeError("not today")

    orders = bench.change(ONE, "append", bench.stage())
    with pytest.raises(ForgeError, match="not today") as raised:
        bench.engine.plan(copy_of(fail), {ORDERS: bench.pin(orders)}, {}, context())
    assert raised.value.code == "E207"


def test_a_table_and_a_result_are_measured_and_each_job_is_told(bench: Bench) -> None:
    orders = bench.change(ONE, "append", bench.stage())
    told: list[MeasureBatch] = []
    assert bench.engine.measure(bench.pin(orders), [ROWS, NULLS], {}, told.append) == {ROWS: 2, NULLS: 1}
    assert {measure for batch in told for measure in batch.measures} == {ROWS, NULLS}
    planned = bench.engine.plan(copy_of(bench.keep), {ORDERS: bench.pin(orders)}, {}, context())
    assert bench.engine.measure(planned, [ROWS, NULLS], {}) == {ROWS: 1, NULLS: 0}


def test_a_check_that_no_row_fails_has_no_sample(bench: Bench) -> None:
    pin = bench.pin(bench.change(ONE, "append", bench.stage()))
    checks = [NotNullCheck(("id",))]
    assert bench.engine.sample(pin, checks, {Measure(kind="nulls", columns=("id",)): 0, ROWS: 2}, frozenset(), {}) == (
        (),
    )


def test_a_transform_without_files_has_none(bench: Bench) -> None:
    assert bench.engine.files_of(copy_of(bench.keep)) == ()
    assert bench.engine.with_digests(()) == ()


def test_work_belongs_to_what_was_begun_and_can_be_cancelled(bench: Bench) -> None:
    engine = bench.engine
    engine.begin(RUN, ORDERS)
    bench.change(ONE, "append", bench.stage())
    assert engine.progress(RUN, ORDERS).tasks_done == engine.progress(RUN, ORDERS).tasks_known
    engine.end()
    engine.begin_read(RunId("q-1"))
    engine.end()
    assert engine.find_starved([RunId("q-1")]) == StarvedJobs()
    engine.cancel(RunId("r-nobody-knows"))
    engine.end()
