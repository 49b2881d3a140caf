"""Reads programs against a few known tables and tells what came out, in short."""

from __future__ import annotations

from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.python import read_python

CATALOG = TableCatalog(
    definitions_of(
        {
            "raw.orders": {
                "id": "int",
                "customer_id": "int",
                "amount": "decimal(10,2)",
                "status": "string",
                "address": "struct<city:string,zip:string>",
            },
            "raw.customers": {"id": "int", "name": "string", "email": "string"},
        }
    )
)


def read(files: str | dict[str, str]) -> Extraction:
    return flatten(read_python({"job.py": files} if isinstance(files, str) else files, CATALOG))


def edges(files: str | dict[str, str]) -> set[str]:
    return {f"{edge.target} <- {edge.source} {edge.transformation}" for edge in read(files).edges}


def sure(files: str) -> dict[str, float]:
    return {f"{edge.target} <- {edge.source}": edge.confidence for edge in read(files).edges}


def gaps(files: str | dict[str, str]) -> list[tuple[int, str]]:
    return [(gap.line, gap.reason) for gap in read(files).gaps]


def tables(files: str | dict[str, str]) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in read(files).table_edges}
