"""The JSON that Spark's `TreeNode.toJSON` writes, as a tree.

A tree is a list of nodes in pre-order, each with its number of children. Expressions are such lists inside the fields
of plan nodes, and the plan of a subquery is such a list inside the `plan` field of an expression.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard


@dataclass(frozen=True, slots=True, eq=False)
class PlanNode:
    """A plan node or an expression. `kind` is the short name of its class."""

    kind: str
    fields: Mapping[str, Any]
    children: tuple[PlanNode, ...]

    def expression(self, field: str) -> PlanNode | None:
        found = self.fields.get(field)
        return tree_of(found) if is_tree(found) else None

    def expressions(self, field: str) -> tuple[PlanNode, ...]:
        found = self.fields.get(field)
        return tuple(tree_of(item) for item in found if is_tree(item)) if isinstance(found, list) else ()

    def text(self, field: str) -> str:
        found = self.fields.get(field)
        return found if isinstance(found, str) else ""


def parse_plan(plan: str | Sequence[Any]) -> PlanNode:
    """Raises ValueError where the text is not a tree of nodes."""
    nodes = json.loads(plan) if isinstance(plan, str) else plan
    if not is_tree(nodes):
        raise ValueError("the plan is not a list of nodes")
    return tree_of(nodes)


def is_tree(value: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "class" in value[0]


def tree_of(nodes: Sequence[Mapping[str, Any]]) -> PlanNode:
    # From the end: the children of a node are then the last trees finished. No recursion, plans may be very deep.
    finished: list[PlanNode] = []
    for fields in reversed(nodes):
        count = fields["num-children"]
        if count > len(finished):
            raise ValueError(f"{short_name(fields['class'])} lacks children")
        children = tuple(finished.pop() for _ in range(count))
        finished.append(PlanNode(short_name(fields["class"]), fields, children))
    if len(finished) != 1:
        raise ValueError(f"{len(finished)} trees where one is expected")
    return finished[0]


@lru_cache(maxsize=1024)
def short_name(java_class: str) -> str:
    return java_class.rstrip("$").rsplit(".", 1)[-1].rsplit("$", 1)[-1]


def id_of(expression: PlanNode, field: str = "exprId") -> int | None:
    found = expression.fields.get(field)
    return int(found["id"]) if isinstance(found, dict) and "id" in found else None


def object_name(value: object) -> str:
    """The name of a Scala object in a field, as in `{"object": "…plans.LeftSemi$"}`."""
    if isinstance(value, dict):
        return short_name(str(value.get("object") or value.get("product-class") or ""))
    return ""


def parts_of(qualifier: object) -> tuple[str, ...]:
    """`"[forge, core]"`, or a list."""
    if isinstance(qualifier, str):
        return tuple(part.strip() for part in qualifier.strip("[]").split(",") if part.strip())
    if isinstance(qualifier, list):
        return tuple(str(part) for part in qualifier)
    return ()
