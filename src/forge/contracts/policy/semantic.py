"""E543 and E544: unresolved references, and cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forge.contracts.policy.facts import CheckFacts, InputFacts, ProjectFacts, TableFacts
from forge.contracts.policy.governance import Governance
from forge.contracts.policy.violation import PolicyViolation, violation_at
from forge.model.name_suggestions import did_you_mean


def find_semantic(facts: ProjectFacts, governance: Governance) -> Iterator[PolicyViolation]:
    yield from (PolicyViolation(problem) for problem in facts.problems)
    made = {table.table for table in facts.tables.values() if table.is_made}
    known = made | facts.known
    for table in facts.tables.values():
        for read in table.inputs:
            if read.table not in known and read.table not in facts.unread:
                yield _unknown_table(table, read, known)
        for check in table.checks:
            yield from _of_check(table, check, known | facts.unread)
        if table.contract is not None and table.table not in known and not facts.unread:
            yield _unmade(table, known)
    yield from _cycles(facts)


def _unknown_table(table: TableFacts, read: InputFacts, known: set[str] | frozenset[str]) -> PolicyViolation:
    near = did_you_mean(read.table, sorted(known))
    return violation_at(
        "E543",
        "error",
        read.place,
        read.table,
        f"{table.table} reads {read.table}, which no source or transform makes and the lake does not have",
        near or f"Add a source or a transform that makes {read.table}.",
        table.table,
    )


def _of_check(table: TableFacts, check: CheckFacts, known: set[str] | frozenset[str]) -> Iterator[PolicyViolation]:
    for other in check.refers:
        if other not in known:
            yield violation_at(
                "E543",
                "error",
                check.place,
                other,
                f"the {check.type} check of {table.table} looks up {other}, which nobody makes",
                did_you_mean(other, sorted(known)) or "Correct the name, or take the check out.",
                table.table,
            )
    if table.schema is None:
        return  # a table that does not exist yet may still get the column
    names = {column.name.lower() for column in table.columns}
    for column in check.columns:
        if column.partition(".")[0].lower() not in names:
            near = did_you_mean(column, [each.name for each in table.columns])
            yield violation_at(
                "E543",
                "warning",
                check.place,
                f"{table.table}.{column}",
                f"the {check.type} check of {table.table} is about the column {column}, which it does not have",
                near or "Correct the name, or take the check out.",
                table.table,
            )


def _unmade(table: TableFacts, known: set[str] | frozenset[str]) -> PolicyViolation:
    assert table.contract is not None
    near = did_you_mean(table.table, sorted(known))
    return violation_at(
        "E543",
        "warning",
        table.contract.place,
        table.table,
        f"the contract promises {table.table}, which no source or transform makes and the lake does not have",
        near or "Correct its physicalName, or add the transform that makes it.",
        table.table,
    )


def _cycles(facts: ProjectFacts) -> Iterator[PolicyViolation]:
    """One finding for each strongly connected group of tables, with one cycle in it."""
    reads = {name: [read.table for read in table.inputs] for name, table in facts.tables.items()}
    for group in _groups(reads):
        circle = _circle(min(group), group, reads)
        table = facts.tables[circle[0]]
        following = circle[1] if len(circle) > 1 else circle[0]
        place = next(read.place for read in table.inputs if read.table == following)
        cycle = " → ".join((*circle, circle[0]))
        message = f"{circle[0]} reads itself" if len(circle) == 1 else f"tables read each other in a circle: {cycle}"
        yield violation_at(
            "E544", "error", place, table.table, message, "Let one of them read something else.", table.table
        )


def _groups(reads: Mapping[str, list[str]]) -> list[frozenset[str]]:
    """Strongly connected groups, after removing everything that can be ordered from both ends."""
    needs = {name: {one for one in names if one in reads} for name, names in reads.items()}
    left = _without_ends(_turned(_without_ends(needs)))
    reach = {name: _reach(name, left) for name in left}
    found: dict[frozenset[str], None] = {}
    for name in sorted(left):
        group = frozenset(other for other in reach[name] if name in reach[other])
        if group:
            found[group] = None
    return list(found)


def _without_ends(needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Without tables that need nothing, repeatedly."""
    turned = _turned(needs)
    counts = {name: len(names) for name, names in needs.items()}
    ends = [name for name, count in counts.items() if count == 0]
    gone: set[str] = set()
    while ends:
        name = ends.pop()
        gone.add(name)
        for reader in turned[name]:
            counts[reader] -= 1
            if counts[reader] == 0:
                ends.append(reader)
    return {name: names - gone for name, names in needs.items() if name not in gone}


def _turned(needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    turned: dict[str, set[str]] = {name: set() for name in needs}
    for name, names in needs.items():
        for one in names:
            turned[one].add(name)
    return turned


def _reach(start: str, needs: Mapping[str, set[str]]) -> frozenset[str]:
    """Its transitive dependencies; itself only in a cycle."""
    seen: set[str] = set()
    waiting = list(needs.get(start, ()))
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(needs.get(name, ()))
    return frozenset(seen)


def _circle(start: str, group: frozenset[str], reads: Mapping[str, list[str]]) -> list[str]:
    """The shortest path from a table back to itself."""
    paths = [[start]]
    seen: set[str] = set()
    while paths:
        path = paths.pop(0)
        for one in sorted(reads[path[-1]]):
            if one == start:
                return path
            if one in group and one not in seen:
                seen.add(one)
                paths.append([*path, one])
    return [start]
