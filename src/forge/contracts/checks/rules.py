"""The schema and quality rules of a contract as check specs, as `checks/*.yaml` has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from forge.contracts.checks.metrics import rule_checks, unknown_severity
from forge.contracts.checks.options import Check, UnsupportedRule, option_checks
from forge.contracts.checks.relations import relation_checks
from forge.contracts.contract import ContractProperty, FilePlace, Note, QualityRule, TableContract
from forge.contracts.schema.sql_text import ColumnPath, any_of, literal

CheckOrNote = tuple[Check, FilePlace] | Note
_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+")


@dataclass(frozen=True, slots=True)
class _Spot:
    """The place of a property: parents that must be present (nullable structs), and the array nesting depth."""

    inside: str | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class CompiledChecks:
    """Each check with its place in the contract (`file:line`), and notes on rules that no check covers."""

    checks: tuple[tuple[Check, str], ...] = ()
    notes: tuple[Note, ...] = ()


def checks_of(contract: TableContract, peers: Sequence[TableContract] = ()) -> CompiledChecks:
    """`peers`: other tables that relationships may refer to."""
    return collect_checks(_compile(contract, peers))


def collect_checks(found: Iterator[CheckOrNote]) -> CompiledChecks:
    checks: list[tuple[Check, str]] = []
    notes: list[Note] = []
    for each in found:
        if isinstance(each, Note):
            notes.append(each)
        else:
            check, place = each
            checks.append((check, str(place)))
    return CompiledChecks(tuple(checks), tuple(notes))


def _compile(contract: TableContract, peers: Sequence[TableContract]) -> Iterator[CheckOrNote]:
    key = _primary_key(contract)
    for each in contract.columns:
        yield from _property(each, ColumnPath((each.column,)), contract, is_whole_key=[each] == key)
    if len(key) > 1:
        columns = [p.column for p in key]
        yield {"type": "unique", "columns": columns, "name": f"primary key {', '.join(columns)}"}, key[0].place
    for rule in contract.quality:
        yield from _rule(rule, None, contract)
    yield from relation_checks(contract, peers)


def _primary_key(contract: TableContract) -> list[ContractProperty]:
    """Key columns by position (from 1); those without one follow in file order."""
    key = [p for p in contract.columns if p.primary_key]
    positions = {p.name: p.primary_key_position or 0 for p in key}
    return sorted(key, key=lambda p: (positions[p.name] < 1, positions[p.name]))


def _property(
    of: ContractProperty,
    at: ColumnPath,
    contract: TableContract,
    spot: _Spot | None = None,
    *,
    is_whole_key: bool = False,
) -> Iterator[CheckOrNote]:
    """The checks of a property and its nested properties."""
    spot = spot or _Spot()
    for check in _own_checks(of, at, is_whole_key=is_whole_key, inside=spot.inside):
        yield check, of.place
    for result in option_checks(of, at):
        yield Note(of.place, str(result)) if isinstance(result, UnsupportedRule) else (result, of.place)
    for rule in of.quality:
        yield from _rule(rule, at, contract)
    yield from of.notes
    yield from _parts(of, at, contract, spot)


def _own_checks(of: ContractProperty, at: ColumnPath, *, is_whole_key: bool, inside: str | None) -> Iterator[Check]:
    if of.required or of.primary_key:
        where = {"where": f"{inside} IS NOT NULL"} if inside else {}
        yield {"type": "not_null", "column": str(at), **where, "name": f"{of.name} is required"}
    if of.unique or is_whole_key:
        yield {"type": "unique", "columns": [str(at)], "name": f"{of.name} is unique"}
    if of.allowed_values:
        values = list(of.allowed_values)
        yield {
            "type": "accepted_values",
            "column": str(at),
            "values": values,
            "name": f"{of.name} is an allowed value",
        }


def _parts(of: ContractProperty, at: ColumnPath, contract: TableContract, spot: _Spot) -> Iterator[CheckOrNote]:
    """Fields of a struct are columns to a check. Items of arrays and maps are many per row: the rule for each is one
    expression."""
    if not (of.properties or of.items or of.map_key or of.map_value):
        return
    within = replace(spot, inside=spot.inside if of.required else at.sql)
    for each in of.properties:
        if each.is_column:
            named = replace(each, name=f"{of.name}.{each.name}")
            yield from _property(named, ColumnPath((*at.steps, each.column)), contract, within)
    many = ((of.items, at.sql), (of.map_key, f"map_keys({at.sql})"), (of.map_value, f"map_values({at.sql})"))
    words = ("an item", "a key", "a value")
    for (part, values), word in zip(many, words, strict=True):
        if part is not None:
            named = replace(part, name=f"{word} of {of.name}")
            yield from _items(named, values, contract, spot.depth + 1)


def _items(of: ContractProperty, values: str, contract: TableContract, depth: int) -> Iterator[CheckOrNote]:
    item = ColumnPath((f"item{depth}",))
    for found in _property(of, item, contract, _Spot(depth=depth)):
        if isinstance(found, Note):
            yield found
            continue
        check, place = found
        sql = _predicate(check)
        if sql is None:
            yield Note(place, f"{check.get('name') or check['type']}: not enforced inside arrays and maps")
        else:
            kept = {key: check[key] for key in ("name", "severity") if key in check}
            yield {"type": "expression", "sql": f"forall({values}, {item.sql} -> {sql})", **kept}, place


def _predicate(check: Check) -> str | None:
    """The check as a predicate on one item; None where it concerns all items together."""
    parts = _PART.findall(str(check.get("column", "")))
    path = ColumnPath(tuple(part[1:-1].replace("``", "`") if part[0] == "`" else part for part in parts))
    if any(key in check for key in ("max_null_percentage", "max_violation_percentage", "max_duplicates")):
        return None
    match check["type"]:
        case "not_null":
            where = f"NOT ({check['where']}) OR " if "where" in check else ""
            return f"{where}{path.sql} IS NOT NULL"
        case "accepted_values":
            values = check["values"]
            return f"({any_of(path, values if isinstance(values, list) else [])})"
        case "regex":
            return f"{path.sql} RLIKE {literal(check['pattern'])}"
        case "range":
            bounds = [(">=", check.get("min")), ("<=", check.get("max"))]
            return " AND ".join(f"{path.sql} {sign} {literal(end)}" for sign, end in bounds if end is not None)
        case "expression":
            return f"({check['sql']})"
    return None


def _rule(rule: QualityRule, column: ColumnPath | None, contract: TableContract) -> Iterator[CheckOrNote]:
    def named(name: str) -> str:
        return next((p.column for p in contract.columns if p.name.lower() == name.lower()), name)

    try:
        checks = rule_checks(rule, contract.table, column, named)
    except (UnsupportedRule, ValueError) as reason:
        yield Note(rule.place, str(reason))
        return
    severity = unknown_severity(rule.rule)
    if checks and severity:
        yield Note(rule.place, f"the severity {severity} is not known and is taken as error")
    for check in checks:
        yield check, rule.place
