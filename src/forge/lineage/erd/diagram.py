"""Entity-relationship model of tables: columns, keys, declared foreign keys, joins that code does where no key is
declared, and data flows between tables.

Keys are read from node details: of a column `primary_key: true` and `foreign_key: "schema.table.column"` (or
`{"table": …, "column": …}`), of a table `primary_key: ["a", "b"]` and `foreign_keys: [{"columns": ["a"], "table":
"schema.table", "references": ["id"]}]`, each of which may say where it is declared: `places: ["file:line"]`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from forge.lineage.erd.join import MOST_EVIDENCE, ErdJoin, JoinEvidence, JoinSighting, infer_joins
from forge.lineage.errors import NotInGraphError
from forge.lineage.graph.traversal import Link
from forge.lineage.node import TABLE_LIKE, Node, NodeType, place_of
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.record_json import record_json


@dataclass(frozen=True, slots=True)
class ErdColumn:
    name: str
    data_type: str = ""
    nullable: bool | None = None
    primary_key: bool = False
    foreign_key: bool = False

    def to_dict(self) -> dict[str, object]:
        return {**record_json(self), "data_type": self.data_type or None}


@dataclass(frozen=True, slots=True)
class ErdTable:
    """`outside`: of another schema, but referenced by a foreign key or joined."""

    name: str
    type: NodeType
    columns: tuple[ErdColumn, ...] = ()
    outside: bool = False

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "type": self.type,
            "outside": self.outside,
            "columns": [column.to_dict() for column in self.columns],
        }


@dataclass(frozen=True, slots=True, order=True)
class ErdForeignKey:
    """`one`: the columns are also the primary key of their table, hence one to one. `evidence`: where it is declared,
    in contracts, checks and definitions, as far as that is known."""

    table: str
    columns: tuple[str, ...]
    to_table: str
    to_columns: tuple[str, ...]
    one: bool = False
    evidence: tuple[JoinEvidence, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "type": "foreign_key",
            "inferred": False,
            "source": self.table,
            "source_columns": list(self.columns),
            "target": self.to_table,
            "target_columns": list(self.to_columns),
            "cardinality": "one_to_one" if self.one else "many_to_one",
            "evidence": [one.to_dict() for one in self.evidence],
        }


@dataclass(frozen=True, slots=True, order=True)
class ErdFlow:
    """Data flow between two tables, by a number of edges; `confidence` is the highest of them."""

    source: str
    target: str
    edges: int
    confidence: float

    def to_dict(self) -> dict[str, object]:
        return {"type": "lineage", **record_json(self)}


@dataclass(frozen=True, slots=True)
class Erd:
    schema: str | None
    tables: tuple[ErdTable, ...] = ()
    foreign_keys: tuple[ErdForeignKey, ...] = ()
    flows: tuple[ErdFlow, ...] = ()
    joins: tuple[ErdJoin, ...] = ()  # inferred

    def to_dict(self) -> dict[str, object]:
        keys = [*(key.to_dict() for key in self.foreign_keys), *(join.to_dict() for join in self.joins)]
        return {
            "schema": self.schema,
            "tables": [table.to_dict() for table in self.tables],
            "relations": [*keys, *(flow.to_dict() for flow in self.flows)],
        }

    def to_mermaid(self) -> str:
        from forge.lineage.erd.text import mermaid_of

        return mermaid_of(self)

    def to_dot(self) -> str:
        from forge.lineage.erd.text import dot_of

        return dot_of(self)

    def to_svg(self) -> str:
        from forge.lineage.erd.svg import svg_of

        return svg_of(self)

    def _repr_html_(self) -> str:
        return self.to_svg()


def erd_of(
    nodes: Iterable[Node], links: Iterable[Link], schema: str | None, sightings: Iterable[JoinSighting] = ()
) -> Erd:
    """Of one schema (`core`, or `shop.core`), or of all. E801 where no table is in it. What exists only inside a
    statement is left out. `sightings`: of joins, which are shown between tables without a declared key."""
    seen = {node.id: node for node in nodes if not node.hidden}
    tables = {node.id: node for node in seen.values() if node.type in TABLE_LIKE}
    inside = {name for name in tables if schema is None or schema in _schemas(name)}
    if schema is not None and not inside:
        raise _unknown(schema, tables)
    columns: dict[str, list[Node]] = defaultdict(list)
    for node in seen.values():
        if node.type is NodeType.COLUMN:
            columns[node.table].append(node)
    found = _Keys(tables, columns)
    keys = tuple(sorted(_merged(key for name in inside for key in found.foreign(name))))
    joins = _undeclared(infer_joins(sightings, found.primary), keys, inside, tables)
    pointed = [(key.to_table, key.to_columns) for key in keys]
    pointed += [end for join in joins for end in ((join.table, join.columns), (join.to_table, join.to_columns))]
    outside = {table for table, _ in pointed} - inside
    drawn = [_table(name, tables[name], columns[name], found) for name in sorted(inside)]
    drawn += [_outside(name, tables.get(name), columns[name], pointed) for name in sorted(outside)]
    return Erd(schema, tuple(drawn), keys, _flows(links, seen, inside), joins)


def _merged(keys: Iterable[ErdForeignKey]) -> Iterable[ErdForeignKey]:
    """Each key once, with all places that declare it."""
    found: dict[ErdForeignKey, set[JoinEvidence]] = defaultdict(set)
    for key in keys:
        found[replace(key, evidence=())].update(key.evidence)
    return (replace(key, evidence=tuple(sorted(places)[:MOST_EVIDENCE])) for key, places in found.items())


def _undeclared(
    joins: Iterable[ErdJoin], keys: Iterable[ErdForeignKey], inside: Container[str], tables: Container[str]
) -> tuple[ErdJoin, ...]:
    """Those of the schema's tables, unless a key is declared between the two."""
    declared = {frozenset((key.table, key.to_table)) for key in keys}
    return tuple(
        join
        for join in joins
        if (join.table in inside or join.to_table in inside)
        and join.table in tables
        and join.to_table in tables
        and frozenset((join.table, join.to_table)) not in declared
    )


