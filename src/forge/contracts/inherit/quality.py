"""Merges quality rules of a child with its parent's: omitted rules are inherited, restated rules may not be looser."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.compare.interval import Interval, number_of
from forge.contracts.compare.quality_rule import OPERATORS, ComparableRule, canonical, rule_of, severity_of
from forge.contracts.inherit.options import is_looser_pattern
from forge.contracts.tree import InheritanceFindings, TreeNode

_ARGUMENT_KEYS = ("arguments", "validValues", "missingValues", "pattern", "properties")


def merge_quality(
    parent: TreeNode, child: TreeNode, name: str, column: str, findings: InheritanceFindings
) -> tuple[TreeNode, ...]:
    """The effective rules: the child's, and those of the parent that it does not restate."""
    above = [rule_of(node, column) for node in parent.items("quality")]
    kept = dict.fromkeys(range(len(above)), True)
    merged: list[TreeNode] = []
    for node in child.items("quality"):
        own = rule_of(node, column)
        result: TreeNode | None = node
        for index, rule in enumerate(above):
            if not _is_same(rule, own):
                continue
            problem = _problem(rule, own)
            if problem:
                findings.weaker(own.node, f"{name}: {problem}", rule.node, _fix(rule))
                result = None
            elif doubt := _doubt(rule, own):
                findings.unclear(own.node, f"{name}: {doubt}", rule.node, "Check that it is as strict; both will hold.")
            elif _covers(rule, own):
                kept[index] = False
                result = _inheriting(rule.node, own.node)
        if result is not None:
            merged.append(result)
    return _with_own_ids([*merged, *(rule.node for index, rule in enumerate(above) if kept[index])])


def _with_own_ids(rules: list[TreeNode]) -> tuple[TreeNode, ...]:
    """Where two rules share an id, the child's keeps it."""
    seen: set[str] = set()
    found = []
    for node in rules:
        name = node.text("id").lower()
        found.append(node.with_({"id": None}) if name and name in seen else node)
        seen.add(name)
    return tuple(found)


def _is_same(above: ComparableRule, own: ComparableRule) -> bool:
    if above.id and own.id:
        return above.id == own.id
    if above.name and above.name == own.name and above.kind == own.kind and above.what[:1] == own.what[:1]:
        return True
    return above.what == own.what and _is_same_pattern(above, own)


def _is_same_pattern(above: ComparableRule, own: ComparableRule) -> bool:
    """Two pattern rules of which neither includes the other are two rules."""
    if above.pattern is None or own.pattern is None:
        return above.pattern == own.pattern
    one, other = is_looser_pattern(above.pattern, own.pattern), is_looser_pattern(own.pattern, above.pattern)
    return one is False or other is False


def _problem(above: ComparableRule, own: ComparableRule) -> str:
    """Why the child's rule is weaker; empty if it is not."""
    if above.id and above.id == own.id and above.kind != "text" and _measures(above) != _measures(own):
        return f"the rule {own.node.text('id')} no longer measures {_title(above)}"
    if own.severity < above.severity and own.node.get("severity"):
        shown = above.node.text("severity") or "error"
        return f"{_title(own)} has the severity {own.node.text('severity')}, the parent's {shown} is more severe"
    if _bounds_loosened(above, own):
        return f"{_title(own)} {_rule_text(own)} is looser than the parent's {_rule_text(above)}"
    if above.pattern is not None and own.pattern is not None and is_looser_pattern(above.pattern, own.pattern):
        return f"{_title(own)} lets more pass ('{own.pattern}') than the parent's '{above.pattern}'"
    if _values_loosened(above, own):
        return f"{_title(own)} lets more values pass than the parent's rule"
    return _options_loosened(above, own)


def _measures(of: ComparableRule) -> tuple[str, ...]:
    """What may not change under one id. A query may, which is undecidable."""
    return (of.kind,) if of.kind != "library" else of.what[:1]


def _bounds_loosened(above: ComparableRule, own: ComparableRule) -> bool:
    if above.bounds is None:
        return False
    is_restated = bool(above.id and above.id == own.id) or bool(above.name and above.name == own.name)
    bounds = own.bounds or Interval()
    if own.bounds is None and not is_restated:
        return False
    if above.unit != own.unit:
        return above.is_zero and bounds.high != 0
    ends = [(Interval(high=above.bounds.high, high_open=above.bounds.high_open), bounds.high)]
    if not above.counts_bad:
        ends.append((Interval(low=above.bounds.low, low_open=above.bounds.low_open), bounds.low))
    return any(not end.contains(bounds) for end, stated in ends if is_restated or stated is not None)


