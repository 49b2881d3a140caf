"""Lint of service levels: durations, percentages, dates and drivers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forge.contracts.contract import SlaProperty
from forge.contracts.document.file import Path
from forge.contracts.linter.finding import LintFindings, has_variable, is_blank, shown
from forge.contracts.linter.words import one_of
from forge.contracts.sla import DRIVERS, SlaKind, problem_of, promise_of, service_of
from forge.model.name_suggestions import did_you_mean


def check_sla(findings: LintFindings, version: str) -> None:
    entries = findings.document.data.get("slaProperties")
    if not isinstance(entries, list):
        return
    names = _elements(findings.document.data)
    for index, entry in enumerate(entries):
        if isinstance(entry, Mapping):
            _check_entry(findings, entry, ("slaProperties", index))
            _check_element(findings, entry.get("element"), names, ("slaProperties", index, "element"))
    _check_element(findings, findings.document.data.get("slaDefaultElement"), names, ("slaDefaultElement",))


def _elements(data: Mapping[str, object]) -> dict[str, frozenset[str]]:
    """By lower-case table: its columns and nested fields. A table without columns declares nothing."""
    found: dict[str, frozenset[str]] = {}
    for table in _mappings(data.get("schema")):
        columns = frozenset(_paths(table.get("properties"), ""))
        for key in ("name", "physicalName"):
            if columns and isinstance(name := table.get(key), str):
                found[name.lower()] = columns
    return found


def _paths(given: object, above: str) -> Iterator[str]:
    for part in _mappings(given):
        for key in ("name", "physicalName"):
            if isinstance(name := part.get(key), str):
                yield above + name.lower()
                yield from _paths(part.get("properties"), f"{above}{name.lower()}.")


def _mappings(given: object) -> list[Mapping[str, object]]:
    return [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []


def _check_element(findings: LintFindings, element: object, tables: Mapping[str, frozenset[str]], path: Path) -> None:
    """`orders.updated_at`, a list separated by commas, or a table alone. An element that does not exist cannot be
    satisfied."""
    if not isinstance(element, str) or has_variable(element) or not tables:
        return
    for each in filter(None, (part.strip() for part in element.split(","))):
        parts = each.lower().split(".")
        # The table may be called what it is called elsewhere, as in the standard's own example: the column decides.
        ends = {".".join(parts[start:]) for start in range(len(parts))}
        if each.lower() in tables or any(not ends.isdisjoint(columns) for columns in tables.values()):
            continue
        known = [*tables, *(f"{table}.{column}" for table, columns in tables.items() for column in columns)]
        message = f"{shown(each)} is no table and no column of the contract"
        fix = did_you_mean(each.lower(), sorted(known)) or "Name a column like orders.updated_at."
        findings.add("E502", path, message, fix)


def _check_entry(findings: LintFindings, entry: Mapping[str, object], path: Path) -> None:
    name, unit, driver = entry.get("property"), entry.get("unit"), entry.get("driver")
    if isinstance(name, str) and not name.strip():
        findings.add("E501", (*path, "property"), "property is empty; an SLA needs it", "Write property: latency.")
    if isinstance(driver, str) and not has_variable(driver) and driver.strip().lower() not in DRIVERS:
        message = f"{shown(driver)} is no driver of an SLA"
        findings.add("E502", (*path, "driver"), message, one_of(driver, DRIVERS))
    value = entry.get("value")
    if not isinstance(name, str) or isinstance(value, list | dict) or not isinstance(unit, str | None):
        return
    if is_blank(value) or has_variable(value) or has_variable(unit):
        return
    sla = SlaProperty(property=name, value=value, unit=unit)
    problem = problem_of(sla)
    if problem is not None:
        message, fix = problem
        findings.add("E502", (*path, "value"), f"{name}: {message}", fix)
        return
    _check_date(findings, sla, path)


def _check_date(findings: LintFindings, sla: SlaProperty, path: Path) -> None:
    service = service_of(sla.property)
    if service is None or service.kind is not SlaKind.DATE or not isinstance(sla.value, str):
        return
    promise = promise_of(sla)
    if promise is not None and isinstance(promise.value, str):
        message = f"{shown(sla.value)} is not a date"
        findings.add("E502", (*path, "value"), message, "Write it like 2026-01-31, or 2026-01-31T12:00:00Z.")
