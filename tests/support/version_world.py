"""A versioned lake in a folder, without a JVM: records in SQLite, Iceberg tables by PyIceberg, rows in Arrow."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from kept_folder import KeptFolder
from migrated import open_migrated
from sqlalchemy import Engine as Database

from forge.flows.catalog.personal_data import personal_at
from forge.flows.runs.engine import Engine, MeasureBatch, Pin, StarvedJobs
from forge.flows.runs.id import new_run_id
from forge.flows.runs.input_pins import pin_branch
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import BranchChanges, assets_of
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, publish
from forge.flows.runs.records import AuditRecord, Publication, PublishedCommit, RunRecord, RunStatus
from forge.flows.versioning.branches import create_branch, create_default_branch
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, CommitResult, commit_data
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.tree import open_stage, staged_outcome
from forge.flows.versioning.ports import VersionPorts, run_operation
from forge.flows.versioning.revisions import find_commit
from forge.flows.versioning.tables import FileSlice, RowOperations
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check
from forge.quality.measure import Measure, Readings
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.tables import IcebergTables
from forge.stores.memory.measure import MemoryMeasurer
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, Commit, TableVersion, make_commit
from forge.versioning.field import Fields

BEGIN = datetime(2026, 11, 15, 6, 0, tzinfo=UTC)
ADA = Author("Ada", "ada@example.com")
BEN = Author("Ben", "ben@example.com")
MAIN = BranchName("main")
Row = Mapping[str, object]


@dataclass(slots=True)
class Clock:
    """A second later with each look, so that every commit has a time of its own."""

    start: datetime = BEGIN
    ticks: Any = field(default_factory=count)

    def __call__(self) -> datetime:
        return self.start + timedelta(seconds=next(self.ticks))


class ArrowEngine:
    """What flows ask of an engine, on rows read by PyIceberg: measures in Python, SQL by SQLite."""

    def __init__(self, tables: IcebergTables) -> None:
        self._tables = tables
        self.asked: list[str] = []  # queries, as they came

    def rows(self, pin: Pin) -> pa.Table:
        assert pin.snapshot_id is not None
        files = self._tables.files(pin.catalog, pin.snapshot_id)
        return self._tables.read(
            FileSlice(pin.catalog, pin.snapshot_id, tuple(sorted(files.files, key=lambda f: f.path)))
        )

    def begin(self, run_id: RunId, table: TableName) -> None:
        pass

    def begin_read(self, run_id: RunId) -> None:
        pass

    def end(self) -> None:
        pass

    def find_starved(self, reads: Iterable[RunId]) -> StarvedJobs:
        return StarvedJobs()

    def measure(
        self,
        target: Pin,
        measures: Sequence[Measure],
        others: Mapping[TableName, Pin],
        report: Callable[[MeasureBatch], None] = lambda batch: None,
    ) -> Readings:
        found = self.rows(target)
        looked_up = {name: self.rows(pin).to_pylist() for name, pin in others.items()}
        return MemoryMeasurer(found.to_pylist(), looked_up, columns=found.column_names).measure(measures)

    def sample(
        self,
        target: Pin,
        checks: Sequence[Check],
        readings: Readings,
        masked: frozenset[str],
        others: Mapping[TableName, Pin],
        limit: int = 5,
    ) -> tuple[tuple[Row, ...], ...]:
        return tuple(() for _ in checks)

    def query(
        self, sql: str, inputs: Mapping[TableName, Pin], params: Mapping[str, object], limit: int | None
    ) -> tuple[Schema, tuple[tuple[object, ...], ...]]:
        import sqlite3

        from forge.transforms.sql import pin

        self.asked.append(sql)
        database = sqlite3.connect(":memory:")
        places = {}
        for number, (table, where) in enumerate(inputs.items()):
            if where.view_sql is not None:
                schema, rows = self.query(where.view_sql, {p.table: p for p in where.view_inputs}, {}, None)
                names, values = list(schema.names), [tuple(row) for row in rows]
            else:
                found = self.rows(where)
                names, values = found.column_names, [tuple(row.values()) for row in found.to_pylist()]
            database.execute(f"CREATE TABLE t{number} ({', '.join(names)})")
            marks = ", ".join("?" for _ in names)
            plain = [tuple(v if isinstance(v, int | float | str) or v is None else str(v) for v in r) for r in values]
            database.executemany(f"INSERT INTO t{number} VALUES ({marks})", plain)
            places[table] = f"t{number}"
        cursor = database.execute(pin(sql, places), dict(params))
        schema = Schema(tuple(Column(name[0], "string") for name in cursor.description))
        return schema, tuple(cursor.fetchall() if limit is None else cursor.fetchmany(limit))


@dataclass
class VersionWorld:
    """`ports` is what every flow of versioning takes; the rest is for telling stories in tests."""

    ports: VersionPorts
    lake: IcebergLake
    metadata: SqlMetadata
    tables: IcebergTables
    engine: ArrowEngine
    checks: dict[TableName, tuple[Check, ...]]
    folder: Path
    database: Database

    # what is done

    def append_past_forge(self, table: str, rows: Sequence[Row]) -> None:
        """By another engine, on the default branch: nobody has looked at the rows."""
        from pyiceberg.catalog.sql import SqlCatalog

        uri, name = f"sqlite:///{self.folder}/forge.db", TableName.parse(table)
        catalog = SqlCatalog("forge", uri=uri, warehouse=str(self.folder / "warehouse"))
        found = catalog.load_table((name.schema, name.name))
        found.append(pa.Table.from_pylist([dict(row) for row in rows], schema=found.schema().as_arrow()))
        catalog.engine.dispose()

    def branch(self, name: str, start: str = "main") -> Branch:
        return create_branch(self.metadata, name, start, current=MAIN, author=self.ports.author, clock=self.ports.clock)

    def commit_rows(
        self,
        table: str,
        rows: Sequence[Row] | pa.Table,
        mode: str = "append",
        key: Sequence[str] = (),
        branch: str = "main",
        message: str | None = None,
        schema: pa.Schema | None = None,
    ) -> CommitResult:
        """Rows as dictionaries get the types of the table's columns; those of a new table are as Arrow finds them."""
        name = TableName.parse(table)
        given = rows if isinstance(rows, pa.Table) else self._arrow(name, branch, rows, schema)
        request = CommitRequest(
            table=name, branch=branch, mode=CommitMode(mode), key=tuple(key), message=message, rows=given
        )
        return commit_data(request, self.ports)

    def _arrow(self, table: TableName, branch: str, rows: Sequence[Row], schema: pa.Schema | None) -> pa.Table:
        from forge.versioning.arrow_types import arrow_type

        version = self.metadata.tree(self.head(branch)).get(table)
        if schema is None and version is not None:
            kinds = {f.name: arrow_type(f.type) for f in self.fields(str(table), branch)}
            names = dict.fromkeys(name for row in rows for name in row)
            schema = pa.schema([(name, kinds[name]) for name in names if name in kinds])
            if any(name not in kinds for name in names):
                schema = None
        return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)

    def set_fields(self, table: str, fields: Fields, branch: str = "main", message: str = "Change columns") -> Commit:
        """Another schema over the same files: columns are added, dropped, renamed, widened or moved by their ids. A
        field with a name as its id is a new column."""
        name, ports = TableName.parse(table), self.ports
        with run_operation(ports, "commit", BranchName(branch), (table,)) as work:
            line = pin_branch(ports.metadata, BranchName(branch), ports.default_branch)
            before = line.tree[name]
            stage = open_stage(work, name, before)
            ports.tables.swap(stage, (), None, fields)
            outcome = staged_outcome(work, name, stage, before, TableTally(table=table, how="rows"))

            now, versions = ports.clock(), {name: outcome.version}
            draft = CommitDraft(
                message=message,
                author=ports.author,
                statistics={name: outcome.statistics},
                metadata={"run_id": str(work.run_id)},
            )
            record = PublishRecord(
                time=now,
                commits=(draft,),
                run=replace(work.record, status=RunStatus.SUCCEEDED, finished_at=now, commit_id=THIS_COMMIT),
                assets=assets_of(ports, None, versions) if line.is_default else (),
                audit=(AuditRecord(now, ports.author.email, "commit", branch),),
            )
            landed = publish(work.publishing, BranchChanges(line=line, versions=versions, stages=work.stages), record)
            assert isinstance(landed, Publication)
            return landed.commit

    def flag(self, table: str, *columns: str) -> None:
        """These columns of the table hold personal data from now on, as a run under a contract would record it."""
        name, ports, now = TableName.parse(table), self.ports, self.ports.clock()
        (known,) = (asset for asset in self.metadata.assets() if asset.table == name)
        flagged = tuple({**column, "pii": column["name"] in columns} for column in known.columns)
        head, tree = self.head(), self.metadata.tree(self.head())
        commit = make_commit(
            tree=tree,
            parents=(head,) if head else (),
            author=ports.author,
            message="Flag",
            time=now,
            branch=MAIN,
            statistics={},
            metadata={},
        )
        run = RunRecord(
            id=new_run_id(now),
            branch=MAIN,
            status=RunStatus.SUCCEEDED,
            started_at=now,
            user=ADA.email,
            host="here",
            pid=1,
            process_started="",
            finished_at=now,
        )
        publication = Publication(
            pointers=(),
            branch=MAIN,
            expected_head=head,
            commit=commit,
            tree=tree,
            run=run,
            assets=(replace(known, columns=flagged),),
        )
        assert isinstance(self.metadata.publish(publication, ports.fault_point), PublishedCommit)

    # what there is

    def head(self, branch: str = "main") -> CommitId | None:
        found = self.metadata.branch(BranchName(branch))
        assert found is not None
        return found.head

    def version(self, table: str, at: str = "main") -> TableVersion | None:
        return self.metadata.tree(find_commit(self.metadata, at, MAIN).id).get(TableName.parse(table))

    def arrow(self, table: str, at: str = "main") -> pa.Table:
        version = self.version(table, at)
        assert version is not None
        assert version.snapshot_id is not None
        return self.engine.rows(Pin(TableName.parse(table), version.catalog, version.snapshot_id))

    def rows(self, table: str, at: str = "main") -> list[dict[str, Any]]:
        """In a fixed order: that of their text."""
        return sorted(self.arrow(table, at).to_pylist(), key=lambda row: repr(sorted(row.items())))

    def fields(self, table: str, at: str = "main") -> Fields:
        version = self.version(table, at)
        assert version is not None
        assert version.snapshot_id is not None
        return self.tables.fields(version.catalog, version.snapshot_id)

    def paths(self, table: str, at: str = "main") -> set[str]:
        """Of the data files."""
        version = self.version(table, at)
        assert version is not None
        assert version.snapshot_id is not None
        return {file.path for file in self.tables.files(version.catalog, version.snapshot_id).files}

    def close(self) -> None:
        self.lake.close()
        self.database.dispose()


