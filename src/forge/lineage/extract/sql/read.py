"""A SQL file as a program."""

from __future__ import annotations

from collections.abc import Mapping

from forge.lineage.extract.catalog import Catalog
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.session import Session


def read_sql(
    text: str,
    catalog: Catalog,
    *,
    dialect: str = "spark",
    file: str = "",
    result: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Program:
    """Never raises: what cannot be read is a gap. `result`: the table that the last query makes."""
    session = Session(catalog, dialect, file, variables=variables)
    session.run(text, result=result)
    return session.finish("sql")
