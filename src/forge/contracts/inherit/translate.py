"""Converts a parent to its child's version of the standard, so that the effective contract is valid in it."""

from __future__ import annotations

from forge.contracts.compare.quality_rule import ARGUMENTS, METRICS, OPERATORS, arguments_of, kind_of, metric_of
from forge.contracts.contract import LOGICAL_TYPES
from forge.contracts.inherit.column import STAND_INS, invalid_values_rule
from forge.contracts.linter.standard_schema import GRAMMARS
from forge.contracts.tree import TreeNode, data_of, placed

_OLD = "3.0.2"
_LIBRARY = frozenset(METRICS.values())
_BOUNDS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))


def translated(contract: TreeNode) -> TreeNode:
    """Unchanged where both versions share a grammar."""
    source = contract.source
    if GRAMMARS.get(source.api_version) == GRAMMARS.get(source.target) or source.target not in GRAMMARS:
        return contract
    changes: dict[str, TreeNode | None] = {}
    if team := contract.get("team"):
        changes["team"] = _team(team)
    if schema := contract.get("schema"):
        changes["schema"] = TreeNode(schema.source, schema.path, [_table(each) for each in contract.items("schema")])
    return contract.with_(changes)


def _is_old(node: TreeNode) -> bool:
    return GRAMMARS.get(node.source.target) == _OLD


def _table(table: TreeNode) -> TreeNode:
    changes: dict[str, TreeNode | None] = {}
    if properties := table.get("properties"):
        changes["properties"] = _properties(properties)
    if rules := _rules(table):
        changes["quality"] = table.listing("quality", rules)
    return table.with_(changes)


def _properties(properties: TreeNode) -> TreeNode:
    items = properties.value if isinstance(properties.value, list) else []
    return TreeNode(properties.source, properties.path, [_property(each) for each in items])


def _property(column: TreeNode) -> TreeNode:
    changes: dict[str, TreeNode | None] = {}
    rules = _rules(column)
    types = LOGICAL_TYPES.get(column.source.target, ())
    written = column.text("logicalType")
    if written in STAND_INS and written not in types:
        changes["logicalType"] = column.leaf("logicalType", STAND_INS[written][0])
        changes["map"] = None
    if options := column.get("logicalTypeOptions"):
        changes["logicalTypeOptions"] = _options(options)
    if (enum := column.get("enum")) and "map" not in types:  # both are new in v3.2
        changes["enum"] = None
        rules.append(invalid_values_rule(enum, "validValues", _values(enum)))
    if rules:
        changes["quality"] = column.listing("quality", rules)
    if nested := column.get("properties"):
        changes["properties"] = _properties(nested)
    if item := column.get("items"):
        changes["items"] = _property(item)
    if (entry := column.get("map")) and "map" not in changes:
        changes["map"] = entry.with_({key: _property(part) for key, part in entry.parts.items()})
    return column.with_(changes)


def _values(enum: TreeNode) -> list[object]:
    items = enum.value if isinstance(enum.value, list) else []
    return [item.plain("value") if isinstance(item.value, dict) else data_of(item) for item in items]


def _options(options: TreeNode) -> TreeNode:
    """Before v3.1 an exclusive bound is a flag of the plain one. A vector's dimensions are an array's length."""
    changes: dict[str, TreeNode | None] = {}
    for plain, exclusive in _BOUNDS:
        bound, flag = options.get(plain), options.get(exclusive)
        if flag is None:
            continue
        if isinstance(flag.value, bool):
            if not _is_old(options):
                changes[exclusive] = bound if flag.value else None
                changes[plain] = None if flag.value else bound
        elif _is_old(options):
            changes |= _flagged(plain, exclusive, bound, flag)
    dimensions = options.get("dimensions")
    if dimensions and "vector" not in LOGICAL_TYPES.get(options.source.target, ()):
        changes |= {"dimensions": None, "minItems": dimensions, "maxItems": dimensions}
    return options.with_(changes)


def _flagged(plain: str, exclusive: str, bound: TreeNode | None, limit: TreeNode) -> dict[str, TreeNode | None]:
    if bound is not None and _is_stricter(bound.value, limit.value, lower=plain == "minimum"):
        return {exclusive: None}
    return {plain: limit, exclusive: TreeNode(limit.source, limit.path, True)}


def _is_stricter(bound: object, limit: object, *, lower: bool) -> bool:
    if isinstance(bound, int | float) and isinstance(limit, int | float):
        return bound > limit if lower else bound < limit
    return str(bound) > str(limit) if lower else str(bound) < str(limit)


def _rules(around: TreeNode) -> list[TreeNode]:
    return [rule for each in around.items("quality") for rule in _rule(each)]


def _rule(rule: TreeNode) -> list[TreeNode]:
    """v3.0 names the metric `rule`, has its arguments next to it and allows more than one operator, or none."""
    kind = kind_of(rule)
    if _is_old(rule):
        if kind == "library" and rule.get("metric"):
            return [rule.with_({"rule": rule.get("metric"), "metric": None})]
        return [rule]
    if kind == "library" and metric_of(rule) not in _LIBRARY:
        return [_as_text(rule)]
    operators = [each for each in OPERATORS if rule.get(each)]
    changes: dict[str, TreeNode | None] = {}
    if kind == "library":
        arguments = arguments_of(rule)
        changes = dict.fromkeys(("rule", *ARGUMENTS))
        changes |= {"type": rule.leaf("type", "library"), "metric": rule.leaf("metric", metric_of(rule))}
        changes["arguments"] = placed(rule, arguments) if arguments else None
    if kind not in ("library", "sql"):
        return [rule]
    if not operators:
        return [rule.with_({**changes, "mustBe": rule.leaf("mustBe", 0)})] if kind == "library" else [_as_text(rule)]
    single = [rule.with_({**changes, **{o: None for o in operators if o != each}}) for each in operators]
    return [single[0], *(each.with_({"id": None}) for each in single[1:])]


def _as_text(rule: TreeNode) -> TreeNode:
    """A rule that the other version cannot express becomes a text rule."""
    description = rule.text("description") or f"{rule.text('rule') or rule.text('query')}, as {rule.where} demands"
    name = rule.get("name")
    text = placed(rule, {"type": "text", "description": description})
    return text.with_({"name": name}) if name else text


def _team(team: TreeNode) -> TreeNode:
    """A list of people before v3.1; since then an object with name and members."""
    if isinstance(team.value, list):
        if _is_old(team):
            return team
        members = [_member(each) for each in team.value if isinstance(each.value, dict)]
        return TreeNode(team.source, team.path, {"members": TreeNode(team.source, team.path, members)})
    if not _is_old(team):
        return team
    members = list(team.items("members"))
    name = team.get("name")
    if name and not any(each.text("role").lower() == "owner" for each in members):
        members.append(placed(name, {"username": name.value, "name": name.value, "role": "owner"}))
    return TreeNode(team.source, team.path, members)


def _member(person: TreeNode) -> TreeNode:
    name = person.get("username") or person.get("name")
    return person.with_({"username": name}) if name else person
