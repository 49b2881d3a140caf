"""SQL files, which may be templates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.lines import with_lines
from forge.lineage.extract.placeholders import has_template
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.program import read_sql
from forge.lineage.extract.sql.syntax.parse import NOT_FILLED_IN

_MODEL = re.compile(r"\{\{-?\s*(?:ref|source|config)\s*\(")


def read_sql_file(
    text: str,
    catalog: TableCatalog,
    *,
    dialect: str = "spark",
    file: str = "",
    result: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Program:
    """As `read_sql`, with Jinja and `${name}` rendered first. Where a condition on something unknown gives two texts,
    the steps of both. A model of dbt without its project makes what its file is called."""
    if not has_template(text) or len(text) > 10_000_000:
        return read_sql(text, catalog, dialect=dialect, file=file, result=result, variables=variables)
    from forge.lineage.extract.template import render_sql

    model = posixpath.basename(file).partition(".")[0] if _MODEL.search(text) else ""
    result = result or model or None
    texts, gaps = render_sql(text, file, dialect=dialect, variables={"this": model, **(variables or {})})
    if not texts:
        # Perhaps it is no template: braces may be in a string. Else its other statements can still be read.
        plain = read_sql(text, catalog, dialect=dialect, file=file, result=result, variables=variables)
        remaining = (*gaps, *(gap for gap in plain.gaps if not gap.reason.endswith(NOT_FILLED_IN)))
        return replace(plain, gaps=remaining) if plain.gaps else plain
    found = [
        with_lines(
            read_sql(one.text, catalog, dialect=dialect, file=file, result=result, variables=variables), one.line
        )
        for one in texts
    ]
    return joined(found, Program(file=file, language="sql", gaps=gaps))


def joined(programs: list[Program], around: Program) -> Program:
    """Merges the readings of one text into one program; it is as long as the longest, and understood as the worst."""
    first = max(programs, key=lambda one: one.statements)
    lines = {gap.line for gap in around.gaps}
    return replace(
        first,
        steps=tuple(step for one in programs for step in one.steps),
        gaps=tuple(dict.fromkeys((*around.gaps, *(gap for one in programs for gap in one.gaps)))),
        definitions=tuple(definition for one in programs for definition in one.definitions),
        understood=max(0, min(one.understood for one in programs) - min(len(lines), 1)),
        unknown=frozenset().union(*(one.unknown for one in programs)),
    )
