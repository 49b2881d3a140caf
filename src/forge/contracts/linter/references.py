"""Lint of relationships within the contract. References to other contracts are not resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forge.contracts.document.file import Path
from forge.contracts.linter.finding import LintFindings, has_variable, shown

_LONGEST = 1000  # of a reference that is looked at: no name of a column is that long
Node = Mapping[str, object]


class TableIndex:
    """The objects of a contract and their columns by all their names: name, physicalName and id."""

    def __init__(self, tables: Iterable[Node]) -> None:
        self._tables: dict[str, Node] = {}
        self._columns: dict[int, dict[str, Node]] = {}
        self.names: list[str] = []
        for table in tables:
            self.names.append(str(table.get("id") or table.get("name")))
            for name in _names_of(table):
                self._tables.setdefault(name, table)

    def table(self, name: str) -> Node | None:
        return self._tables.get(name.lower())

    def columns(self, node: Node) -> dict[str, Node]:
        if id(node) not in self._columns:
            inner = node.get("properties")
            columns: dict[str, Node] = {}
            for each in inner if isinstance(inner, list) else ():
                if isinstance(each, Mapping):
                    columns |= {name: each for name in _names_of(each) if name not in columns}
            self._columns[id(node)] = columns
        return self._columns[id(node)]


def check_relationships(findings: LintFindings, node: Node, path: Path, tables: TableIndex) -> None:
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


def _check_side(findings: LintFindings, value: object, path: Path, tables: TableIndex) -> None:
    if isinstance(value, str):
        _check_reference(findings, value, path, tables)
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, str):
            _check_reference(findings, each, (*path, index), tables)


def _check_reference(findings: LintFindings, text: str, path: Path, tables: TableIndex) -> None:
    if "#" in text or "://" in text or has_variable(text):
        return  # of another file: nothing is fetched
    if findings.is_full or len(text) > _LONGEST:
        return
    is_path = "/" in text
    steps = [s for s in text.split("/") if s] if is_path else text.split(".")
    if is_path and (len(steps) % 2 or steps[0] != "schema"):
        return
    names = steps[1::2] if is_path else steps
    table, rest = _table_of(names, tables, is_path=is_path)
    if table is not None:
        _check_columns(findings, text, rest, table, path, tables)
    elif is_path:  # written with a dot it may be a table of another contract
        message = f"{shown(text)} names no object of this contract"
        findings.add("E502", path, message, findings.guess(names[0], tables.names))


def _table_of(names: list[str], tables: TableIndex, *, is_path: bool) -> tuple[Node | None, list[str]]:
    """The object that a reference starts with, and the rest. Its name may contain dots."""
    for count in range(1 if is_path else len(names) - 1, 0, -1):
        table = tables.table(".".join(names[:count]))
        if table is not None:
            return table, names[count:]
    return None, []


def _check_columns(
    findings: LintFindings, text: str, rest: list[str], table: Node, path: Path, tables: TableIndex
) -> None:
    node = table
    for name in rest:
        columns = tables.columns(node)
        if not columns:
            return  # the contract does not declare its content
        found = columns.get(name.lower()) or _by_beginning(columns, name.lower())
        if found is None:
            known = (str(each["name"]) for own, each in columns.items() if str(each.get("name")).lower() == own)
            message = f"{shown(text)} names no column: {node.get('name')} has no {name}"
            findings.add("E502", path, message, findings.guess(name, known))
            return
        node = found


def _by_beginning(columns: Mapping[str, Node], name: str) -> Node | None:
    """By prefix of an id, as in examples of the standard: `address_street` for `address_street_prop`."""
    begun = f"{name}_"
    return next(
        (each for own, each in columns.items() if own.startswith(begun) and str(each.get("id")).lower() == own), None
    )


def _names_of(node: Node) -> list[str]:
    return [str(node[key]).lower() for key in ("name", "physicalName", "id") if node.get(key)]
