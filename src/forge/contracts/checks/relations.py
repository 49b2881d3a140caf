"""Foreign key checks from the `relationships` of a contract."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from forge.contracts.checks.options import Check, UnsupportedRule
from forge.contracts.contract import ContractProperty, ContractRelationship, FilePlace, Note, TableContract

# schema/customers_tbl/properties/customer_id: by ids, or names where there are none
_QUALIFIED = re.compile(r"/?schema/([^/]+)/properties/([^/]+)")


def relation_checks(table: TableContract, peers: Sequence[TableContract]) -> Iterator[tuple[Check, FilePlace] | Note]:
    """All relationships of the table and its columns. `peers`: possible target tables; those of the same contract
    first."""
    owned: list[tuple[ContractProperty | None, ContractRelationship]] = [
        *((each, relation) for each in table.columns for relation in each.relationships),
        *((None, relation) for relation in table.relationships),
    ]
    known = _nearest_first(table, peers) if owned else []
    for owner, relation in owned:
        try:
            yield _check(table, owner, relation.written, known), relation.place
        except UnsupportedRule as reason:
            yield Note(relation.place, str(reason))
    for each in table.columns:
        for inner in _nested(each):
            for relation in inner.relationships:
                yield Note(relation.place, f"the relationship of {inner.name}, inside {each.name}, is not enforced")


def _nearest_first(table: TableContract, peers: Sequence[TableContract]) -> list[TableContract]:
    """The table itself, those of its contract, those of its schema, the others."""
    schema = table.table.rpartition(".")[0]
    others = [peer for peer in peers if peer is not table]
    return [table, *sorted(others, key=lambda t: (t.file != table.file, t.table.rpartition(".")[0] != schema))]


def _check(
    table: TableContract, owner: ContractProperty | None, written: Mapping[str, object], known: Sequence[TableContract]
) -> Check:
    kind = str(written.get("type") or "foreignKey")
    if kind.lower() != "foreignkey":
        raise UnsupportedRule(f"relationships of the type {kind} are not enforced; foreignKey is")
    sources = [owner.column] if owner else [_column(table, text) for text in _texts(written.get("from"))]
    targets = [_target(text, known) for text in _texts(written.get("to"))]
    others = {target.table for target, _ in targets}
    if not sources or len(sources) != len(targets) or len(others) != 1:
        raise UnsupportedRule("a relationship needs as many columns on both sides, those of `to` in one table")
    if "." not in targets[0][0].table:
        raise UnsupportedRule(f"{targets[0][0].table} does not say which table of the lake is meant")
    columns = [column for _, column in targets]
    return {
        "type": "foreign_key",
        "columns": sources,
        "references": {"table": targets[0][0].table, "columns": columns},
        "name": f"{', '.join(sources)} is in {targets[0][0].table}",
    }


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)] if value else []


def _column(table: TableContract, text: str) -> str:
    target, column = _target(text, [table])
    return column if target is table else text


def _target(text: str, known: Sequence[TableContract]) -> tuple[TableContract, str]:
    """`customers.id`, `core.customers.id` or `schema/customers/properties/id`."""
    if "#" in text or text.startswith(("http:", "https:")):
        raise UnsupportedRule(f"the relationship to {text} leads out of the project and is not enforced")
    qualified = _QUALIFIED.fullmatch(text)
    if qualified:
        name, column = qualified[1], qualified[2]
        found = [t for t in known if name.lower() in ((t.id or "").lower(), *_names(t))]
    else:
        name, _, column = text.rpartition(".")
        found = [t for t in known if name.lower() in _names(t)]
    if not name or not column:
        raise UnsupportedRule(f"{text} names no column; write it as table.column")
    if not found:
        raise UnsupportedRule(f"the relationship to {text} is not enforced: no contract here has a table {name}")
    wanted = [p for p in found[0].columns if column.lower() in ((p.id or "").lower(), p.name.lower(), p.column.lower())]
    if not wanted:
        raise UnsupportedRule(f"the relationship to {text} is not enforced: {found[0].table} has no column {column}")
    return found[0], wanted[0].column


def _names(table: TableContract) -> tuple[str, ...]:
    return (table.name.lower(), table.table.lower(), table.table.lower().rsplit(".", 1)[-1])


def _nested(of: ContractProperty) -> Iterator[ContractProperty]:
    for each in (*of.properties, of.items, of.map_key, of.map_value):
        if each is not None:
            yield each
            yield from _nested(each)
