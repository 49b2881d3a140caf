"""Typed run parameters: declared in the settings, given as text, bound as Python values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Protocol

from forge.model.errors import ForgeError, UnknownNameError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.model.time import as_utc
from forge.transforms.transform import SqlQuery, Transform

START, END = "start", "end"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYS = ("type", "default", "description")


class DeclaredParam(Protocol):
    """A parameter in the settings: `default` may still be text, or a YAML value."""

    @property
    def type(self) -> str: ...
    @property
    def default(self) -> object: ...


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    type: str
    default: object = None  # of the type; None: it must be given
    description: str = ""


BUILT_IN: Mapping[str, Param] = {
    START: Param(START, "timestamp", description="Begin of the time range to load, included"),
    END: Param(END, "timestamp", description="End of the time range to load, excluded"),
}


def declare_params(declarations: Mapping[str, object], where: str = "forge.yaml") -> dict[str, Param]:
    """From name → {type, default, description}. E104: unknown key, E105: anything else that is wrong."""
    declared: dict[str, Param] = {}
    errors: list[ForgeError] = []
    for name, declaration in declarations.items():
        try:
            declared[name] = _declare(str(name), declaration, where)
        except ForgeError as error:
            errors.append(error)
    raise_errors(errors)
    return declared


def bind_params(
    declared: Mapping[str, DeclaredParam], given: Mapping[str, str], needed: Collection[str] | None = None
) -> dict[str, object]:
    """A value for each declared parameter, and for `start` and `end` where given.

    E108: an undeclared name. E105: a text that is no value of the type, or no value and no default; `needed` limits
    the latter to the parameters that the run uses."""
    known: dict[str, DeclaredParam] = {**declared, **BUILT_IN}
    values: dict[str, object] = {}
    errors = [_unknown(name, known, None) for name in given if name not in known]
    for name, param in known.items():
        if name in given or param.default is not None:
            try:
                values[name] = (
                    parse_value(given[name], param.type, f"the parameter {name}")
                    if name in given
                    else _default(param.default, param.type, f"params.{name}", "forge.yaml")
                )
            except ForgeError as error:
                errors.append(error)
        elif name in (declared if needed is None else needed):
            errors.append(_missing(name))
    errors += _range_errors(values)
    raise_errors(errors)
    return values


def bind_query_params(declared: Mapping[str, DeclaredParam], given: Mapping[str, object]) -> dict[str, object]:
    """The parameters of a query: a text for a declared one is a value of its type, and one that is not given has its
    default; any other is the value that came."""
    texts = {name: value for name, value in given.items() if name in declared and isinstance(value, str)}
    known = {
        name: param
        for name, param in declared.items()
        if name in texts or (param.default is not None and name not in given)
    }
    return {**bind_params(known, texts), **{name: value for name, value in given.items() if name not in texts}}


def find_unknown_params(
    transforms: Mapping[TableName, Transform], declared: Mapping[str, DeclaredParam]
) -> tuple[ForgeError, ...]:
    """E108 for each `:name` in a query that is not declared, with its line."""
    from forge.transforms.sql import find_parameters

    known: dict[str, DeclaredParam] = {**declared, **BUILT_IN}
    return tuple(
        _unknown(use.name, known, f"{transform.file}:{use.line}:{use.column}")
        for _, transform in sorted(transforms.items())
        if isinstance(transform.body, SqlQuery) and not set(transform.body.parameters) <= set(known)
        for use in find_parameters(transform.body.text, transform.file)
        if use.name not in known
    )


def parse_value(text: str, type_: str, what: str) -> object:
    """The typed value of a text. E105 where it has none."""
    read, example = _TYPES[type_]
    try:
        return read(text.strip() if type_ != "string" else text)
    except (ValueError, InvalidOperation, OverflowError) as error:
        raise ForgeError(
            "E105",
            f"{what}: '{text}' is not {'an' if type_ == 'int' else 'a'} {type_}",
            why=str(error) if isinstance(error, _ValueRefusal) else None,
            fix=f"Write it like {example}.",
        ) from error


class _ValueRefusal(ValueError):
    """A value that is refused with a reason."""


def _int(text: str, bits: int = 32) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(text)
    value = int(text)
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise _ValueRefusal(f"It does not fit into {bits} bits.")
    return value


def _float(text: str) -> float:
    value = float(text)
    if not isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


def _decimal(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite() or "_" in text:
        raise ValueError(text)
    digits, exponent = len(value.as_tuple().digits), int(value.as_tuple().exponent)
    if max(digits, -exponent, digits + exponent) > 38:
        raise _ValueRefusal("A decimal has at most 38 digits.")
    return value


def _bool(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


_TYPES: Mapping[str, tuple[Callable[[str], object], str]] = {
    "string": (str, "text"),
    "int": (_int, "42"),
    "long": (lambda text: _int(text, 64), "42"),
    "float": (_float, "0.5"),
    "double": (_float, "0.5"),
    "decimal": (_decimal, "12.50"),
    "bool": (_bool, "true or false"),
    "boolean": (_bool, "true or false"),
    "date": (date.fromisoformat, "2026-11-15"),
    "timestamp": (lambda text: as_utc(datetime.fromisoformat(text)), "2026-11-15T08:30:00"),
}


def _declare(name: str, declaration: object, where: str) -> Param:
    what = f"params.{name}"
    if not _NAME.fullmatch(name):
        raise ForgeError(
            "E105", f"'{name}' is not a name for a parameter", where=where, fix="Use letters, digits and _."
        )
    if name in BUILT_IN:
        raise ForgeError("E105", f"{what} is set by --{name} and cannot be declared", where=where, fix="Rename it.")
    if not isinstance(declaration, Mapping):
        raise ForgeError(
            "E105",
            f"{what} should be a mapping",
            where=where,
            fix=f"Write `{name}: {{type: date, default: 2026-11-15}}`.",
        )
    for key in declaration:
        if key not in _KEYS:
            near = did_you_mean(str(key), _KEYS) or f"The keys are {', '.join(_KEYS)}."
            raise ForgeError("E104", f"unknown key '{key}' in {what}", where=where, fix=near)
    type_ = declaration.get("type", "string")
    if type_ not in _TYPES:
        near = did_you_mean(str(type_), _TYPES) or f"The types are {', '.join(_TYPES)}."
        raise ForgeError("E105", f"{what} has the unknown type '{type_}'", where=where, fix=near)
    default = _default(declaration.get("default"), str(type_), what, where)
    return Param(name, str(type_), default, str(declaration.get("description") or ""))


def _default(value: object, type_: str, what: str, where: str) -> object:
    """YAML has its own dates, numbers and booleans; their text is the common form."""
    if value is None:
        return None
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, datetime | date):
        text = value.isoformat()
    else:
        text = str(value)
    fits = not isinstance(value, bool) or type_ in ("bool", "boolean")
    fits = fits and (type_ != "string" or isinstance(value, str))
    try:
        if fits:
            return parse_value(text, type_, f"the default of {what}")
    except ForgeError as error:
        raise error.but(where=where) from error
    fix = "Put it in quotes." if type_ == "string" else f"Write it like {_TYPES[type_][1]}."
    raise ForgeError("E105", f"the default of {what}: {text} is not a {type_}", where=where, fix=fix)


def _range_errors(values: Mapping[str, object]) -> list[ForgeError]:
    start, end = values.get(START), values.get(END)
    if isinstance(start, datetime) and isinstance(end, datetime) and start >= end:
        return [
            ForgeError(
                "E105",
                f"the range is empty: start {start.isoformat()} is not before end {end.isoformat()}",
                why="The end is not part of the range.",
                fix="Give an --end after --start.",
            )
        ]
    return []


def _missing(name: str) -> ForgeError:
    built_in = name in BUILT_IN
    return ForgeError(
        "E105",
        f"the parameter {name} has no value",
        why=None if built_in else "It has no default in forge.yaml.",
        fix=f"Add --{name} 2026-11-15." if built_in else f"Add --param {name}=… to the command.",
    )


def _unknown(name: str, known: Mapping[str, DeclaredParam], where: str | None) -> ForgeError:
    return UnknownNameError(
        f"unknown parameter '{name}'",
        where=where,
        fix=did_you_mean(name, known) or f"Declare it under `params:` in forge.yaml: `{name}: {{type: string}}`.",
    )
