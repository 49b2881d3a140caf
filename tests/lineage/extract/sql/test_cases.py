"""SQL against the text cases in tests/lineage/sql_cases: everything that comes out of a script, and nothing else."""

from __future__ import annotations

from each_case import each_case
from sql_cases import Case, Line, all_cases, known_tables

from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.sql.program import read_sql

TABLES = definitions_of(known_tables())


def lines_of(found: Extraction) -> list[Line]:
    direct = [f"{edge.target} <- {edge.source} {edge.transformation}{',masked' * edge.masking}" for edge in found.edges]
    return [*direct, *(f"~ {edge.subtype} {edge.source} -> {edge.target}" for edge in found.indirect)]


def tables_of(found: Extraction) -> set[Line]:
    return {f"table {edge.source} -> {edge.target}" for edge in found.table_edges}


def extract(case: Case) -> Extraction:
    catalog = TableCatalog(TABLES, case.settings.get("db"), case.settings.get("default-schema"))
    dialect, result = case.settings.get("dialect", "spark"), case.settings.get("result")
    return flatten([read_sql(case.script, catalog, dialect=dialect, file="case.sql", result=result)])


ALL = all_cases()


@each_case(ALL, lambda each: f"{each[0]}: {each[1].name}")
def test_a_script_gives_what_its_case_says_and_nothing_else(each: tuple[str, Case]) -> None:
    _, case = each
    found = extract(case)
    assert sorted(set(lines_of(found))) == sorted(case.lines), found.gaps
    if case.tables is not None:
        assert tables_of(found) == case.tables
    places = {(edge.file, edge.line) for edge in found.edges} | {(edge.file, edge.line) for edge in found.indirect}
    assert places <= {("case.sql", line) for line in range(1, case.script.count("\n") + 2)}
    left = list(found.gaps)
    for line, words in case.gaps:
        gap = next((gap for gap in left if gap.line == line and words in gap.reason), None)
        assert gap is not None, f"no gap at line {line} about {words!r}: {found.gaps}"
        left.remove(gap)
    assert not left


def test_every_case_has_a_name_of_its_own() -> None:
    names = [(file, case.name) for file, case in ALL]
    assert len(names) == len(set(names))


def test_every_dialect_has_cases() -> None:
    dialects = {case.settings.get("dialect", "spark") for _, case in ALL}
    others = {"postgres", "snowflake", "bigquery", "tsql", "mysql", "oracle", "redshift", "duckdb", "trino"}
    assert dialects == {"spark", "databricks", "hive"} | others
