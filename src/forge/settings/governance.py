"""Governance along the files that extend each other: the keys of each, and E512 where a lower one loosens them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.settings.governance_keys import COLUMN_FACTS, TABLE_FACTS, GovernanceKeys
from forge.settings.keys import Keys
from forge.settings.layers import KeyPath, Layer, merge

Floor = tuple[object, str]
"""A value that may not be loosened, and the place that demands it."""

_ENFORCEMENT = ("off", "warn", "strict")
_SEVERITY = ("info", "warning", "error")

_CONTRACTS: KeyPath = ("contracts", "enforcement")
_DRIFT: KeyPath = ("contracts", "drift", "enforcement")
_DRIFT_ENABLED: KeyPath = ("contracts", "drift", "enabled")
_INHERITANCE: KeyPath = ("contracts", "inheritance")

# Keys whose values have an order, the loosest first; of numbers and switches, more is stricter.
_WORDS: Mapping[KeyPath, tuple[object, ...]] = {
    _CONTRACTS: _ENFORCEMENT,
    _DRIFT: _ENFORCEMENT,
    _DRIFT_ENABLED: (False, True),
    _INHERITANCE: ("permissive", "strict"),
    ("naming", "severity"): _SEVERITY,
    ("coverage", "severity"): _SEVERITY,
    ("coverage", "unique_key"): (False, True),
    ("documentation", "severity"): _SEVERITY,
    ("documentation", "tables"): (False, True),
    ("documentation", "columns"): (False, True),
    ("documentation", "owner"): (False, True),
}
_NUMBERS: tuple[KeyPath, ...] = (
    ("coverage", "min_checks"),
    ("coverage", "min_percentage"),
    ("documentation", "min_percentage"),
)


@dataclass(frozen=True)
class SettingsLevel:
    """The governance of one file, merged with what it inherits. The last level is the project's."""

    name: str
    folder: Path
    own: GovernanceKeys  # what it says itself
    whole: GovernanceKeys  # with what it inherits


def levels_of(layers: Sequence[tuple[str, Path, Layer]], user: Layer) -> tuple[SettingsLevel, ...]:
    """Outermost first; the user's own file is only the common default. A layer with invalid keys gives no level: the
    errors are reported elsewhere."""
    found: list[SettingsLevel] = []
    above = _governance_of(user)
    for name, folder, layer in layers:
        data = _governance_of(layer)
        above = merge(above, data)
        try:
            found.append(SettingsLevel(name, folder, _keys_of(data), _keys_of(above)))
        except ValidationError:
            continue
    return tuple(found)


def _keys_of(values: Mapping[str, object]) -> GovernanceKeys:
    """By the validator of all keys, which is built already."""
    return Keys.model_validate({"governance": values}).governance


def _governance_of(layer: Layer) -> dict[str, object]:
    section = layer.data.get("governance")
    return {str(key): value for key, value in section.items()} if isinstance(section, Mapping) else {}


def find_loosened(layers: Sequence[tuple[str, Path, Layer]]) -> Iterator[ForgeError]:
    """E512 for each key that a lower file sets looser than what it inherits, explicitly or by implication."""
    declared: dict[KeyPath, Floor] = {}
    rules: dict[str, Floor] = {}
    for _, _, layer in layers:
        floors = {**_implied(declared), **declared}
        for path in (*_WORDS, *_NUMBERS):
            full: KeyPath = ("governance", *path)
            if not layer.holds(full):
                continue
            value = _value(layer.data, full)
            known = floors.get(path)
            is_default = value is None and path not in declared
            if known is not None and not is_default and _rank(path, value) < _rank(path, known[0]):
                yield _loosened(full, value, known, layer.place(full))
            elif _rank(path, value) > float("-inf"):
                declared[path] = (value, layer.place(full))
        yield from _changed_rules(layer, rules)


