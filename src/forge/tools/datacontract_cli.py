"""Adapter for datacontract-cli. It is imported on first use (which takes a second), never resolves references
(`inline_references=False`), and gets local files only."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from forge.contracts.contract import Violation
from forge.contracts.document.regular_file import NO_REGULAR_FILE
from forge.flows.contracts.tool import ExportedContract, ToolChange
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

if TYPE_CHECKING:
    from datacontract.data_contract import DataContract

T = TypeVar("T")

# Formats that it reads from a file. All others ask a server.
IMPORTS = (
    *("avro", "bigquery", "csv", "dbml", "dbt", "excel", "iceberg", "json", "jsonschema", "odcs", "openapi"),
    *("parquet", "powerbi", "protobuf", "pydantic-model", "sql", "xsd"),
)
SERVERS = (
    *("adls", "athena", "clickhouse", "databricks", "gcs", "glue", "hive", "mysql", "odata", "oracle", "postgres"),
    *("redshift", "s3", "snowflake", "spark", "sqlserver", "trino", "unity"),
)
EXPORTS = (
    *("avro", "avro-idl", "bigquery", "data-caterer", "dbml", "dbt-models", "dbt-sources", "dbt-staging-sql", "dcs"),
    *("dqx", "excel", "go", "great-expectations", "html", "iceberg", "jsonschema", "markdown", "mermaid", "odcs"),
    *("protobuf", "pydantic-model", "rdf", "sodacl", "spark", "sql", "sql-query", "sqlalchemy", "xsd"),
)
_IN_A_DIALECT = ("sql", "sql-query", "sqlalchemy")
_DIALECT = "databricks"  # the dialect of Spark SQL
_SPOKEN = {"spark": _DIALECT, "duckdb": "local"}  # what the tool calls them
_EXTRAS = {
    "csv": "duckdb",
    "xsd": "xml",
}  # formats that the base install lacks a package for, where it is called otherwise
_QUIET = ("passed", "info")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class DatacontractCli:
    name = "datacontract-cli"

    def imports(self) -> tuple[str, ...]:
        return IMPORTS

    def exports(self) -> tuple[str, ...]:
        return EXPORTS

    def read(self, file: Path, format: str, dialect: str | None = None) -> tuple[Mapping[str, object], tuple[str, ...]]:
        if format not in IMPORTS:
            raise _unknown_import(format)
        if not file.is_file():
            why = NO_REGULAR_FILE if file.exists() else "There is no such file."
            fix = "Give the path of a file that is there."
            raise ForgeError("E103", f"{file} cannot be read", where=str(file), why=why, fix=fix)
        with _collect_warnings() as notes:
            what, fix = f"{file} cannot be read as {format}", f"Is it {format}? Name what it is with --from."
            data = _call(lambda: _imported(file, format, dialect), what, str(file), format, fix)
        return data, tuple(notes)

    def export(
        self, text: str, format: str, *, table: str | None = None, dialect: str | None = None
    ) -> ExportedContract:
        if format not in EXPORTS:
            why = did_you_mean(format, EXPORTS) or f"There are {', '.join(EXPORTS)}."
            raise ForgeError("E105", f"'{format}' is no format that contracts can be written in", why=why, fix=_LIST)
        with _collect_warnings() as notes:
            content = _call(
                lambda: _exported(text, format, table, dialect),
                f"the contract cannot be written as {format}",
                format=format,
            )
        return ExportedContract(content, tuple(notes))

    def find_problems(self, text: str, file: str) -> tuple[Violation, ...]:
        with _collect_warnings():
            run = _call(lambda: _contract(text).lint(), f"{self.name} cannot judge {file}", file)
        return tuple(
            Violation(
                code="",
                severity="error" if _word(check.result) in ("failed", "error") else "warning",
                file=file,
                line=1,
                column=1,
                path="",
                message=_one_line(check.reason or check.name),
            )
            for check in run.checks or ()
            if _word(check.result) not in _QUIET
        )

    def find_changes(self, old: str, new: str) -> tuple[ToolChange, ...]:
        with _collect_warnings():
            found = _call(lambda: _contract(old).changelog(_contract(new)), f"{self.name} cannot compare the contracts")
        return tuple(ToolChange(e.path, e.type.value, e.old_value, e.new_value) for e in found.entries)


_LIST = "forge contract export --help lists them."
_FIX_FILE = "Mend the file; `forge contract lint FILE` says what is wrong with a contract."
_OTHER = "Choose another format."


def _contract(text: str) -> DataContract:
    from datacontract.data_contract import DataContract

    return DataContract(data_contract_str=text, inline_references=False, all_errors=True)


def _imported(file: Path, format: str, dialect: str | None) -> Mapping[str, object]:
    from datacontract.data_contract import DataContract

    made = DataContract.import_from_source(format, str(file), dialect=dialect)
    data: dict[str, object] = made.model_dump(mode="json", exclude_none=True, by_alias=True)
    return data


def _exported(text: str, format: str, table: str | None, dialect: str | None) -> str | bytes:
    from datacontract.export.exporter import ExportFormat

    contract = _contract(text)
    spoken = "auto"
    if format in _IN_A_DIALECT:
        asked = _SPOKEN.get(dialect or "", dialect)
        spoken = asked or ("auto" if contract.get_data_contract().servers else _DIALECT)
    made: str | bytes = contract.export(ExportFormat(format), schema_name=table or "all", sql_server_type=spoken)
    return made


def _is_missing(error: Exception) -> bool:
    """A package for this format is not installed; the base install has most of them."""
    return isinstance(error, ImportError) or "could not be loaded" in str(error)


def _call(
    question: Callable[[], T], what: str, where: str | None = None, format: str = "all", fix: str = _FIX_FILE
) -> T:
    """Calls the tool. What it refuses is an error of the file (E508), what it fails on its own (E509)."""
    try:
        from datacontract.model.exceptions import DataContractException
    except ImportError as error:
        fix = "Install Forge again: datacontract-cli comes with it."
        raise ForgeError("E509", what, where=where, why=f"datacontract-cli is missing: {error}.", fix=fix) from error
    try:
        return question()
    except DataContractException as error:
        raise ForgeError("E508", what, where=where, why=_one_line(error.reason or error), fix=fix) from error
    except (RuntimeError, ValueError, ImportError, OSError) as error:
        if _is_missing(error):
            why = "datacontract-cli needs a package for this format that is not installed."
            extra = _EXTRAS.get(format, format)
            fix = f"pip install 'datacontract-cli[{extra}]', or choose another format."
            raise ForgeError("E508", what, where=where, why=why, fix=fix) from error
        why = f"datacontract-cli says: {_one_line(error)}"
        raise ForgeError("E508", what, where=where, why=why, fix=_OTHER if fix == _FIX_FILE else fix) from error
    except Exception as error:  # a foreign tool may raise anything
        why = f"datacontract-cli broke: {type(error).__name__}: {_one_line(error)}"
        fix = "Choose another format; the contract itself may be right."
        raise ForgeError("E509", what, where=where, why=why, fix=fix) from error


def _word(of: Enum | None) -> str:
    return str(of.value) if of is not None else "unknown"


def _one_line(output: object) -> str:
    """Without terminal colours."""
    return " ".join(_COLOURS.sub("", str(output)).split())[:500]


@contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    """Warnings that the tool logs: what it could not convert."""
    notes: list[str] = []
    handler = _Collecting(notes)
    logger = logging.getLogger("datacontract")
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield notes
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


class _Collecting(logging.Handler):
    def __init__(self, notes: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        self._notes.append(_one_line(record.getMessage()))


def _unknown_import(format: str) -> ForgeError:
    local = f"From files: shorthand, odcs-v2, {', '.join(IMPORTS)}."
    if format in SERVERS:
        return ForgeError(
            "E105",
            f"Contracts are not imported from {format}",
            why=f"That format asks a server, and Forge imports files only. {local}",
            fix="Export the schema to a file, or bring the table into the lake and use forge contract init TABLE.",
        )
    near = did_you_mean(format, ("shorthand", "odcs-v2", *IMPORTS))
    why = f"{near} {local}" if near else local
    fix = "forge contract import FILE --from FORMAT"
    return ForgeError("E105", f"'{format}' is no format that contracts can be read from", why=why, fix=fix)
