"""Exports a contract: YAML, JSON, Spark and Iceberg schemas natively, other formats by datacontract-cli."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from forge.contracts.contract import TableContract
from forge.contracts.document.file import Document, read_document
from forge.contracts.load import contract_of
from forge.contracts.schema_output import SchemaText, iceberg_schema, spark_code, spark_ddl
from forge.contracts.tool_form import find_lost, tool_form
from forge.contracts.write import write_contract
from forge.flows.contracts.tool import ContractTool, ExportedContract
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean

OWN = ("yaml", "json")
SPARK = "spark"
# Those of the tool that writes SQL; Spark's is written by ourselves.
DIALECTS = (
    *(SPARK, "bigquery", "clickhouse", "databricks", "duckdb", "hana", "mysql", "oracle", "postgres", "redshift"),
    *("snowflake", "sqlserver", "trino"),
)
_SQL = ("sql", "sql-query")


def export_contract(
    source: str | bytes,
    file: str,
    format: str,
    tool: ContractTool,
    *,
    table: str | None = None,
    dialect: str | None = None,
) -> ExportedContract:
    """Raises for an invalid contract, E105 for an unknown format or dialect, E108 for an unknown table, E508 and E509
    for failures of the tool."""
    _refuse_unknown(file, format, tool, dialect)
    document = read_document(source, file)
    if format in OWN:
        return ExportedContract(_own(document, format))
    named = _named(document, table) if table is not None else None
    own = _schema(document, format, named, dialect)
    if own is not None:
        return ExportedContract(own.text, own.lost)
    # The tool gets what we read, not the file: no anchors to expand, the same values.
    data = tool_form(document.data, format)
    if format in _SQL:
        data = _in_sql(data, named, dialect)
        named = None if len(_tables(data)) == 1 else named
    made = tool.export(write_contract(data), format, table=named, dialect=dialect)
    if format == "sql" and isinstance(made.content, str):
        kept = re.sub(r"^CREATE OR REPLACE TABLE ", "CREATE TABLE ", made.content, flags=re.MULTILINE)
        return ExportedContract(kept, made.notes)
    chosen = [one for one in contract_of(document).tables if named in (None, one.name)]
    return ExportedContract(made.content, (*made.notes, *find_lost(chosen, format)))


def _refuse_unknown(file: str, format: str, tool: ContractTool, dialect: str | None) -> None:
    every = (*OWN, *tool.exports())
    if format not in every:
        why = did_you_mean(format, every) or f"There are {', '.join(every)}."
        fix = f"forge contract export {file} --format jsonschema"
        raise ForgeError("E105", f"'{format}' is no format that contracts are written in", why=why, fix=fix)
    if dialect is not None and dialect not in DIALECTS:
        why = did_you_mean(dialect, DIALECTS) or f"There are {', '.join(DIALECTS)}."
        fix = f"forge contract export {file} --format {format} --dialect spark"
        raise ForgeError("E105", f"'{dialect}' is no dialect of SQL that contracts are written in", why=why, fix=fix)


def _schema(document: Document, format: str, table: str | None, dialect: str | None) -> SchemaText | None:
    """Native formats. None: by the tool."""
    is_ddl = format == "sql" and dialect in (None, SPARK) and not (dialect is None and _spoken(document))
    if format not in ("iceberg", "spark") and not is_ddl:
        return None
    tables = [one for one in contract_of(document).tables if table in (None, one.name)]
    if is_ddl:
        return spark_ddl(tables)
    return spark_code(tables) if format == "spark" else iceberg_schema(_only(tables))


def _spoken(document: Document) -> bool:
    """Whether a server of the contract defines a dialect."""
    servers = document.data.get("servers")
    kinds = [each.get("type") for each in (servers if isinstance(servers, list) else []) if isinstance(each, dict)]
    return any(kind in DIALECTS for kind in kinds)


def _only(tables: list[TableContract]) -> TableContract:
    if len(tables) != 1:
        names = ", ".join(one.table for one in tables) or "none"
        raise ForgeError(
            "E105", "This format holds one table", why=f"The contract has {names}.", fix="Name one with --table."
        )
    return tables[0]


def _in_sql(data: Mapping[str, object], table: str | None, dialect: str | None) -> Mapping[str, object]:
    """The requested tables by their database name, with its schema. ClickHouse would quote the whole name as one, and
    the tool adds catalog and schema of the server to Databricks tables."""
    chosen = [each for each in _tables(data) if table in (None, each.get("name"))]
    servers = data.get("servers")
    kinds = [each.get("type") for each in (servers if isinstance(servers, list) else []) if isinstance(each, Mapping)]
    if dialect != "clickhouse" and "databricks" not in kinds:
        chosen = [{**each, "name": each.get("physicalName") or each.get("name")} for each in chosen]
    return {**data, "schema": chosen}


def _tables(data: Mapping[str, object]) -> list[Mapping[str, object]]:
    schema = data.get("schema")
    return [each for each in schema if isinstance(each, Mapping)] if isinstance(schema, list) else []


def _own(document: Document, format: str) -> str:
    if format == "yaml":
        return write_contract(document.data)
    return json.dumps(document.data, ensure_ascii=False, indent=2) + "\n"


def _named(document: Document, wanted: str) -> str:
    """The contract's own name of a table: `core.orders` and `orders` are one."""
    tables = _tables(document.data)
    for each in tables:
        names = {str(each[key]).lower() for key in ("name", "physicalName", "id") if each.get(key)}
        if wanted.lower() in names:
            return str(each.get("name") or wanted)
    known = [str(each.get("physicalName") or each.get("name")) for each in tables]
    raise UnknownNameError(
        f"The contract has no table {wanted}",
        why=did_you_mean(wanted, known) or f"It has {', '.join(known) or 'none'}.",
        fix="Name one of them, or leave out --table.",
    )
