"""A contract's promises about the data, as checks in the words of `checks/*.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forge.contracts.contract import Note, Place, Property, QualityRule, TableContract
from forge.contracts.metrics import rule_checks, unknown_severity
from forge.contracts.options import Check, Unsupported, option_checks


@dataclass(frozen=True, slots=True)
class Compiled:
    """Each check with its place in the contract (`file:line`), and what the contract says that no check covers."""

    checks: tuple[tuple[Check, str], ...]
    notes: tuple[Note, ...] = ()


def checks_of(contract: TableContract) -> Compiled:
    checks: list[tuple[Check, str]] = []
    notes: list[Note] = []
    for found in _compile(contract):
        if isinstance(found, Note):
            notes.append(found)
        else:
            check, place = found
            checks.append((check, str(place)))
    return Compiled(tuple(checks), tuple(notes))


def _compile(contract: TableContract) -> Iterator[tuple[Check, Place] | Note]:
    key = _primary_key(contract)
    for each in contract.columns:
        yield from _property_checks(each, is_whole_key=[each] == key)
        for result in option_checks(each):
            yield Note(each.place, str(result)) if isinstance(result, Unsupported) else (result, each.place)
        for rule in each.quality:
            yield from _rule(rule, each.column, contract)
        yield from each.notes
    if len(key) > 1:
        columns = [p.column for p in key]
        yield {"type": "unique", "columns": columns, "name": f"primary key {', '.join(columns)}"}, key[0].place
    for rule in contract.quality:
        yield from _rule(rule, None, contract)


def _primary_key(contract: TableContract) -> list[Property]:
    """Key columns by position (from 1); those without one follow in the order of the file."""
    key = [p for p in contract.columns if p.primary_key]
    positions = {p.name: p.primary_key_position or 0 for p in key}
    return sorted(key, key=lambda p: (positions[p.name] < 1, positions[p.name]))


def _property_checks(of: Property, *, is_whole_key: bool) -> Iterator[tuple[Check, Place]]:
    if of.required or of.primary_key:
        yield {"type": "not_null", "column": of.column, "name": f"{of.name} is required"}, of.place
    if of.unique or is_whole_key:
        yield {"type": "unique", "columns": [of.column], "name": f"{of.name} is unique"}, of.place
    if of.allowed_values:
        values = list(of.allowed_values)
        name = f"{of.name} is an allowed value"
        yield {"type": "accepted_values", "column": of.column, "values": values, "name": name}, of.place


def _rule(rule: QualityRule, column: str | None, contract: TableContract) -> Iterator[tuple[Check, Place] | Note]:
    names = {p.name.lower(): p.column for p in contract.columns}
    try:
        checks = rule_checks(rule, contract.table, column, lambda name: names.get(name.lower(), name))
    except (Unsupported, ValueError) as reason:
        yield Note(rule.place, str(reason))
        return
    severity = unknown_severity(rule.rule)
    if checks and severity:
        yield Note(rule.place, f"the severity {severity} is not known and is taken as error")
    for check in checks:
        yield check, rule.place
