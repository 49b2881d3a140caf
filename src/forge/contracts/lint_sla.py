"""Service levels: durations, percentages, dates and drivers that can be held to."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.contract import SlaProperty
from forge.contracts.document import Path
from forge.contracts.lint_finding import Findings, has_variable, is_blank, shown
from forge.contracts.lint_words import one_of
from forge.contracts.sla import DRIVERS, Kind, problem_of, promise_of, service_of


def check_sla(findings: Findings, version: str) -> None:
    entries = findings.document.data.get("slaProperties")
    if not isinstance(entries, list):
        return
    for index, entry in enumerate(entries):
        if isinstance(entry, Mapping):
            _check_entry(findings, entry, ("slaProperties", index))


def _check_entry(findings: Findings, entry: Mapping[str, object], path: Path) -> None:
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
    sla = SlaProperty(name, value, unit=unit)
    problem = problem_of(sla)
    if problem is not None:
        message, fix = problem
        findings.add("E502", (*path, "value"), f"{name}: {message}", fix)
        return
    _check_date(findings, sla, path)


def _check_date(findings: Findings, sla: SlaProperty, path: Path) -> None:
    service = service_of(sla.property)
    if service is None or service.kind is not Kind.DATE or not isinstance(sla.value, str):
        return
    promise = promise_of(sla)
    if promise is not None and isinstance(promise.value, str):
        message = f"{shown(sla.value)} is not a date"
        findings.add("E502", (*path, "value"), message, "Write it like 2026-01-31, or 2026-01-31T12:00:00Z.")
