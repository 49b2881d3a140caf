"""A SQL file as a program."""

from __future__ import annotations

from collections.abc import Mapping

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.session import SqlSession


def read_sql(
    text: str,
    catalog: TableCatalog,
    *,
    dialect: str = "spark",
    file: str = "",
    result: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Program:
    """Never raises: what cannot be read is a gap. `result`: the table that the last query makes."""
    session = SqlSession(catalog, dialect, file, variables=variables)
    session.run(text, result=result)
    return session.finish("sql")
