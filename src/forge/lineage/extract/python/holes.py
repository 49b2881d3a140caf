"""SQL text with unknown parts: placeholders are filled in so that the rest can be parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forge.lineage.extract.python.values import Hole, Text
from forge.lineage.extract.template_undefined import quoted

_MARK = "__forge_hole_"
_NAME = re.compile(r"[\w.`$-]*" + _MARK + r"(\d+)__[\w.`$-]*")
_READS = re.compile(r"\b(?:from|join)\s*$", re.IGNORECASE)
_WRITES = re.compile(r"\b(?:into|table|view|update|overwrite|exists|database|schema|use|function)\s*$", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:where|having|on|and|or|not|when|qualify)\s*\(?\s*$", re.IGNORECASE)
_VALUE = re.compile(
    r"(?:[=<>+*/%|-]|\b(?:like|limit|between|in|interval|then|else|offset|date|timestamp)\b)\s*\(?\s*$", re.IGNORECASE
)
_ALSO_VALUE = re.compile(
    r"\b(?:between\s+\S+\s+and|in\s*\([^()]*,|values\s*\([^()]*[,(]?)\s*$", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class FilledSql:
    """`text` can be parsed. `tables`: placeholders of unknown tables, and their spelling in the program. `notes`:
    what gaps must report of the rest. `refused`: the missing part decides what is written, so that only the
    tables in `text` can be used."""

    text: str = ""
    tables: dict[str, str] | None = None
    notes: tuple[str, ...] = ()
    refused: str = ""


def fill_holes(query: Text, dialect: str = "spark") -> FilledSql:
    marked = "".join(part if isinstance(part, str) else f"{_MARK}{place}__" for place, part in enumerate(query.parts))
    holes = {str(place): part for place, part in enumerate(query.parts) if isinstance(part, Hole)}
    filled: list[str] = []
    tables: dict[str, str] = {}
    notes: list[str] = []
    end = 0
    for found in _NAME.finditer(marked):
        before = marked[end : found.start()]
        filled.append(before)
        upto = "".join(filled)
        end = found.end()
        what = holes[found.group(1)].description
        shown = re.sub(_MARK + r"(\d+)__", lambda one: "{" + holes[one.group(1)].what + "}", found.group(0))
        given = _with_settings(found.group(0), holes, dialect)
        is_table = _READS.search(upto) or _LIST_OF_TABLES.search(upto) or _WRITES.search(upto)
        if _in_quotes(upto):
            filled.append(re.sub(_MARK + r"\d+__", "0", found.group(0)))
        elif is_table and given is not None:
            filled.append(given)
            notes.append(f"the table {shown} has a name that is known only when it runs: it depends on {what}")
        elif _READS.search(upto) or (_LIST_OF_TABLES.search(upto)):
            name = f"unknown_{len(tables) + 1}"
            tables[name] = shown
            filled.append(name)
        elif _WRITES.search(upto):
            return FilledSql(refused=f"the table {shown} is not known: it depends on {what}")
        elif _ALSO_VALUE.search(upto) or _VALUE.search(upto):
            filled.append("0")
        elif _CONDITION.search(upto):
            filled.append("true")
            notes.append(f"a condition of the SQL is not known: {what}")
        else:
            rest = re.sub(_MARK + r"\d+__", "NULL", upto + marked[found.start() :])
            return FilledSql(rest, refused=f"a part of the SQL is not known: {what}")
    filled.append(marked[end:])
    return FilledSql("".join(filled), tables, tuple(notes))


def _with_settings(marked: str, holes: dict[str, Hole], dialect: str) -> str | None:
    """A name that holds settings, each as `${x}`; None: something else in it is not known."""
    if any(not holes[number].setting for number in re.findall(_MARK + r"(\d+)__", marked)):
        return None
    name = re.sub(_MARK + r"(\d+)__", lambda one: "${" + holes[one.group(1)].setting + "}", marked)
    return ".".join(quoted(one.strip("`"), dialect) if "${" in one else one for one in name.split("."))


_LIST_OF_TABLES = re.compile(r"\bfrom\s+[\w.`]+(?:\s+\w+)?\s*,\s*$", re.IGNORECASE)


_NAMES = re.compile(r"\b(?:from|join)\s+([A-Za-z_`][\w.`]*)", re.IGNORECASE)


def tables_in(text: str) -> tuple[str, ...]:
    """Names after FROM and JOIN in a text that cannot be parsed."""
    return tuple(dict.fromkeys(name for name in _NAMES.findall(text) if name.upper() != "NULL"))


def _in_quotes(before: str) -> bool:
    """Whether a text ends inside a string literal."""
    open_ = False
    for character in before:
        if character == "'":
            open_ = not open_
    return open_
