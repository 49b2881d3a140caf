"""The options of a transform, from an SQL header or the decorator, validated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from forge.model.errors import ForgeError, raise_errors
from forge.model.file_options import StrictModel, Where, read_options
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.transform import TransformKind


class TransformOptions(StrictModel):
    output: str | None = None
    kind: Annotated[TransformKind, Field(strict=False)] = TransformKind.FULL
    unique_key: list[str] = Field(default_factory=list)
    time_column: str | None = None
    partitioned_by: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    owner: str | None = None
    description: str | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    checks: list[dict[str, Any]] = Field(default_factory=list)


def read_transform_options(data: object, where: Where) -> TransformOptions:
    options = read_options(TransformOptions, data, where)
    raise_errors(_find_misfits(options, where))
    return options


def read_output(text: str, where: str) -> TableName:
    """A table name written in a file: the error names the place."""
    try:
        return TableName.parse(text)
    except ForgeError as error:
        raise error.but(where=where) from error


def _find_misfits(options: TransformOptions, where: Where) -> Iterable[ForgeError]:
    needed = {TransformKind.BY_UNIQUE_KEY: "unique_key", TransformKind.BY_TIME_RANGE: "time_column"}.get(options.kind)
    if needed and not getattr(options, needed):
        example = "unique_key: [order_id]" if needed == "unique_key" else "time_column: ordered_at"
        yield ForgeError(
            "E206",
            f"kind {options.kind.value} needs {needed}",
            where=where(("kind",)),
            fix=f"Add it, such as `{example}`.",
        )
    yield from find_bad_partitions(options.partitioned_by, where)


_PARTITION = re.compile(r"(?:(\w+)\s*\(\s*(?:(\d+)\s*,\s*)?)?([A-Za-z_][\w.]*)\s*(?:,\s*(\d+)\s*)?(\)?)")
_BY_TIME = ("years", "months", "days", "hours", "year", "month", "day", "hour")
_BY_NUMBER = ("bucket", "truncate")


def find_bad_partitions(partitioned_by: list[str], where: Where) -> Iterable[ForgeError]:
    """A column, years|months|days|hours(column), bucket(n, column) or truncate(n, column)."""
    for index, text in enumerate(partitioned_by):
        match = _PARTITION.fullmatch(text.strip())
        function, before, _, after, closing = match.groups() if match else (None, None, None, None, "?")
        numbers = sum(number is not None for number in (before, after))
        fits = (
            (numbers == 0 and closing == "")
            if function is None
            else closing == ")"
            and ((function in _BY_TIME and numbers == 0) or (function in _BY_NUMBER and numbers == 1))
        )
        if not fits:
            word = re.split(r"\W", text.strip(), maxsplit=1)[0]
            near = did_you_mean(word, (*_BY_TIME, *_BY_NUMBER)) if "(" in text else None
            yield ForgeError(
                "E206",
                f"'{text}' is not a partition",
                where=where(("partitioned_by", index)),
                why="It is a column, years|months|days|hours(column), bucket(n, column) or truncate(n, column).",
                fix=near or "Write it like days(ordered_at).",
            )
