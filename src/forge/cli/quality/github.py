"""Results as annotations of GitHub Actions: `::error file=checks/core.yaml,line=5,title=…::message`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_LEVELS = {"info": "notice", "warning": "warning", "error": "error", "critical": "error"}
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<col>\d+))?")


def annotation_lines(items: Sequence[Mapping[str, object]]) -> list[str]:
    """One line for each check that did not pass. A check that was not measured and does not block is at most a
    warning."""
    return [_annotation(item) for item in items if str(item["verdict"]) != "passed"]


def print_annotations(items: Sequence[Mapping[str, object]]) -> None:
    for line in annotation_lines(items):
        print(line)  # noqa: T201


def _annotation(item: Mapping[str, object]) -> str:
    level = _LEVELS[str(item["severity"])]
    if str(item["verdict"]) == "not measured" and not item.get("blocks") and level == "error":
        level = "warning"
    properties: dict[str, str] = {}
    if match := _PLACE.fullmatch(str(item.get("place") or "")):
        properties |= {key: text for key, text in match.groupdict().items() if text}
    properties["title"] = str(item.get("title") or f"{item['check_id']} {item['verdict']}")
    rendered = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {rendered}::{_data(str(item['message']))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