def make_world(tmp_path: Path, **changes: object) -> VersionWorld:
    """An empty lake with a default branch `main`. `changes` are fields of VersionPorts."""
    from forge.stores.lake.arrow.rows import ArrowRows

    warehouse = tmp_path / "warehouse"
    database = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    metadata, lake = SqlMetadata(database), IcebergLake(database, str(warehouse))
    tables = IcebergTables(lake)
    engine = ArrowEngine(tables)
    checks: dict[TableName, tuple[Check, ...]] = {}

    def no_spark() -> RowOperations:
        raise AssertionError("this is small: Spark must not be asked")

    ports = VersionPorts(
        metadata=metadata,
        lake=lake,
        tables_=tables,
        small=ArrowRows(tables),
        large=no_spark,
        engine=lambda: cast(Engine, engine),  # it does what these flows ask for
        project=lambda: Project(
            root=tmp_path, transforms={}, contracts={}, checks=checks, rules_hash={}, owner_of=lambda table: None
        ),
        declared=frozenset,
        personal=partial(personal_at, metadata, frozenset, MAIN),
        clock=Clock(),
        author=ADA,
        default_branch=MAIN,
    )
    create_default_branch(metadata, MAIN, ADA, ports.clock())
    return VersionWorld(replace(ports, **changes), lake, metadata, tables, engine, checks, tmp_path, database)  # type: ignore[arg-type]


def kept_world(folder: KeptFolder, name: str, build: Callable[[VersionWorld], object]) -> Iterator[VersionWorld]:
    """A world as `build` made it when it was asked for by this name first; for the body of a fixture. It is an hour
    later than when it was built."""

    def make(root: Path) -> None:
        shutil.rmtree(root, ignore_errors=True)
        made = make_world(root)
        build(made)
        made.close()

    world = make_world(folder.lay(name, make), clock=Clock(BEGIN + timedelta(hours=1)))
    yield world
    world.close()
