"""Selectors: `core.orders`, `+core.orders`, `2+core.orders+1`, `core.*`, `tag:gold`, `file:transforms/core/*.sql`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.dag import Transforms, downstream_of, upstream_of

_FORM = re.compile(r"(?:(?P<up>\d*)\+)?(?P<what>[^+]+)(?:\+(?P<down>\d*))?")


@dataclass(frozen=True, slots=True)
class Selector:
    """What is selected, and how many steps up- and downstream of it: 0 none, None all."""

    what: str
    up: int | None = 0
    down: int | None = 0


def parse_selector(text: str) -> Selector:
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise UnknownNameError(
            f"'{text}' is not a selector",
            fix="Write it like core.orders, +core.orders, core.orders+1, core.*, tag:gold or file:transforms/*.sql.",
        )
    return Selector(match["what"].strip(), _steps(match["up"]), _steps(match["down"]))


def select(selectors: Iterable[str], transforms: Transforms) -> frozenset[TableName]:
    """The union of the selectors, also comma-separated; none at all selects everything. A selector that matches
    nothing is E108."""
    texts = [part for text in selectors for part in text.split(",") if part.strip()]
    if not texts:
        return frozenset(transforms)
    return frozenset[TableName]().union(*(_select_one(transforms, parse_selector(text)) for text in texts))


def _select_one(transforms: Transforms, selector: Selector) -> frozenset[TableName]:
    found = _meant(transforms, selector.what)
    up = (upstream_of(transforms, table, selector.up) for table in found)
    down = (downstream_of(transforms, table, selector.down) for table in found)
    return found.union(*up, *down)


def _meant(transforms: Transforms, what: str) -> frozenset[TableName]:
    method, _, value = what.partition(":")
    if method == "tag" and _:
        tags = {tag for transform in transforms.values() for tag in transform.tags}
        return _matching(
            transforms, lambda t: value in transforms[t].tags, f"no transform has the tag {value}", value, tags
        )
    if method == "file" and _:
        files = {transform.file for transform in transforms.values()}
        pattern = _path_pattern(value)
        return _matching(
            transforms, lambda t: bool(pattern.fullmatch(transforms[t].file)), f"no file matches {value}", value, files
        )
    if _:
        raise UnknownNameError(
            f"unknown selector '{what}'", fix=did_you_mean(method, ("tag", "file")) or "Use tag: or file:."
        )
    return _by_name(transforms, what.lower())


def _by_name(transforms: Transforms, name: str) -> frozenset[TableName]:
    names = [str(table) for table in transforms]
    if any(mark in name for mark in "*?["):
        return _matching(transforms, lambda t: fnmatchcase(str(t), name), f"no table matches {name}", name, names)
    found = frozenset(table for table in transforms if name in (str(table), table.name))
    exact = frozenset(table for table in found if str(table) == name)
    if len(found) > 1 and not exact:
        both = " or ".join(sorted(str(table) for table in found))
        raise UnknownNameError(f"'{name}' could be several tables", fix=f"Write {both}.")
    if not found:
        raise _nothing(f"no transform or source writes {name}", name, names)
    return exact or found


def _matching(
    transforms: Transforms, fits: Callable[[TableName], bool], what: str, wanted: str, known: Iterable[str]
) -> frozenset[TableName]:
    found = frozenset(table for table in transforms if fits(table))
    if not found:
        raise _nothing(what, wanted, known)
    return found


def _nothing(what: str, wanted: str, known: Iterable[str]) -> ForgeError:
    return UnknownNameError(what, fix=did_you_mean(wanted, sorted(known)) or "Type `forge plan` to see all tables.")


def _path_pattern(glob: str) -> re.Pattern[str]:
    """`*` and `?` stay within a folder, `**/` is any number of folders."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./"))
    return re.compile("".join(parts.get(piece) or re.escape(piece) for piece in pieces))


def _steps(text: str | None) -> int | None:
    if text is None:
        return 0
    return int(text) if text else None
