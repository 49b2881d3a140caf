"""Lint of tables and columns: duplicate names, contradictory options, allowed values, references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forge.contracts.document.file import Path
from forge.contracts.linter.finding import LintFindings, is_blank, shown
from forge.contracts.linter.options import check_enum, check_options
from forge.contracts.linter.parts import check_custom, check_unique
from forge.contracts.linter.quality import check_quality
from forge.contracts.linter.references import TableIndex, check_relationships

_NESTING = ("properties", "items", "map")
Mappings = Iterator[tuple[Mapping[str, object], Path]]


def entries(value: object, path: Path) -> Mappings:
    """The mappings of a list with their paths."""
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, dict):
            yield each, (*path, index)


def check_tables(findings: LintFindings, version: str) -> None:
    schema = findings.document.data.get("schema")
    places = list(entries(schema, ("schema",)))
    tables = TableIndex(table for table, _ in places)
    for key in ("name", "id"):  # a physicalName may be shared: more than one kind of event on one topic
        check_unique(findings, schema, ("schema",), key)
    for table, path in places:
        _check_name(findings, table, path, "a table")
        _check_children(findings, table, path)
        _check_positions(findings, table, path)
        check_quality(findings, table, path, table)
        check_relationships(findings, table, path, tables)
        check_custom(findings, table.get("customProperties"), (*path, "customProperties"))
        for each, place in columns_of(table, path):
            _check_column(findings, each, place, table, tables)


def columns_of(node: Mapping[str, object], path: Path) -> Mappings:
    """All properties below a table or property, including nested ones."""
    for each, place in entries(node.get("properties"), (*path, "properties")):
        yield each, place
        if any(key in each for key in _NESTING):
            yield from columns_of(each, place)
    for key in ("items", "map"):
        inner = node.get(key)
        if not isinstance(inner, dict):
            continue
        parts = (((key,), inner),) if key == "items" else (((key, side), inner.get(side)) for side in ("key", "value"))
        for steps, part in parts:
            if isinstance(part, dict):
                yield part, (*path, *steps)
                yield from columns_of(part, (*path, *steps))


def _check_column(
    findings: LintFindings,
    each: Mapping[str, object],
    path: Path,
    table: Mapping[str, object],
    tables: TableIndex,
) -> None:
    if isinstance(path[-1], int):
        _check_name(findings, each, path, "a property")
    _check_children(findings, each, path)
    if each.get("logicalTypeOptions"):
        check_options(findings, each, path)
    if each.get("enum"):
        check_enum(findings, each, path)
    if each.get("quality"):
        check_quality(findings, each, path, table)
    if each.get("relationships"):
        check_relationships(findings, each, path, tables)
    if each.get("customProperties"):
        check_unique(findings, each["customProperties"], (*path, "customProperties"), "property")


def _check_name(findings: LintFindings, node: Mapping[str, object], path: Path, what: str) -> None:
    if "name" in node and is_blank(node["name"]):
        findings.add("E501", (*path, "name"), f"name is empty; {what} needs one", "Write name: …")


def _check_children(findings: LintFindings, node: Mapping[str, object], path: Path) -> None:
    """Columns of one table, or fields of one struct, have distinct names and ids."""
    properties = node.get("properties")
    if not isinstance(properties, list):
        return
    place: Path = (*path, "properties")
    check_unique(findings, properties, place, "name")
    check_unique(findings, properties, place, "id")
    _check_physical(findings, properties, place)


def _check_physical(findings: LintFindings, properties: list[object], path: Path) -> None:
    """Two properties of one physical column; the name counts where there is no physical one."""
    first: dict[str, int] = {}
    for each, place in entries(properties, path):
        physical, name, index = each.get("physicalName"), each.get("name"), int(place[-1])
        column = physical if isinstance(physical, str) and physical.strip() else name
        if not isinstance(column, str) or not column.strip():
            continue
        known = first.setdefault(column.strip().lower(), index)
        if known != index and column is physical:
            line = findings.document.place_of((*path, known)).line
            message = f"the column {shown(column)} stands twice, first in line {line}"
            findings.add("E502", (*place, "physicalName"), message, "Rename one; case makes no difference.")


def _check_positions(findings: LintFindings, table: Mapping[str, object], path: Path) -> None:
    for flag, key in (("primaryKey", "primaryKeyPosition"), ("partitioned", "partitionKeyPosition")):
        first: dict[int, str] = {}
        for each, place in entries(table.get("properties"), (*path, "properties")):
            position = each.get(key)
            if each.get(flag) is not True or not isinstance(position, int) or isinstance(position, bool):
                continue
            if position == 0 or position < -1:
                message = f"{key} {position} is no position; they count from 1"
                findings.add("E502", (*place, key), message, f"Write {key}: 1.")
            elif position > 0 and (other := first.setdefault(position, str(each.get("name")))) != each.get("name"):
                message = f"{key} {position} is taken by {other}"
                findings.add("E502", (*place, key), message, "Give each column its own position.")