def _schemas(table: str) -> tuple[str, str]:
    place = place_of(table)
    return place.schema, f"{place.database}.{place.schema}"


def _unknown(schema: str, tables: Iterable[str]) -> ForgeError:
    known = {place_of(name).schema for name in tables}
    return NotInGraphError(
        f"There is no schema {schema} in the lineage graph",
        why="No table that lineage knows is in it.",
        fix=did_you_mean(schema, known) or (f"There are {', '.join(sorted(known)[:10])}." if known else None),
    )


@dataclass(frozen=True, slots=True)
class _Keys:
    """Declared keys, of tables or columns."""

    tables: Mapping[str, Node]
    columns: Mapping[str, list[Node]]
    _primary: dict[str, frozenset[str]] = field(default_factory=dict)

    def primary(self, table: str) -> frozenset[str]:
        if table not in self._primary:
            declared = _names(self.tables[table].details.get("primary_key")) if table in self.tables else ()
            of_columns = (c.name for c in self.columns.get(table, ()) if c.details.get("primary_key") is True)
            self._primary[table] = frozenset((*declared, *of_columns))
        return self._primary[table]

    def foreign(self, table: str) -> list[ErdForeignKey]:
        declared = self.tables[table].details.get("foreign_keys")
        found = [self._key(table, one) for one in declared] if isinstance(declared, list | tuple) else []
        for column in self.columns.get(table, ()):
            target = column.details.get("foreign_key")
            if isinstance(target, str) and "." in target:
                to_table, _, to_column = target.rpartition(".")
                found.append(self._made(table, (column.name,), to_table, (to_column,)))
            elif isinstance(target, Mapping):
                to = {"table": target.get("table"), "references": [target.get("column")]}
                found.append(self._key(table, {"columns": [column.name], **to}))
        return [key for key in found if key is not None]

    def _key(self, table: str, entry: object) -> ErdForeignKey | None:
        """None for what is not a key: details are free-form, and invalid ones are ignored."""
        if not isinstance(entry, Mapping) or not isinstance(entry.get("table"), str) or not entry["table"]:
            return None
        mine, theirs = _names(entry.get("columns")), _names(entry.get("references"))
        return self._made(table, mine, str(entry["table"]), theirs, _names(entry.get("places"))) if mine else None

    def _made(
        self, table: str, mine: tuple[str, ...], to: str, theirs: tuple[str, ...], places: Iterable[str] = ()
    ) -> ErdForeignKey:
        is_one = frozenset(mine) == self.primary(table)
        return ErdForeignKey(table, mine, to, theirs, is_one, tuple(map(_declaration, places)))


def _declaration(place: str) -> JoinEvidence:
    """Of `file:line`, or of a file."""
    file, _, line = place.rpartition(":")
    is_line = bool(file) and line.isascii() and line.isdigit()
    return JoinEvidence(file, int(line)) if is_line else JoinEvidence(place)


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value if one) if isinstance(value, list | tuple) else ()


def _table(name: str, node: Node, columns: Sequence[Node], keys: _Keys) -> ErdTable:
    foreign = {column for key in keys.foreign(name) for column in key.columns}
    primary = keys.primary(name)
    places = {one.name: at for one in columns if isinstance(at := one.details.get("position"), int)}
    found = [_column(one, primary, foreign) for one in columns]
    known = {one.name for one in found}
    # A key may name a column of which nothing else is known.
    found += [ErdColumn(one, "", None, one in primary, one in foreign) for one in (primary | foreign) - known]
    if all(one.name in places for one in found):  # as the table has them
        found.sort(key=lambda one: (places[one.name], one.name))
    else:
        found.sort(key=lambda one: (not one.primary_key, one.name))
    return ErdTable(name, node.type, tuple(found))


def _outside(
    name: str, node: Node | None, columns: Iterable[Node], pointed: Iterable[tuple[str, tuple[str, ...]]]
) -> ErdTable:
    """With the columns that are pointed at."""
    wanted = sorted({column for table, names in pointed if table == name for column in names})
    known = {column.name: column for column in columns}
    shown = [_column(known[one], frozenset(), frozenset()) if one in known else ErdColumn(one) for one in wanted]
    return ErdTable(name, node.type if node else NodeType.TABLE, tuple(shown), outside=True)


def _column(node: Node, primary: Iterable[str], foreign: Iterable[str]) -> ErdColumn:
    nullable = node.details.get("nullable")
    return ErdColumn(
        node.name,
        str(node.details.get("data_type") or ""),
        nullable if isinstance(nullable, bool) else None,
        node.name in primary,
        node.name in foreign,
    )


def _flows(links: Iterable[Link], nodes: Mapping[str, Node], inside: Iterable[str]) -> tuple[ErdFlow, ...]:
    between: dict[tuple[str, str], list[float]] = defaultdict(list)
    wanted = set(inside)
    for link in links:
        if not link.kind.flows:
            continue
        ends = [nodes[end].table if end in nodes else end for end in (link.source, link.target)]
        if ends[0] != ends[1] and wanted.issuperset(ends):
            between[ends[0], ends[1]].append(link.confidence)
    return tuple(sorted(ErdFlow(*pair, len(sure), max(sure)) for pair, sure in between.items()))
