"""Lint of the other sections: duplicate ids and names, dates of the team, custom properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from forge.contracts.document.file import Path
from forge.contracts.linter.finding import LintFindings, has_variable, is_blank, shown

# Lists whose entries are identified by a name.
_NAMED: tuple[tuple[str, str], ...] = (("servers", "server"), ("customProperties", "property"))
_FORGE_TEXTS = ("forge.schema",)


def check_parts(findings: LintFindings, version: str) -> None:
    data = findings.document.data
    for key, name in _NAMED:
        check_unique(findings, data.get(key), (key,), name)
    for key, value in data.items():
        if key != "schema":
            check_unique(findings, value, (key,), "id")
    for member, path in _members(data):
        _check_dates(findings, member, path)
    check_custom(findings, data.get("customProperties"), ("customProperties",))


def check_unique(findings: LintFindings, entries: object, path: Path, key: str) -> None:
    """Case-insensitive: `Orders` and `orders` are equal."""
    if not isinstance(entries, list):
        return
    first: dict[str, int] = {}
    for index, entry in enumerate(entries):
        name = entry.get(key) if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name.strip():
            continue
        known = first.setdefault(name.strip().lower(), index)
        if known != index:
            line = findings.document.place_of((*path, known, key)).line
            message = f"the {key} {shown(name)} stands twice in {path[-1]}, first in line {line}"
            findings.add("E502", (*path, index, key), message, "Rename or remove one; case makes no difference.")


def check_custom(findings: LintFindings, entries: object, path: Path) -> None:
    """Custom properties that Forge reads must have the right form."""
    if not isinstance(entries, list):
        return
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name, value = entry.get("property"), entry.get("value")
        if name in _FORGE_TEXTS and not (isinstance(value, str) and value.strip()):
            message = f"{name} must be a text, not {shown(value)}"
            findings.add("E502", (*path, index, "value"), message, "Write value: core.")
        if name == "forge.extends" and not _are_names(value):
            message = f"forge.extends names parents, not {shown(value)}"
            fix = "Write value: the id, name or file of the parent, or a list of them."
            findings.add("E502", (*path, index, "value"), message, fix)


def _are_names(value: object) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and not is_blank(name) for name in names)


def _members(data: Mapping[str, object]) -> Iterator[tuple[Mapping[str, object], Path]]:
    team = data.get("team")
    members, path = (team, ("team",)) if isinstance(team, list) else (None, ("team",))
    if isinstance(team, dict):
        members, path = team.get("members"), ("team", "members")  # type: ignore[assignment]
    for index, member in enumerate(members if isinstance(members, list) else ()):
        if isinstance(member, dict):
            yield member, (*path, index)


def _check_dates(findings: LintFindings, member: Mapping[str, object], path: Path) -> None:
    days: dict[str, date] = {}
    for key in ("dateIn", "dateOut"):
        text = member.get(key)
        if not isinstance(text, str) or has_variable(text):
            continue
        day = day_of(text)
        if day is None:
            findings.add("E502", (*path, key), f"{shown(text)} is not a date", "Write it like 2026-01-31.")
        else:
            days[key] = day
    if len(days) == 2 and days["dateOut"] < days["dateIn"]:
        message = f"dateOut ({days['dateOut']}) is before dateIn ({days['dateIn']})"
        findings.add("E502", (*path, "dateOut"), message, "Correct one of them.")


def day_of(text: str) -> date | None:
    """`2026-01-31` only: the standard does not allow 20260131 and week dates."""
    try:
        return date.fromisoformat(text) if len(text) == len("2026-01-31") and text[4] == "-" else None
    except ValueError:
        return None
