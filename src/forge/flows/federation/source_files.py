"""The declared sources of sources/*.yaml, and the loads that take their connection from one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from forge.federation.object_path import is_object_path
from forge.federation.source import ConnectorKind, Source
from forge.model.errors import ForgeError
from forge.model.fault import FileFault
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.project import LoadedTransforms, read_source_files, read_transforms
from forge.transforms.source import hash_of_load, not_incremental
from forge.transforms.transform import ConnectorSource, FileSource, JdbcSource, Transform, TransformKind

_BY_CONNECTOR = (ConnectorKind.DELTA, ConnectorKind.REST)
_DATABASES = (ConnectorKind.POSTGRESQL, ConnectorKind.MYSQL, ConnectorKind.SQLITE)


@dataclass(frozen=True, slots=True)
class FileSources:
    """What files declare, in the order of files and lines; of two with one name the first."""

    sources: tuple[Source, ...] = ()
    errors: tuple[ForgeError, ...] = ()

    @property
    def faults(self) -> tuple[FileFault, ...]:
        return tuple(FileFault(error, only_runs=True) for error in self.errors)


def read_file_sources(root: Path, schemas: Mapping[str, str] | None = None) -> FileSources:
    """`schemas`: those of the lake, with where each is known from. A file that cannot be read at all is a fault of
    its loads."""
    texts, _ = read_source_files(root)
    naming = {file: text for file, text in texts.items() if "name" in text}
    if not naming:
        return FileSources()
    from forge.federation.source_keys import find_clashes, load_named_sources

    found: list[Source] = []
    errors: list[ForgeError] = []
    for file, text in naming.items():
        sources, wrong = load_named_sources(text, file)
        found += sources
        errors += wrong
    clashes = list(find_clashes(found, schemas or {}))
    taken = {id(source) for source, _ in clashes}
    errors += [error for _, error in clashes]
    return FileSources(tuple(one for one in found if id(one) not in taken), tuple(errors))


def schemas_of(transforms: Iterable[Transform], known: Iterable[TableName]) -> dict[str, str]:
    """The schemas of the lake by name, each with one place that says so."""
    found: dict[str, str] = {}
    for transform in transforms:
        found.setdefault(transform.output.schema, f"{transform.where} makes {transform.output}")
    for table in sorted(known):
        found.setdefault(table.schema, f"the lake has {table}")
    return found


def read_project_loads(root: Path, known: Iterable[TableName] = ()) -> tuple[LoadedTransforms, FileSources]:
    """All transforms, loads joined with the sources that they name, and those sources. `known`: tables of the lake."""
    reading = read_transforms(root)
    sources = read_file_sources(root, schemas_of(reading.transforms.values(), known))
    return join_loads(reading, sources), sources


def join_loads(reading: LoadedTransforms, declared: FileSources) -> LoadedTransforms:
    """A load whose source nobody declares in a file is a fault of its table: what a run does is in the project."""
    sources = {source.name: source for source in declared.sources}
    made: dict[TableName, Transform] = {}
    faults: list[FileFault] = []
    for table, load in reading.transforms.items():
        if not isinstance(load.body, JdbcSource) or not load.body.source:
            made[table] = load
            continue
        try:
            made[table] = _joined(load, load.body, sources, bool(declared.errors))
        except ForgeError as error:
            faults.append(FileFault(error, frozenset({table}), only_runs=True))
    unread = reading.unread | (reading.transforms.keys() - made.keys())
    return replace(reading, transforms=made, faults=(*reading.faults, *faults), unread=unread)


def _joined(load: Transform, body: JdbcSource, sources: Mapping[str, Source], is_partial: bool) -> Transform:
    source = sources.get(body.source.lower())
    if source is None:
        partial = "Its declaration may be among those that cannot be read." if is_partial else None
        raise ForgeError(
            "E881",
            f"unknown source '{body.source}'",
            where=load.where,
            why=partial or "A load names a source of a file: `- {name: …, connector: …}` in sources/*.yaml.",
            fix=did_you_mean(body.source, sources)
            or f"Declare it: `- {{name: {body.source}, connector: postgresql}}`.",
        )
    if source.credentials and source.user is None and source.password is None:
        raise ForgeError(
            "E206",
            f"{source.name} has credentials of users, and none for loads",
            where=load.where,
            why="A run is nobody's query: it reads the source as its own `user` and `password`.",
            fix=f"Add both to {source.name} in {source.where}.",
        )
    if source.connector in _BY_CONNECTOR:
        return _by_connector(load, body, source)
    if load.kind is TransformKind.BY_UNIQUE_KEY:
        raise not_incremental(f"{source.name}, which is a source of {source.connector},", load.where)
    if source.connector is ConnectorKind.FILES:
        return _of_files(load, body, source)
    if (body.table is None) == (body.query is None):
        raise ForgeError(
            "E206",
            "a load of a database reads either a table or a query",
            where=load.where,
            fix="Write one of `table:` and `query:`.",
        )
    if source.connector in _DATABASES and body.table is not None and not body.options:
        # As queries read it: the same types, in parts, and by the same driver. A query in the database's own words
        # says no types beforehand, and options of a load are those of Spark's reader: both are read by Spark.
        declared = replace(source, credentials=()).keys
        return _with_body(load, ConnectorSource(source.name, declared, body.table))
    options = {**source.options, **body.options}
    joined = replace(body, url=source.url, user=source.user, password=source.password, options=options)
    return _with_body(load, joined)


def _by_connector(load: Transform, body: JdbcSource, source: Source) -> Transform:
    is_delta = source.connector is ConnectorKind.DELTA
    kinds = (TransformKind.FULL, TransformKind.BY_UNIQUE_KEY) if is_delta else (TransformKind.FULL,)
    if load.kind not in kinds:
        why = "Each load would add the rows again that it added before."
        fix = f"Write `kind: {'` or `kind: '.join(kinds)}`."
        what = f"{source.name} is not loaded by kind {load.kind}"
        raise ForgeError("E206", what, where=load.where, why=why, fix=fix)
    if body.query is not None or body.options:
        given = "query" if body.query is not None else "options"
        fix = f"Remove `{given}:`" + ("" if given == "query" else f"; write them where {source.name} is declared") + "."
        what = f"a load of {source.name} has no {given}"
        raise ForgeError("E206", what, where=load.where, fix=fix)
    table = body.table
    if not is_delta:
        table = next((one for one in source.tables if one.lower() == (body.table or "").lower()), None)
        if table is None:
            fix = did_you_mean(body.table or "", source.tables) or f"Write `table: {next(iter(source.tables))}`."
            what = (
                f"{source.name} has no table {body.table}" if body.table else f"a load of {source.name} needs a table"
            )
            raise ForgeError("E206", what, where=load.where, fix=fix)
    columns = source.tables[table].columns if table is not None and not is_delta else {}
    declared = replace(source, credentials=()).keys
    return _with_body(load, ConnectorSource(source.name, declared, table, columns))


def _of_objects(load: Transform, source: Source) -> Transform:
    """As queries read them: Spark would need jars and keys of its own."""
    if load.kind is not TransformKind.FULL:
        why = "Which of its objects were loaded before is not kept."
        raise ForgeError("E206", f"{source.name} is loaded as a whole", where=load.where, why=why, fix="`kind: full`.")
    declared = replace(source, credentials=()).keys
    return _with_body(load, ConnectorSource(source.name, declared, None, source.columns))


def _of_files(load: Transform, body: JdbcSource, source: Source) -> Transform:
    if body.table is not None or body.query is not None:
        raise ForgeError(
            "E206",
            f"{source.name} is a source of files, without tables and queries",
            where=load.where,
            fix="Remove `table:` and `query:`; all files of its path are loaded.",
        )
    if is_object_path(source.path):
        return _of_objects(load, source)
    options = {**source.options, **body.options}
    format = cast(Literal["csv", "json", "parquet"], source.format)
    return _with_body(load, FileSource(format, source.path, source.columns, options))


def _with_body(load: Transform, body: FileSource | JdbcSource | ConnectorSource) -> Transform:
    code = hash_of_load(body, load.kind.value, load.partitioned_by, load.unique_key)
    return replace(load, body=body, code_hash=code)
