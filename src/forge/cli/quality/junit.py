"""Results as JUnit XML: a suite for each table, a case for each check."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence

Item = Mapping[str, object]

# Characters not allowed in XML 1.0, escaped or not.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def junit_xml(items: Sequence[Item], counts: Iterable[str], name: str = "forge quality") -> str:
    """`counts`: ids of checks for which the command exits with 1: a failure where the check failed, an error where it
    could not be measured. Others that did not pass are skipped with their message."""
    failing = frozenset(counts)
    root = ET.Element("testsuites", name=name)
    tables: dict[str, list[Item]] = {}
    for item in items:
        tables.setdefault(str(item["dataset"]), []).append(item)
    suites = [_suite(root, table, found, failing) for table, found in tables.items()]
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in suites):.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, table: str, items: Sequence[Item], failing: frozenset[str]) -> ET.Element:
    began = min((str(item["executed_at"]) for item in items), default="")
    suite = ET.SubElement(root, "testsuite", name=_clean(table), timestamp=_without_zone(began))
    for key in ("branch", "commit"):
        if items and items[0].get(key):
            properties = suite.find("properties")
            holder = ET.SubElement(suite, "properties") if properties is None else properties
            ET.SubElement(holder, "property", name=key, value=_clean(str(items[0][key])))
    kinds = [_case(suite, item, failing) for item in items]
    suite.set("tests", str(len(items)))
    suite.set("failures", str(kinds.count("failure")))
    suite.set("errors", str(kinds.count("error")))
    suite.set("skipped", str(kinds.count("skipped")))
    suite.set("time", f"{_seconds(items):.3f}")
    return suite


def _case(suite: ET.Element, item: Item, failing: frozenset[str]) -> str:
    verdict, message = str(item["verdict"]), _clean(str(item["message"]))
    own = 0.0 if item.get("shared") else _number(item.get("execution_ms")) / 1000
    attributes = {
        "classname": _clean(str(item["dataset"])),
        "name": _clean(str(item["check_id"])),
        "time": f"{own:.3f}",
    }
    case = ET.SubElement(suite, "testcase", attributes)
    if verdict == "passed":
        return "passed"
    if str(item["check_id"]) in failing:
        kind = "failure" if verdict == "failed" else "error"
        found = ET.SubElement(case, kind, message=message, type=f"{item['severity']} {item['type']}")
        found.text = _clean(_detail(item))
        return kind
    reason = f"{item['severity']}: {message}" if verdict == "failed" else message
    ET.SubElement(case, "skipped", message=reason)
    return "skipped"


def _detail(item: Item) -> str:
    """The message, the place of the check, and a few rows."""
    lines = [str(item["message"])]
    if item.get("place"):
        lines.append(f"defined in {item['place']}")
    details = item.get("details")
    sample = details.get("sample") if isinstance(details, Mapping) else None
    rows = sample if isinstance(sample, list) else []
    return "\n".join([*lines, *(f"row: {row}" for row in rows[:5])])


def _seconds(items: Sequence[Item]) -> float:
    """A scan shared by checks counts once."""
    alone = sum(_number(item.get("execution_ms")) for item in items if not item.get("shared"))
    shared = max((_number(item.get("execution_ms")) for item in items if item.get("shared")), default=0.0)
    return (alone + shared) / 1000


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _without_zone(time: str) -> str:
    """The schema wants 2026-11-15T06:00:00."""
    return time[:19]


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
