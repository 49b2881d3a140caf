"""One `.sql` file below `transforms/`: its header and its query as a transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from forge.model.errors import ForgeError, ForgeErrors, errors_of
from forge.model.names import TableName
from forge.transforms.fingerprint import hash_of
from forge.transforms.header import Header, body_of, read_header
from forge.transforms.options import read_output
from forge.transforms.outputs import output_by_path
from forge.transforms.sql import ParameterRef, find_inputs, find_parameters
from forge.transforms.transform import InputRef, SqlQuery, Transform

T = TypeVar("T")


def load_sql(text: str, file: str) -> Transform:
    """`file` is the path from the project, which gives the table its name. All errors are raised at once."""
    errors: list[ForgeError] = []
    header = _collect(errors, lambda: read_header(text, file))
    output = _collect(errors, lambda: _output_of(header, file)) if header else None
    references: tuple[InputRef, ...] | None = _collect(errors, lambda: find_inputs(text, file))
    parameters: tuple[ParameterRef, ...] = ()
    if references is not None:  # a query that does not parse would be reported twice
        parameters = _collect(errors, lambda: find_parameters(text, file)) or ()
    if header is None or output is None or references is None or errors:
        raise errors[0] if len(errors) == 1 else ForgeErrors(errors)
    options = header.options
    return Transform(
        output=output,
        body=SqlQuery(text, tuple(sorted(parameter.name for parameter in parameters))),
        file=file,
        line=1,
        code_hash=_code_hash(text, header),
        kind=options.kind,
        inputs=tuple(dict.fromkeys(reference.table for reference in references)),
        unique_key=tuple(options.unique_key),
        time_column=options.time_column,
        partitioned_by=tuple(options.partitioned_by),
        tags=tuple(options.tags),
        owner=options.owner,
        description=options.description or "",
        columns=options.columns,
        checks=tuple(options.checks),
        check_lines=tuple(header.yaml.line_of("checks", index) for index in range(len(options.checks))),
        references=references,
    )


def output_of_sql(text: str, file: str) -> TableName | None:
    """The table that a file makes, by its header or its path, even if its query is invalid; None: none."""
    try:
        return _output_of(read_header(text, file), file)
    except ForgeError:
        return output_by_path(file)


def _output_of(header: Header, file: str) -> TableName:
    if header.options.output is not None:
        return read_output(header.options.output, header.yaml.where("output"))
    found = output_by_path(file)
    if found is None:
        raise ForgeError(
            "E206",
            "the path of the file gives no table name",
            where=f"{file}:1",
            why="transforms/core/orders.sql writes core.orders: the last folder is the schema, the file is the table.",
            fix="Move or rename the file, or add `output: core.orders` to its header.",
        )
    return found


def _code_hash(text: str, header: Header) -> str:
    """Of the query and the options that affect the data; a new description or check does not change it."""
    options = header.options
    return hash_of(
        {
            "sql": body_of(text, header).replace("\r\n", "\n").strip(),
            "kind": options.kind.value,
            "unique_key": options.unique_key,
            "time_column": options.time_column,
            "partitioned_by": options.partitioned_by,
        }
    )


def _collect(errors: list[ForgeError], read: Callable[[], T]) -> T | None:
    try:
        return read()
    except ForgeError as error:
        errors.extend(errors_of(error))
        return None
