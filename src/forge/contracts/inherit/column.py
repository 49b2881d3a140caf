"""Merges a column, or a nested property, of a child with its parent's."""

from __future__ import annotations

from collections.abc import Callable, Collection

from forge.contracts.classification import merge_classification
from forge.contracts.compare.quality_rule import canonical, rule_of
from forge.contracts.contract import LOGICAL_TYPES
from forge.contracts.inherit.options import merge_options
from forge.contracts.inherit.quality import merge_quality
from forge.contracts.tree import InheritanceFindings, TreeNode, data_of, placed
from forge.model.types import DataType, parse_type, same_type

MergeList = Callable[[TreeNode, TreeNode], TreeNode]

# Stand-ins for types that a version of the standard does not have yet.
STAND_INS = {"timestamp": ("date", "string"), "time": ("date", "string"), "map": ("object",), "vector": ("array",)}


def merge_property(
    parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings, *, is_demanded: bool = False
) -> TreeNode:
    """The stricter of both for every key; `name` is the column in messages. `is_demanded`: the enclosing object
    requires it by its options."""
    if parent.data == child.data:
        return child
    changes: dict[str, TreeNode | None] = {}
    for key, part in parent.parts.items():
        own = child.get(key)
        if own is None:
            changes[key] = part
        elif key in _MERGERS:
            changes[key] = _MERGERS[key](part, own)
    _flags(parent, child, name, findings, is_demanded, changes)
    _types(parent, child, name, findings, changes)
    _renamed(parent, child, name, findings, changes)
    kind = parent.text("logicalType") or child.text("logicalType")
    if (before := parent.word("classification")) and (after := child.word("classification")):
        changes["classification"] = merge_classification(before, after, name, findings)
    rules = list(_rules(parent, child, name, findings))
    if (before := parent.get("logicalTypeOptions")) and (after := child.get("logicalTypeOptions")):
        changes["logicalTypeOptions"], pattern = merge_options(before, after, name, kind.lower(), findings)
        rule = _pattern_rule(pattern) if pattern else None
        rules += [rule] if rule and data_of(rule) not in [data_of(each) for each in rules] else []
    if (before := parent.get("enum")) and (after := child.get("enum")):
        changes["enum"] = _merge_enum(before, after, name, findings)
    elif after := child.get("enum"):
        changes["enum"] = _enum_against_rules(parent, after, name, findings)
    elif before := parent.get("enum"):
        rules = _rules_against_enum(before, child, rules, name, findings)
    changes["quality"] = child.listing("quality", rules) if rules else None
    _nested(parent, child, name, findings, changes)
    return child.with_(changes)


def merge_named(parent: TreeNode, child: TreeNode, key: str) -> TreeNode:
    """Merges lists of entries named by `key`: the child's entry wins, the others are inherited."""
    own = child.value if isinstance(child.value, list) else []
    names = {_name_of(item, key) for item in own}
    above = parent.value if isinstance(parent.value, list) else []
    return TreeNode(child.source, child.path, [*own, *(item for item in above if _name_of(item, key) not in names)])


def _name_of(item: TreeNode, key: str) -> str:
    found = item.text(key) if isinstance(item.value, dict) else ""
    return found.lower() or canonical(data_of(item)).lower()


_MERGERS: dict[str, MergeList] = {
    "tags": lambda parent, child: merge_named(parent, child, ""),
    "customProperties": lambda parent, child: merge_named(parent, child, "property"),
    "authoritativeDefinitions": lambda parent, child: merge_named(parent, child, "url"),
    "relationships": lambda parent, child: merge_named(parent, child, ""),
    "synonyms": lambda parent, child: merge_named(parent, child, "synonym"),
}


def _flags(
    parent: TreeNode,
    child: TreeNode,
    name: str,
    findings: InheritanceFindings,
    is_demanded: bool,
    changes: dict[str, TreeNode | None],
) -> None:
    """required, unique, primaryKey: true stays true. A key is never empty, so `required: false` does not weaken one;
    comparison of versions agrees."""
    is_key = any(
        node is not None and node.value is True for node in (parent.get("primaryKey"), child.get("primaryKey"))
    )
    for flag in ("required", "unique", "primaryKey"):
        inherited, own = parent.get(flag), child.get(flag)
        is_asked = (inherited is not None and inherited.value is True) or (flag == "required" and is_demanded)
        if not is_asked or own is None or own.value is not False:
            continue
        if flag == "required" and is_key:
            changes[flag] = inherited if inherited and inherited.value is True else parent.leaf(flag, True)
            continue
        findings.weaker(
            own,
            f"{name}: {flag} is false, the parent demands it",
            inherited if inherited and inherited.value is True else parent,
            f"Write {flag}: true, or leave it out to inherit it.",
        )
        changes[flag] = inherited if inherited and inherited.value is True else parent.leaf(flag, True)


