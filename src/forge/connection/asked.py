"""Words of a caller as the flows understand them: keys, rules, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.versioning.conflict import Rule, Take
from forge.versioning.merge import Strategy

if TYPE_CHECKING:
    import pandas
    import pyarrow

SIDES = {take.value: take for take in (Take.OURS, Take.THEIRS, Take.BASE)}


def read_strategy(text: str) -> Strategy:
    name = text.replace("-", "_").lower()
    words = {strategy.value: strategy for strategy in Strategy} | {"fast_forward": Strategy.FF}
    if name not in words:
        near = did_you_mean(text, ["three-way", "ff", "squash", "rebase"])
        raise ForgeError("E105", f"'{text}' is no strategy", why=near, fix="Take three-way, ff, squash or rebase.")
    return words[name]


def read_side(text: str) -> Take:
    if text not in SIDES:
        raise ForgeError(
            "E619", f"'{text}' is no side", why=did_you_mean(text, SIDES), fix="Take ours, theirs or base."
        )
    return SIDES[text]


def read_rules(take: str | None, rules: Iterable[tuple[str, str]]) -> tuple[Rule, ...]:
    """`take` for all; then by column, `amount` or `core.orders.amount`: a side, or an SQL expression over base, ours
    and theirs."""
    from forge.versioning.expression import parse_expression

    found = [Rule(read_side(take))] if take is not None else []
    for name, said in rules:
        table, _, column = name.strip().rpartition(".")
        if said in SIDES:
            found.append(Rule(SIDES[said], table or None, column))
        else:
            parse_expression(said)
            found.append(Rule(Take.EXPRESSION, table or None, column, said))
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
            names = dict.fromkeys(name for row in rows for name in row)  # Arrow looks at the first row alone
            return pa.table({name: [row.get(name) for row in rows] for name in names})
        return pa.Table.from_pandas(rows, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, AttributeError, TypeError) as error:
        raise ForgeError(
            "E621",
            "These rows are no table",
            why=str(error),
            fix="Give an Arrow table, a pandas frame or a list of dicts.",
        ) from error
