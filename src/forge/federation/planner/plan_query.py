"""The phases of planning, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from sqlglot import exp

from forge.federation.dialects.rules import LakeOrKind
from forge.federation.plan import Fragment, QueryPlan
from forge.federation.planner.estimates import filtered_rows, with_key_statistics
from forge.federation.planner.fragments import ONE, FragmentList, Output, read_fragment
from forge.federation.planner.key_filters import add_key_filters
from forge.federation.planner.local_names import LocalQuery, give_local_names
from forge.federation.planner.merge_virtual import merge_virtual
from forge.federation.planner.output_names import output_names, set_output_names
from forge.federation.planner.push import push_select
from forge.federation.planner.qualify import qualify_columns
from forge.federation.planner.row_filters import split_row_filter
from forge.federation.planner.source_table import from_where
from forge.federation.planner.splits import mark_splits
from forge.federation.planner.whole import as_whole
from forge.federation.relation import RelationName, SourceRelation
from forge.federation.row_limit import cut_fragment


def plan_query(
    tree: exp.Query,
    relations: Mapping[RelationName, SourceRelation],
    kinds: Mapping[str, LakeOrKind],
    *,
    sources: Collection[str],
    pushdown: bool = True,
    parameters: Mapping[str, object] | None = None,
) -> QueryPlan:
    """`relations`: by the names that `find_relations` gives. `parameters`: the values of `:name`; a predicate with one
    that is not there stays in the rest. E108: an unknown table or column."""
    relations = {name: with_key_statistics(one) for name, one in relations.items()}
    local = give_local_names(tree, relations, sources)
    plan = FragmentList(local, kinds, parameters or {})
    qualified = qualify_columns(local)
    if isinstance(qualified, str):
        rest = _read_whole_relations(local, plan, qualified)
    else:
        names = output_names(local, qualified)
        rest = qualified
        if pushdown:
            merge_virtual(rest, local.fresh)
        for select in list(rest.find_all(exp.Select)):
            push_select(select, plan, pushdown)
        set_output_names(rest, names)
    fragments = add_key_filters(plan.fragments, rest, kinds) if pushdown else tuple(plan.fragments)
    fragments = _with_delta(mark_splits(fragments, relations), relations)
    found = QueryPlan(tree.sql("spark"), fragments, rest, tuple(plan.decisions), tuple(plan.join_orders))
    return as_whole(cut_fragment(found), kinds) if pushdown else found


def _with_delta(
    fragments: Iterable[Fragment], relations: Mapping[RelationName, SourceRelation]
) -> tuple[Fragment, ...]:
    """Every engine reads the version that was described."""
    versions = {one.name: one.delta for one in relations.values()}
    return tuple(replace(one, delta=versions.get(one.relations[0])) for one in fragments)


def _read_whole_relations(local: LocalQuery, plan: FragmentList, why: str) -> exp.Query:
    """The query as it is written, over relations as they are."""
    rest = local.tree.copy()
    named = _named_columns(rest)
    for table in list(rest.find_all(exp.Table)):
        relation = plan.relation(table)
        if relation is None:
            continue
        plan.decide("filter", "WHERE", relation.name.source, why)
        columns = [one for one in relation.columns if named is None or one.name.lower() in named]
        seen = [one for one in columns if one.name.lower() not in relation.hidden]
        hidden = tuple(one for one in columns if one.name.lower() in relation.hidden)
        bare = exp.Table(this=table.this.copy(), alias=exp.TableAlias(this=table.args["alias"].this.copy()))
        own, residual = split_row_filter(relation, table.alias, plan.rules(relation.name.source))
        outputs = [Output(exp.column(one.name.lower(), table=table.alias, quoted=True), one) for one in seen]
        scope = from_where(bare, list(own))
        fragment = plan.add(scope, outputs or [ONE], filtered_rows(relation, own), residual)
        node = read_fragment(fragment, table.alias, hidden, [one.name for one in columns])
        node.set("alias", table.args["alias"].copy())  # with names of columns, if it has any
        for arg in ("joins", "laterals", "pivots", "sample"):
            if table.args.get(arg):
                node.set(arg, table.args[arg])
        table.replace(node)
    return rest


def _named_columns(tree: exp.Query) -> set[str] | None:
    """All names of the query, some of columns; None: a star, NATURAL or names by position need all
    columns."""
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return None
    if any(join.method for join in tree.find_all(exp.Join)):
        return None
    if any(alias.columns for alias in tree.find_all(exp.TableAlias)):
        return None
    return {name.name.lower() for name in tree.find_all(exp.Identifier)}
