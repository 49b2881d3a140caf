"""quality/*.yaml: checks of tables and monitors, as a project keeps them in its files.

```yaml
checks:
  core.orders:
    - {type: not_null, column: order_id}
monitors:
  - name: Orders every morning
    dataset: core.orders
    schedule: {type: cron, cron: 0 6 * * *, timezone: Europe/Berlin}
```"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError, ForgeErrors
from forge.model.name_suggestions import did_you_mean
from forge.model.yaml_file import YamlFile, load_yaml

if TYPE_CHECKING:
    from forge.quality.monitors.monitor import Monitor

TOP = ("checks", "monitors")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


@dataclass(frozen=True, slots=True)
class MonitorFile:
    """The monitors of one file; each has its place in `file`."""

    monitors: tuple[Monitor, ...] = ()
    errors: tuple[ForgeError, ...] = ()


def open_quality_file(text: str, file: str) -> tuple[YamlFile, Mapping[str, object]]:
    """The document and its top-level keys; E103 or E104 for another shape."""
    document = load_yaml(text, file)
    if document.data is None:
        return document, {}
    if not isinstance(document.data, dict):
        fix = "Begin with checks: or monitors:."
        raise ForgeError("E103", "A file of quality is a mapping of checks and monitors", where=file, fix=fix)
    for key in document.data:
        if key not in TOP:
            near = did_you_mean(str(key), TOP) or "Its keys are checks and monitors."
            raise ForgeError("E104", f"There is no key '{key}' here", where=document.where(str(key)), fix=near)
    return document, document.data


def load_monitors(text: str, file: str) -> MonitorFile:
    """Never raises: unreadable monitors are returned as errors, with the readable ones."""
    try:
        document, data = open_quality_file(text, file)
    except ForgeErrors as group:
        return MonitorFile(errors=group.errors)
    except ForgeError as error:
        return MonitorFile(errors=(error,))
    items = data.get("monitors")
    if items is None:
        return MonitorFile()
    if not isinstance(items, list):
        where = document.where("monitors")
        return MonitorFile(errors=(ForgeError("E103", "Monitors are a list", where=where, fix="Begin each with -"),))
    found: list[Monitor] = []
    errors: list[ForgeError] = []
    for number, item in enumerate(items):
        monitor, wrong = _load(document, number, item)
        errors += wrong
        found += [monitor] if monitor is not None else []
    return MonitorFile(tuple(found), tuple(errors))


def _load(document: YamlFile, number: int, item: object) -> tuple[Monitor | None, list[ForgeError]]:
    from forge.quality.monitors.spec import read_monitor  # schedules and all kinds of checks

    place = document.where("monitors", number)
    given = dict(item) if isinstance(item, Mapping) else item
    own = given.pop("id", None) if isinstance(given, dict) else None
    monitor, faults = read_monitor(given)
    errors = [
        ForgeError(
            "E720",
            f"{fault.path} {fault.message}",
            where=document.where("monitors", number, *_path(fault.path)),
            fix=fault.fix,
        )
        for fault in faults
    ]
    if own is not None and (not isinstance(own, str) or not _ID.fullmatch(own)):
        why = "An id has small letters, digits, - and _, and at most 60 of them."
        errors.append(
            ForgeError("E720", f"id {own!r} is no id", where=document.where("monitors", number, "id"), why=why)
        )
    if monitor is None or errors:
        return None, errors
    return replace(monitor, id=own if isinstance(own, str) else slug_of(monitor.name), file=place), []


def _path(path: str) -> Iterable[str | int]:
    """checks[2].column → checks, 2, column"""
    return (int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path))


def slug_of(name: str) -> str:
    """The id of a monitor without an explicit one."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].rstrip("-")
    return slug or "monitor"


def find_doubles(monitors: Iterable[Monitor]) -> tuple[ForgeError, ...]:
    first: dict[str, Monitor] = {}
    errors: list[ForgeError] = []
    for monitor in monitors:
        known = first.setdefault(monitor.id, monitor)
        if known is not monitor:
            errors.append(
                ForgeError(
                    "E720",
                    f"Two monitors have the id '{monitor.id}'",
                    where=monitor.file,
                    why=f"The other one is at {known.file}.",
                    fix="Give one of them another name, or an id of its own.",
                )
            )
    return tuple(errors)
