"""The third phase: of every SELECT, what its sources compute moves into fragments, and the rest reads these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.federation.dialects.predicates import PredicateProver, ProvedPredicate, all_of, conjuncts
from forge.federation.planner.estimates import filtered_rows
from forge.federation.planner.fragments import FragmentList, Output, read_fragment
from forge.federation.planner.joins import Condition, FromItem, join_side, leaves_of, why_kept
from forge.federation.planner.stages import SourceScope, decide_unpushed, push_stages
from forge.federation.relation import Relation, RelationColumn
from forge.model.types import DataType

_FIXED_SIZE = ("boolean", "tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz", "double")

# Of a relation whose columns are all hidden, its rows alone.
_ONE = Output(exp.Literal.number(1), RelationColumn("one", DataType("int"), nullable=False))


@dataclass(frozen=True, slots=True)
class SourceLeaf:
    """A relation in FROM. `pushed`: the predicates that its source computes."""

    at: int
    alias: str
    relation: Relation
    node: exp.Table
    pushed: tuple[exp.Expr, ...] = ()

    @property
    def source(self) -> str:
        return self.relation.name.source

    def column(self, of: exp.Column) -> RelationColumn | None:
        """None of another table, and of a hidden column, which the source is never asked for."""
        if of.table != self.alias or of.name.lower() in self.relation.hidden:
            return None
        return self.relation.get(of.name)


def push_select(select: exp.Select, plan: FragmentList, pushdown: bool) -> None:
    """The tree is changed in place."""
    leaves = leaves_of(select)
    sources = [found for at, leaf in enumerate(leaves) if (found := _source_leaf(at, leaf, plan)) is not None]
    if pushdown:
        sources = [_push_filters(select, leaves, one, plan) for one in sources]
        if len(leaves) == len(sources) == 1:
            (leaf,) = sources
            rows = filtered_rows(leaf.relation, leaf.pushed)
            if push_stages(select, SourceScope(leaf.source, _scope(leaf), rows, leaf.column), plan):
                return
        elif sources:
            decide_unpushed(select, sources[0].source, "it needs rows of several sources", plan)
    for one in sources:
        _read_leaf(select, one, plan)


def _source_leaf(at: int, leaf: FromItem, plan: FragmentList) -> SourceLeaf | None:
    relation = plan.relation(leaf.node)
    if relation is None or not isinstance(leaf.node, exp.Table):
        return None
    return SourceLeaf(at, leaf.alias, relation, leaf.node)


def conditions_of(select: exp.Select) -> list[Condition]:
    """The parts of WHERE and of every ON."""
    where = select.args.get("where")
    found = [Condition(node, None) for node in conjuncts(where.this if where else None)]
    for at, join in enumerate(select.args.get("joins") or [], start=1):
        found += [Condition(node, at) for node in conjuncts(join.args.get("on"))]
    return found


def tables_of(node: exp.Expr) -> set[str]:
    return {column.table for column in node.find_all(exp.Column)}


def _push_filters(select: exp.Select, leaves: Sequence[FromItem], leaf: SourceLeaf, plan: FragmentList) -> SourceLeaf:
    sides = ("", *(join_side(one.join) for one in leaves if one.join is not None))
    prover = PredicateProver(plan.rules(leaf.source), leaf.column, plan.parameters)
    pushed: list[exp.Expr] = []
    for condition in conditions_of(select):
        if leaf.alias not in tables_of(condition.node):
            continue
        proved = _prove(condition, sides, leaf, prover)
        if isinstance(proved, str):
            if not _is_equi_join(condition.node):
                plan.decide("filter", condition.node, leaf.source, proved)
            continue
        plan.decide("filter", condition.node, leaf.source, proved.why, prefilter=not proved.exact)
        pushed.append(proved.node)
        if proved.exact and condition.at is None:
            _drop_from_where(select, condition.node)
    return replace(leaf, pushed=tuple(pushed))


def _prove(
    condition: Condition, sides: tuple[str, ...], leaf: SourceLeaf, prover: PredicateProver
) -> ProvedPredicate | str:
    if condition.node.find(exp.Query):
        return "a subquery is computed by the engine"
    if tables_of(condition.node) != {leaf.alias}:
        return "it needs columns of several tables"
    return why_kept(sides, leaf.at, condition) or prover.prove(condition.node)


def _is_equi_join(node: exp.Expr) -> bool:
    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)


def _drop_from_where(select: exp.Select, node: exp.Expr) -> None:
    kept = [one for one in conjuncts(select.args["where"].this) if one is not node]
    left = all_of(kept)
    select.set("where", exp.Where(this=left) if left is not None else None)


def _scope(leaf: SourceLeaf) -> exp.Select:
    """What the source is asked, without its columns."""
    scope = exp.Select()
    scope.set("from_", exp.From(this=leaf.node.copy()))
    condition = all_of([one.copy() for one in leaf.pushed])
    if condition is not None:
        scope.set("where", exp.Where(this=condition))
    return scope


def needed_columns(select: exp.Select, alias: str, relation: Relation) -> list[RelationColumn]:
    """In the order of the relation; too many where a subquery calls another table by the same alias."""
    names = {column.name.lower() for column in select.find_all(exp.Column) if column.table == alias}
    return [one for one in relation.columns if one.name.lower() in names]


def _read_leaf(select: exp.Select, leaf: SourceLeaf, plan: FragmentList) -> None:
    needed = needed_columns(select, leaf.alias, leaf.relation)
    hidden = tuple(replace(one, name=one.name.lower()) for one in needed if one.name.lower() in leaf.relation.hidden)
    read = [one for one in needed if one.name.lower() not in leaf.relation.hidden] or _smallest(leaf.relation)
    outputs = [Output(exp.column(one.name.lower(), table=leaf.alias, quoted=True), one) for one in read] or [_ONE]
    fragment = plan.add(_scope(leaf), outputs, filtered_rows(leaf.relation, leaf.pushed))
    names = [one.name.lower() for one in needed]
    leaf.node.replace(read_fragment(fragment, leaf.alias, hidden, names))


def _smallest(relation: Relation) -> list[RelationColumn]:
    """A column to count rows by, where the query needs none."""
    seen = [one for one in relation.columns if one.name.lower() not in relation.hidden]
    fixed = [one for one in seen if one.type.name in _FIXED_SIZE]
    return (fixed or seen)[:1]
