"""E545: custom rules of the project, written as conditions on facts. No code of the project is executed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from forge.contracts.policy.facts import ColumnFacts, ProjectFacts, TableFacts
from forge.contracts.policy.governance import FactCondition, Governance, PolicyRule, matches_any
from forge.contracts.policy.violation import PolicyViolation, violation_at

Read = Callable[[TableFacts], object]

TABLE_FACTS: Mapping[str, Read] = {
    "name": lambda t: t.name,
    "schema": lambda t: t.schema_name,
    "table": lambda t: t.table,
    "kind": lambda t: t.kind,
    "owner": lambda t: t.owner,
    "description": lambda t: t.description,
    "tags": lambda t: t.tags,
    "file": lambda t: t.place.file,
    "inputs": lambda t: tuple(read.table for read in t.inputs),
    "columns": lambda t: tuple(column.name for column in t.columns),
    "checks": lambda t: len(t.checks),
    "check_types": lambda t: tuple(dict.fromkeys(check.type for check in t.checks)),
    "unique_key": lambda t: any(check.type == "unique" for check in t.checks),
    "contract": lambda t: t.contract_of.id if t.contract_of else None,
    "contract_version": lambda t: t.contract_of.version if t.contract_of else None,
    "contract_status": lambda t: t.contract_of.status if t.contract_of else None,
    "domain": lambda t: t.contract_of.domain if t.contract_of else None,
    "is_source": lambda t: t.is_source,
}

COLUMN_FACTS: Mapping[str, Callable[[TableFacts, ColumnFacts], object]] = {
    "name": lambda t, c: c.name,
    "column": lambda t, c: c.name,
    "schema": lambda t, c: t.schema_name,
    "table": lambda t, c: t.table,
    "type": lambda t, c: c.type,
    "description": lambda t, c: c.description,
    "classification": lambda t, c: c.classification,
    "tags": lambda t, c: c.tags,
    "required": lambda t, c: c.required,
    "unique": lambda t, c: c.unique,
    "primary_key": lambda t, c: c.primary_key,
    "checks": lambda t, c: len(_checks_of(t, c)),
    "check_types": lambda t, c: _checks_of(t, c),
}


def _checks_of(table: TableFacts, column: ColumnFacts) -> tuple[str, ...]:
    name = column.name.lower()
    return tuple(check.type for check in table.checks if name in {each.lower() for each in check.columns})


def find_custom(facts: ProjectFacts, governance: Governance) -> Iterator[PolicyViolation]:
    for rule in governance.custom:
        for table in facts.tables.values():
            if rule.only and not matches_any(table.table, rule.only):
                continue
            if rule.each == "column":
                for column in table.columns:
                    yield from _judge_column(rule, table, column)
            else:
                yield from _judge_table(rule, table)


def _judge_table(rule: PolicyRule, table: TableFacts) -> Iterator[PolicyViolation]:
    broken = _broken(rule, lambda fact: TABLE_FACTS[fact](table))
    if broken is not None:
        yield violation_at(
            "E545",
            rule.severity,
            table.place,
            table.table,
            _message(rule, table.table, broken),
            _fix(rule),
            table.table,
            rule.name,
        )


def _judge_column(rule: PolicyRule, table: TableFacts, column: ColumnFacts) -> Iterator[PolicyViolation]:
    broken = _broken(rule, lambda fact: COLUMN_FACTS[fact](table, column))
    if broken is not None:
        subject = f"{table.table}.{column.name}"
        yield violation_at(
            "E545",
            rule.severity,
            column.place,
            subject,
            _message(rule, subject, broken),
            _fix(rule),
            table.table,
            rule.name,
        )


def _broken(rule: PolicyRule, read: Callable[[str], object]) -> str | None:
    """The first fact that violates the rule, in words; None where it holds or does not apply."""
    if not all(holds(condition, read(fact)) for fact, condition in rule.when.items()):
        return None
    for fact, condition in rule.require.items():
        value = read(fact)
        if not holds(condition, value):
            return f"{fact} is {_shown(value)}, it has to {_wanted(condition)}"
    for fact, condition in rule.forbid.items():
        value = read(fact)
        if holds(condition, value):
            return f"{fact} is {_shown(value)}, it must not {_wanted(condition)}"
    return None


def holds(condition: FactCondition, value: object) -> bool:
    return all(
        (
            condition.exists is None or _is_there(value) is condition.exists,
            condition.matches is None or _matches(condition.matches, value),
            not condition.equals or _same(value, condition.equals[0]),
            not condition.one_of or any(_same(value, each) for each in condition.one_of),
            not condition.contains or _contains(value, condition.contains[0]),
            condition.min is None or _size(value) >= condition.min,
            condition.max is None or _size(value) <= condition.max,
        )
    )


def _is_there(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def _matches(pattern: str, value: object) -> bool:
    """Of a list, any entry."""
    if isinstance(value, tuple):
        return any(_matches(pattern, each) for each in value)
    return value is not None and re.search(pattern, str(value)) is not None


def _same(value: object, wanted: object) -> bool:
    if isinstance(wanted, list):
        return isinstance(value, tuple) and list(value) == wanted
    return value == wanted


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, tuple):
        return wanted in value
    return isinstance(value, str) and str(wanted) in value


def _size(value: object) -> float:
    if isinstance(value, int | float):
        return float(value)
    return float(len(value)) if isinstance(value, tuple | str) else 0.0


def _message(rule: PolicyRule, subject: str, broken: str) -> str:
    return f"{subject}: {rule.message.rstrip('.')} ({broken})" if rule.message else f"{subject}: {broken}"


def _fix(rule: PolicyRule) -> str:
    return rule.fix or f"The rule {rule.name} in governance.custom asks for it."


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return "not set" if value is None or value == "" else str(value).lower() if isinstance(value, bool) else str(value)


def _wanted(condition: FactCondition) -> str:
    words = []
    if condition.exists is not None:
        words.append("be set" if condition.exists else "be empty")
    if condition.matches is not None:
        words.append(f"match {condition.matches}")
    if condition.equals:
        words.append(f"be {_shown(condition.equals[0])}")
    if condition.one_of:
        words.append(f"be one of {', '.join(map(str, condition.one_of))}")
    if condition.contains:
        words.append(f"contain {condition.contains[0]}")
    if condition.min is not None:
        words.append(f"be at least {condition.min:g}")
    if condition.max is not None:
        words.append(f"be at most {condition.max:g}")
    return " and ".join(words)
