"""The record of a table with what people say of it in the catalog: owners of incidents, pages, terminals and lineage
read this, so that they agree."""

from __future__ import annotations

from dataclasses import replace

from forge.catalog.asset import Documentation
from forge.flows.runs.records import AssetRecord


def documented_record(record: AssetRecord, documentation: Documentation) -> AssetRecord:
    described = {name: column.description for name, column in documentation.columns.items() if column.description}
    columns = tuple(
        {**column, "description": described.get(str(column["name"]).lower()) or column.get("description", "")}
        for column in record.columns
    )
    return replace(
        record,
        description=documentation.description or record.description,
        owner=documentation.owner or record.owner,
        tags=tuple(dict.fromkeys((*documentation.tags, *record.tags))),
        columns=columns if described else record.columns,
    )
