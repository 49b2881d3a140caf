"""Rows to look at: which columns hold personal data, what is shown of it, and what is said where there are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import pytest

from forge.flows.catalog.personal_data import find_flagged, find_personal, personal_at
from forge.flows.catalog.sample import Sample, sample_rows
from forge.flows.ports import Stage
from forge.flows.runs.engine import Engine
from forge.flows.runs.records import (
    AssetRecord,
    Pointer,
    Publication,
    PublishedCommit,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.versioning.branches import create_default_branch
from forge.lineage.edge import Edge, Transformation
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, ColumnName, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.versioning.commit import Author, TableVersion, make_commit

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
PEOPLE = TableName("core", "people")
SCHEMA = Schema((Column("id", "bigint"), Column("Email", "string"), Column("city", "string")))
Key = tuple[str, str]


def edge(source: str, target: str, kind: Transformation = Transformation.IDENTITY, **more: object) -> Edge:
    left, right = source.rpartition("."), target.rpartition(".")
    return Edge(source=ColumnName(left[0], left[2]), target=ColumnName(right[0], right[2]), transformation=kind, **more)  # type: ignore[arg-type]


def asset(table: TableName, *personal: str, columns: tuple[str, ...] = ()) -> AssetRecord:
    described = tuple({"name": name, "type": "string", "pii": name in personal} for name in (*columns, *personal))
    return AssetRecord(
        table=table, kind="table", description="", owner=None, tags=(), columns=described, updated_at=NOW
    )


def personal(*edges: Edge, flagged: tuple[str, ...] = ("core.people.email",)) -> set[str]:
    assets = [asset(TableName.parse(name.rpartition(".")[0]), name.rpartition(".")[2]) for name in flagged]
    return {".".join(key) for key in find_personal(find_flagged(assets), edges)}


T = Transformation


def test_a_flagged_column_and_its_copies_are_personal_both_ways() -> None:
    found = personal(edge("raw.people.email", "core.people.email"), edge("core.people.email", "marts.list.mail"))
    assert found == {"raw.people.email", "core.people.email", "marts.list.mail"}


def test_what_a_flagged_column_is_made_of_is_personal() -> None:
    found = personal(
        edge("raw.people.email", "staging.people.email", T.TRANSFORMATION, expression="lower(trim(email))"),
        edge("staging.people.email", "core.people.email"),
    )
    assert "raw.people.email" in found


def test_a_copy_beside_the_flagged_one_is_personal_too() -> None:
    found = personal(edge("raw.people.email", "core.people.email"), edge("raw.people.email", "marts.other.mail"))
    assert "marts.other.mail" in found


def test_masking_ends_it() -> None:
    found = personal(edge("core.people.email", "marts.list.hashed", T.TRANSFORMATION, masking=True))
    assert found == {"core.people.email"}


@pytest.mark.parametrize("text", ["count(email)", "cast(count(DISTINCT email) AS bigint)"])
def test_a_number_of_values_is_none_of_them(text: str) -> None:
    assert personal(edge("core.people.email", "marts.list.people", T.AGGREGATION, expression=text)) == {
        "core.people.email"
    }
    greatest = edge("core.people.email", "marts.list.last", T.AGGREGATION, expression="max(email)")
    assert "marts.list.last" in personal(greatest)


def test_one_part_of_many_is_hidden_itself_but_not_wherever_it_is_copied() -> None:
    found = personal(
        edge("raw.people.street", "core.people.address", T.TRANSFORMATION),
        edge("raw.people.country", "core.people.address", T.TRANSFORMATION),
        edge("raw.people.country", "marts.sales.country"),
        flagged=("core.people.address",),
    )
    assert found == {"core.people.address", "raw.people.street", "raw.people.country"}


def test_the_case_of_a_name_does_not_uncover_it() -> None:
    assert ("core.people", "email") in find_personal(find_flagged([asset(PEOPLE, "EMail")]), [])


def test_lineage_with_a_circle_comes_to_an_end() -> None:
    found = personal(edge("core.people.email", "core.people.email"), edge("core.people.email", "a.b.c"))
    assert found == {"core.people.email", "a.b.c"}


@dataclass
class World:
    """One table in memory, published twice."""

    metadata: MemoryMetadata = field(init=False)
    lake: MemoryLake = field(init=False)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata, self.lake = MemoryMetadata(catalog), MemoryLake(catalog)
        create_default_branch(self.metadata, MAIN, ADA, NOW)
        self.publish("r1", [{"id": 1, "Email": "a@x", "city": "Oslo"}])
        self.publish("r2", [{"id": n, "Email": f"{n}@x", "city": "Oslo"} for n in range(4)])

    def publish(self, run_id: str, rows: list[dict[str, object]]) -> None:
        head = self.metadata.branch(MAIN)
        assert head is not None
        name = CatalogName("core", "people")
        found = self.lake.state(name)
        base = found.refs["main"] if found else None
        stage: Stage = self.lake.open_stage(RunId(run_id), PEOPLE, name if found else None, base)
        if not stage.exists:
            self.lake.create(stage, SCHEMA)
        snapshot = self.lake.append(stage.catalog, len(rows))
        self.lake.keep(snapshot, rows)
        pointer = self.lake.prepare(stage, MAIN, is_default=True, expected=base)
        assert isinstance(pointer, Pointer)
        self.commit(run_id, snapshot, (pointer,))

    def commit(self, run_id: str, snapshot: SnapshotId, pointers: tuple[Pointer, ...] = ()) -> None:
        head = self.metadata.branch(MAIN)
        assert head is not None
        tree = {
            PEOPLE: TableVersion(
                catalog=CatalogName("core", "people"), uuid="u", snapshot_id=snapshot, schema_id=0, run_id=run_id
            )
        }
        commit = make_commit(
            tree=tree,
            parents=(head.head,) if head.head else (),
            author=ADA,
            message=run_id,
            time=NOW,
            branch=MAIN,
            statistics={},
            metadata={},
        )
        run = RunRecord(
            id=RunId(run_id),
            branch=MAIN,
            status=RunStatus.SUCCEEDED,
            started_at=NOW,
            user="ada",
            host="host",
            pid=1,
            process_started="",
        )
        lineage = (TableLineage(PEOPLE, (edge("core.people.city", "core.people.city"),)),)
        publication = Publication(
            pointers=pointers,
            branch=MAIN,
            expected_head=head.head,
            commit=commit,
            tree=tree,
            run=run,
            lineage=lineage,
            assets=(asset(PEOPLE, "Email", columns=("id", "city")),),
        )
        assert isinstance(self.metadata.publish(publication, lambda step: None), PublishedCommit)

    def sample(self, table: str = "core.people", at: str = "HEAD", limit: int = 50) -> Sample:
        def engine() -> Engine:
            raise AssertionError("rows of a table need no engine")

        name, personal = TableName.parse(table), partial(personal_at, self.metadata, frozenset, MAIN)
        return sample_rows(self.metadata, self.lake, engine, personal, name, at, default=MAIN, limit=limit)


@pytest.fixture
def sample_world() -> World:
    return World()


def test_personal_columns_are_empty_and_marked(sample_world: World) -> None:
    found = sample_world.sample()
    assert found.schema.names == ("id", "Email", "city")
    assert found.masked == {"Email"}
    assert found.rows == tuple((n, None, "Oslo") for n in range(4))
    assert not found.truncated


def test_fewer_rows_than_there_are_is_said(sample_world: World) -> None:
    assert [len(sample_world.sample(limit=n).rows) for n in (3, 4)] == [3, 4]
    assert [sample_world.sample(limit=n).truncated for n in (3, 4)] == [True, False]


def test_an_older_commit_shows_its_own_rows(sample_world: World) -> None:
    assert [row[0] for row in sample_world.sample(at="HEAD~1").rows] == [1]


def test_an_unknown_table_is_answered_with_the_nearest(sample_world: World) -> None:
    with pytest.raises(ForgeError) as unknown:
        sample_world.sample("core.peple")
    assert (unknown.value.code, unknown.value.why) == ("E108", "Did you mean core.people?")


def test_a_snapshot_that_is_gone_is_told_as_such(sample_world: World) -> None:
    sample_world.commit("r3", SnapshotId(77))
    with pytest.raises(ForgeError) as gone:
        sample_world.sample()
    assert gone.value.code == "E410"
    assert "77" in (gone.value.why or "")
    assert len(sample_world.sample(at="HEAD~1").rows) == 4