def _rules(parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings) -> tuple[TreeNode, ...]:
    """A rule that tolerates some nulls or duplicates is weaker than `required` and `unique`, unless the parent has such
    a rule itself."""
    merged = merge_quality(parent, child, name, child.text("name"), findings)
    for flag, metric in (("required", "nullValues"), ("unique", "duplicateValues")):
        inherited = parent.get(flag)
        if (
            inherited is None
            or inherited.value is not True
            or any(_is_lenient(node, metric) for node in parent.items("quality"))
        ):
            continue
        for node in child.items("quality"):
            if _is_lenient(node, metric):
                findings.weaker(
                    node,
                    f"{name}: the rule lets some {metric} pass, the parent says {flag}: true",
                    inherited,
                    "Allow none (mustBe: 0), or take the rule out.",
                )
                merged = tuple(each for each in merged if each is not node)
    return merged


def _is_lenient(node: TreeNode, metric: str) -> bool:
    rule = rule_of(node, "")
    high = rule.bounds.high if rule.bounds else None
    return rule.what[0] == metric and high is not None and high != 0


def _types(
    parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings, changes: dict[str, TreeNode | None]
) -> None:
    before, after = parent.word("logicalType"), child.word("logicalType")
    if before and after and not _fits_logical(before, after):
        _type_changed(before, after, name, findings)
        changes["logicalType"] = before
    before, after = parent.word("physicalType"), child.word("physicalType")
    if before and after and not _fits_physical(str(before.value), str(after.value)):
        _type_changed(before, after, name, findings)
        changes["physicalType"] = before
    before, after = parent.word("semanticType"), child.word("semanticType")
    if after and after.value == "measure" and (before is None or before.value != "measure"):
        findings.weaker(after, f"{name}: is a column of the parent, not a measure", parent, "Keep it a column.")
        changes["semanticType"] = before


def _type_changed(before: TreeNode, after: TreeNode, name: str, findings: InheritanceFindings) -> None:
    findings.weaker(
        after,
        f"{name}: the {after.path[-1]} is {after.value}, the parent says {before.value}",
        before,
        f"Write {after.path[-1]}: {before.value}, or leave it out to inherit it.",
    )


def _fits_logical(parent: TreeNode, child: TreeNode) -> bool:
    """A type missing in one of the versions is replaced by another."""
    before, after = _written(parent).lower(), _written(child).lower()
    if before == after:
        return True
    known = {name: LOGICAL_TYPES.get(node.source.api_version, ()) for name, node in (("above", parent), ("own", child))}
    if before not in known["own"] and after in STAND_INS.get(before, ()):
        return True
    return after not in known["above"] and before in STAND_INS.get(after, ())


def _written(node: TreeNode) -> str:
    """The type as in its own file; the merged contract may have a stand-in."""
    found: object = node.source.document.data
    for step in node.path:
        if isinstance(found, dict) and isinstance(step, str):
            found = found.get(step)
        elif isinstance(found, list) and isinstance(step, int) and step < len(found):
            found = found[step]
    return found if isinstance(found, str) else str(node.value)


def _fits_physical(before: str, after: str) -> bool:
    """Equal up to spelling; database-specific types are compared literally."""
    return _has_all(parse_type(before), parse_type(after))


def _has_all(above: DataType, own: DataType) -> bool:
    """The same type; a struct may have more fields, as a table may have more columns."""
    if above.name != own.name or not above.is_nested:
        return same_type(above, own)
    pairs = [(field.type, own.get(field.name)) for field in above.fields]
    return all(found is not None and _has_all(before, found.type) for before, found in pairs)


def _renamed(
    parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings, changes: dict[str, TreeNode | None]
) -> None:
    """Matched by id, the column has another name: readers of the parent's name break."""
    before, after = parent.word("name"), child.word("name")
    if not before or not after or str(before.value).lower() == str(after.value).lower():
        return
    column = child.text("physicalName") or parent.text("physicalName")
    if column and column.lower() == (parent.text("physicalName") or str(before.value)).lower():
        return
    findings.weaker(
        after,
        f"{name}: has the id of the parent's column {before.value} and another name",
        before,
        f"Call it {before.value}, or give the new column an id of its own.",
    )
    changes["name"] = before


def _merge_enum(parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings) -> TreeNode:
    allowed = _enum_values(parent)
    extra = [node for key, node in _enum_values(child).items() if key not in allowed]
    if not extra:
        return child
    _values_added(parent, extra, name, findings)
    kept = [node for key, node in _enum_values(child).items() if key in allowed]
    return TreeNode(child.source, child.path, kept) if kept else parent


def _enum_against_rules(parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings) -> TreeNode | None:
    """Before v3.2 allowed values are a quality rule."""
    for node in parent.items("quality"):
        rule = rule_of(node, parent.text("name"))
        if rule.what[0] != "invalidValues" or rule.values is None or not rule.is_zero:
            continue
        values = _enum_values(child)
        extra = [item for key, item in values.items() if key not in rule.values]
        if extra:
            _values_added(node, extra, name, findings)
            kept = [item for key, item in values.items() if key in rule.values]
            return TreeNode(child.source, child.path, kept) if kept else None
    return child


