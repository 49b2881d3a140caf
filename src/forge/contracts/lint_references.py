"""Relationships: columns that the contract itself should have. What lies in other contracts is not looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from forge.contracts.document import Path
from forge.contracts.lint_finding import Findings, has_variable, shown
from forge.contracts.lint_words import one_of

_LONGEST = 1000  # of a reference that is looked at: no name of a column is that long
Tables = list[tuple[Mapping[str, object], Path]]


def check_relationships(findings: Findings, node: Mapping[str, object], path: Path, tables: Tables) -> None:
    relationships = node.get("relationships")
    for index, each in enumerate(relationships if isinstance(relationships, list) else ()):
        if not isinstance(each, Mapping):
            continue
        place: Path = (*path, "relationships", index)
        start, end = each.get("from"), each.get("to")
        if isinstance(start, list) and isinstance(end, list) and len(start) != len(end):
            message = f"from names {len(start)} columns and to names {len(end)}"
            findings.add("E502", (*place, "to"), message, "Name as many columns on both sides.")
        for side in ("from", "to"):
            _check_side(findings, each.get(side), (*place, side), tables)


def _check_side(findings: Findings, value: object, path: Path, tables: Tables) -> None:
    if isinstance(value, str):
        _check_reference(findings, value, path, tables)
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, str):
            _check_reference(findings, each, (*path, index), tables)


def _check_reference(findings: Findings, text: str, path: Path, tables: Tables) -> None:
    if "#" in text or "://" in text or has_variable(text) or len(text) > _LONGEST:
        return  # of another file: nothing is fetched
    is_path = "/" in text
    steps = [s for s in text.split("/") if s] if is_path else text.split(".")
    if is_path and (len(steps) % 2 or steps[0] != "schema"):
        return
    names = steps[1::2] if is_path else steps
    table, rest = _table_of(names, tables, is_path=is_path)
    if table is None:
        if is_path:
            known = [str(each.get("id") or each.get("name")) for each, _ in tables]
            message = f"{shown(text)} names no object of this contract"
            findings.add("E502", path, message, one_of(names[0], known))
        return  # a table of another contract
    _check_columns(findings, text, rest, table, path)


def _table_of(names: list[str], tables: Tables, *, is_path: bool) -> tuple[Mapping[str, object] | None, list[str]]:
    """The object that a reference begins with, and what follows. Its name may itself hold dots."""
    for count in range(1 if is_path else len(names) - 1, 0, -1):
        head = ".".join(names[:count]).lower()
        for table, _ in tables:
            if head in _names_of(table):
                return table, names[count:]
    return None, []


def _check_columns(findings: Findings, text: str, rest: list[str], table: Mapping[str, object], path: Path) -> None:
    node: Any = table
    for name in rest:
        inner = node.get("properties")
        properties = [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []
        if not properties:
            return  # the contract does not say what is inside
        found = next((each for each in properties if _is_called(each, name.lower())), None)
        if found is None:
            known = [str(each.get("name")) for each in properties]
            message = f"{shown(text)} names no column: {node.get('name')} has no {name}"
            findings.add("E502", path, message, one_of(name, known))
            return
        node = found


def _names_of(node: Mapping[str, object]) -> set[str]:
    return {str(node[key]).lower() for key in ("name", "physicalName", "id") if node.get(key)}


def _is_called(node: Mapping[str, object], name: str) -> bool:
    """By its name, physical name or id, or by how its id begins: `address_street` of `address_street_prop`."""
    return name in _names_of(node) or str(node.get("id") or "").lower().startswith(f"{name}_")
