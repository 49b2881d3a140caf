"""One SELECT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from forge.lineage.edge import IndirectType
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.calls import is_time_window
from forge.lineage.extract.sql.columns import column_value
from forge.lineage.extract.sql.generate import generated, is_generator, named_by_type
from forge.lineage.extract.sql.kinds import AGGREGATE_NAMES, ALIASES_IN_WHERE, LATERAL_ALIASES
from forge.lineage.extract.sql.match import match_rows
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.scope import QueryScope, line_of, name_of
from forge.lineage.extract.sql.sources import add_from
from forge.lineage.extract.sql.star import StarExpansion, by_pattern, chosen, expanded, is_star, script_columns
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import ColumnValue


def relation_of_select(select: exp.Expr, scope: QueryScope) -> Relation:
    """`scope` is empty, with the CTEs of the query in it."""
    return _Select(select, scope).relation()


class _Select:
    def __init__(self, select: exp.Expr, scope: QueryScope) -> None:
        self.select = select
        self.scope = scope
        self.dialect = scope.around.dialect
        self.columns: list[RelationColumn] = []
        self.open: dict[str, None] = {}
        self.without: set[str] = set()
        self.aliases: dict[str, int] = {}
        self.names: dict[str, int] = {}  # of columns without an alias, by which ORDER BY and HAVING may call them
        self.values: dict[int, RelationColumn] = {}
        self.at = 0
        self.asked: set[int] = set()

    def relation(self) -> Relation:
        args, scope = self.select.args, self.scope
        add_from(self.select, scope)
        if args.get("match") is not None:
            match_rows(args["match"], scope)
        self._name_aliases()
        self._name_windows()
        if self.dialect in ALIASES_IN_WHERE:
            scope.alias = self._any_alias
        scope.shape_by((args.get("where"), args.get("prewhere")), IndirectType.FILTER)
        self._connect()
        scope.alias = self._earlier_alias
        for place, expression in enumerate(self.select.expressions):
            self.at = place
            self.project(expression, place)
        self._clauses()
        self._exclude()
        return Relation(
            tuple(self.columns),
            tuple(self.open),
            frozenset(self.without),
            frozenset(scope.shaped),
            frozenset(scope.reads),
        )

    def _name_aliases(self) -> None:
        for place, expression in enumerate(self.select.expressions):
            if isinstance(expression, exp.Alias):
                self.aliases.setdefault(expression.alias.lower(), place)
            elif isinstance(expression, exp.Column):
                self.names.setdefault(expression.name.lower(), place)

    def _name_windows(self) -> None:
        for window in self.select.args.get("windows") or ():
            self.scope.windows[window.this.name.lower()] = window

    def _any_alias(self, name: str) -> RelationColumn | None:
        place = self.aliases.get(name)
        if place is None and self.scope.alias_first:
            place = self.names.get(name)
        if place is None:
            return self._time_window(name)
        if place not in self.values:
            if place in self.asked:
                return None
            self.asked.add(place)
            expression = self.select.expressions[place]
            at, self.at = self.at, place
            self.values[place] = RelationColumn(name_of(expression.args["alias"]), self.scope.value(expression))
            self.at = at
        return self.values[place]

    def _earlier_alias(self, name: str) -> RelationColumn | None:
        place = self.aliases.get(name)
        if place is None:
            return self._time_window(name)
        if place >= self.at or self.dialect not in LATERAL_ALIASES:
            return None
        return self._any_alias(name)

    def _time_window(self, name: str) -> RelationColumn | None:
        """`window.start` next to `GROUP BY window(ts, '1 day')`."""
        if name not in ("window", "session_window"):
            return None
        group = self.select.args.get("group")
        for part in (*(group.expressions if group else ()), *self.select.expressions):
            for call in part.find_all(exp.Anonymous):
                if is_time_window(call) and call.name.lower() == name:
                    return RelationColumn(name, self.scope.value(call))
        return None

    def _connect(self) -> None:
        connect = self.select.args.get("connect")
        if connect is not None:
            self.scope.shape_by((connect.args.get("start"),), IndirectType.FILTER)
            self.scope.shape_by((connect.args.get("connect"),), IndirectType.JOIN)

    def project(self, expression: exp.Expr, place: int = -1) -> None:
        root = expression.this if isinstance(expression, exp.Alias) else expression
        if isinstance(root, exp.Paren) and is_star(root.unnest()):
            root = root.unnest()
        cls = type(root)
        if is_star(root):
            self._add(expanded(root, self.scope, line_of(self.select)))
        elif cls is exp.Column:
            named = by_pattern(root, self.scope)
            if named is None:
                self._column(expression, root, place)
            else:
                self.columns.extend(named)
        elif cls is exp.Aliases:
            names = tuple(name_of(one) for one in root.expressions)
            self.columns.extend(generated(root.this, names, self.scope).columns)
        elif is_generator(root):
            self._generator(expression, root)
        elif cls is exp.QueryTransform:
            self.columns.extend(script_columns(root, self.scope))
        elif self.dialect == "duckdb" and root.find(exp.Columns) is not None:
            self.columns.extend(chosen(root, self.scope))
        else:
            self._append(output_name(expression, self.dialect, self.scope), self.scope.value(root), place)

    def _add(self, more: StarExpansion) -> None:
        self.columns.extend(more.columns)
        self.open.update(dict.fromkeys(more.open))
        self.without |= more.without

    def _append(self, name: str, value: ColumnValue, place: int) -> None:
        column = RelationColumn(name, value)
        self.columns.append(column)
        if place >= 0:
            self.values.setdefault(place, column)

    def _column(self, expression: exp.Expr, root: exp.Expr, place: int) -> None:
        name, value = column_value(root, self.scope)
        self._append(name_of(expression.args["alias"]) if expression is not root else name, value, place)

    def _generator(self, expression: exp.Expr, root: exp.Expr) -> None:
        if isinstance(expression, exp.Alias):
            names: tuple[str, ...] = (name_of(expression.args["alias"]),)
        else:
            names = _called(root, self.dialect) or named_by_type(root, self.scope)
        made = generated(root, names, self.scope)
        self.columns.extend(made.columns)
        if made.anything is not None:
            text = text_of(root, self.dialect)
            self.scope.around.gap(line_of(root), f"the columns that {text} makes are not known; name them with AS (…)")

    def _exclude(self) -> None:
        """Redshift's `SELECT … EXCLUDE (a)` over the whole list."""
        gone = {one.name.lower() for one in self.select.args.get("exclude") or ()}
        if gone:
            self.columns = [column for column in self.columns if column.name.lower() not in gone]
            self.without |= gone

    def _clauses(self) -> None:
        args, scope = self.select.args, self.scope
        self.at = len(self.select.expressions)
        scope.alias = self._any_alias
        group = args.get("group")
        if group is not None:
            self._group(group)
        distinct = args.get("distinct")
        scope.alias_first = True
        scope.shape_by((args.get("having"),), IndirectType.FILTER)
        scope.alias_first = False
        scope.shape_by((args.get("qualify"),), IndirectType.FILTER)
        if distinct is not None:
            self._distinct(distinct)
        scope.alias_first = True
        for clause in ("order", "sort", "cluster"):
            self._ordered(args.get(clause))
        scope.alias_first = False
        for clause in ("limit", "offset"):
            limit = args.get(clause)
            if limit is not None and limit.find(exp.Query) is not None:
                scope.shape_by((limit,), IndirectType.FILTER)

    def _distinct(self, distinct: exp.Expr) -> None:
        on = distinct.args.get("on")
        if on is not None:
            self._keys(on.expressions if isinstance(on, exp.Tuple) else [on], IndirectType.GROUP_BY)
            return
        for column in self.columns:
            self.scope.shape(column.value.sources, IndirectType.GROUP_BY)

    def _group(self, group: exp.Expr) -> None:
        if group.args.get("all") is True:
            self._keys([one for one in self.select.expressions if not _aggregates(one)], IndirectType.GROUP_BY)
        self._keys(group.expressions, IndirectType.GROUP_BY)
        for clause in ("cube", "rollup", "grouping_sets"):
            for part in group.args.get(clause) or ():
                if isinstance(part, exp.Expr):
                    self._keys([part], IndirectType.GROUP_BY)

    def _ordered(self, order: exp.Expr | None) -> None:
        if order is None:
            return
        keys = [one.this if isinstance(one, exp.Ordered) else one for one in order.expressions]
        if len(keys) == 1 and isinstance(keys[0], exp.Var) and keys[0].name.upper() == "ALL":
            for column in self.columns:
                self.scope.shape(column.value.sources, IndirectType.SORT)
            return
        self._keys(keys, IndirectType.SORT)

    def _keys(self, keys: Iterable[exp.Expr], subtype: IndirectType) -> None:
        """Expressions, or the number of a column in the SELECT list."""
        waiting = list(keys)
        while waiting:
            key = waiting.pop()
            if isinstance(key, exp.Paren):
                waiting.append(key.this)
            elif isinstance(key, exp.Tuple | exp.GroupingSets | exp.Cube | exp.Rollup):
                waiting.extend(key.expressions)
            elif isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
                self._numbered(int(key.name), subtype)
            elif isinstance(key, exp.Alias) or not isinstance(key, exp.Literal):
                self.scope.shape_by((key,), subtype)

    def _numbered(self, number: int, subtype: IndirectType) -> None:
        if 0 < number <= len(self.columns) and not self.open:
            self.scope.shape(self.columns[number - 1].value.sources, subtype)
        elif number - 1 in self.values:
            self.scope.shape(self.values[number - 1].value.sources, subtype)


