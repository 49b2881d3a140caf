"""Fragments as they are collected: queries of one source, whose columns have names that the rest uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from forge.federation.dialects.render import set_path
from forge.federation.dialects.rules import LakeOrKind, SourceRules, rules_of
from forge.federation.names import set_ref
from forge.federation.plan import Fragment, JoinOrder, PushDecision, QueryPart, RowGuard
from forge.federation.planner.local_names import LocalQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.model.types import DataType


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a fragment: what computes it, and what is known of it, its name among others."""

    node: exp.Expr
    column: SourceColumn


# Where rows are needed and no column is.
ONE = Output(exp.Literal.number(1), SourceColumn("one", DataType("int"), nullable=False))


class FragmentList:
    """Fragments and decisions of one plan, in the order of the query's text. Equal queries are one fragment."""

    def __init__(self, query: LocalQuery, kinds: Mapping[str, LakeOrKind], parameters: Mapping[str, object]) -> None:
        self.query = query
        self.kinds = kinds
        self.parameters = parameters
        self.fragments: list[Fragment] = []
        self.decisions: list[PushDecision] = []
        self.join_orders: list[JoinOrder] = []
        self._names: Iterator[str] = query.fresh.numbered("f")

    def rules(self, source: str) -> SourceRules:
        return rules_of(self.kinds[source])

    def relation(self, node: exp.Expr) -> SourceRelation | None:
        """Of a table with a local name."""
        return self.query.relations.get(node.name) if isinstance(node, exp.Table) and not node.db else None

    def decide(
        self,
        part: QueryPart,
        node: exp.Expr | str,
        source: str,
        why: str = "",
        *,
        prefilter: bool = False,
        partial: bool = False,
    ) -> None:
        text = node if isinstance(node, str) else " ".join(node.sql("spark").split())
        for local, relation in self.query.relations.items():
            text = text.replace(f"`{local}` AS", f"{relation.name} AS")
        pushed = not why or prefilter or partial
        decision = PushDecision(part, text, source, pushed, why, prefilter=prefilter, partial=partial)
        if decision not in self.decisions:
            self.decisions.append(decision)

    def add(
        self,
        scope: exp.Select,
        outputs: Sequence[Output],
        rows: int | None,
        residual: exp.Expr | None = None,
        *,
        scanned: int | None = None,
    ) -> Fragment:
        """`scope`: FROM, WHERE and the like of one source, with local names; its projections are `outputs`, whose
        names are made different here. `residual`: of a row filter, what is looked at as the rows arrive."""
        read = [*outputs, *self._missing(scope, outputs, residual)]
        columns = _with_own_names([one.column for one in read])
        query = scope.copy()
        relations = self._spell(query)
        projections: list[exp.Expr] = []
        for output, column in zip(read, columns, strict=True):
            node = output.node.copy()
            self._spell_columns(node, scope)
            projections.append(exp.alias_(node, exp.to_identifier(column.name, quoted=True)))
        query.set("expressions", projections)
        source = relations[0].source
        shown = tuple(columns[: len(outputs)])
        same = next((o for o in self.fragments if o.query == query and o.source == source and o.columns == shown), None)
        if same is not None:
            return same
        found = Fragment(next(self._names), source, query, shown, relations=relations, rows=rows, scanned=scanned)
        found = replace(found, guard=self._guard(scope, read, columns, len(outputs), residual))
        self.fragments.append(found)
        return found

    def _missing(self, scope: exp.Select, outputs: Sequence[Output], residual: exp.Expr | None) -> list[Output]:
        """Columns of a row filter that are not read anyway."""
        found: dict[str, Output] = {}
        for column in residual.find_all(exp.Column) if residual is not None else ():
            relation = next((one for table, one in self._tables(scope) if table.alias == column.table), None)
            known = relation.get(column.name) if relation is not None else None
            assert known is not None, "a row filter is of the columns of its table"
            if not any(one.node == column for one in outputs):
                found[column.name] = Output(column.copy(), known.raw)
        return list(found.values())

    def _guard(
        self,
        scope: exp.Select,
        read: Sequence[Output],
        columns: Sequence[SourceColumn],
        shown: int,
        residual: exp.Expr | None,
    ) -> RowGuard | None:
        """None where everyone sees these rows as they are."""
        is_filtered = any(one.row_filter is not None for _, one in self._tables(scope))
        if not is_filtered and not any(one.mask for one in columns):
            return None
        filter = residual.copy() if residual is not None else None
        names = {output.node: column.name for output, column in zip(read, columns, strict=True)}
        for column in list(filter.find_all(exp.Column)) if filter is not None else ():
            column.set("this", exp.to_identifier(names[column], quoted=True))
            column.set("table", None)
        return RowGuard(filter, tuple(columns[shown:]))

    def _tables(self, scope: exp.Select) -> list[tuple[exp.Table, SourceRelation]]:
        every = ((table, self.query.relations.get(table.name)) for table in scope.find_all(exp.Table))
        return [(table, relation) for table, relation in every if relation is not None]

    def change(self, old: Fragment, new: Fragment) -> None:
        self.fragments[self.fragments.index(old)] = new

    def _spell(self, query: exp.Select) -> tuple[RelationName, ...]:
        """Names as the source spells them."""
        self._spell_columns(query, query)
        relations: dict[RelationName, None] = {}
        for table in list(query.find_all(exp.Table)):
            relation = self.query.relations[table.name]
            relations[relation.name] = None
            set_path(table, (relation.name.source, *relation.name.path))
            set_ref(table, relation.name.at)
        return tuple(relations)

    def _spell_columns(self, node: exp.Expr, scope: exp.Select) -> None:
        spelled = {table.alias: self.query.relations.get(table.name) for table in scope.find_all(exp.Table)}
        for column in list(node.find_all(exp.Column)):
            relation = spelled.get(column.table)
            known = relation.get(column.name) if relation is not None else None
            if known is not None:
                column.set("this", exp.to_identifier(known.name, quoted=True))


def read_fragment(fragment: Fragment, alias: str, hidden: Sequence[SourceColumn], names: Sequence[str]) -> exp.Expr:
    """The fragment as it stands in FROM; `names`: its columns and those that are hidden, which are NULL of their type,
    in the order in which a star gives them."""
    if not hidden:
        return fragment_table(fragment.name, alias)
    nulls = {one.name.lower(): null_of(one) for one in hidden}
    columns = [
        nulls.get(name.lower())
        or exp.alias_(exp.column(name.lower(), table=fragment.name, quoted=True), name, quoted=True)
        for name in names
    ]
    inner = exp.Select(expressions=columns)
    inner.set("from_", exp.From(this=fragment_table(fragment.name, fragment.name)))
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def fragment_table(name: str, alias: str) -> exp.Table:
    return exp.Table(
        this=exp.to_identifier(name, quoted=True), alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
    )


def null_of(column: SourceColumn) -> exp.Expr:
    null = exp.cast(exp.Null(), str(column.type), dialect="spark")
    return exp.alias_(null, column.name, quoted=True)


def _with_own_names(columns: Sequence[SourceColumn]) -> list[SourceColumn]:
    taken: set[str] = set()
    found: list[SourceColumn] = []
    for column in columns:
        base = column.name.lower()
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        found.append(replace(column, name=name))
    return found
