"""E540: names that do not match the patterns of the project."""

from __future__ import annotations

import re
from collections.abc import Iterator

from forge.contracts.contract import FilePlace
from forge.contracts.policy.facts import ProjectFacts, TableFacts
from forge.contracts.policy.governance import Governance, NamingPolicy, matches_any
from forge.contracts.policy.violation import PolicyViolation, violation_at


def find_naming(facts: ProjectFacts, governance: Governance) -> Iterator[PolicyViolation]:
    for naming in governance.naming:
        for table in facts.tables.values():
            if not naming.only or matches_any(table.table, naming.only):
                yield from _names_of(table, naming)


def _names_of(table: TableFacts, naming: NamingPolicy) -> Iterator[PolicyViolation]:
    asked = [("schema", table.schema_name, naming.schemas, "schemas"), ("table", table.name, naming.tables, "tables")]
    asked += [
        ("table", table.name, pattern, f"by_table.{of}")
        for of, pattern in naming.by_table.items()
        if matches_any(table.table, (of,))
    ]
    for kind, name, pattern, key in asked:
        yield from _judge(kind, name, pattern, key, table.place, table, naming)
    for column in table.columns:
        yield from _judge("column", column.name, naming.columns, "columns", column.place, table, naming)


def _judge(
    kind: str, name: str, pattern: str | None, key: str, place: FilePlace, table: TableFacts, naming: NamingPolicy
) -> Iterator[PolicyViolation]:
    if pattern is None or re.fullmatch(pattern, name):
        return
    of = f" of {table.table}" if kind == "column" else f" ({table.table})" if kind == "schema" else ""
    message = f"the {kind} name '{name}'{of} does not match {pattern}"
    better = _snake(name)
    fix = f"Call it {better}." if better != name and re.fullmatch(pattern, better) else f"Rename the {kind}."
    fix += f" governance.naming.{key} asks for it."
    subject = f"{table.table}.{name}" if kind == "column" else table.table
    yield violation_at("E540", naming.severity, place, subject, message, fix, table.table)


def _snake(name: str) -> str:
    """`orderID Date` → `order_id_date`."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