def _rules_against_enum(
    parent: TreeNode, child: TreeNode, rules: list[TreeNode], name: str, findings: InheritanceFindings
) -> list[TreeNode]:
    allowed = _enum_values(parent)
    for node in child.items("quality"):
        rule = rule_of(node, child.text("name"))
        if rule.what[0] == "invalidValues" and rule.values and not rule.values <= set(allowed):
            extra = sorted(rule.values - set(allowed))
            _values_added(parent, [TreeNode(node.source, node.path, value) for value in extra], name, findings)
            rules = [each for each in rules if each is not node]
    return rules


def _values_added(parent: TreeNode, extra: list[TreeNode], name: str, findings: InheritanceFindings) -> None:
    shown = ", ".join(str(_value_of(node)) for node in extra[:3]) + (", …" if len(extra) > 3 else "")
    findings.weaker(
        extra[0],
        f"{name}: allows {shown}, which the parent does not",
        parent,
        "Take it out; a child may allow fewer values, not more.",
    )


def _enum_values(node: TreeNode) -> dict[str, TreeNode]:
    items = node.value if isinstance(node.value, list) else []
    return {canonical(_value_of(item)): item for item in items}


def _value_of(item: TreeNode) -> object:
    return item.plain("value") if isinstance(item.value, dict) else data_of(item)


def _pattern_rule(pattern: TreeNode) -> TreeNode:
    """The parent's pattern as a rule, so that it applies in addition to the child's."""
    return invalid_values_rule(pattern, "pattern", pattern.value)


def invalid_values_rule(at: TreeNode, argument: str, value: object) -> TreeNode:
    """A library rule in the effective contract's version, at the place of `at`."""
    rule: dict[str, object] = {"type": "library", "mustBe": 0}
    if at.source.target.startswith("v3.0"):
        rule |= {"rule": "validValues" if argument == "validValues" else "invalidValues"}
        rule |= {argument: value} if argument == "validValues" else {"arguments": {argument: value}}
    else:
        rule |= {"metric": "invalidValues", "arguments": {argument: value}}
    return placed(at, rule)


def _nested(
    parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings, changes: dict[str, TreeNode | None]
) -> None:
    before, after = parent.get("properties"), child.get("properties")
    if before and after:
        options = parent.get("logicalTypeOptions")
        listed = options.plain("required") if options else None
        demanded = [str(each).lower() for each in listed] if isinstance(listed, list) else []
        changes["properties"] = merge_properties(before, after, name, findings, demanded)
    before, after = parent.get("items"), child.get("items")
    if before and after:
        changes["items"] = merge_property(before, after, f"{name}[]", findings)
    before, after = parent.get("map"), child.get("map")
    if before and after:
        changes["map"] = after.with_({key: _entry(before, after, key, name, findings) for key in ("key", "value")})


def _entry(before: TreeNode, after: TreeNode, key: str, name: str, findings: InheritanceFindings) -> TreeNode | None:
    above, own = before.get(key), after.get(key)
    return merge_property(above, own, f"{name}.{key}", findings) if above and own else own or above


def merge_properties(
    parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings, demanded: Collection[str] = ()
) -> TreeNode:
    """Columns by name, case-insensitive; then by id. The child's order, then inherited ones."""
    above = list(parent.value) if isinstance(parent.value, list) else []
    own = list(child.value) if isinstance(child.value, list) else []
    pairs = paired(above, own)
    merged = []
    for node in own:
        other = pairs.get(id(node))
        if other is None:
            merged.append(node)
            continue
        is_demanded = other.text("name").lower() in demanded
        merged.append(merge_property(other, node, f"{name}.{node.text('name')}", findings, is_demanded=is_demanded))
    taken = {id(node) for node in pairs.values()}
    return TreeNode(child.source, child.path, [*merged, *(node for node in above if id(node) not in taken)])


_KEYS: tuple[Callable[[TreeNode], str], ...] = (
    lambda node: node.text("name").lower(),
    lambda node: (node.text("physicalName") or node.text("name")).lower(),
    lambda node: node.text("id").lower(),
)


def paired(above: list[TreeNode], own: list[TreeNode]) -> dict[int, TreeNode]:
    """The parent's entry for each of the child's (by identity): same name, else physical name, else id."""
    pairs: dict[int, TreeNode] = {}
    taken: set[int] = set()
    for names_of in _KEYS:
        known = {name: node for node in reversed(above) if id(node) not in taken and (name := names_of(node))}
        for node in own:
            name = names_of(node)
            found = known.get(name) if name and id(node) not in pairs else None
            if found is not None and id(found) not in taken:
                pairs[id(node)] = found
                taken.add(id(found))
    return pairs