def _implied(declared: Mapping[KeyPath, Floor]) -> dict[KeyPath, Floor]:
    """What a file implies for drift and inheritance by enforcing contracts, where it omits their keys; and for
    contracts by enforcing drift."""
    found: dict[KeyPath, Floor] = {}
    enforced = _enforced(declared, _CONTRACTS)
    if enforced:
        found[_INHERITANCE] = ("strict", enforced[1])
    drift = _enforced(declared, _DRIFT) or (enforced if _DRIFT not in declared else None)
    is_enabled = _rank(_DRIFT_ENABLED, declared.get(_DRIFT_ENABLED, (True, ""))[0]) > 0
    if drift and is_enabled and _word(declared, _CONTRACTS) != "off":
        found |= {_DRIFT: drift, _DRIFT_ENABLED: (True, drift[1]), _CONTRACTS: ("warn", drift[1])}
    return found


def _enforced(declared: Mapping[KeyPath, Floor], path: KeyPath) -> Floor | None:
    return declared[path] if _word(declared, path) in ("warn", "strict") else None


def _word(declared: Mapping[KeyPath, Floor], path: KeyPath) -> object:
    value = declared.get(path, (None, ""))[0]
    return "off" if value is False else value


def _changed_rules(layer: Layer, rules: dict[str, Floor]) -> Iterator[ForgeError]:
    listed = _value(layer.data, ("governance", "custom"))
    for index, rule in enumerate(listed if isinstance(listed, list) else ()):
        name = str(rule.get("name")) if isinstance(rule, Mapping) else ""
        place = layer.place(("governance", "custom", index))
        known = rules.setdefault(name, (rule, place))
        if known[0] != rule:
            yield ForgeError(
                "E512",
                f"governance.custom: the rule '{name}' is not the one of {known[1]}",
                where=place,
                why="A file may add rules to those of the files that it extends, and not change them.",
                fix="Give it another name, or take it out.",
            )


def _loosened(path: KeyPath, value: object, floor: Floor, place: str) -> ForgeError:
    key = ".".join(map(str, path))
    return ForgeError(
        "E512",
        f"{key}: {_shown(path, value)} is looser than {_shown(path, floor[0])}, which {floor[1]} demands",
        where=place,
        why="A file may tighten the governance of the files that it extends, never loosen it.",
        fix=f"Write {path[-1]}: {_shown(path, floor[0])} or stricter, or take the key out: it is inherited.",
    )


def _shown(path: KeyPath, value: object) -> str:
    if value is False and path[-1] == "enforcement":
        return "off"  # what was written before YAML read it
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rank(path: KeyPath, value: object) -> float:
    """Values that cannot be compared are no floor, and loosen nothing: they are refused by validation."""
    words = _WORDS.get(path)
    if words == _ENFORCEMENT and value is False:
        value = "off"  # what YAML makes of the bare word
    if words is not None and words[0] is False and isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower(), value)
    if words is not None:
        return float(words.index(value)) if value in words else float("-inf")
    try:
        return float(str(value))
    except ValueError:
        return float("-inf")


def _value(data: object, path: KeyPath) -> object:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data


def governance_problems(keys: GovernanceKeys) -> Iterator[tuple[KeyPath, str, str]]:
    """Validation beyond types: patterns that do not compile, facts that rules cannot refer to."""
    naming = keys.naming
    if naming is not None:
        for key in ("schemas", "tables", "columns"):
            yield from _pattern(("naming", key), getattr(naming, key))
        for table, pattern in naming.by_table.items():
            yield from _pattern(("naming", "by_table", table), pattern)
    names: set[str] = set()
    for index, rule in enumerate(keys.custom):
        path: KeyPath = ("custom", index)
        if rule.name in names:
            yield path, f"the rule '{rule.name}' stands twice", "Give one of them another name."
        names.add(rule.name)
        if not rule.require and not rule.forbid:
            yield path, f"the rule '{rule.name}' asks for nothing", "Add require: {…} or forbid: {…}."
        known = TABLE_FACTS if rule.each == "table" else COLUMN_FACTS
        for part in ("when", "require", "forbid"):
            for fact, condition in getattr(rule, part).items():
                if fact not in known:
                    fix = did_you_mean(fact, known) or f"A {rule.each} has {', '.join(known)}."
                    yield (*path, part, fact), f"there is no fact '{fact}' of a {rule.each}", fix
                yield from _pattern((*path, part, fact), condition.matches)


def _pattern(path: KeyPath, pattern: str | None) -> Iterator[tuple[KeyPath, str, str]]:
    try:
        re.compile(pattern or "")
    except re.error as error:
        yield path, f"'{pattern}' is no regular expression: {error}", "Correct it."
