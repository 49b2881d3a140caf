"""A plan for people: as a tree of nodes, and as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from forge.federation.dialects.render import render
from forge.federation.dialects.rules import LakeOrKind
from forge.federation.plan import Fragment, PushDecision, QueryPlan, Scan, ScanFilter, SourceQuery
from forge.federation.planner.joins import conditions_of, from_items_of
from forge.federation.planner.row_filters import without_row_filters
from forge.federation.planner.splits import SPLIT_ROWS
from forge.federation.source import ConnectorKind


def explain(
    plan: QueryPlan,
    kinds: Mapping[str, LakeOrKind],
    *,
    parameters: Mapping[str, object] | None = None,
    executor: str = "",
    why_executor: str = "",
    rows_read: Mapping[str, int] | None = None,
    unavailable: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """`nodes`: the tree, its root the result; `sources`: what each is asked, without bound values and row
    filters; `decisions`: each part of the query, pushed or why not. `rows_read`: by fragment, once it has run.
    `unavailable`: why a source cannot be reached; its nodes say so."""
    read = rows_read or {}
    found: dict[str, object] = {
        "sql": plan.text,
        "whole": plan.whole,
        "nodes": _nodes(plan, read),
        "sources": [_source(one, kinds[one.source], parameters or {}, read) for one in plan.fragments],
        "rest": plan.rest.sql("spark"),
        "decisions": [one.to_dict() for one in plan.decisions],
        "join_orders": [one.to_dict() for one in plan.join_orders],
    }
    if executor:
        found["executor"] = {"name": executor, "why": why_executor}
    if unavailable:
        _mark(found, unavailable)
    return found


def _mark(node: object, unavailable: Mapping[str, str]) -> None:
    """Wherever something is asked of a source that cannot be reached, why."""
    if isinstance(node, list):
        for one in node:
            _mark(one, unavailable)
    elif isinstance(node, dict):
        if "fragment" in node and node.get("source") in unavailable:
            node["unavailable"] = unavailable[node["source"]]
        for key in ("nodes", "sources", "children"):
            _mark(node.get(key), unavailable)


def explain_text(explained: Mapping[str, object]) -> str:
    """The same as lines: the tree, what each source is asked, what was not pushed and why."""
    lines: list[str] = []
    nodes = explained["nodes"]
    assert isinstance(nodes, dict)
    lines += _tree_lines(nodes, "", "")
    sources, decisions = explained["sources"], explained["decisions"]
    assert isinstance(sources, list)
    assert isinstance(decisions, list)
    for source in sources:
        word = "would ask" if source.get("unavailable") else "asks"
        lines += ["", f"{source['fragment']} {word} {source['source']}:", f"  {source['asked']}"]
        lines += [f"  {key['column']} filtered by {key['by']}" for key in source["keys"]]
        lines += [f"  read {source['reading']}"] if source["reading"] else []
    kept = [one for one in decisions if not one["pushed"] or one.get("prefilter") or one.get("partial")]
    if kept:
        lines += ["", "Not pushed, or not as a whole:"]
        lines += [f"  {one['part']} {one['text']} ({one['source']}): {one['why']}" for one in kept]
    orders = explained["join_orders"]
    assert isinstance(orders, list)
    for one in orders:
        lines += ["", f"Joined in the order {', '.join(table['table'] for table in one['tables'])}: {one['why']}"]
    executor = explained.get("executor")
    if isinstance(executor, dict):
        lines += ["", f"Runs {executor['name']}" + (f": {executor['why']}" if executor["why"] else "")]
    return "\n".join(lines)


def _tree_lines(node: Mapping[str, object], head: str, indent: str) -> Iterator[str]:
    words = [str(node["type"])]
    words += [f"on {node['source']}"] if node["source"] else []
    predicates, children = node["predicates"], node["children"]
    assert isinstance(predicates, list)
    assert isinstance(children, list)
    words += [f"[{' AND '.join(predicates)}]"] if predicates else []
    words += [f"~{node['rows']:,} rows"] if node.get("rows") is not None else []
    words += ["only what is yours"] if node.get("guarded") else []
    words += [f"read {node['rows_read']:,}"] if node.get("rows_read") is not None else []
    words += [f"unavailable: {node['unavailable']}"] if node.get("unavailable") else []
    yield head + " ".join(words)
    for index, child in enumerate(children):
        last = index == len(children) - 1
        yield from _tree_lines(child, indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  "))


def _source(
    fragment: Fragment, kind: LakeOrKind, parameters: Mapping[str, object], read: Mapping[str, int]
) -> dict[str, object]:
    asked = render(_shown(fragment), kind, parameters)
    return {
        "fragment": fragment.name,
        "source": fragment.source,
        "kind": str(kind),
        "relations": [str(one) for one in fragment.relations],
        "asked": asked.text if isinstance(asked, SourceQuery) else _scan_text(asked),
        "values": len(asked.values) if isinstance(asked, SourceQuery) else 0,
        "columns": [one.name for one in fragment.columns],
        "keys": [{"column": one.column, "by": f"{one.by_fragment}.{one.by_column}"} for one in fragment.keys],
        "rows": _estimate(fragment),
        "rows_read": read.get(fragment.name),
        "reading": _reading(fragment, kind),
        "guarded": fragment.guard is not None,
    }


_NO_PARTS: Mapping[LakeOrKind, str] = {
    ConnectorKind.MYSQL: "as one stream: MySQL shows one snapshot to no second connection",
    ConnectorKind.SQLITE: "as one stream: SQLite shows one snapshot to no second connection",
}


def _reading(fragment: Fragment, kind: LakeOrKind) -> str:
    """How many rows are read at once; empty where they are few."""
    if fragment.splits:
        return "in parts, by ranges of ctid, of one snapshot"
    return _NO_PARTS.get(kind, "") if (_estimate(fragment) or 0) >= SPLIT_ROWS else ""


def _shown(fragment: Fragment) -> Fragment:
    """As its reader may know it: a row filter is for whoever declared it, its columns and values with it."""
    if fragment.guard is None:
        return fragment
    return replace(fragment, query=without_row_filters(fragment.query, fragment.columns))


def _estimate(fragment: Fragment) -> int | None:
    """That of all rows would tell how many are kept back."""
    return fragment.rows if fragment.guard is None else None


def _scan_text(scan: Scan) -> str:
    text = f"scan {scan.relation} ({', '.join(scan.columns)})"
    filters = " AND ".join(_filter_text(one) for one in scan.filters)
    text += f" where {filters}" if filters else ""
    return text + (f" limit {scan.limit}" if scan.limit is not None else "")


def _filter_text(one: ScanFilter) -> str:
    """Values are the caller's; a plan shows the place of each."""
    if one.operator in ("is null", "is not null"):
        return f"{one.column} {one.operator}"
    return f"{one.column} {one.operator} " + ("(…)" if one.operator == "in" else "?")


