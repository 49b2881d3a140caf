"""Every way of reading values for scans, over the files of real tables: in this process and on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from orders_house import ORDERS, ROW, SCHEMA, House
from pyiceberg.schema import Schema
from pyiceberg.types import BinaryType, ListType, LongType, MapType, NestedField, StringType, StructType
from spark_house import SparkHouse

from forge.flows.catalog.pii.ports import ValueSampler
from forge.flows.runs.pin import Pin
from forge.stores.lake.sampler import LakeSampler

NESTED = Schema(
    NestedField(1, "id", LongType(), required=False),
    NestedField(2, "who", StructType(NestedField(3, "mail", StringType(), required=False)), required=False),
    NestedField(4, "tags", ListType(element_id=5, element_type=StringType(), element_required=False), required=False),
    NestedField(
        6,
        "scores",
        MapType(key_id=7, key_type=StringType(), value_id=8, value_type=LongType(), value_required=False),
        required=False,
    ),
    NestedField(9, "raw", BinaryType(), required=False),
    NestedField(10, "a.b", StringType(), required=False),
)

pytestmark = pytest.mark.slow


@dataclass
class Samples:
    house: House
    sampler: ValueSampler

    def pin(self) -> Pin:
        return Pin(ORDERS, ROW, self.house.head())


@pytest.fixture(params=["lake", pytest.param("spark", marks=pytest.mark.spark)])
def samples(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Samples]:
    if request.param == "lake":
        house = House(tmp_path)
        yield Samples(house, LakeSampler(house.lake))
    else:
        from forge.engines.spark.pii.sampler import SparkSampler

        house = SparkHouse(tmp_path, request.getfixturevalue("spark"))
        yield Samples(house, SparkSampler(house.spark_engine))
    house.close()


def test_all_values_of_a_small_table_come_with_the_number_of_rows(samples: Samples) -> None:
    samples.house.create(((1, "a", 1.0), (2, None, 2.0)), ((11, "k", None),))
    found = samples.sampler.sample(samples.pin(), 100)
    assert found is not None
    assert (found.rows, found.complete) == (3, True)
    assert sorted(map(str, found.values["id"])) == ["1", "11", "2"]
    assert sorted(map(str, found.values["name"])) == ["a", "k"]
    assert list(found.values) == ["id", "name", "amount"]


def test_a_sample_is_bounded_and_comes_from_every_file(samples: Samples) -> None:
    parts = [tuple((start + n, f"{start}", 1.0) for n in range(50)) for start in (1000, 2000, 3000)]
    samples.house.create(*parts)
    found = samples.sampler.sample(samples.pin(), 30)
    assert found is not None
    assert not found.complete
    assert 15 <= found.rows <= 33
    assert set(found.values["name"]) == {"1000", "2000", "3000"}


def test_structs_lists_and_maps_are_taken_apart(samples: Samples) -> None:
    samples.house.catalog.create_table("core.orders", NESTED)
    rows = [
        {"id": 1, "who": {"mail": "x"}, "tags": ["p", "q"], "scores": [("k", 7)], "raw": b"ada", "a.b": "dotted"},
        {"id": 2, "who": None, "tags": None, "scores": None, "raw": None, "a.b": None},
    ]
    table = samples.house.catalog.load_table("core.orders")
    table.append(pa.Table.from_pylist(rows, schema=table.schema().as_arrow()))
    found = samples.sampler.sample(samples.pin(), 100)
    assert found is not None
    values = {name: list(some) for name, some in found.values.items() if some}
    assert values == {
        "id": [1, 2],
        "who.mail": ["x"],
        "tags": ["p", "q"],
        "scores.key": ["k"],
        "scores.value": [7],
        "raw": [b"ada"],
        "a.b": ["dotted"],
    }


def test_long_texts_are_cut(samples: Samples) -> None:
    samples.house.create(((1, "x" * 100_000, 1.0),))
    found = samples.sampler.sample(samples.pin(), 100)
    assert found is not None
    assert [len(str(one)) for one in found.values["name"]] == [20_000]


def test_a_table_without_rows_has_columns(samples: Samples) -> None:
    samples.house.catalog.create_table("core.orders", SCHEMA)
    found = samples.sampler.sample(Pin(ORDERS, ROW, None), 100)
    assert found is not None
    assert (found.rows, found.complete, list(found.values)) == (0, True, ["id", "name", "amount"])


def test_its_text_holds_no_value(samples: Samples) -> None:
    samples.house.create(((1, "secret", 1.0),))
    assert "secret" not in repr(samples.sampler.sample(samples.pin(), 100))
