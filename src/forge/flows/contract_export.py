"""A contract in another format: as YAML and JSON by ourselves, all else by a tool."""

from __future__ import annotations

import json

from forge.contracts.document import Document, read_document
from forge.contracts.write import write_contract
from forge.flows.contract_tool import ContractTool, Exported
from forge.model.errors import ForgeError
from forge.model.nearest import did_you_mean

OWN = ("yaml", "json")


def export_contract(
    source: str | bytes,
    file: str,
    format: str,
    tool: ContractTool,
    *,
    table: str | None = None,
    dialect: str | None = None,
) -> Exported:
    """Raises ContractError for what is no contract, E108 for an unknown table, E508 and E509 for what the tool cannot
    do."""
    document = read_document(source, file)
    if format in OWN:
        return Exported(_own(document, format))
    if format not in tool.exports():
        every = (*OWN, *tool.exports())
        why = did_you_mean(format, every) or f"There are {', '.join(every)}."
        fix = f"forge contract export {file} --format jsonschema"
        raise ForgeError("E508", f"'{format}' is no format that contracts are written in", why=why, fix=fix)
    # The tool gets what we read, not the file: no anchors to expand, the same values.
    named = _named(document, table) if table is not None else None
    return tool.export(write_contract(document.data), format, table=named, dialect=dialect)


def _own(document: Document, format: str) -> str:
    if format == "yaml":
        return write_contract(document.data)
    return json.dumps(document.data, ensure_ascii=False, indent=2) + "\n"


def _named(document: Document, wanted: str) -> str:
    """The contract's own name of a table: `core.orders` and `orders` are one."""
    schema = document.data.get("schema")
    tables = [each for each in (schema if isinstance(schema, list) else []) if isinstance(each, dict)]
    for each in tables:
        names = {str(each[key]).lower() for key in ("name", "physicalName", "id") if each.get(key)}
        if wanted.lower() in names:
            return str(each.get("name") or wanted)
    known = [str(each.get("physicalName") or each.get("name")) for each in tables]
    raise ForgeError(
        "E108",
        f"The contract has no table {wanted}",
        why=did_you_mean(wanted, known) or f"It has {', '.join(known) or 'none'}.",
        fix="Name one of them, or leave out --table.",
    )
