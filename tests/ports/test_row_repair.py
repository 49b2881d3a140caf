"""Every way of repairing rows: on the driver and on Spark, which are to give the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from orders_house import FIELDS, ORDERS, ROW, House
from remedy_world import failing_rows
from spark_house import SparkHouse
from version_world import BEGIN, ArrowEngine

from forge.flows.quality.row_repair import (
    CHECKS,
    SIDE_RUN,
    SIDE_TIME,
    CellFill,
    QuarantineStamp,
    RepairTarget,
    RepairWork,
    RowFailures,
    RowRepair,
)
from forge.flows.runs.engine import Pin
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName
from forge.quality.checks import NotNullCheck, RangeCheck
from forge.quality.remedy import ImputeMethod
from forge.stores.lake.arrow.repair import ArrowRepair
from forge.versioning.field import Fields, TableField

ROWS = (((1, "a", 1.0), (2, None, -2.0)), ((2, "b", 4.0), (3, None, None)), ((4, "d", 9.0),))
FAILING = RowFailures((("positive", RangeCheck("amount", min=0)), ("named", NotNullCheck(("name",)))), {})
SIDE = TableName("core", "orders_quarantine")
SIDE_FIELDS: Fields = (
    *(TableField(f.id, f.name, f.type) for f in FIELDS),
    TableField(4, CHECKS, "array<string>"),
    TableField(5, SIDE_RUN, "string"),
    TableField(6, SIDE_TIME, "timestamp"),
)


@dataclass(frozen=True, slots=True)
class Clinic:
    house: House
    work: RepairWork
    target: RepairTarget

    def written(self, repaired: RowRepair) -> list[tuple[object, ...]]:
        stage = self.house.stage()
        repaired.write(stage)
        return self.house.rows(self.house.head(stage.catalog), stage.catalog)


@pytest.fixture(params=["arrow", pytest.param("spark", marks=pytest.mark.spark)])
def clinic(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Clinic]:
    work: RepairWork
    if request.param == "arrow":
        house = House(tmp_path)
        nobody = cast("ArrowEngine", None)  # is asked for other tables only
        work = ArrowRepair(house.tables, lambda pin, failing: failing_rows(nobody, house.lake, pin, failing))
    else:
        from forge.engines.spark.repair import SparkRepair

        house = SparkHouse(tmp_path, request.getfixturevalue("spark"))
        work = SparkRepair(house.spark_engine, house.tables)
    snapshot = house.create(*ROWS)
    pin = Pin(ORDERS, ROW, snapshot)
    yield Clinic(house, work, RepairTarget(ORDERS, pin, house.tables.files(ROW, snapshot), RunId("r-repair")))
    house.close()


def test_rows_that_fail_are_taken_out_and_counted_by_check(clinic: Clinic) -> None:
    repaired = clinic.work.take_out(clinic.target, FAILING)
    assert (repaired.deleted, repaired.changed) == (2, 0)
    assert dict(repaired.counts) == {"positive": 1, "named": 2}
    assert clinic.written(repaired) == [(1, "a", 1.0), (2, "b", 4.0), (4, "d", 9.0)]
    repaired.release()


def test_only_files_with_such_rows_are_written_anew(clinic: Clinic) -> None:
    stage = clinic.house.stage()
    clinic.work.take_out(clinic.target, FAILING).write(stage)
    after = clinic.house.tables.files(stage.catalog, clinic.house.head(stage.catalog)).files
    kept = after & clinic.target.files.files
    assert [file.bounds[1] for file in kept] == [(4, 4)]


def test_rows_taken_out_are_set_aside_with_their_checks_and_their_time(clinic: Clinic) -> None:
    repaired = clinic.work.take_out(clinic.target, FAILING)
    stage = clinic.house.lake.open_stage(RunId("r-side"), SIDE, None, None)
    names = {field.name: field.name for field in FIELDS}
    repaired.set_aside(stage, SIDE_FIELDS, names, QuarantineStamp("r-repair", BEGIN))
    found: list[dict[str, Any]] = clinic.house.write(stage).scan().to_arrow().to_pylist()
    found.sort(key=lambda row: row["id"])
    assert [(row["id"], sorted(row[CHECKS])) for row in found] == [(2, ["named", "positive"]), (3, ["named"])]
    assert {row[SIDE_RUN] for row in found} == {"r-repair"}
    assert {row[SIDE_TIME] for row in found} == {BEGIN}


@pytest.mark.parametrize(
    ("fill", "counts", "value", "rows"),
    [
        (
            CellFill(columns=("name",), method=ImputeMethod.CONSTANT, value="x"),
            {"name": 2},
            {"name": "x"},
            [(1, "a", 1.0), (2, "b", 4.0), (2, "x", -2.0), (3, "x", None), (4, "d", 9.0)],
        ),
        (
            CellFill(columns=("amount",), method=ImputeMethod.MEDIAN),
            {"amount": 1},
            {"amount": 1.0},
            [(1, "a", 1.0), (2, "b", 4.0), (2, None, -2.0), (3, None, 1.0), (4, "d", 9.0)],
        ),
        (
            CellFill(
                columns=("amount",), method=ImputeMethod.CONSTANT, value=0.0, failing=FAILING, bad=frozenset({"amount"})
            ),
            {"amount": 2},
            {"amount": 0.0},
            [(1, "a", 1.0), (2, "b", 4.0), (2, None, 0.0), (3, None, 0.0), (4, "d", 9.0)],
        ),
        (
            CellFill(columns=("name",), method=ImputeMethod.FORWARD_FILL, order_by=("id", "amount")),
            {"name": 1},
            {},
            [(1, "a", 1.0), (2, "a", -2.0), (2, "b", 4.0), (3, None, None), (4, "d", 9.0)],
        ),
    ],
    ids=[
        "constant",
        "median",
        "failing rows only",
        "forward fill, where a row without a place in the order takes nothing",
    ],
)
def test_cells_are_filled_and_counted_by_column(
    clinic: Clinic, fill: CellFill, counts: dict[str, int], value: dict[str, object], rows: list[tuple[object, ...]]
) -> None:
    repaired = clinic.work.fill(clinic.target, fill)
    assert (repaired.deleted, repaired.changed) == (0, sum(counts.values()))
    assert (dict(repaired.counts), dict(repaired.values)) == (counts, value)
    assert clinic.written(repaired) == sorted(rows, key=repr)


def test_a_value_that_does_not_fit_its_column_is_refused(clinic: Clinic) -> None:
    with pytest.raises(ForgeError) as raised:
        clinic.work.fill(clinic.target, CellFill(columns=("amount",), method=ImputeMethod.CONSTANT, value="much"))
    assert raised.value.code == "E749"


def test_of_rows_with_one_key_the_last_stays(clinic: Clinic) -> None:
    repaired = clinic.work.deduplicate(clinic.target, ("id",), ("amount",))
    assert (repaired.deleted, repaired.changed) == (1, 0)
    assert clinic.written(repaired) == [(1, "a", 1.0), (2, "b", 4.0), (3, None, None), (4, "d", 9.0)]


def test_rows_without_a_key_are_no_duplicates(clinic: Clinic) -> None:
    assert clinic.work.deduplicate(clinic.target, ("name",), ()).deleted == 0
