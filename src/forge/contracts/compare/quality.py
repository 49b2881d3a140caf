"""Changed quality rules. The values a rule allows are compared as a set, so that `mustBe: 0` and `mustBeLessThan: 1` of
a count are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from forge.contracts.compare.change import (
    Bump,
    ContractChange,
    ContractChangeKind,
    ContractPart,
    PartPair,
    added,
    canonical,
    pairs_of,
    shown,
)
from forge.contracts.compare.checks import check_of, limits_compared, what_of
from forge.contracts.compare.interval import Interval, Intervals, compared, number_of, patterns_compared
from forge.contracts.compare.quality_rule import METRICS, severity_of

_OPERATORS = (
    *("mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo"),
    *("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween"),
)
_COUNTS_BAD = ("nullvalues", "missingvalues", "duplicatevalues", "invalidvalues")
_ARGUMENTS = ("validValues", "pattern", "missingValues", "properties")
_JUDGED = {
    *("id", "type", "metric", "rule", "query", "engine", "implementation", "arguments", "severity", "unit"),
    *(*_OPERATORS, *_ARGUMENTS),
}
_COUNTS = re.compile(r"\s*select\s+count\s*\(", re.IGNORECASE)
_BUMPS = {
    ContractChangeKind.TIGHTENED: Bump.MINOR,
    ContractChangeKind.LOOSENED: Bump.MAJOR,
    ContractChangeKind.CHANGED: Bump.MAJOR,
}
_WORDS = {
    ContractChangeKind.TIGHTENED: "tighter",
    ContractChangeKind.LOOSENED: "looser",
    ContractChangeKind.CHANGED: "not known to be as strict",
}
_ABOVE_ZERO = Fraction(0)


def quality_changes(both: PartPair) -> Iterator[ContractChange]:
    """The rules of one table or column."""
    if both.old.data.get("quality") == both.new.data.get("quality"):
        return
    for old, new in pairs_of(both.old.parts("quality"), both.new.parts("quality"), _KEYS):
        if old is None and new is not None:
            yield added(new, "quality", both.subject, f"{both.subject}: quality rule {label_of(new)}")
        elif new is None and old is not None:
            yield _removed(both, old)
        elif old is not None and new is not None:
            yield from _rule_changes(PartPair(old, new, both.subject))


def _kind(rule: ContractPart) -> str:
    declared = rule.text("type").lower()
    return declared or ("sql" if "query" in rule.data and "metric" not in rule.data else "library")


def _metric(rule: ContractPart) -> str:
    name = re.sub(r"[\s_-]+", "", rule.text("metric") or rule.text("rule")).lower()
    return METRICS.get(name, name).lower()


def _subject_of(rule: ContractPart) -> str:
    """What the rule measures, without its limits."""
    match _kind(rule):
        case "library":
            return f"library {_metric(rule)}"
        case "sql":
            return f"sql {sql_text(rule.text('query'))}"
        case "custom" if (check := check_of(rule)) is not None:
            return f"forge {what_of(check)}"
        case "custom":
            return f"custom {rule.text('engine').lower()} {canonical(rule.data.get('implementation'))}"
        case kind:
            return f"{kind} {rule.text('description').lower()}"


def _whole_rule(rule: ContractPart) -> str:
    allowed = canonical({key: rule.data.get(key) for key in (*_OPERATORS, "unit")})
    return f"{_subject_of(rule)} {canonical(_arguments(rule))} {allowed}"


_KEYS = (
    lambda rule: rule.text("id"),
    lambda rule: rule.text("name"),
    _whole_rule,
    lambda rule: f"{_subject_of(rule)} {canonical(_arguments(rule))} {canonical(check_of(rule))}",
    lambda rule: f"{_subject_of(rule)} {canonical(_arguments(rule))}",
    _subject_of,
    lambda rule: "text" if _kind(rule) == "text" else "",
)


def sql_text(query: str) -> str:
    """A query normalised in spacing, and in case outside of quotes."""
    pieces = re.split(r"('[^']*'|\"[^\"]*\"|`[^`]*`)", query.strip().rstrip(";"))
    folded = [piece if i % 2 else re.sub(r"\s+", " ", piece.lower()) for i, piece in enumerate(pieces)]
    return "".join(folded).strip()


def label_of(rule: ContractPart) -> str:
    label = rule.text("name") or rule.text("metric") or rule.text("rule") or rule.text("description")
    return shown(label or sql_text(rule.text("query")) or rule.text("engine") or rule.text("id") or "a rule")


def _removed(both: PartPair, old: ContractPart) -> ContractChange:
    message = f"{both.subject}: the quality rule {label_of(old)} is gone"
    fix = "Keep the rule: readers rely on what it promises."
    return both.removed("quality", both.subject, message, dict(old.data), key="quality", fix=fix)


def _rule_changes(both: PartPair) -> Iterator[ContractChange]:
    """All changes of one rule."""
    label = label_of(both.new)
    if _kind(both.old) != _kind(both.new) or _subject_of(both.old) != _subject_of(both.new):
        yield _rewritten(both, label)
    else:
        yield from _argument_changes(both, label)
        yield from _check_changes(both, label)
    yield from _limit_changes(both, label)
    yield from _severity_changes(both, label)
    for key in sorted(str(key) for key in both.old.data.keys() | both.new.data.keys()):
        if key not in _JUDGED and both.differ(key):
            bump = Bump.MINOR if key in ("schedule", "scheduler") else Bump.PATCH
            message = f"{both.subject}: {key} of the quality rule {label}"
            yield both.change(ContractChangeKind.CHANGED, "quality", bump, message, key=key)


def _rewritten(both: PartPair, label: str) -> ContractChange:
    is_text = _kind(both.old) == _kind(both.new) == "text"
    bump = Bump.PATCH if is_text else Bump.MAJOR
    message = f"{both.subject}: the quality rule {label} measures something else"
    if is_text:
        message = f"{both.subject}: the words of the quality rule {label}"
    key = next((k for k in ("query", "implementation", "metric", "rule", "description", "type") if both.differ(k)), "")
    return both.change(ContractChangeKind.CHANGED, "quality", bump, message, key=key)


def _check_changes(both: PartPair, label: str) -> Iterator[ContractChange]:
    """Of a custom check for Forge with the same target."""
    old, new = check_of(both.old), check_of(both.new)
    kind = limits_compared(old, new) if old is not None and new is not None else None
    if kind:
        message = f"{both.subject}: quality rule {label}, {shown(old)} → {shown(new)} ({_WORDS[kind]})"
        yield both.change(kind, "quality", _BUMPS[kind], message, key="implementation")


def _limit_changes(both: PartPair, label: str) -> Iterator[ContractChange]:
    old, new = both.old, both.new
    before, after = _limit_of(old), _limit_of(new)
    if not before and not after:
        return
    kind: ContractChangeKind | None = None
    if not before or not after:
        kind = ContractChangeKind.LOOSENED if not after else ContractChangeKind.TIGHTENED
    else:
        sets = allowed_of(old), allowed_of(new)
        if sets[0] is None or sets[1] is None:
            kind = ContractChangeKind.CHANGED if canonical(before) != canonical(after) else None
        elif _unit(old) != _unit(new) and not all(_is_zero(one) for one in sets if one is not None):
            kind = ContractChangeKind.CHANGED
        else:
            kind = compared(sets[0], sets[1])
    if kind:
        arrow = f"{_limit_text(before, old)} → {_limit_text(after, new)}"
        message = f"{both.subject}: quality rule {label}, {arrow} ({_WORDS[kind]})"
        key = next(iter(after), "") or ""
        yield both.change(kind, "quality", _BUMPS[kind], message, key=key)


def _limit_of(rule: ContractPart) -> dict[str, object]:
    found = {key: rule.data[key] for key in _OPERATORS if rule.data.get(key) is not None}
    if not found and _kind(rule) == "library" and _metric(rule) in _COUNTS_BAD:
        return {"mustBe": 0}  # v3.0 needs no operator: nothing bad is allowed
    return found


def _limit_text(limit: Mapping[str, object], rule: ContractPart) -> str:
    text = ", ".join(f"{key} {shown(value)}" for key, value in limit.items())
    return f"{text}{' %' if _unit(rule) == 'percent' else ''}" if text else "no limit"


def _unit(rule: ContractPart) -> str:
    unit = rule.text("unit").lower()
    return "rows" if unit in ("", "row", "rows") else "percent" if unit in ("%", "percent", "percentage") else unit


def _is_zero(allowed: Intervals) -> bool:
    return all(part.low == part.high == 0 for part in allowed)


def allowed_of(rule: ContractPart) -> Intervals | None:
    """The numbers that a rule allows; None where they are not numbers."""
    parts: Intervals | None = (Interval(),)
    for operator, value in _limit_of(rule).items():
        parts = _operator_set(operator, value)
        if parts is None:
            return None
    is_count = _kind(rule) == "library" or _COUNTS.match(rule.text("query")) is not None
    if not is_count or parts is None:
        return parts
    found = tuple(_never_negative(part) for part in parts)
    return tuple(part.whole() for part in found) if _unit(rule) == "rows" else found


def _operator_set(operator: str, value: object) -> Intervals | None:
    if operator.endswith("Between"):
        ends = [number_of(end) for end in value] if isinstance(value, list) else []
        if len(ends) != 2 or ends[0] is None or ends[1] is None:
            return None
        low, high = sorted(end for end in ends if end is not None)
        inside = Interval(low, high)
        return (inside,) if operator == "mustBeBetween" else _outside(inside)
    number = number_of(value)
    if number is None:
        return None
    match operator:
        case "mustBe":
            return (Interval(number, number),)
        case "mustNotBe":
            return _outside(Interval(number, number))
        case "mustBeGreaterThan":
            return (Interval(low=number, low_open=True),)
        case "mustBeGreaterOrEqualTo":
            return (Interval(low=number),)
        case "mustBeLessThan":
            return (Interval(high=number, high_open=True),)
    return (Interval(high=number),)


def _outside(of: Interval) -> Intervals:
    return Interval(high=of.low, high_open=True), Interval(low=of.high, low_open=True)


def _never_negative(of: Interval) -> Interval:
    if of.low is not None and of.low >= _ABOVE_ZERO:
        return of
    return Interval(_ABOVE_ZERO, of.high, False, of.high_open)


def _arguments(rule: ContractPart) -> dict[str, object]:
    """v3.0 has them next to the metric."""
    found = {key: rule.data[key] for key in _ARGUMENTS if key in rule.data}
    given = rule.data.get("arguments")
    return found | {str(key): value for key, value in given.items()} if isinstance(given, Mapping) else found


def _argument_changes(both: PartPair, label: str) -> Iterator[ContractChange]:
    before, after = _arguments(both.old), _arguments(both.new)
    for key in sorted(before.keys() | after.keys()):
        kind = _argument_kind(key, before.get(key), after.get(key))
        if kind:
            detail = f"{key} {shown(before.get(key, 'none'))} → {shown(after.get(key, 'none'))}"
            message = f"{both.subject}: quality rule {label}, {detail} ({_WORDS[kind]})"
            yield both.change(kind, "quality", _BUMPS[kind], message, key="arguments")


def _argument_kind(key: str, before: object, after: object) -> ContractChangeKind | None:
    if canonical(before) == canonical(after):
        return None
    if before is None or after is None:
        return ContractChangeKind.TIGHTENED if before is None else ContractChangeKind.LOOSENED
    if key == "pattern" and isinstance(before, str) and isinstance(after, str):
        return patterns_compared(before, after)[0]
    if not isinstance(before, list) or not isinstance(after, list) or key not in _ARGUMENTS:
        return ContractChangeKind.CHANGED
    fold = str.lower if key == "properties" else str
    old, new = ({fold(canonical(one)) for one in side} for side in (before, after))
    if old == new:
        return None
    grows_looser = key != "missingValues"  # more valid values, more columns in a key: both allow more
    if old < new:
        return ContractChangeKind.LOOSENED if grows_looser else ContractChangeKind.TIGHTENED
    if new < old:
        return ContractChangeKind.TIGHTENED if grows_looser else ContractChangeKind.LOOSENED
    return ContractChangeKind.CHANGED


def _severity_changes(both: PartPair, label: str) -> Iterator[ContractChange]:
    before, after = (part.text("severity").lower() for part in (both.old, both.new))
    old, new = severity_of(before), severity_of(after)
    if old == new:
        return
    kind = ContractChangeKind.TIGHTENED if new > old else ContractChangeKind.LOOSENED
    message = f"{both.subject}: severity of the quality rule {label} {before or 'error'} → {after or 'error'}"
    yield both.change(kind, "quality", _BUMPS[kind], f"{message} ({_WORDS[kind]})", key="severity")
