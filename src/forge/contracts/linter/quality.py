"""Lint of quality rules that cannot be run or can never pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forge.contracts.document.file import Path, parse_document
from forge.contracts.linter.finding import LintFindings, has_variable, is_blank, shown
from forge.contracts.linter.options import check_pattern
from forge.contracts.linter.parts import check_unique

_OPERATORS = (
    *("mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo"),
    *("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween"),
)
_PERCENT = ("percent", "percentage", "%")


def check_quality(findings: LintFindings, node: Mapping[str, object], path: Path, table: Mapping[str, object]) -> None:
    rules = node.get("quality")
    check_unique(findings, rules, (*path, "quality"), "id")
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, dict):
            _check_rule(findings, rule, (*path, "quality", index), node, table)


def _check_rule(
    findings: LintFindings,
    rule: Mapping[str, object],
    path: Path,
    node: Mapping[str, object],
    table: Mapping[str, object],
) -> None:
    _check_limits(findings, rule, path)
    _check_schedule(findings, rule, path)
    if "query" in rule and is_blank(rule["query"]):
        findings.add("E501", (*path, "query"), "query is empty; a rule of type sql needs it", "Write query: SELECT …")
    if rule.get("type") == "custom" and str(rule.get("engine")).lower() == "forge":
        _check_own(findings, rule, path)
    metric = rule.get("metric", rule.get("rule"))
    is_library = rule.get("type", "library") == "library" and isinstance(metric, str)
    if is_library:
        _check_metric(findings, str(metric), rule, path, node is table)
        _check_arguments(findings, rule, path, table)


def _check_limits(findings: LintFindings, rule: Mapping[str, object], path: Path) -> None:
    is_percent = str(rule.get("unit") or "").lower() in _PERCENT
    for key in _OPERATORS:
        if key not in rule:
            continue
        value = rule[key]
        given = value if isinstance(value, list) else [value]
        numbers = [each for each in given if isinstance(each, int | float) and not isinstance(each, bool)]
        if key.endswith("Between") and len(numbers) == len(given) == 2 and numbers[0] > numbers[1]:
            message = f"{key} [{numbers[0]}, {numbers[1]}] is empty: the first number is the greater one"
            findings.add("E502", (*path, key), message, f"Write {key}: [{numbers[1]}, {numbers[0]}].")
        if is_percent and any(not 0 <= each <= 100 for each in numbers):
            findings.add("E502", (*path, key), f"{key} is no percentage from 0 to 100", "Write 0 to 100.")


def _check_schedule(findings: LintFindings, rule: Mapping[str, object], path: Path) -> None:
    schedule = rule.get("schedule")
    if str(rule.get("scheduler")).lower() != "cron" or not isinstance(schedule, str) or has_variable(schedule):
        return
    if not schedule.strip().startswith("@") and not 5 <= len(schedule.split()) <= 7:
        message = f"{shown(schedule)} is no schedule of cron: it has five fields"
        findings.add("E502", (*path, "schedule"), message, "Write it like 0 20 * * *.")


def _check_own(findings: LintFindings, rule: Mapping[str, object], path: Path) -> None:
    """A check for Forge, as a mapping or YAML text."""
    check = rule.get("implementation")
    if isinstance(check, str):
        document, problems = parse_document(check, "")
        check = document.data if document is not None and not problems else None
    if not isinstance(check, dict) or not isinstance(check.get("type"), str):
        message = "the implementation for the engine forge is not a check"
        findings.add("E502", (*path, "implementation"), message, "Write one check, like {type: range, min: 0}.")


def _check_metric(findings: LintFindings, metric: str, rule: Mapping[str, object], path: Path, is_table: bool) -> None:
    arguments = rule.get("arguments")
    given = arguments if isinstance(arguments, dict) else {}
    if metric == "invalidValues" and not any(key in given or key in rule for key in ("validValues", "pattern")):
        message = "invalidValues needs to know which values are valid"
        fix = "Add arguments: {validValues: [a, b]}, or {pattern: '…'}."
        findings.add("E501", (*path, "arguments"), message, fix)
    if metric == "rowCount" and not is_table:
        message = "rowCount counts the rows of a table, not of a column"
        fix = "Put the rule under quality of the table."
        findings.add("E502", (*path, "metric"), message, fix, severity="warning")
    if is_table and metric in ("nullValues", "missingValues", "invalidValues"):
        message = f"{metric} is of one column, and the rule stands at the table"
        findings.add(
            "E502", (*path, "metric"), message, "Put the rule under quality of a property.", severity="warning"
        )
    if is_table and metric == "duplicateValues" and not given.get("properties"):
        message = "duplicateValues of a table needs to know which columns are the key"
        findings.add("E501", (*path, "arguments"), message, "Add arguments: {properties: [column]}.")


def _check_arguments(
    findings: LintFindings, rule: Mapping[str, object], path: Path, table: Mapping[str, object]
) -> None:
    arguments = rule.get("arguments")
    if not isinstance(arguments, dict):
        return
    place = (*path, "arguments")
    for key in ("validValues", "missingValues", "properties"):
        if key in arguments and not isinstance(arguments[key], list):
            message = f"{key} must be a list, not {shown(arguments[key])}"
            findings.add("E502", (*place, key), message, f"Write {key}: [a, b].")
        elif key in arguments and not arguments[key]:
            findings.add("E502", (*place, key), f"{key} is empty", "Add a value, or remove the rule.")
    pattern = arguments.get("pattern")
    if isinstance(pattern, str):
        check_pattern(findings, pattern, (*place, "pattern"))
    elif pattern is not None:
        findings.add("E502", (*place, "pattern"), f"pattern must be a text, not {shown(pattern)}", "Put it in quotes.")
    _check_names(findings, arguments.get("properties"), (*place, "properties"), table)


def _check_names(findings: LintFindings, names: object, path: Path, table: Mapping[str, object]) -> None:
    known = list(_names(table))
    lower = {each.lower() for each in known}
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and known and name.lower() not in lower and not findings.is_full:
            findings.add(
                "E502",
                (*path, index),
                f"{shown(name)} is no column of {table.get('name')}",
                findings.guess(name, known),
            )


def _names(table: Mapping[str, object]) -> Iterator[str]:
    properties = table.get("properties")
    for each in properties if isinstance(properties, list) else ():
        if isinstance(each, dict):
            yield from (str(each[key]) for key in ("name", "physicalName") if each.get(key))
