"""Arguments of Python callers converted for the flows: keys, rules, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning.conflict import ResolutionRule
from forge.versioning.resolution import parse_rule

if TYPE_CHECKING:
    import pandas
    import pyarrow


def read_rules(take: str | None, rules: Iterable[tuple[str, str]]) -> tuple[ResolutionRule, ...]:
    """`take` for all; then by column, `amount` or `core.orders.amount`: a side, max, min, sum, or SQL over base, ours
    and theirs."""
    found = [parse_rule(take)] if take is not None else []
    for name, rule in rules:
        table, _, column = name.strip().rpartition(".")
        found.append(parse_rule(rule, table or None, column))
    return tuple(found)


def read_keys(keys: Mapping[str, str | Sequence[str]] | None) -> dict[TableName, tuple[str, ...]]:
    return {TableName.parse(table): names_of(columns) for table, columns in (keys or {}).items()}


def names_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """`"a, b"` or `["a", "b"]`."""
    parts = given.split(",") if isinstance(given, str) else given or ()
    return tuple(part.strip() for part in parts if part.strip())


def arrow_rows(rows: pyarrow.Table | pandas.DataFrame | Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """An Arrow table, a pandas frame (without its index) or a list of dicts."""
    import pyarrow as pa

    if isinstance(rows, pa.Table):
        return rows
    if isinstance(rows, pa.RecordBatch):
        return pa.Table.from_batches([rows])
    try:
        if isinstance(rows, list | tuple):
            names = dict.fromkeys(name for row in rows for name in row)  # Arrow infers from the first row alone
            return pa.table({name: [row.get(name) for row in rows] for name in names})
        return pa.Table.from_pandas(rows, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, AttributeError, TypeError) as error:
        raise ForgeError(
            "E621",
            "These rows are no table",
            why=str(error),
            fix="Give an Arrow table, a pandas frame or a list of dicts.",
        ) from error
