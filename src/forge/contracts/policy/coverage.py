"""E541: tables with fewer checks than the project wants."""

from __future__ import annotations

from collections.abc import Iterator

from forge.contracts.policy.facts import ProjectFacts, TableFacts
from forge.contracts.policy.governance import CoveragePolicy, Governance, matches_any
from forge.contracts.policy.violation import PolicyViolation, violation_at


def find_coverage(facts: ProjectFacts, governance: Governance) -> Iterator[PolicyViolation]:
    for coverage in governance.coverage:
        tables = covered_tables(facts, coverage.only)
        lacking = [table for table in tables if _lacks(table, coverage)]
        share = 100.0 * (len(tables) - len(lacking)) / len(tables) if tables else 100.0
        if share >= coverage.min_percentage:
            continue
        part = "" if coverage.min_percentage == 100 else f"; {share:.0f} % of the tables have enough"
        for table in lacking:
            yield _violation(table, coverage, part)


def covered_tables(facts: ProjectFacts, only: tuple[str, ...]) -> tuple[TableFacts, ...]:
    """The tables that match; without names, all that transforms make."""
    return tuple(
        table
        for table in facts.tables.values()
        if table.is_made and (matches_any(table.table, only) if only else not table.is_source)
    )


def _lacks(table: TableFacts, coverage: CoveragePolicy) -> bool:
    return len(table.checks) < coverage.min_checks or (coverage.unique_key and not _has_key(table))


def _has_key(table: TableFacts) -> bool:
    return any(check.type == "unique" for check in table.checks)


def _violation(table: TableFacts, coverage: CoveragePolicy, part: str) -> PolicyViolation:
    number = len(table.checks)
    if number < coverage.min_checks:
        wanted = f"{coverage.min_checks} {'is' if coverage.min_checks == 1 else 'are'} wanted"
        message = f"{table.table} has {number or 'no'} {'check' if number == 1 else 'checks'}, {wanted}{part}"
        fix = (
            f"Add checks to its transform, to checks/{table.schema_name}.yaml or to its contract; "
            f"`forge quality suggest {table.table}` proposes some."
        )
    else:
        message = f"{table.table} has no check that its key is unique{part}"
        fix = "Add {type: unique, columns: […]}, or primaryKey: true in its contract."
    return violation_at("E541", coverage.severity, table.place, table.table, message, fix, table.table)