def _called(generator: exp.Expr, dialect: str) -> tuple[str, ...]:
    """The name of the one column that unnest makes in a SELECT list; Spark has names of its own."""
    if dialect in ("postgres", "redshift") and isinstance(generator, exp.Explode):
        return ("unnest",)
    if dialect == "duckdb" and isinstance(generator, exp.Explode):
        return (f"unnest({text_of(generator.this, dialect)})",)
    return ()


def _aggregates(expression: exp.Expr) -> bool:
    for node in expression.walk(prune=lambda one: isinstance(one, exp.Window | exp.Query)):
        if isinstance(node, exp.Window | exp.Query):
            continue
        if isinstance(node, exp.AggFunc):
            return True
        if isinstance(node, exp.Anonymous) and node.name.lower() in AGGREGATE_NAMES:
            return True
    return False


def ordered_by(node: exp.Expr, relation: Relation, scope: QueryScope) -> Relation:
    """ORDER BY over what a set operation or a subquery in brackets gives: by its own columns only."""
    inner = QueryScope.over((("", replace(relation, shaped=frozenset(), reads=frozenset())),), scope.around, scope)
    reading = _Select(exp.Select(expressions=[]), inner)
    reading.columns = list(relation.columns)
    for clause in ("order", "sort", "cluster"):
        reading._ordered(node.args.get(clause))
    return replace(relation, shaped=relation.shaped | inner.shaped, reads=relation.reads | inner.reads)
