"""Scripts in, edges out, as short text."""

from __future__ import annotations

from collections.abc import Mapping

from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.program import read_sql

TABLES: Mapping[str, Mapping[str, str]] = {
    "s": {"id": "int", "a": "int", "b": "string", "c": "date"},
    "t": {"id": "int", "x": "int", "y": "string"},
    "u": {"id": "int", "p": "int", "q": "string"},
    "d": {"k": "int", "v": "string", "day": "string", "hour": "int"},
}


def program(script: str, dialect: str = "spark", tables: Mapping[str, Mapping[str, str]] = TABLES) -> Program:
    return read_sql(script, TableCatalog(definitions_of(tables)), dialect=dialect, file="x.sql")


def extract(script: str, dialect: str = "spark", tables: Mapping[str, Mapping[str, str]] = TABLES) -> Extraction:
    return flatten([program(script, dialect, tables)])


def edges(script: str, dialect: str = "spark", tables: Mapping[str, Mapping[str, str]] = TABLES) -> set[str]:
    """`s.a -> t.x`; of anything but a copy also what happens on the way. Gaps are edges too, so that none is missed."""
    found = extract(script, dialect, tables)
    lines = {
        f"{edge.source} -> {edge.target}" + ("" if edge.transformation == "identity" else f" {edge.transformation}")
        for edge in found.edges
    }
    return lines | {f"gap {gap.line}: {gap.reason}" for gap in found.gaps}


def shaped(script: str, dialect: str = "spark", tables: Mapping[str, Mapping[str, str]] = TABLES) -> set[str]:
    return {f"{edge.source} ~ {edge.target} {edge.subtype}" for edge in extract(script, dialect, tables).indirect}


def tables(script: str, dialect: str = "spark") -> set[str]:
    return {f"{edge.source} -> {edge.target}" for edge in extract(script, dialect).table_edges}


def gaps(script: str, dialect: str = "spark") -> list[str]:
    return [f"{gap.line}: {gap.reason}" for gap in extract(script, dialect).gaps]
