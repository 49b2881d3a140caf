"""A few rows of a table or view at a revision, with personal data left out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from forge.flows.engine import Engine
from forge.flows.impact import edges_at
from forge.flows.ports import Lake, Metadata
from forge.flows.read import Reader, query
from forge.flows.records import AssetRecord
from forge.flows.revisions import find_commit
from forge.lineage.edge import Edge, Transformation
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.model.nearest import did_you_mean
from forge.model.schema import Schema
from forge.versioning.commit import TableVersion, Tree

Key = tuple[str, str]
"""A table and one of its columns, in small letters."""

_COUNT = re.compile(r"\bcount\(|\bapprox_count_distinct\(")


@dataclass(frozen=True, slots=True)
class Sample:
    commit_id: CommitId
    schema: Schema
    masked: frozenset[str]  # columns whose values are not here
    rows: tuple[tuple[object, ...], ...]
    truncated: bool


def sample_rows(
    metadata: Metadata,
    lake: Lake,
    engine: Callable[[], Engine],
    table: TableName,
    at: str,
    *,
    default: BranchName,
    limit: int,
) -> Sample:
    """Rows of a table come from its files; `engine` is asked only for a view, or for files that need it."""
    commit = find_commit(metadata, at, default)
    tree = metadata.tree(commit.id)
    version = version_at(tree, table, at)
    hidden = find_personal(metadata.assets(), edges_at(metadata, tree))
    masked = frozenset(column for name, column in hidden if name == str(table))
    found = None if version.kind == "view" else _from_files(lake, table, version, masked, limit + 1)
    if found is None:
        reader = Reader(metadata, lake, default, default)
        sql = f"SELECT * FROM {table.schema}.{table.name}"  # noqa: S608  a parsed name: letters, digits, underscores
        found = query(reader, engine(), sql, at=commit.id, params={}, limit=limit + 1)
    schema, rows = found
    names = frozenset(name for name in schema.names if name.lower() in masked)
    return Sample(
        commit.id, schema, names, tuple(_blank(row, schema, names) for row in rows[:limit]), len(rows) > limit
    )


def version_at(tree: Tree, table: TableName, at: str) -> TableVersion:
    version = tree.get(table)
    if version is None:
        raise ForgeError(
            "E108",
            f"There is no table {table} at {at}",
            why=did_you_mean(str(table), map(str, tree)),
            fix="`forge show` lists the tables of a commit.",
        )
    return version


def find_flagged(assets: Iterable[AssetRecord]) -> frozenset[Key]:
    """The columns that the catalog calls personal data."""
    return frozenset((str(a.table), str(c["name"]).lower()) for a in assets for c in a.columns if c.get("pii"))


def find_personal(
    assets: Iterable[AssetRecord], edges: Iterable[Edge], also: frozenset[Key] = frozenset()
) -> frozenset[Key]:
    """The columns that are flagged as personal data, that flagged ones are made of, or that are made of them; and other
    copies of what a flagged one is a copy of. A masking edge ends it, and so does counting. `also` are flagged, too."""
    flagged = find_flagged(assets) | also
    open_edges = [e for e in edges if not e.masking]
    sources = Counter(_key(e.target.table, e.target.column) for e in open_edges)
    values = [e for e in open_edges if not _is_count(e)]
    # A column that is all another one is made of is the same data, like lower(trim(email)); one of several may be
    # only a small part of it, and is no reason to hide its own copies elsewhere.
    same = [
        e
        for e in values
        if e.transformation is Transformation.IDENTITY or sources[_key(e.target.table, e.target.column)] == 1
    ]
    origins = _walk(flagged, same, upstream=True)
    return _walk(flagged, values) | _walk(flagged, values, upstream=True) | _walk(origins, same)


def _walk(start: Iterable[Key], edges: Iterable[Edge], *, upstream: bool = False) -> frozenset[Key]:
    following: Mapping[Key, list[Key]] = defaultdict(list)
    for edge in edges:
        source, target = _key(edge.source.table, edge.source.column), _key(edge.target.table, edge.target.column)
        following[target if upstream else source].append(source if upstream else target)
    seen, todo = set(start), list(start)
    while todo:
        new = [key for key in following.get(todo.pop(), ()) if key not in seen]
        seen.update(new)
        todo += new
    return frozenset(seen)


def _key(table: str, column: str) -> Key:
    return table, column.lower()


def _is_count(edge: Edge) -> bool:
    return edge.transformation in (Transformation.AGGREGATION, Transformation.WINDOW) and bool(
        _COUNT.search(edge.expression.lower())
    )


def _from_files(
    lake: Lake, table: TableName, version: TableVersion, masked: frozenset[str], limit: int
) -> tuple[Schema, tuple[tuple[object, ...], ...]] | None:
    """What is masked is not even read. None: only an engine can read it."""
    state = lake.snapshot(version.catalog, version.snapshot_id) if version.snapshot_id is not None else None
    if state is None:
        raise ForgeError(
            "E410",
            f"The rows of {table} v{version.number} are gone",
            why=f"Snapshot {version.snapshot_id} was expired, or the table replaced, by something other than Forge.",
            fix="Look at a newer commit; `forge doctor` tells what else is missing.",
        )
    read = [name for name in state.schema.names if name.lower() not in masked]
    rows = lake.rows(version.catalog, state.snapshot_id, read, limit)
    if rows is None:
        return None
    whole = (dict(zip(read, row, strict=True)) for row in rows)
    return state.schema, tuple(tuple(row.get(name) for name in state.schema.names) for row in whole)


def _blank(row: tuple[object, ...], schema: Schema, masked: frozenset[str]) -> tuple[object, ...]:
    return tuple(None if name in masked else value for name, value in zip(schema.names, row, strict=True))