def _nodes(plan: QueryPlan, read: Mapping[str, int]) -> dict[str, object]:
    fragments = {one.name: one for one in plan.fragments}
    if plan.whole:
        return _fragment_node(plan.fragments[0], plan.decisions, read)
    return _query_node(plan.rest, fragments, plan.decisions, read)


def _node(
    type_: str, columns: list[str], predicates: list[str], children: list[dict[str, object]], why: str = ""
) -> dict[str, object]:
    found: dict[str, object] = {"type": type_, "source": "", "columns": columns, "predicates": predicates}
    return found | {"children": children, "pushed": False} | ({"why": why} if why else {})


def _query_node(
    query: exp.Expr, fragments: Mapping[str, Fragment], decisions: tuple[PushDecision, ...], read: Mapping[str, int]
) -> dict[str, object]:
    if isinstance(query, exp.SetOperation):
        sides = [_query_node(one, fragments, decisions, read) for one in (query.left, query.right)]
        return _with_clauses(query, _node(type(query).__name__.lower(), query.named_selects, [], sides))
    if isinstance(query, exp.Subquery):
        return _query_node(query.this, fragments, decisions, read)
    if not isinstance(query, exp.Select):
        return _node("values", [], [], [])
    items = [one.node for one in from_items_of(query)]
    children = [_item_node(one, query, fragments, decisions, read) for one in items]
    nested = [one for part in [*query.expressions, query.args.get("where")] if part for one in _subqueries(part)]
    children += [_query_node(one, fragments, decisions, read) for one in nested]
    predicates = [one.node.sql("spark") for one in conditions_of(query)]
    if query.args.get("group") or any(one.find(exp.AggFunc) for one in query.expressions):
        type_ = "aggregate"
    else:
        type_ = "join" if len(items) > 1 else "filter" if predicates else "project"
    whys = [one.why for one in decisions if not one.pushed and one.part == type_]
    found = _node(type_, query.named_selects, predicates, children, whys[0] if whys else "")
    return _with_clauses(query, found)


def _with_clauses(query: exp.Query, found: dict[str, object]) -> dict[str, object]:
    clauses = ("distinct", "order", "limit") if isinstance(query, exp.Select) else ("order", "limit")
    for clause in clauses:
        if query.args.get(clause):
            found = _node(clause, query.named_selects, [], [found])
    return found


def _subqueries(node: exp.Expr) -> list[exp.Query]:
    return [one for one in node.find_all(exp.Query) if one.find_ancestor(exp.Query) is node.find_ancestor(exp.Query)]


def _item_node(
    item: exp.Expr,
    query: exp.Select,
    fragments: Mapping[str, Fragment],
    decisions: tuple[PushDecision, ...],
    read: Mapping[str, int],
) -> dict[str, object]:
    if not isinstance(item, exp.Table):
        return _query_node(item, fragments, decisions, read)
    fragment = fragments.get(item.name)
    if fragment is not None:
        return _fragment_node(fragment, decisions, read)
    with_ = query.root().args.get("with_")
    cte = next((one for one in (with_.expressions if with_ else []) if one.alias == item.name), None)
    if cte is None or item.find_ancestor(exp.CTE) is cte:
        return _node("subquery", [], [], [])
    return _query_node(cte.this, fragments, decisions, read)


def _fragment_node(
    fragment: Fragment, decisions: tuple[PushDecision, ...], read: Mapping[str, int]
) -> dict[str, object]:
    query = _shown(fragment).query
    assert isinstance(query, exp.Select)
    where, having = query.args.get("where"), query.args.get("having")
    predicates = [one.node.sql("spark") for one in conditions_of(query)] if where or query.args.get("joins") else []
    predicates += [having.this.sql("spark")] if having else []
    is_grouped = bool(query.args.get("group")) or any(one.find(exp.AggFunc) for one in query.selects)
    return {
        "type": "aggregate" if is_grouped else "join" if len(fragment.relations) > 1 else "scan",
        "source": fragment.source,
        "fragment": fragment.name,
        "relations": [str(one) for one in fragment.relations],
        "columns": [one.name for one in fragment.columns],
        "predicates": predicates,
        "children": [],
        "pushed": True,
        "rows": _estimate(fragment),
        "rows_read": read.get(fragment.name),
        "guarded": fragment.guard is not None,
        "order": [one.sql("spark") for one in query.args["order"].expressions] if query.args.get("order") else [],
        "limit": query.args["limit"].expression.name if query.args.get("limit") else None,
    }
