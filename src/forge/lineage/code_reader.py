"""Pure extraction of edges from code: no project, no database, nothing executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forge.model.word_list import words

if TYPE_CHECKING:
    from forge.lineage.edge import Extraction
    from forge.lineage.extract.codebase import SourceUnit
    from forge.lineage.extract.definition import Schemas

DIALECTS = words("spark databricks hive postgres snowflake bigquery tsql mysql oracle redshift duckdb trino")


def extract_sql(
    text: str,
    schemas: Schemas | None = None,
    dialect: str = "spark",
    *,
    db: str | None = None,
    default_schema: str | None = None,
    file: str = "",
    result: str | None = None,
) -> Extraction:
    """The edges of a script: from real tables to real tables. `schemas`: table → {column: type}. `db` and
    `default_schema` complete short names. `result`: what the bare SELECT of the script makes; without it, it makes
    nothing. What is not understood is among `gaps`."""
    from forge.lineage.extract.codebase import SourceUnit

    name = file or "<sql>"
    return _extract([SourceUnit(name, "sql", {name: text}, result or "")], schemas, dialect, db, default_schema)


def extract_python(
    files: Mapping[str, str] | str,
    schemas: Schemas | None = None,
    dialect: str = "spark",
    *,
    db: str | None = None,
    default_schema: str | None = None,
) -> Extraction:
    """The edges of Python programs, path → text, which may import each other; a single text is a program alone.
    Notebooks (.ipynb) are files like others."""
    from forge.lineage.extract.codebase import SourceUnit

    texts = {"<python>": files} if isinstance(files, str) else files
    units = [SourceUnit(path, "python", {path: text}) for path, text in texts.items()]
    return _extract(units, schemas, dialect, db, default_schema)


def _extract(
    units: list[SourceUnit], schemas: Schemas | None, dialect: str, db: str | None, default_schema: str | None
) -> Extraction:
    from forge.lineage.extract.catalog import TableCatalog
    from forge.lineage.extract.codebase import CodebaseContext, modules_of, read_codebase
    from forge.lineage.extract.definition import definitions_of
    from forge.lineage.extract.flatten import flatten

    check_dialect(dialect)
    catalog = TableCatalog(definitions_of(schemas or {}), db, default_schema)
    modules = modules_of(
        {path: text for unit in units if unit.language == "python" for path, text in unit.texts.items()}
    )
    done = read_codebase(units, CodebaseContext(catalog, dialect, modules))
    return flatten(program for unit in units for program in done[unit.name].programs)


def check_dialect(dialect: str) -> None:
    """E822 with those that are known."""
    if dialect in DIALECTS:
        return
    from forge.model.errors import ForgeError
    from forge.model.name_suggestions import did_you_mean

    raise ForgeError(
        "E822",
        f"'{dialect}' is no dialect of SQL that Forge reads",
        why=f"It reads {', '.join(DIALECTS)}.",
        fix=did_you_mean(dialect, DIALECTS),
    )
