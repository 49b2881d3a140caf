"""Queries of Spark lowered to one query of DataFusion, stage by stage: rows, groups, results, order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from sqlglot import exp

from forge.engines.datafusion.allow_list import NotInProcess, check_nodes, name_of
from forge.engines.datafusion.expressions import MAX_SQL, ExpressionLowering
from forge.engines.datafusion.scopes import (
    AGGREGATES,
    GroupScope,
    LoweredQuery,
    LoweringNotes,
    OutputColumn,
    RowScope,
    ScopeRelation,
    SubqueryLowering,
    ordering,
)
from forge.engines.datafusion.spark_types import COMPARABLE, VOID, common_type, plain
from forge.engines.datafusion.values import TypedSql, convert, normal
from forge.federation.plan import Fragment, QueryPlan

GO_ON = "forge_go_on"  # true for every row, and an error once the query is cancelled
_JOINS = {"": "INNER JOIN", "LEFT": "LEFT JOIN", "RIGHT": "RIGHT JOIN", "FULL": "FULL JOIN"}
_HALF_JOINS = {"SEMI": "LEFT SEMI JOIN", "ANTI": "LEFT ANTI JOIN"}
_SET_WORDS: Mapping[type[exp.Expr], str] = {exp.Union: "UNION ALL", exp.Except: "EXCEPT", exp.Intersect: "INTERSECT"}


@dataclass(frozen=True, slots=True)
class LoweredPlan:
    """`sql` reads tables f0, f1, …: the fragments in the order of the plan, their columns c0, c1, …"""

    sql: str
    columns: tuple[OutputColumn, ...]
    adds_doubles: bool


def lower_plan(plan: QueryPlan, parameters: Mapping[str, object] | None) -> LoweredPlan:
    """NotInProcess, where the rest of the plan is not computed in-process. `parameters`: None while their values are
    not known."""
    check_nodes(plan.rest)
    lowering = QueryLowering(plan.fragments, parameters)
    try:
        found = lowering.query(plan.rest, {})
    except RecursionError as error:
        raise NotInProcess("the query is nested too deeply to be computed in-process") from error
    if any(not column.name for column in found.columns):
        raise NotInProcess("a result without a name is not computed in-process")
    sql = lowering.with_tables(found.sql)
    if len(sql) > MAX_SQL:
        raise NotInProcess("the query is too large to be computed in-process")
    return LoweredPlan(sql, found.columns, lowering.notes.adds_doubles)


class QueryLowering(SubqueryLowering):
    def __init__(self, fragments: Sequence[Fragment], parameters: Mapping[str, object] | None) -> None:
        self.notes = LoweringNotes()
        self._parameters = parameters
        self._tables: list[str] = []
        self._fragments = {
            fragment.name.lower(): LoweredQuery(
                f"f{place}", tuple(OutputColumn(one.name, one.type) for one in fragment.columns)
            )
            for place, fragment in enumerate(fragments)
        }
        self._ctes: list[dict[str, LoweredQuery]] = []

    def with_tables(self, sql: str) -> str:
        return f"WITH {', '.join(self._tables)} {sql}" if self._tables else sql

    def query(self, node: exp.Expr, ctes: Mapping[str, LoweredQuery]) -> LoweredQuery:
        known = dict(ctes)
        with_ = node.args.get("with_")
        for each in with_.expressions if with_ is not None else ():
            body = _renamed(self.query(each.this, known), each.args.get("alias"))
            name = f"w{len(self._tables)}"
            self._tables.append(f"{name} AS ({body.sql})")
            known[each.alias.lower()] = LoweredQuery(name, body.columns)
        self._ctes.append(known)
        try:
            return self._body(node)
        finally:
            self._ctes.pop()

    def _body(self, node: exp.Expr) -> LoweredQuery:
        if isinstance(node, exp.Select):
            return self._select(node)
        if isinstance(node, exp.Union | exp.Except | exp.Intersect):
            return self._ordered(node, self._set(node))
        if isinstance(node, exp.Subquery):
            return self._ordered(node, self.query(node.this, self._ctes[-1]))
        if isinstance(node, exp.Values):
            return self._values(node)
        raise NotInProcess(f"{name_of(node)} is not computed in-process")

    # FROM

    def _relation(self, node: exp.Expr) -> tuple[str, ScopeRelation]:
        alias = self.notes.alias()
        named = node.args.get("alias")
        if isinstance(node, exp.Table):
            name = node.name.lower()
            found = self._ctes[-1].get(name) or self._fragments.get(name)
            if found is None:
                raise NotInProcess(f"the table {node.name} is not known in-process")
            columns = _renamed(LoweredQuery("", _plain_columns(found)), named).columns
            own = (named.name if named is not None else "") or node.name
            return f"{found.sql} AS {alias}", ScopeRelation(own.lower(), alias, columns)
        if isinstance(node, exp.Subquery | exp.Values):
            inner = self.query(node, self._ctes[-1]) if isinstance(node, exp.Subquery) else self._values(node)
            columns = _renamed(inner, named).columns
            return f"({inner.sql}) AS {alias}", ScopeRelation(node.alias.lower(), alias, columns)
        raise NotInProcess(f"{name_of(node)} is not computed in FROM in-process")

    def _from(self, node: exp.Select, outer: RowScope | None) -> tuple[str, RowScope]:
        scope = RowScope([], self.notes, self, outer)
        from_ = node.args.get("from_")
        if from_ is None:
            return "", scope
        sql, relation = self._relation(from_.this)
        scope.relations.append(relation)
        for join in node.args.get("joins") or ():
            text, relation = self._relation(join.this)
            sql = f"{sql} {self._join(join, text, relation, scope)}"
        names = [one.name for one in scope.relations if one.name]
        if len(set(names)) < len(names):
            raise NotInProcess("two relations of one name are not computed in-process")
        return f" FROM {sql}", scope

    def _join(self, join: exp.Join, text: str, relation: ScopeRelation, scope: RowScope) -> str:
        side, kind, on = (join.side or "").upper(), (join.kind or "").upper(), join.args.get("on")
        condition_scope = RowScope([*scope.relations, relation], self.notes, self)
        half = kind in _HALF_JOINS
        if not half:
            scope.relations.append(relation)
        if kind == "CROSS" or (on is None and not side and kind in ("", "INNER")):
            if side or on is not None:
                raise NotInProcess("this join is not computed in-process")
            return f"CROSS JOIN {text}"
        word = _HALF_JOINS[kind] if half and side in ("", "LEFT") else None
        if not half and kind in ("", "INNER", "OUTER"):
            word = _JOINS.get(side)
        if word is None or on is None:
            raise NotInProcess("this join is not computed in-process")
        return f"{word} {text} ON {self._expressions(condition_scope).condition(on)}"

    def _expressions(self, scope: RowScope | GroupScope) -> ExpressionLowering:
        return ExpressionLowering(scope, self._parameters)

    # WHERE

    def _where(self, node: exp.Select, scope: RowScope) -> str:
        where, lowering = node.args.get("where"), self._expressions(scope)
        parts = _conjuncts(where.this) if where is not None else []
        conditions = [self._conjunct(part, lowering, scope) for part in parts]
        if node.args.get("joins") and scope.outer is None:
            # DataFusion does not look up while a join multiplies: this lets a cancelled query fail there. It takes both
            # sides, so that it is not computed before the join.
            conditions += [
                f"{GO_ON}({left.alias}.c0 IS NULL, {right.alias}.c0 IS NULL)"
                for left, right in pairwise(scope.relations)
            ]
        return " WHERE " + " AND ".join(conditions) if conditions else ""

    def _conjunct(self, node: exp.Expr, lowering: ExpressionLowering, scope: RowScope) -> str:
        negated, inner = False, node
        while isinstance(inner, exp.Not | exp.Paren):
            negated ^= isinstance(inner, exp.Not)
            inner = inner.this
        if isinstance(inner, exp.Exists):
            return f"{'NOT ' if negated else ''}EXISTS ({self._exists(inner.this, scope)})"
        if isinstance(inner, exp.In) and inner.args.get("query") is not None:
            return self._in_query(inner, negated, lowering)
        return lowering.condition(node)

    def _exists(self, node: exp.Expr, scope: RowScope) -> str:
        while isinstance(node, exp.Subquery) and not (node.args.get("limit") or node.args.get("offset")):
            node = node.this
        simple = isinstance(node, exp.Select) and not any(
            node.args.get(key) for key in ("with_", "group", "having", "distinct", "limit", "offset")
        )
        if not isinstance(node, exp.Select) or not simple or any(_aggregates(each) for each in node.expressions):
            return f"SELECT 1 FROM ({self.query(node, self._ctes[-1]).sql}) AS {self.notes.alias()}"
        from_, inner = self._from(node, scope)
        for each in node.expressions:  # computed by nobody, but it must mean something
            if not each.find(exp.Star):
                self._expressions(inner).lower(each.unalias())
        return f"SELECT 1{from_}{self._where(node, inner)}"

    def _in_query(self, node: exp.In, negated: bool, lowering: ExpressionLowering) -> str:
        inner = self.query(node.args["query"], self._ctes[-1])
        if len(inner.columns) != 1:
            raise NotInProcess("IN of several columns is not computed in-process")
        value = lowering.lower(node.this)
        if value.type == VOID or inner.columns[0].type == VOID:
            raise NotInProcess("IN with NULL is not computed in-process")
        alias = self.notes.alias()
        column = TypedSql(f"{alias}.c0", inner.columns[0].type)
        equal = lowering.compare(exp.EQ, value, column).sql
        name = f"w{len(self._tables)}"
        self._tables.append(f"{name} AS ({inner.sql})")
        match = f"EXISTS (SELECT 1 FROM {name} AS {alias} WHERE {equal})"
        if not negated:
            return match
        empty = f"((SELECT count(*) FROM {name}) = 0)"
        nulls = f"((SELECT count(*) FROM {name} AS n WHERE n.c0 IS NULL) = 0)"
        return f"({empty} OR ({value.sql} IS NOT NULL AND {nulls} AND NOT {match}))"

    # SELECT

    def _select(self, node: exp.Select, outer: RowScope | None = None) -> LoweredQuery:
        from_, rows = self._from(node, outer)
        where = self._where(node, rows)
        projections = _expand(node.expressions, rows)
        having, order = node.args.get("having"), node.args.get("order")
        sorts = list(order.expressions) if order is not None else []
        others = [having.this] if having is not None else []
        is_grouped = node.args.get("group") is not None or any(
            _aggregates(each) for each in (*projections, *others, *(each.this for each in sorts))
        )
        distinct = node.args.get("distinct") is not None
        if distinct and node.args["distinct"].expressions:
            raise NotInProcess("DISTINCT ON is not computed in-process")
        rows.allows_windows = True
        group = self._group(node, projections, rows) if is_grouped else None
        if having is not None and group is None:
            raise NotInProcess("HAVING without groups is not computed in-process")
        lowering = self._expressions(group or rows)
        values = [lowering.lower(each.unalias()) for each in projections]
        columns = tuple(OutputColumn(_name(each), v.type) for each, v in zip(projections, values, strict=True))
        hidden: list[TypedSql] = []
        keys = [self._sort_key(each, columns, values, lowering, hidden, distinct) for each in sorts]
        condition = ""
        if having is not None and hidden:  # most of which Spark's analyser does not resolve
            raise NotInProcess("sorting groups by what is not shown, after HAVING, is not computed in-process")
        if having is not None:
            rows.allows_windows = False
            condition = f" WHERE {lowering.condition(having.this)}"
        source = f"{from_}{where}" if group is None else f" FROM {self._group_sql(group, from_ + where)}{condition}"
        shown = [normal(v) if distinct else v.sql for v in values]
        if distinct and any(column.type.name not in COMPARABLE for column in columns):
            raise NotInProcess("DISTINCT of a nested type is not computed in-process")
        parts = [f"{sql} AS c{place}" for place, sql in enumerate(shown)]
        parts += [f"{value.sql} AS o{place}" for place, value in enumerate(hidden)]
        sql = f"SELECT {'DISTINCT ' if distinct else ''}{', '.join(parts)}{source}"
        return LoweredQuery(self._end(sql, node, columns, keys), columns)

    def _end(
        self, sql: str, node: exp.Expr, columns: Sequence[OutputColumn], keys: Sequence[tuple[exp.Ordered, TypedSql]]
    ) -> str:
        limit = self._count(node.args.get("limit"))
        offset = self._count(node.args.get("offset"))
        if not keys and limit is None and offset is None:
            return sql
        shown = ", ".join(f"q.c{place} AS c{place}" for place in range(len(columns)))
        text = f"SELECT {shown} FROM ({sql}) AS q"
        if keys:
            text += " ORDER BY " + ", ".join(ordering(key, value) for key, value in keys)
        text += f" LIMIT {limit}" if limit is not None else ""
        return text + (f" OFFSET {offset}" if offset is not None else "")

    def _sort_key(
        self,
        node: exp.Expr,
        columns: Sequence[OutputColumn],
        values: Sequence[TypedSql],
        lowering: ExpressionLowering,
        hidden: list[TypedSql],
        distinct: bool,
    ) -> tuple[exp.Ordered, TypedSql]:
        if not isinstance(node, exp.Ordered):
            raise NotInProcess("this order is not computed in-process")
        place = _output_place(node.this, columns)
        if place is not None:
            return node, TypedSql(f"q.c{place}", columns[place].type)
        value = lowering.lower(node.this)
        for at, shown in enumerate(values):
            if shown.sql == value.sql:
                return node, TypedSql(f"q.c{at}", value.type)
        if distinct:
            raise NotInProcess("sorting by what DISTINCT does not show is not computed in-process")
        hidden.append(value)
        return node, TypedSql(f"q.o{len(hidden) - 1}", value.type)

    def _count(self, node: exp.Expr | None) -> int | None:
        if node is None:
            return None
        value = node.args.get("expression")
        if isinstance(value, exp.Placeholder):
            if self._parameters is None:
                return 1
            number = self._parameters.get(str(value.this))
        else:
            text = str(value.this) if isinstance(value, exp.Literal) and not value.is_string else ""
            number = int(text) if text.isdecimal() and len(text) < 10 else None
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**31:
            raise NotInProcess("LIMIT and OFFSET are computed in-process only of whole numbers")
        return number

    # GROUP BY

    def _group(self, node: exp.Select, projections: Sequence[exp.Expr], rows: RowScope) -> GroupScope:
        base_rows = RowScope(rows.relations, self.notes, self, rows.outer)
        base = self._expressions(base_rows)
        found = GroupScope(base_rows, base, self.notes.alias())
        clause = node.args.get("group")
        for each in clause.expressions if clause is not None else ():
            key = each
            if isinstance(each, exp.Literal):
                place = int(str(each.this)) if not each.is_string and str(each.this).isdecimal() else 0
                if not 1 <= place <= len(projections):
                    raise NotInProcess("GROUP BY of this is not computed in-process")
                key = projections[place - 1].unalias()
            elif isinstance(each, exp.Column) and not each.table and not _is_visible(each, base):
                named = [one for one in projections if _name(one).lower() == each.name.lower()]
                if len(named) != 1:
                    raise NotInProcess(f"the column {each.name} is not known in-process")
                key = named[0].unalias()
            value = base.lower(key)
            if value.type.name not in COMPARABLE - {"void"}:
                raise NotInProcess(f"GROUP BY of {value.type} is not computed in-process")
            found.keys.append(value)
        return found

    def _group_sql(self, group: GroupScope, source: str) -> str:
        first = [f"{normal(key)} AS k{place}" for place, key in enumerate(group.keys)]
        first += [f"{sql} AS a{place}" for place, sql in enumerate(group.arguments)]
        second = [f"s.k{place} AS k{place}" for place in range(len(group.keys))]
        second += [f"{sql} AS g{place}" for place, sql in enumerate(group.aggregates)]
        by = f" GROUP BY {', '.join(f's.k{place}' for place in range(len(group.keys)))}" if group.keys else ""
        inner = f"SELECT {', '.join(first) or '1 AS one'}{source}"
        return f"(SELECT {', '.join(second) or '1 AS one'} FROM ({inner}) AS s{by}) AS {group.alias}"

    # subqueries, sets and values

    def scalar(self, node: exp.Subquery) -> TypedSql:
        """More than one row is an error in Spark; here a cast of 'more than one row' to a number is."""
        inner = self.query(node, self._ctes[-1])
        if len(inner.columns) != 1 or inner.columns[0].type == VOID or inner.columns[0].type.is_nested:
            raise NotInProcess("this subquery is not computed in-process")
        alias = self.notes.alias()
        rows = "CAST(CASE WHEN count(*) > 1 THEN 'more than one row' ELSE '0' END AS BIGINT)"
        value = f"CASE WHEN {rows} = 0 THEN first_value({alias}.c0) END"
        return TypedSql(f"(SELECT {value} FROM ({inner.sql}) AS {alias})", inner.columns[0].type)

    def _set(self, node: exp.Union | exp.Except | exp.Intersect) -> LoweredQuery:
        left, right = self.query(node.this, self._ctes[-1]), self.query(node.expression, self._ctes[-1])
        if len(left.columns) != len(right.columns):
            raise NotInProcess("sets of different columns are not computed in-process")
        kinds = [common_type(a.type, b.type) for a, b in zip(left.columns, right.columns, strict=True)]
        distinct = bool(node.args.get("distinct"))
        if not distinct and not isinstance(node, exp.Union):
            raise NotInProcess(f"{name_of(node)} ALL is not computed in-process")
        if distinct and any(kind.name not in COMPARABLE - {"void"} for kind in kinds):
            raise NotInProcess(f"{name_of(node)} of a nested type is not computed in-process")
        texts: list[str] = []
        for side in (left, right):
            alias = self.notes.alias()
            values = [
                convert(TypedSql(f"{alias}.c{place}", column.type), kind)
                for place, (column, kind) in enumerate(zip(side.columns, kinds, strict=True))
            ]
            shown = ", ".join(f"{normal(v) if distinct else v.sql} AS c{place}" for place, v in enumerate(values))
            texts.append(f"(SELECT {shown} FROM ({side.sql}) AS {alias})")
        sql = f" {_SET_WORDS[type(node)]} ".join(texts)
        columns = tuple(OutputColumn(column.name, kind) for column, kind in zip(left.columns, kinds, strict=True))
        alias = self.notes.alias()
        shown = ", ".join(f"{alias}.c{place} AS c{place}" for place in range(len(columns)))
        return LoweredQuery(f"SELECT {'DISTINCT ' if distinct else ''}{shown} FROM ({sql}) AS {alias}", columns)

    def _ordered(self, node: exp.Expr, inner: LoweredQuery) -> LoweredQuery:
        order = node.args.get("order")
        keys: list[tuple[exp.Ordered, TypedSql]] = []
        for each in order.expressions if order is not None else ():
            place = _output_place(each.this, inner.columns)
            if place is None:
                raise NotInProcess("this order of a set is not computed in-process")
            keys.append((each, TypedSql(f"q.c{place}", inner.columns[place].type)))
        return LoweredQuery(self._end(inner.sql, node, inner.columns, keys), inner.columns)

    def _values(self, node: exp.Values) -> LoweredQuery:
        lowering = self._expressions(RowScope([], self.notes, self))
        rows = [
            [lowering.lower(each) for each in (row.expressions if isinstance(row, exp.Tuple) else [row])]
            for row in node.expressions
        ]
        if not rows or any(len(row) != len(rows[0]) for row in rows):
            raise NotInProcess("VALUES of different columns are not computed in-process")
        kinds = [reduce(common_type, (value.type for value in column)) for column in zip(*rows, strict=True)]
        texts = [
            "SELECT "
            + ", ".join(
                f"{convert(value, kind).sql} AS c{place}"
                for place, (value, kind) in enumerate(zip(row, kinds, strict=True))
            )
            for row in rows
        ]
        columns = tuple(OutputColumn(f"col{place + 1}", kind) for place, kind in enumerate(kinds))
        return _renamed(LoweredQuery(" UNION ALL ".join(texts), columns), node.args.get("alias"))


def _plain_columns(found: LoweredQuery) -> tuple[OutputColumn, ...]:
    return tuple(OutputColumn(one.name, plain(one.type)) for one in found.columns)


def _renamed(query: LoweredQuery, alias: exp.Expr | None) -> LoweredQuery:
    """`AS x(a, b)`."""
    names = alias.args.get("columns") if alias is not None else None
    if not names:
        return query
    if len(names) != len(query.columns):
        raise NotInProcess("an alias with other columns is not computed in-process")
    columns = tuple(OutputColumn(n.name, one.type) for n, one in zip(names, query.columns, strict=True))
    return LoweredQuery(query.sql, columns)


def _name(node: exp.Expr) -> str:
    return str(node.alias) if isinstance(node, exp.Alias) else node.name if isinstance(node, exp.Column) else ""


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        elif isinstance(part, exp.Paren) and isinstance(part.this, exp.And):
            waiting.append(part.this)
        else:
            found.append(part)
    return found


def _aggregates(node: exp.Expr) -> bool:
    """Whether it aggregates groups: not in a window, not in a query inside."""
    if isinstance(node, exp.Query):
        return False
    if isinstance(node, exp.Window):
        inner = [*node.this.args.values(), *node.args.values()]
        children = [each for value in inner for each in (value if isinstance(value, list) else [value])]
        return any(isinstance(each, exp.Expr) and each is not node.this and _aggregates(each) for each in children)
    if isinstance(node, AGGREGATES):
        return True
    return any(_aggregates(child) for child in node.iter_expressions())


def _expand(nodes: Sequence[exp.Expr], rows: RowScope) -> list[exp.Expr]:
    """The projections, with every * as its columns."""
    found: list[exp.Expr] = []
    for node in nodes:
        is_star = isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))
        if not is_star:
            found.append(node)
            continue
        table = node.table.lower() if isinstance(node, exp.Column) else ""
        for relation in rows.relations:
            if table and relation.name != table:
                continue
            if not relation.name:
                raise NotInProcess("* of a relation without a name is not computed in-process")
            found += [exp.column(one.name, table=relation.name, quoted=True) for one in relation.columns]
    if not found:
        raise NotInProcess("a query without columns is not computed in-process")
    return found


def _output_place(node: exp.Expr, columns: Sequence[OutputColumn]) -> int | None:
    """The result that ORDER BY means by a name or a number."""
    if isinstance(node, exp.Literal):
        place = int(str(node.this)) if not node.is_string and str(node.this).isdecimal() else 0
        if not 1 <= place <= len(columns):
            raise NotInProcess("ORDER BY of this is not computed in-process")
        return place - 1
    if not isinstance(node, exp.Column) or node.table:
        return None
    found = [place for place, one in enumerate(columns) if one.name.lower() == node.name.lower()]
    if len(found) > 1:
        raise NotInProcess(f"the column {node.name}, of which there are several, is not computed in-process")
    return found[0] if found else None


def _is_visible(node: exp.Column, lowering: ExpressionLowering) -> bool:
    try:
        lowering.lower(node)
    except NotInProcess:
        return False
    return True