def _values_loosened(above: ComparableRule, own: ComparableRule) -> bool:
    if above.values is None or own.values is None:
        return False
    if above.what[0] == "missingValues":  # fewer values count as missing
        return not above.values <= own.values
    return not own.values <= above.values


def _options_loosened(above: ComparableRule, own: ComparableRule) -> str:
    for key, value in above.options.items():
        if key not in own.options or canonical(value) == canonical(own.options[key]):
            continue
        given = own.options[key]
        is_looser = _is_looser(key, value, given)
        if is_looser:
            return f"{_title(own)} has {key} {given}, which is looser than the parent's {value}"
    return ""


def _is_looser(key: str, above: object, own: object) -> bool | None:
    """None where undecidable."""
    if key == "severity":
        return severity_of(str(own)) < severity_of(str(above))
    if key == "values" and isinstance(above, list) and isinstance(own, list):
        return not {canonical(v) for v in own} <= {canonical(v) for v in above}
    if key == "pattern":
        return is_looser_pattern(str(above), str(own))
    before, after = number_of(above), number_of(own)
    if before is None or after is None:
        return None
    if key == "max" or key.startswith("max_"):
        return after > before
    return after < before if key == "min" or key.startswith("min_") else None


def _doubt(above: ComparableRule, own: ComparableRule) -> str:
    """Why it is undecidable; empty where it is not."""
    if above.kind == "text" or own.kind == "text":
        return ""
    if above.bounds and own.bounds and above.unit != own.unit and not own.is_zero:
        return f"{_title(own)} counts in {own.unit}, the parent's rule in {above.unit}"
    if not above.is_exact and above.what != own.what:
        return f"{_title(own)} is not the check of the parent"
    if above.kind == "sql" and above.what != own.what:
        return f"{_title(own)} asks another query than the parent"
    if above.pattern is not None and own.pattern is not None and is_looser_pattern(above.pattern, own.pattern) is None:
        return f"{_title(own)} has another pattern than the parent's rule"
    if above.kind == "library" and above.what != own.what:
        return f"{_title(own)} has other arguments than the parent's rule"
    unknown = [key for key in above.options if key in own.options and _is_unknown(key, above.options, own.options)]
    return f"{_title(own)} has another {unknown[0]} than the parent" if unknown else ""


def _is_unknown(key: str, above: Mapping[str, object], own: Mapping[str, object]) -> bool:
    return canonical(above[key]) != canonical(own[key]) and _is_looser(key, above[key], own[key]) is None


def _covers(above: ComparableRule, own: ComparableRule) -> bool:
    """Whether the child's rule can replace the parent's without loss."""
    if above.kind == "text":
        return above.what == own.what
    if not above.holes <= own.holes or set(above.options) - set(own.options):
        return False
    if above.bounds is None:
        return True
    bounds = own.bounds or Interval()
    has_low = above.counts_bad or above.bounds.low is None or bounds.low is not None
    return has_low and (above.bounds.high is None or bounds.high is not None)


def _inheriting(above: TreeNode, own: TreeNode) -> TreeNode:
    """The child's rule with inherited description, dimension and severity."""
    rest = {
        key: part
        for key, part in above.parts.items()
        if key not in own.parts
        and key not in (*OPERATORS, *_ARGUMENT_KEYS, "metric", "rule", "query", "engine", "implementation", "unit")
    }
    arguments = {key: above.parts[key] for key in _ARGUMENT_KEYS if key in above.parts and key not in own.parts}
    return own.with_({**rest, **arguments})


def _title(of: ComparableRule) -> str:
    if of.kind == "library":
        return of.what[0]
    return of.node.text("name") or of.node.text("id") or f"the {of.kind} rule"


def _rule_text(of: ComparableRule) -> str:
    limits = [f"{key} {of.node.plain(key)}" for key in OPERATORS if of.node.get(key)]
    return " ".join([*limits, of.unit if of.node.get("unit") else ""]).strip() or "0"


def _fix(above: ComparableRule) -> str:
    return f"Be as strict as the parent ({_rule_text(above)}), or leave the rule out to inherit it."
