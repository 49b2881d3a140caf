"""Options of an item in a file of the project: unknown keys and values of another type are errors with their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.secret import FORM
from forge.model.yaml_file import YamlFile, load_yaml

Where = Callable[[tuple[str | int, ...]], str]
"""Gives `file:line` of the value at a path of keys and list positions."""


SECRET_WORDS = re.compile(r"password|passwd|pwd|secret|token|credential|access_?key|private", re.IGNORECASE)


# fmt: off
_TYPES = (
    "boolean", "tinyint", "byte", "smallint", "short", "int", "integer", "bigint", "long", "float", "real",
    "double", "decimal", "dec", "numeric", "string", "char", "varchar", "binary", "date", "timestamp",
    "timestamp_ntz", "timestamp_ltz", "interval", "variant", "array", "map", "struct",
)
# fmt: on


class StrictModel(BaseModel):
    """Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


M = TypeVar("M", bound=StrictModel)


def read_options(model: type[M], data: object, where: Where, code: str = "E206") -> M:
    """The options as their model. All errors are raised together: E104 for unknown keys, `code` for invalid values."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise_errors(_as_forge_error(model, detail, where, code) for detail in error.errors(include_url=False))
        raise  # pydantic never raises an empty list


def read_items(text: str, file: str, key: str, example: str) -> tuple[YamlFile, list[object]]:
    """The items of a file that is one list, `key: [...]`; of an empty file, none. All errors of its form are raised
    together; `example`: how a first item begins."""
    yaml = load_yaml(text, file)
    data = yaml.data
    if data is None:
        return yaml, []
    if not isinstance(data, dict) or not isinstance(data.get(key, []), list):
        raise ForgeError(
            "E206",
            f"a file of {key} should be a list under `{key}:`, not {shown(data)}",
            where=yaml.where(key),
            fix=f"Begin with `{key}:` and a `- {example}` below it.",
        )
    raise_errors(
        ForgeError(
            "E104",
            f"unknown key '{other}'",
            where=yaml.where(str(other)),
            why=f"A file of {key} has one key, {key}.",
            fix=did_you_mean(str(other), (key,)) or "Remove it, or put it under an item of the list.",
        )
        for other in data
        if other != key
    )
    return yaml, list(data.get(key, []))


def find_unknown_types(columns: Mapping[str, str], where: Where, code: str = "E206") -> Iterator[ForgeError]:
    """Types of declared columns, by the first word of each."""
    for name, type_ in columns.items():
        head = re.split(r"\W", type_.strip().lower(), maxsplit=1)[0]
        if head not in _TYPES:
            yield ForgeError(
                code,
                f"the column {name} has the unknown type '{type_}'",
                where=where(("columns", name)),
                fix=did_you_mean(head, _TYPES) or "Use Spark's names: string, long, decimal(12,2), date, timestamp.",
            )


def secret_in_file(name: str, where: str | None) -> ForgeError:
    """E106, which shows nothing of the value."""
    return ForgeError(
        "E106",
        f"'{name}' holds a secret or a user name in plain text",
        where=where,
        why="Files of a project are shared and kept in git; a secret in one is known to all.",
        fix=FORM,
    )


def _as_forge_error(model: type[BaseModel], detail: ErrorDetails, where: Where, code: str) -> ForgeError:
    path, kind, value = detail["loc"], detail["type"], detail["input"]
    name = ".".join(str(part) for part in path)
    if kind == "extra_forbidden":
        known = tuple(field.alias or name for name, field in model.model_fields.items())
        return ForgeError(
            "E104",
            f"unknown key '{path[-1]}'",
            where=where(path),
            why=f"The keys here are {', '.join(known)}.",
            fix=did_you_mean(str(path[-1]), known) or "Remove it.",
        )
    if kind == "missing":
        return ForgeError(code, f"'{name}' is missing", where=where(path), fix=f"Add `{path[-1]}: …`.")
    if kind in ("enum", "literal_error"):
        allowed = re.findall(r"'([^']+)'", str(detail.get("ctx", {}).get("expected", "")))
        return ForgeError(
            code,
            f"{name}: '{value}' is not one of {', '.join(allowed)}",
            where=where(path),
            fix=did_you_mean(str(value), allowed) or f"Write one of {', '.join(allowed)}.",
        )
    wanted = detail["msg"].replace("Input should be ", "").replace("dictionary", "mapping")
    return ForgeError(
        code,
        f"{name + ' ' if name else ''}should be {wanted}, not {_shown(name, value)}",
        where=where(path),
        fix="See the file formats in docs/guide/project.md.",
    )


def _shown(name: str, value: object) -> str:
    return "***" if name == "user" or SECRET_WORDS.search(name) else shown(value)


def shown(value: object) -> str:
    """A value of a file in a message, truncated."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
