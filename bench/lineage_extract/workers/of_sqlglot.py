"""sqlglot.lineage. It reads queries; what they are written into is told here, from the same tree: the columns that a
statement lists, else those of the table by position, else the names of the query. Temporary views are handed to it as
`sources`, by their queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.lineage import Node, lineage
from sqlglot.schema import MappingSchema
from worker import Case, NotRead, Pair, Schema, serve, table_of

_SCHEMAS: dict[tuple[int, str], MappingSchema] = {}


def schema_of(schema: Schema, dialect: str) -> MappingSchema:
    """All names of the length that most have: its schema takes no others."""
    key = (id(schema), dialect)
    if key not in _SCHEMAS:
        made = MappingSchema(dialect=dialect)
        depths = [name.count(".") for name in schema]
        usual = max(set(depths), key=depths.count, default=0)
        for name, columns in schema.items():
            if name.count(".") == usual:
                made.add_table(name, dict(columns), dialect=dialect)
        _SCHEMAS[key] = made
    return _SCHEMAS[key]


@dataclass(frozen=True)
class Write:
    """A query, the table it goes to, and the columns that are listed. `by_name`: they do not count by position."""

    query: exp.Query
    target: exp.Table
    listed: list[str]
    by_name: bool
    temporary: bool


def read(case: Case) -> Iterable[Pair]:
    schema = schema_of(case.schema, case.dialect)
    sources: dict[str, str | exp.Query] = {}
    pairs: list[Pair] = []
    problems: list[str] = []
    for statement in sqlglot.parse(case.script, dialect=case.dialect):
        write = write_of(statement)
        if write is None:
            if isinstance(statement, (exp.Merge, exp.Update, exp.Command, exp.Insert, exp.MultitableInserts)):
                problems.append(f"{type(statement).__name__} is not a query")
        elif write.temporary:
            sources[write.target.name] = write.query
        else:
            pairs += pairs_of(write, case, schema, sources)
    if problems:
        raise NotRead(problems[0], pairs)
    return pairs


def pairs_of(write: Write, case: Case, schema: MappingSchema, sources: Mapping[str, str | exp.Query]) -> Iterable[Pair]:
    name = exp.table_name(write.target)
    place = {"db": case.default_schema, "catalog": case.db} if case.default_schema else {}
    found = lineage(
        None, write.query, schema, sources=sources, dialect=case.dialect, trim_selects=False, copy=False, **place
    )
    known = write.listed or ([] if write.by_name else list(table_of(name, case.schema)))
    for at, (output, node) in enumerate(found.items()):
        column = known[at] if at < len(known) else output
        yield from ((source, f"{name}.{column}") for source in leaves(node))


def write_of(statement: exp.Expr | None) -> Write | None:
    if isinstance(statement, exp.Select) and isinstance(into := statement.args.get("into"), exp.Into):
        statement.set("into", None)
        return Write(statement, into.this, [], True, bool(into.args.get("temporary")) or is_hash(into.this))
    if not isinstance(statement, (exp.Create, exp.Insert)):
        return None
    query, into = statement.args.get("expression"), statement.this
    listed: list[str] = []
    if isinstance(into, exp.Schema):
        listed = [one.name for one in into.expressions]
        into = into.this
    if not isinstance(query, exp.Query) or not isinstance(into, exp.Table):
        return None
    outer = statement.args.get("with_")
    if outer is not None and isinstance(query, exp.Select):
        query.set("with_", outer)
    by_name = bool(statement.args.get("by_name")) or isinstance(statement, exp.Create)
    return Write(query, into, listed, by_name, is_temporary(statement) or is_hash(into))


def is_hash(table: exp.Table) -> bool:
    return table.name.startswith("#")


def is_temporary(statement: exp.Expr) -> bool:
    found = statement.args.get("properties")
    return isinstance(found, exp.Properties) and found.find(exp.TemporaryProperty) is not None


def leaves(node: Node) -> Iterable[str]:
    for one in node.walk():
        if isinstance(one.expression, exp.Table) and not one.downstream:
            yield f"{exp.table_name(one.expression)}.{one.name.rpartition('.')[2]}"


serve(read)
