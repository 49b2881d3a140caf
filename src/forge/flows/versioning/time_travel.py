"""Time travel: the rows of a table or view at a commit, by filters or by SQL, personal data masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.catalog.sample import sample_rows, version_at
from forge.flows.runs.engine import Pin
from forge.flows.runs.input_pins import at_commit, inputs_of
from forge.flows.upkeep.query_audit import audited
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.read import commit_at
from forge.flows.versioning.tables import FileSlice, NeedsEngine, TableFiles
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CatalogName, CommitId, TableName
from forge.model.schema import Column, Schema
from forge.versioning.commit import TableVersion, Tree
from forge.versioning.errors import FilterValueError, PersonalFilterError

DEFAULT_LIMIT, MOST = 1000, 10_000
DATA = "data"  # what SQL may call the table that is asked for
_ASKED = "asked"  # a parameter of the query that filters


@dataclass(frozen=True, slots=True)
class HistoricalRows:
    """Rows at a commit. `masked` are the columns, of all tables read, whose values are hidden."""

    commit_id: CommitId
    table: TableName
    schema: Schema
    masked: frozenset[str]
    rows: tuple[tuple[object, ...], ...]
    truncated: bool


def travel(
    ports: VersionPorts,
    table: TableName,
    at: str,
    *,
    sql: str | None = None,
    where: Mapping[str, str] | None = None,
    limit: int = DEFAULT_LIMIT,
    current: BranchName | None = None,
    mask: bool = True,
    door: str = "time travel",
) -> HistoricalRows:
    """`at` is a commit, tag, branch, time or `core.orders@v12`. With `sql`, a SELECT in which the table is called by
    its name or `data`, and other tables are read at the same commit; with `where`, the rows with these values.
    Columns with personal data read as NULL, within a query too, so that no filter can probe them either."""
    if not 0 < limit <= MOST:
        raise ForgeError(
            "E105", f"{limit} rows cannot be asked for", why=f"From 1 to {MOST:,} can.", fix=f"--limit {MOST}"
        )
    if sql is not None and where:
        raise ForgeError("E105", "Either SQL or filters can be given", fix="Write the filters into WHERE.")
    commit = commit_at(ports.metadata, at, current or ports.default_branch, table)
    tree = ports.metadata.tree(commit.id)
    version = version_at(tree, table, at)
    hidden = PersonalColumns()
    if mask:
        hidden = ports.personal(commit.id)
        hidden.refuse_rows(table)
    if sql is not None:
        return audited(
            ports.metadata,
            ports.clock,
            ports.author.email or ports.author.name,
            door,
            sql,
            lambda: inputs_of(name_table(sql, table), "query"),
            lambda: _by_sql(ports, table, commit.id, tree, hidden, sql, limit),
            lambda found: {"rows": len(found.rows)},
        )
    if not where and mask:
        found = sample_rows(
            *(ports.metadata, ports.lake, ports.engine, ports.personal, table, commit.id),
            default=ports.default_branch,
            limit=limit,
        )
        return HistoricalRows(commit.id, table, found.schema, found.masked, found.rows, found.truncated)
    return _by_filters(ports, table, version, commit.id, tree, hidden, where or {}, limit)


def _by_sql(
    ports: VersionPorts,
    table: TableName,
    commit: CommitId,
    tree: Tree,
    hidden: PersonalColumns,
    sql: str,
    limit: int,
) -> HistoricalRows:
    text = name_table(sql, table)
    pins: dict[TableName, Pin] = {}
    masked: set[str] = set()
    for each in inputs_of(text, "query", tree):
        version_at(tree, each, commit[:12])
        pin = at_commit(each, tree, ports.lake)
        assert pin is not None, "the tree has it"
        hidden.refuse_pinned(pin)
        if columns := hidden.of(each):
            pin, names = masked_pin(ports, pin, columns)
            masked |= names
        pins[each] = pin
    schema, rows = ports.engine().query(text, pins, {}, limit + 1)
    return HistoricalRows(commit, table, schema, frozenset(masked), rows[:limit], len(rows) > limit)


def masked_pin(ports: VersionPorts, pin: Pin, hidden: frozenset[str]) -> tuple[Pin, frozenset[str]]:
    """The same rows with the hidden columns NULL, and the names of these. A query never sees their values."""
    schema = _schema(ports, pin)
    names = frozenset(name for name in schema.names if name.lower() in hidden)
    columns = ", ".join(_column(column, column.name in names) for column in schema.columns)
    sql = f"SELECT {columns} FROM {pin.table}"  # noqa: S608  a parsed name, and columns as the table has them
    return Pin(pin.table, CatalogName(pin.table.schema, pin.table.name), None, sql, (pin,)), names


def _column(column: Column, is_hidden: bool) -> str:
    """A hidden one is NULL of its own type. The type is never written as SQL text: it contains field names, as in
    uploaded files."""
    name = _quoted(column.name)
    return f"CASE WHEN FALSE THEN {name} END AS {name}" if is_hidden else name


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _schema(ports: VersionPorts, pin: Pin) -> Schema:
    if pin.view_sql is None and pin.snapshot_id is not None:
        state = ports.lake.snapshot(pin.catalog, pin.snapshot_id)
        if state is None:
            raise ForgeError("E406", f"Snapshot {pin.snapshot_id} of {pin.table} is gone", fix="forge doctor")
        return state.schema
    schema, _ = ports.engine().query(f"SELECT * FROM {pin.table}", {pin.table: pin}, {}, 0)  # noqa: S608  a parsed name
    return schema


def name_table(sql: str, table: TableName) -> str:
    """The query with the table's full name in place of `data` or its name without schema. A CTE of that name takes
    precedence."""
    from sqlglot import exp

    from forge.transforms.sql_parse import parse_query

    query = parse_query(sql, "query")
    ctes = {cte.alias.lower() for cte in query.tree.find_all(exp.CTE)}
    places = []
    for node in query.tree.find_all(exp.Table):
        names = [part.name.lower() for part in node.parts]
        if isinstance(node.this, exp.Func) or len(names) != 1 or names[0] in ctes or names[0] not in (DATA, table.name):
            continue
        if "start" not in node.this.meta:  # a parameter is no table name; the search for inputs reports it
            continue
        alias = "" if node.args.get("alias") is not None else f" AS {names[0]}"
        start, end = int(node.this.meta["start"]), int(node.this.meta["end"]) + 1
        places.append((start, end, f"{table}{alias}"))
    for start, end, text in sorted(set(places), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql


def _by_filters(
    ports: VersionPorts,
    table: TableName,
    version: TableVersion,
    commit: CommitId,
    tree: Tree,
    hidden: PersonalColumns,
    where: Mapping[str, str],
    limit: int,
) -> HistoricalRows:
    pin = at_commit(table, tree, ports.lake)
    assert pin is not None, "the tree has it"
    hidden.refuse_pinned(pin)
    schema = _schema(ports, pin)
    masked = frozenset(name for name in schema.names if hidden.hides(table, name))
    asked = _asked(table, schema, hidden, where)
    rows = _from_files(ports, version, schema, masked, asked, limit + 1) if version.kind == "table" else None
    if rows is None:
        rows = _from_engine(ports, pin, schema, masked, asked, limit + 1)
    return HistoricalRows(commit, table, schema, masked, rows[:limit], len(rows) > limit)


def refuse_filter(table: TableName, hidden: PersonalColumns, columns: Iterable[str]) -> None:
    """E631: masked columns cannot be filtered by."""
    for name in columns:
        if hidden.hides(table, name):
            raise PersonalFilterError(
                f"{table} cannot be filtered by {name}",
                why="It holds personal data, which is not shown, and a filter would tell what is in it.",
                fix="Filter by another column.",
            )


def _asked(table: TableName, schema: Schema, hidden: PersonalColumns, where: Mapping[str, str]) -> dict[str, object]:
    """The values in the types of their columns."""
    from forge.flows.versioning.upload.values import InvalidValue, converter

    types = {column.name: column.type for column in schema.columns}
    found: dict[str, object] = {}
    for name, text in where.items():
        if name not in types:
            near = did_you_mean(name, types)
            raise UnknownNameError(f"{table} has no column {name}", why=near, fix=f"It has {', '.join(types)}.")
        refuse_filter(table, hidden, (name,))
        try:
            found[name] = converter(types[name])(text)
        except InvalidValue as error:
            what = f"'{text}' is not a {types[name]}"
            raise FilterValueError(what, where=f"{table}.{name}", why=f"{error}.") from error
    return found


def _from_files(
    ports: VersionPorts,
    version: TableVersion,
    schema: Schema,
    masked: frozenset[str],
    asked: Mapping[str, object],
    limit: int,
) -> tuple[tuple[object, ...], ...] | None:
    """Masked columns are not read, and no more files than necessary. None: only an engine can do it."""
    if ports.tables_ is None or version.snapshot_id is None:
        return None
    files = ports.tables.files(version.catalog, version.snapshot_id)
    if files.needs_engine:
        return None
    read = [name for name in schema.names if name not in masked]
    if not asked and not masked:
        return ports.lake.rows(version.catalog, version.snapshot_id, read, limit)
    rows: list[tuple[object, ...]] = []
    try:
        for part in _parts(ports, files, asked):
            if len(rows) >= limit:
                break
            rows += _matching(ports, part, schema, read, asked, limit - len(rows))
    except (NeedsEngine, _TooLarge):
        return None
    return tuple(rows)


class _TooLarge(Exception):
    """More than the driver may read."""


def _parts(ports: VersionPorts, files: TableFiles, asked: Mapping[str, object]) -> list[FileSlice]:
    """The files that may hold such rows, one by one."""
    import pyarrow as pa

    from forge.flows.versioning.key_bounds import find_candidates
    from forge.versioning.arrow_types import arrow_type

    kinds = {field.name: arrow_type(field.type) for field in files.fields}
    wanted = pa.table({name: pa.array([value], kinds[name]) for name, value in asked.items()})
    found = find_candidates(files, wanted, tuple(asked))
    if sum(file.size for file in found) > ports.small_bytes:
        raise _TooLarge
    return [FileSlice(files.catalog, files.snapshot_id, (file,)) for file in found]


def _matching(
    ports: VersionPorts, part: FileSlice, schema: Schema, read: list[str], asked: Mapping[str, object], limit: int
) -> list[tuple[object, ...]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    from forge.versioning.arrow_types import python_values

    rows = ports.tables.read(part, read)
    for name, value in asked.items():
        column = rows.column(name)
        rows = rows.filter(pc.equal(column, pa.scalar(value, column.type)))
    rows = rows.slice(0, limit)
    columns = {name: python_values(rows.column(name)) for name in read}
    blank: list[object] = [None] * rows.num_rows
    return list(zip(*(columns.get(name, blank) for name in schema.names), strict=True))


def _from_engine(
    ports: VersionPorts, pin: Pin, schema: Schema, masked: frozenset[str], asked: Mapping[str, object], limit: int
) -> tuple[tuple[object, ...], ...]:
    """By a query with bound values, never interpolated."""
    names = [f"{_ASKED}{number}" for number in range(len(asked))]
    tests = [f"{_quoted(column)} = :{name}" for column, name in zip(asked, names, strict=True)]
    columns = ", ".join(_column(column, column.name in masked) for column in schema.columns)
    sql = f"SELECT {columns} FROM {pin.table}"  # noqa: S608  a parsed name, and columns as the table has them
    if tests:
        sql += f" WHERE {' AND '.join(tests)}"
    _, rows = ports.engine().query(sql, {pin.table: pin}, dict(zip(names, asked.values(), strict=True)), limit)
    return rows
