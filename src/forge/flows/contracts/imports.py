"""Imports contracts from other formats: the shorthand and ODCS v2 natively, the rest by datacontract-cli. Whatever does
not map is reported."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from forge.contracts.contract import Violation
from forge.contracts.document.file import ContractError, parse_document
from forge.contracts.document.regular_file import NO_REGULAR_FILE
from forge.contracts.linter.lint import lint
from forge.contracts.load import read_bounded
from forge.contracts.odcs_v2 import from_version2, is_version2
from forge.contracts.sample_values import FORMATS as SAMPLED
from forge.contracts.sample_values import without_sample
from forge.contracts.shorthand.contract import from_shorthand, full_version, is_shorthand
from forge.contracts.write import write_contract
from forge.flows.contracts.tool import ContractTool
from forge.model.errors import ForgeError
from forge.model.yaml_reader import MAX_BYTES

SHORTHAND = "shorthand"
VERSION2 = "odcs-v2"
_BY_SUFFIX = {
    ".sql": "sql",
    ".ddl": "sql",
    ".avsc": "avro",
    ".dbml": "dbml",
    ".proto": "protobuf",
    ".xsd": "xsd",
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".py": "pydantic-model",
    ".xlsx": "excel",
    ".bim": "powerbi",
    ".pbit": "powerbi",
}
_READ_AS_YAML = ("openapi", "odcs")
_NOBODY_S = ("my-data-contract", "My Data Contract")  # what the tool calls a contract that it knows no name of


@dataclass(frozen=True, slots=True)
class ImportedContract:
    """A contract as text. `format`: the detected format; `violations`: its lint findings."""

    format: str
    data: Mapping[str, object]
    text: str
    notes: tuple[str, ...]
    violations: tuple[Violation, ...]


def import_contract(
    file: Path, tool: ContractTool, format: str | None = None, dialect: str | None = None
) -> ImportedContract:
    """Raises E103 for an unreadable file, E105 for an unknown format, E508 and E509 for one that cannot be
    converted."""
    taken = format or _guess(file)
    if taken == SHORTHAND:
        data, notes = _of_shorthand(file)
    elif taken == VERSION2:
        converted = from_version2(_mapping(file))
        data, notes = converted.data, converted.notes
    else:
        if taken in _READ_AS_YAML:
            _mapping(file)  # its limits apply to the tool's input, too
        given, reported = tool.read(file, taken, dialect)
        bare, dropped = without_sample(given, taken) if taken in SAMPLED else (given, ())
        data, notes = _named(bare, file), (*reported, *dropped)
    text = write_contract(data)
    return ImportedContract(taken, data, text, notes, lint(text, file.name))


def _of_shorthand(file: Path) -> tuple[Mapping[str, object], tuple[str, ...]]:
    data = _mapping(file)
    if "apiVersion" in data and "schema" in data:
        raise _is_standard(file)
    if not is_shorthand(data):
        raise ForgeError(
            "E508",
            f"{file} is no contract in the shorthand",
            where=str(file),
            why="The shorthand has models, elements or owner; this file has "
            f"{', '.join(list(map(str, data))[:5]) or 'nothing'}.",
            fix="Name what it is with --from; forge contract import --help lists the formats.",
        )
    converted = from_shorthand(data)
    return converted.data, converted.notes


def _is_standard(file: Path) -> ForgeError:
    return ForgeError(
        "E508",
        f"{file} is a contract of the standard already",
        where=str(file),
        why="It has apiVersion and schema, so there is nothing to import.",
        fix=f"forge contract lint {file}",
    )


def _mapping(file: Path) -> Mapping[str, object]:
    """Read as contracts are, with the same limits."""
    _must_exist(file)
    source = read_bounded(file, str(file))
    if file.suffix.lower() == ".json" and isinstance(data := _json_of(source), Mapping):
        return data  # YAML knows no tabs, JSON does
    document, violations = parse_document(source, str(file))
    if document is None:
        raise ContractError(violations)
    return document.data


def _must_exist(file: Path) -> None:
    if not file.is_file():
        why = "It is a folder." if file.is_dir() else NO_REGULAR_FILE if file.exists() else "There is no such file."
        fix = "Give the path of a file that is there."
        raise ForgeError("E103", f"{file} cannot be read", where=str(file), why=why, fix=fix)


def _guess(file: Path) -> str:
    """By suffix, and for JSON and YAML by content."""
    _must_exist(file)
    suffix = file.suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix == ".json":
        return _kind_of_json(file)
    if suffix not in (".yaml", ".yml", ""):
        raise ForgeError(
            "E105",
            f"What {file} is cannot be told by its name",
            where=str(file),
            fix="Say it with --from; forge contract import --help lists the formats.",
        )
    data = _mapping(file)
    if "openapi" in data:
        return "openapi"
    if "apiVersion" in data and "schema" in data:
        raise _is_standard(file)
    return VERSION2 if is_version2(data) else SHORTHAND


def _kind_of_json(file: Path) -> str:
    data = _json_of(read_bounded(file, str(file)))
    if not isinstance(data, Mapping):
        return "json"
    metadata = data.get("metadata")
    if isinstance(metadata, Mapping) and "dbt_schema_version" in metadata:
        return "dbt"
    if "openapi" in data:
        return "openapi"
    if "$schema" in data:
        return "jsonschema"
    if data.get("type") == "struct" and isinstance(data.get("fields"), list):
        return "iceberg"
    if data.get("type") == "record" and isinstance(data.get("fields"), list):
        return "avro"
    return SHORTHAND if is_shorthand(data) else "json"


def _json_of(source: bytes) -> object:
    """None for JSON lines, for invalid JSON, and for files above the limit."""
    try:
        return json.loads(source) if len(source) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return None


def _named(data: Mapping[str, object], file: Path) -> Mapping[str, object]:
    """A contract without a name gets that of its file."""
    stem = file.name.partition(".")[0] or "contract"
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "contract"
    own = {"id": slug, "name": stem}
    taken = {key: value for key, value in own.items() if data.get(key) in (None, "", *_NOBODY_S)}
    return {**data, **taken, "version": full_version(str(data.get("version") or "1.0.0"))}
