"""Column lineage of a DataFrame, from the JSON of its analysed plan.

    extract_plan(frame._jdf.queryExecution().analyzed().toJSON(), "marts.revenue", names)

The plan is walked bottom-up. Each node maps the expression ids of its input to those of its output: ids are not unique
in a plan, a UNION's output has the ids of its first branch. Plans of subqueries are inside the JSON of their
expressions.

The JSON doubles with every nested CASE; `extract_analysed` checks the depth before it asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forge.lineage.edge import Edge, Extraction, Gap, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.extract.flatten import arrivals, last_name
from forge.lineage.extract.spark.depth import DEEPEST, leaves_in, nesting, reads_unnamed, tables_in
from forge.lineage.extract.spark.expression import is_padding
from forge.lineage.extract.spark.node import HANDLERS, PlanRelation, unknown
from forge.lineage.extract.spark.tree import PlanNode, id_of, parse_plan, parts_of, tree_of
from forge.lineage.extract.spark.write import WRITES, without_carried_over, without_update
from forge.lineage.extract.value import ColumnValue, Sources, SourceTrace, union
from forge.model.names import ColumnName

Names = Callable[[str], str] | Mapping[str, str]

VIEW_ALIAS = "forge_view__"
"""An alias that begins so marks the text of a view, expanded in place; `names` says which view."""

_SELECTOR = re.compile(r"(branch|tag|snapshot_id|at_timestamp)_.+")


@dataclass(frozen=True, slots=True)
class PlanHints:
    """What the JSON of a plan lacks. `external`: name of relations without one: files, JDBC. `leaves`: names of such
    relations by the expression id of their first column; used as they are, without `names`. `views`: stop at
    catalog views instead of expanding them. `columns`: of the target, if they differ from those of the query."""

    external: str | None = None
    leaves: Mapping[int, str] = field(default_factory=dict)
    views: bool = False
    columns: tuple[str, ...] = ()


_NOTHING = PlanHints()


def extract_plan(
    plan_json: str | Sequence[Any], target: str, names: Names, around: PlanHints = _NOTHING, *, plan_text: str = ""
) -> Extraction:
    """Edges into `target`. `names` maps catalog names (`forge.core.orders`) to the names of tables; for one it does
    not know, the leading `forge.` and Iceberg's `.branch_…` are dropped. `plan_text` fills in what the JSON leaves out
    (see `spark_expand`). Nothing in a plan makes this fail: what is not understood is a gap."""
    try:
        root = parse_plan(plan_json)
    except (ValueError, KeyError, TypeError) as error:
        return Extraction(gaps=(Gap(target, 0, f"Spark's plan could not be read: {error}"),))
    walk = PlanWalk(names, around, plan_text)
    output = walk.relation(without_update(root)).output()
    columns = around.columns or tuple(name for name, _ in output)
    edges = [
        Edge(
            source=source,
            target=into,
            transformation=t.transformation,
            expression=t.expression or last_name(source),
            masking=t.masking,
            confidence=t.confidence,
        )
        for name, (_, value) in zip(columns, output, strict=False)
        for into, source, t in arrivals(ColumnName(target, name), value)
    ]
    facts = walk.facts
    return Extraction(
        tuple(sorted(without_carried_over(root, edges))),
        tuple(sorted(IndirectEdge(source, target, how) for source, how in facts.shaped)),
        tuple(sorted(TableEdge(table, target) for table in facts.tables)),
        tuple(Gap(target, 0, reason) for reason in facts.gaps),
    )


def extract_analysed(
    plan_text: str, plan_json: Callable[[], str], target: str, names: Names, around: PlanHints = _NOTHING
) -> Extraction:
    """`extract_plan`, unless the plan's text shows that its JSON would fill the driver's memory: then the tables only,
    and a gap. The text must name all columns: `plan.treeString(False, False, 100_000, False, False)`."""
    depth = nesting(plan_text)
    if depth <= DEEPEST:
        return extract_plan(plan_json(), target, names, around, plan_text=plan_text)
    tables = {table_name(name, names) for name in tables_in(plan_text)} | set(around.leaves.values())
    if around.external and reads_unnamed(plan_text):
        tables.add(around.external)
    reason = f"conditions are nested {depth} deep (at most {DEEPEST} are read); only the tables are linked"
    return Extraction(
        table_edges=tuple(TableEdge(table, target) for table in sorted(tables)), gaps=(Gap(target, 0, reason),)
    )


def table_name(catalog_name: str, names: Names) -> str:
    known = names(catalog_name) if callable(names) else names.get(catalog_name)
    if known:
        return known
    parts = catalog_name.removeprefix("forge.").split(".")
    if len(parts) > 2 and _SELECTOR.fullmatch(parts[-1]):
        parts.pop()
        return table_name("forge." + ".".join(parts), names)
    return ".".join(parts)


class PlanFacts:
    """Everything besides columns. Separate per CTE, so that an unused one leaves nothing."""

    def __init__(self) -> None:
        self.shaped: set[tuple[ColumnName, IndirectType]] = set()
        self.tables: set[str] = set()
        self.gaps: dict[str, None] = {}

    def include(self, other: PlanFacts) -> None:
        self.shaped |= other.shaped
        self.tables |= other.tables
        self.gaps.update(other.gaps)


class PlanWalk:
    """One walk over one plan. Recursive only into subqueries, so that the depth of a plan does not matter."""

    def __init__(self, names: Names, known: PlanHints, text: str) -> None:
        self.names = names
        self.known = known
        self.text = text
        self._leaves = leaves_in(text)
        self._facts = [PlanFacts()]
        self._around: list[Mapping[int, ColumnValue]] = []  # the columns around each subquery being walked, inner last
        self._ctes: dict[int, tuple[PlanRelation, PlanFacts]] = {}
        self._loops: dict[int, tuple[ColumnValue, ...]] = {}

    @property
    def facts(self) -> PlanFacts:
        return self._facts[-1]

    def relation(self, root: PlanNode) -> PlanRelation:
        waiting: list[tuple[PlanNode, PlanNode | None, bool]] = [(root, None, False)]
        finished: list[PlanRelation] = []
        while waiting:
            node, parent, is_open = waiting.pop()
            if node.kind == "UnionLoop":
                finished.append(self._loop(node))
            elif is_open or not node.children:
                first = len(finished) - len(node.children)
                children = finished[first:]
                del finished[first:]
                finished.append(self._close(node, parent, children))
            else:
                if node.kind == "CTERelationDef" or self._view(node) is not None:
                    self._facts.append(PlanFacts())
                waiting.append((node, parent, True))
                above = parent if parent is not None and _pads(node) else node
                waiting.extend((child, above, False) for child in reversed(node.children))
        return finished[0]

    def _close(self, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
        match node.kind:
            case "CTERelationDef":
                self._ctes[node.fields["id"]] = (children[0], self._facts.pop())
                return children[0]
            case "SubqueryAlias" if (view := self._view(node)) is not None:
                return self._read_view(view, children[0])
            case "CTERelationRef":
                return self._cte(node)
            case "UnionLoopRef":
                return PlanRelation.by_position(node.expressions("output"), self._loops.get(node.fields["loopId"], ()))
        handler = HANDLERS.get(node.kind) or WRITES.get(node.kind) or unknown
        return handler(self, node, parent, children)

    def _view(self, node: PlanNode) -> str | None:
        """The name of the view that is expanded below this node."""
        if node.kind != "SubqueryAlias":
            return None
        identifier = node.fields.get("identifier") or {}
        alias = str(identifier.get("name", ""))
        if alias.startswith(VIEW_ALIAS):
            return table_name(alias, self.names)
        qualifier = parts_of(identifier.get("qualifier"))
        is_view = self.known.views and qualifier not in ((), ("global_temp",)) and node.children[0].kind == "View"
        return table_name(".".join((*qualifier, alias)), self.names) if is_view else None

    def _read_view(self, view: str, inside: PlanRelation) -> PlanRelation:
        """A view is where the walk ends: what it is made of are its own edges, recorded when it was published."""
        self._facts.pop()
        self.facts.tables.add(view)
        values = {
            number: ColumnValue({ColumnName(view, name): SourceTrace(Transformation.IDENTITY, name)})
            for number, name in inside.columns
        }
        return PlanRelation(inside.columns, values)

    def _cte(self, node: PlanNode) -> PlanRelation:
        attributes = node.expressions("output")
        known = self._ctes.get(node.fields["cteId"])
        if known is None:
            self.gap(f"the definition of CTE {node.fields['cteId']} is not in the plan")
            return PlanRelation.by_position(attributes, ())
        relation, facts = known
        self.facts.include(facts)
        return PlanRelation.by_position(attributes, tuple(value for _, value in relation.output()))

    def _loop(self, node: PlanNode) -> PlanRelation:
        """WITH RECURSIVE: the rows of each round come from the round before, so repeat until nothing is added."""
        anchor = self.relation(node.children[0])
        named = anchor.output()
        values = tuple(value for _, value in named)
        for _ in range(len(values) + 2):
            self._loops[node.fields["id"]] = values
            again = self.relation(node.children[1]).output()
            grown = tuple(union(pair) for pair in zip(values, (value for _, value in again), strict=False))
            settled = all(old.sources == new.sources for old, new in zip(values, grown, strict=True))
            values = grown
            if settled:
                break
        ids = [int(found["id"]) for found in node.fields["outputAttrIds"]]
        return PlanRelation(
            tuple(zip(ids, (name for name, _ in named), strict=False)), dict(zip(ids, values, strict=False))
        )

    # what expressions ask for

    def outer(self, expression_id: int) -> ColumnValue | None:
        return next((found for c in reversed(self._around) if (found := c.get(expression_id)) is not None), None)

    def subquery(self, plan: Sequence[Any], columns: Mapping[int, ColumnValue]) -> tuple[ColumnValue, ...]:
        return tuple(value for _, value in self.lateral(plan, columns).output())

    def lateral(self, plan: Sequence[Any], columns: Mapping[int, ColumnValue]) -> PlanRelation:
        self._around.append(columns)
        try:
            return self.relation(tree_of(plan))
        finally:
            self._around.pop()

    def shaped_by(self, sources: Sources, how: IndirectType) -> None:
        self.facts.shaped.update((source, how) for source in sources)

    def gap(self, reason: str) -> None:
        self.facts.gaps[reason] = None

    # what relations ask for

    def is_named(self, leaf: PlanNode) -> bool:
        attributes = leaf.expressions("output")
        return bool(attributes) and id_of(attributes[0]) in self.known.leaves

    def table(self, catalog_name: str | None, kind: str, first: int | None) -> str | None:
        """`first`: the expression id of its first column."""
        name = self.known.leaves.get(first) if first is not None and not catalog_name else None
        if name is None:
            catalog_name = catalog_name or (self._leaves.get(first) if first is not None else None)
            name = table_name(catalog_name, self.names) if catalog_name else self.known.external
        if name is None:
            self.gap(f"{kind} has no name in the plan; read tables with spark.table(…) or in SQL")
            return None
        self.facts.tables.add(name)
        return name


def _pads(node: PlanNode) -> bool:
    """The projection that Spark puts between a table with CHAR columns and its name."""
    if node.kind != "Project" or len(node.children) != 1 or node.children[0].children:
        return False
    waiting = list(node.expressions("projectList"))
    while waiting:
        one = waiting.pop()
        if is_padding(one):
            return True
        waiting.extend(one.children)
    return False
