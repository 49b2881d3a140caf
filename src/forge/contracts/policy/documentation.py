"""E542: tables and columns without description, tables without owner."""

from __future__ import annotations

from collections.abc import Iterator

from forge.contracts.policy.coverage import covered_tables
from forge.contracts.policy.facts import ProjectFacts, TableFacts
from forge.contracts.policy.governance import DocumentationPolicy, Governance
from forge.contracts.policy.violation import PolicyViolation, violation_at


def find_documentation(facts: ProjectFacts, governance: Governance) -> Iterator[PolicyViolation]:
    for wanted in governance.documentation:
        asked = lacking = 0
        found: list[PolicyViolation] = []
        for table in covered_tables(facts, wanted.only):
            number, here = _of_table(table, wanted)
            asked, lacking = asked + number, lacking + len(here)
            found += here
        share = 100.0 * (asked - lacking) / asked if asked else 100.0
        if share < wanted.min_percentage:
            yield from found


def _of_table(table: TableFacts, wanted: DocumentationPolicy) -> tuple[int, list[PolicyViolation]]:
    """The number of items examined, and the missing ones."""
    number = 0
    found: list[PolicyViolation] = []
    if wanted.tables:
        number += 1
        if not table.description.strip():
            fix = "Add a description to its transform or to its contract."
            message = f"{table.table} has no description"
            found.append(violation_at("E542", wanted.severity, table.place, table.table, message, fix, table.table))
    if wanted.owner:
        number += 1
        if not table.owner:
            fix = "Add owner to its transform, or its schema to owners in forge.yaml."
            message = f"{table.table} has no owner"
            found.append(violation_at("E542", wanted.severity, table.place, table.table, message, fix, table.table))
    for column in table.columns if wanted.columns else ():
        number += 1
        if not column.description.strip():
            subject = f"{table.table}.{column.name}"
            fix = "Add a description of it to the contract or to the columns of the transform."
            message = f"the column {subject} has no description"
            found.append(violation_at("E542", wanted.severity, column.place, subject, message, fix, table.table))
    return number, found
