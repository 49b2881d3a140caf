"""MATCH_RECOGNIZE: outputs its partition keys and measures."""

from __future__ import annotations

import re

from sqlglot import exp

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.scope import FromSource, QueryScope, name_of
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import SourceTrace, through


def match_rows(match: exp.Expr, scope: QueryScope) -> None:
    """Replaces the FROM item by the result of the pattern."""
    match = _plain(match)
    args = match.args
    keys = list(args.get("partition_by") or ())
    scope.shape_by((*keys, args.get("order")), IndirectType.WINDOW)
    scope.shape_by((one.this for one in args.get("define") or ()), IndirectType.FILTER)
    every = "ALL ROWS" in str(args.get("rows") or "").upper()
    dialect = scope.around.dialect
    columns = (
        list(scope.row)
        if every
        else [RelationColumn(output_name(key, dialect, scope), scope.value(key)) for key in keys]
    )
    for measure in args.get("measures") or ():
        named = measure.this
        step = SourceTrace(Transformation.WINDOW, text_of(named.this, dialect))
        columns.append(RelationColumn(name_of(named.args["alias"]), through(scope.value(named.this), step)))
    opens = [table for source in scope.open for table in source.relation.open] if every else []
    alias = args.get("alias")
    name = name_of(alias.this).lower() if alias is not None and alias.this is not None else ""
    scope.sources, scope.row, scope.open, scope.index = [], [], [], {}
    scope.add(FromSource(names=(name,) if name else (), relation=Relation(tuple(columns), tuple(opens))))


def _plain(match: exp.Expr) -> exp.Expr:
    """Without pattern variables, which qualify columns like table names."""
    copied = match.copy()
    variables = {one.alias.lower() for one in copied.args.get("define") or ()}
    variables |= {word.lower() for word in re.findall(r"\w+", str(copied.args.get("pattern") or ""))}
    for column in copied.find_all(exp.Column):
        if column.table.lower() in variables:
            column.set("table", None)
    return copied
