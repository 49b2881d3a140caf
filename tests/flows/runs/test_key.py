"""The key of what a run appends, on real Iceberg tables and without a JVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from version_world import VersionWorld, make_world

from forge.flows.runs.input_pins import find_base, pin_branch
from forge.flows.runs.key import RunKey, enforce_key
from forge.flows.versioning.ports import run_operation
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.quality.checks import UniqueCheck
from forge.transforms.transform import SqlQuery, Transform, TransformKind

ORDERS = TableName.parse("raw.orders")
MAIN = BranchName("main")


@pytest.fixture
def keyed_run_world(tmp_path: Path) -> Iterator[VersionWorld]:
    made = make_world(tmp_path)
    made.commit_rows("raw.orders", [{"id": 1}, {"id": 2}], key=["id"])
    yield made
    made.close()


def append(
    keyed_run_world: VersionWorld, *ids: int, kind: TransformKind = TransformKind.APPEND, keys: Any = None
) -> RunKey:
    """What the run says of a stage in which these rows were appended."""
    ports = keyed_run_world.ports
    job: Any = SimpleNamespace(keys=keys or {}, key_check=ports.key_check, project=ports.project())
    transform = Transform(
        output=ORDERS, body=SqlQuery("SELECT 1"), file="orders.sql", line=1, code_hash="", kind=kind, unique_key=("id",)
    )
    with run_operation(ports, "run", MAIN, ()) as work:
        base = find_base(ORDERS, pin_branch(ports.metadata, MAIN, MAIN), ports.lake)
        stage = ports.lake.open_stage(work.run_id, ORDERS, base.catalog, base.snapshot_id)
        fields = keyed_run_world.fields("raw.orders")
        ports.tables.rewrite(stage, (), pa.table({"id": pa.array(ids, pa.int64())}), fields)
        snapshot = ports.lake.snapshot(stage.catalog)
        assert snapshot is not None
        return enforce_key(job, transform, base, stage, snapshot)


def test_an_append_keeps_the_key_that_is_remembered(keyed_run_world: VersionWorld) -> None:
    assert append(keyed_run_world, 3, 4) == RunKey(("id",), is_unique=True)


@pytest.mark.parametrize("ids", [(2, 3), (5, 5)], ids=["there already", "twice in the new rows"])
def test_an_append_of_a_key_that_would_be_there_twice_is_refused(
    keyed_run_world: VersionWorld, ids: tuple[int, ...]
) -> None:
    with pytest.raises(ForgeError) as refused:
        append(keyed_run_world, *ids)
    assert refused.value.code == "E611"
    assert "incremental_by_unique_key" in str(refused.value.fix)


def test_a_check_that_tells_it_is_the_one_who_does(keyed_run_world: VersionWorld) -> None:
    keyed_run_world.checks[ORDERS] = (UniqueCheck(columns=("id",)),)
    assert append(keyed_run_world, 2).columns == ("id",)


@pytest.mark.slow
def test_what_is_built_anew_keeps_its_key_but_is_not_known_to_hold_it(keyed_run_world: VersionWorld) -> None:
    assert append(keyed_run_world, 9, kind=TransformKind.FULL) == RunKey(("id",), is_unique=False)


def test_a_declared_key_of_columns_that_are_not_there_is_none(keyed_run_world: VersionWorld) -> None:
    assert append(keyed_run_world, 9, keys={ORDERS: ("nope",)}) == RunKey()
