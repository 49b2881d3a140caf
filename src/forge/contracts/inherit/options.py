"""Merges `logicalTypeOptions` of a child with its parent's: bounds, lengths, patterns, formats."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.compare.interval import Interval, number_of, range_of
from forge.contracts.pattern.inclusion import counterexample
from forge.contracts.pattern.syntax import UnsupportedPattern
from forge.contracts.tree import InheritanceFindings, TreeNode, data_of

_LOWER = ("minimum", "exclusiveMinimum")
_UPPER = ("maximum", "exclusiveMaximum")
_AT_LEAST = ("minLength", "minItems", "minProperties")
_AT_MOST = ("maxLength", "maxItems", "maxProperties")
_FIXED = ("timezone", "dimensions", "elementType", "distanceMetric")
_TEXT_LIKE = ("string", "")


def merge_options(
    parent: TreeNode, child: TreeNode, name: str, logical_type: str, findings: InheritanceFindings
) -> tuple[TreeNode, TreeNode | None]:
    """The stricter of each option, and the parent's pattern where it must apply in addition to the child's."""
    declared, kept = _options(child), _options(parent)
    for keys in (_LOWER, _UPPER):
        _merge_bound(parent, child, keys, name, logical_type, declared, kept, findings)
    pattern = None
    for key in [key for key in declared if key in kept and key not in (*_LOWER, *_UPPER)]:
        is_looser = _loosened(key, kept[key], declared[key], logical_type)
        if is_looser:
            _report_weaker(key, kept[key], declared[key], name, findings)
            del declared[key]
        elif is_looser is None:
            pattern = kept[key] if key == "pattern" else pattern
            findings.unclear(
                declared[key],
                f"{name}: nobody can tell whether {key} {_shown(declared[key])} is as strict as {_shown(kept[key])}",
                kept[key],
                "Check that everything it allows the parent allows, too; both will hold.",
            )
        elif key == "required":
            declared[key] = _union(kept[key], declared[key])
    return TreeNode(
        child.source, child.path, {**declared, **{k: n for k, n in kept.items() if k not in declared}}
    ), pattern


def _options(node: TreeNode) -> dict[str, TreeNode]:
    """Without malformed ones."""
    return {key: part for key, part in node.parts.items() if key == "required" or node.word(key)}


def _merge_bound(
    parent: TreeNode,
    child: TreeNode,
    keys: tuple[str, str],
    name: str,
    logical_type: str,
    declared: dict[str, TreeNode],
    kept: dict[str, TreeNode],
    findings: InheritanceFindings,
) -> None:
    """A bound has two spellings, so each end is compared as a whole. Removes the weaker ones."""
    if not any(key in kept for key in keys):
        return
    plain, exclusive = keys
    flag = declared.get(exclusive)
    if flag and isinstance(flag.value, bool) and plain not in declared and plain in kept:
        if flag.value is False and _flag(kept, exclusive):  # the bound of the parent without its exclusion
            _report_weaker(exclusive, kept[exclusive], flag, name, findings)
            del declared[exclusive]
        return
    stated = [declared[key] for key in keys if key in declared]
    if not stated:
        return
    above, own = (_end(part, keys, logical_type) for part in (kept, declared))
    if above is None or own is None or above.contains(own):
        for key in keys:
            kept.pop(key, None)
        return
    strongest = next(kept[key] for key in keys if key in kept and not isinstance(kept[key].value, bool))
    _report_weaker(stated[0].path[-1], strongest, stated[0], name, findings)
    for key in keys:
        declared.pop(key, None)


def _end(options: Mapping[str, TreeNode], keys: tuple[str, str], logical_type: str) -> Interval | None:
    found = {key: data_of(options[key]) for key in keys if key in options}
    return range_of(found, is_whole=logical_type == "integer")


def _flag(options: Mapping[str, TreeNode], key: str) -> bool:
    return key in options and options[key].value is True


def _loosened(key: str, parent: TreeNode, child: TreeNode, logical_type: str) -> bool | None:
    """None where it is undecidable."""
    above, own = data_of(parent), data_of(child)
    if above == own:
        return False
    if key in _AT_LEAST or key in _AT_MOST:
        before, after = number_of(above), number_of(own)
        if before is None or after is None:
            return False
        return after < before if key in _AT_LEAST else after > before
    match key:
        case "multipleOf":
            step, given = number_of(above), number_of(own)
            return bool(step and given) and (given or 0) % (step or 1) != 0
        case "uniqueItems" | "normalized":
            return above is True and own is not True
        case "required":
            return bool(_names(above) - _names(own))
        case "format":
            return _is_looser_format(str(above), str(own), logical_type)
        case "pattern":
            return isinstance(above, str) and isinstance(own, str) and is_looser_pattern(above, own)
    return key in _FIXED


def is_looser_pattern(above: str, own: str) -> bool | None:
    """None where it is undecidable."""
    try:
        return counterexample(own, above) is not None
    except UnsupportedPattern:
        return None


def _passing(above: object, own: object) -> str | None:
    """A text that only `own` accepts, for the message; None where the budget is spent."""
    try:
        return counterexample(str(own), str(above))
    except UnsupportedPattern:
        return None


def _is_looser_format(above: str, own: str, logical_type: str) -> bool:
    if logical_type == "integer":
        before, after = _whole_numbers(above), _whole_numbers(own)
        return before is not None and after is not None and not before.contains(after)
    if logical_type == "number":
        return (above.lower(), own.lower()) == ("f32", "f64")
    return logical_type in _TEXT_LIKE and above.lower() != own.lower()  # of a date it is how it is shown


def _whole_numbers(name: str) -> Interval | None:
    kind, bits = name[:1].lower(), name[1:]
    if kind not in "iu" or not bits.isdecimal() or len(bits) > 3:
        return None
    size = int(bits)
    low, high = (0, 2**size - 1) if kind == "u" else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)
    return Interval(number_of(low), number_of(high))


def _names(value: object) -> frozenset[str]:
    return (
        frozenset(each.lower() for each in value if isinstance(each, str)) if isinstance(value, list) else frozenset()
    )


def _union(parent: TreeNode, child: TreeNode) -> TreeNode:
    own = child.value if isinstance(child.value, list) else []
    known = {str(node.value).lower() for node in own}
    above = parent.value if isinstance(parent.value, list) else []
    return TreeNode(child.source, child.path, [*own, *(node for node in above if str(node.value).lower() not in known)])


def _shown(node: TreeNode) -> str:
    value = data_of(node)
    return f"'{value}'" if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _report_weaker(key: object, parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings) -> None:
    example = _passing(parent.value, child.value) if key == "pattern" else None
    passes = f": it lets '{example[:40]}' pass" if example is not None else ""
    findings.weaker(
        child,
        f"{name}: {key} {_shown(child)} is looser than the parent's {parent.path[-1]} {_shown(parent)}{passes}",
        parent,
        f"Write {parent.path[-1]}: {_shown(parent)} or stricter, or leave it out to inherit it.",
    )
