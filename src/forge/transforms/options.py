"""The options of a transform, from an SQL header or the decorator, validated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.transform import TransformKind

Where = Callable[[tuple[str | int, ...]], str]
"""Gives `file:line` of the value at a path of keys and list positions."""


SECRET_WORDS = re.compile(r"password|passwd|pwd|secret|token|credential|access_?key|private", re.IGNORECASE)


class StrictModel(BaseModel):
    """Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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


M = TypeVar("M", bound=StrictModel)


def read_options(model: type[M], data: object, where: Where) -> M:
    """The options as their model. All errors are raised together: E104 for unknown keys, E206 for invalid values."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise_errors(_as_forge_error(model, detail, where) for detail in error.errors(include_url=False))
        raise  # pydantic never raises an empty list


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


def _as_forge_error(model: type[BaseModel], detail: ErrorDetails, where: Where) -> ForgeError:
    path, kind, value = detail["loc"], detail["type"], detail["input"]
    name = ".".join(str(part) for part in path)
    if kind == "extra_forbidden":
        known = tuple(model.model_fields)
        return ForgeError(
            "E104",
            f"unknown key '{path[-1]}'",
            where=where(path),
            why=f"The keys here are {', '.join(known)}.",
            fix=did_you_mean(str(path[-1]), known) or "Remove it.",
        )
    if kind == "missing":
        return ForgeError("E206", f"'{name}' is missing", where=where(path), fix=f"Add `{path[-1]}: …`.")
    if kind in ("enum", "literal_error"):
        allowed = re.findall(r"'([^']+)'", str(detail.get("ctx", {}).get("expected", "")))
        return ForgeError(
            "E206",
            f"{name}: '{value}' is not one of {', '.join(allowed)}",
            where=where(path),
            fix=did_you_mean(str(value), allowed) or f"Write one of {', '.join(allowed)}.",
        )
    wanted = detail["msg"].replace("Input should be ", "").replace("dictionary", "mapping")
    return ForgeError(
        "E206",
        f"{name + ' ' if name else ''}should be {wanted}, not {'***' if SECRET_WORDS.search(name) else shown(value)}",
        where=where(path),
        fix="See the file formats in docs/guide/project.md.",
    )


def shown(value: object) -> str:
    """A value of a file in a message, truncated."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
