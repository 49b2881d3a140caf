"""MATCH_RECOGNIZE: patterns over ordered rows. What it gives are its keys and its measures."""

from __future__ import annotations

import re

from sqlglot import exp

from forge.lineage.edge import Indirect, Transformation
from forge.lineage.extract.relation import Column, Relation
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.scope import Scope, Source, name_of
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import Trace, through


def match_rows(match: exp.Expr, scope: Scope) -> None:
    """What stands in FROM, replaced by what is found in it."""
    match = _plain(match)
    args = match.args
    keys = list(args.get("partition_by") or ())
    scope.shape_by((*keys, args.get("order")), Indirect.WINDOW)
    scope.shape_by((one.this for one in args.get("define") or ()), Indirect.FILTER)
    every = "ALL ROWS" in str(args.get("rows") or "").upper()
    dialect = scope.around.dialect
    columns = list(scope.row) if every else [Column(output_name(key, dialect, scope), scope.value(key)) for key in keys]
    for measure in args.get("measures") or ():
        named = measure.this
        step = Trace(Transformation.WINDOW, text_of(named.this, dialect))
        columns.append(Column(name_of(named.args["alias"]), through(scope.value(named.this), step)))
    opens = [table for source in scope.open for table in source.relation.open] if every else []
    alias = args.get("alias")
    name = name_of(alias.this).lower() if alias is not None and alias.this is not None else ""
    scope.sources, scope.row, scope.open, scope.index = [], [], [], {}
    scope.add(Source(names=(name,) if name else (), relation=Relation(tuple(columns), tuple(opens))))


def _plain(match: exp.Expr) -> exp.Expr:
    """Without the variables of the pattern, which stand before columns like the name of a table."""
    copied = match.copy()
    variables = {one.alias.lower() for one in copied.args.get("define") or ()}
    variables |= {word.lower() for word in re.findall(r"\w+", str(copied.args.get("pattern") or ""))}
    for column in copied.find_all(exp.Column):
        if column.table.lower() in variables:
            column.set("table", None)
    return copied
