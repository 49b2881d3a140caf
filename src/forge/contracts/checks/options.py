"""Checks from `logicalTypeOptions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from forge.contracts.contract import ContractProperty
from forge.contracts.formats import FREE_TEXT_FORMATS, INTEGER_BOUNDS, TEXT_PATTERNS
from forge.contracts.schema.sql_text import ColumnPath, literal, quote
from forge.model.name_suggestions import did_you_mean

Check = Mapping[str, object]

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_SAYS_NOTHING_OF_VALUES = (
    *("timezone", "defaultTimezone", "elementType", "distanceMetric"),
    *("embeddingModel", "embeddingModelVersion", "normalized"),
)
_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "dimensions")
_KNOWN = (*_BOUNDS, *_SIZES, "pattern", "format", "multipleOf", "uniqueItems", "required", *_SAYS_NOTHING_OF_VALUES)


class UnsupportedRule(Exception):
    """Why a rule of a contract is not checked."""


def option_checks(of: ContractProperty, at: ColumnPath) -> tuple[Check | UnsupportedRule, ...]:
    """The checks of one property at that place of a row, and the reason for each option without a check."""
    results = tuple(_results(of, at))
    ranges = [r for r in results if isinstance(r, Mapping) and r["type"] == "range"]
    if len(ranges) != 2 or sorted(key for r in ranges for key in r if key in ("min", "max")) != ["max", "min"]:
        return results
    # A lower and an upper bound are one range to a person, and one measure.
    both = {**ranges[0], **ranges[1]}
    both["name"] = f"{of.name} between {both['min']} and {both['max']}"
    return (both, *(r for r in results if r not in ranges))


def _results(of: ContractProperty, at: ColumnPath) -> Iterator[Check | UnsupportedRule]:
    for option, value in of.options.items():
        try:
            if option not in _KNOWN:
                hint = did_you_mean(option, _KNOWN) or "It is not enforced."
                raise UnsupportedRule(f"the option {option} of {of.name} is not known. {hint}")
            yield from _checks_of_option(of, at, option, value)
        except UnsupportedRule as reason:
            yield reason
        except ValueError as error:
            yield UnsupportedRule(f"the option {option} of {of.name} is not understood: {error}")


def _checks_of_option(of: ContractProperty, at: ColumnPath, option: str, value: object) -> Iterator[Check]:
    column = at.sql
    if option in _BOUNDS:
        yield from _bound(of, at, option, value)
    elif option in _SIZES:
        yield _expression(f"{of.name} {option} {value}", _size(at, option, _whole(value)))
    elif option == "pattern" and value == "":
        return  # every text matches
    elif option == "pattern" and isinstance(value, str):
        yield {"type": "regex", "column": str(at), "pattern": value, "name": f"{of.name} matches its pattern"}
    elif option == "format":
        yield from _format(of, at, value)
    elif option == "multipleOf":
        yield _expression(f"{of.name} is a multiple of {value}", _multiple(column, value))
    elif option == "uniqueItems":
        if value is True:
            sql = f"array_size(array_distinct({column})) = array_size({column})"
            yield _expression(f"{of.name} has no item twice", sql)
    elif option == "required" and isinstance(value, list):
        for name in value:
            sql = f"{column} IS NULL OR {column}.{quote(str(name))} IS NOT NULL"
            yield _expression(f"{of.name}.{name} is required", sql)
    elif option not in _SAYS_NOTHING_OF_VALUES:
        raise ValueError(f"{value!r} is not of the right form")


def _expression(name: str, sql: str) -> Check:
    return {"type": "expression", "sql": sql, "name": name}


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError(f"{value!r} is not a number of things")


def _size(at: ColumnPath, option: str, size: int) -> str:
    measure = "char_length" if option.endswith("Length") else "array_size"  # size() of NULL is -1 outside ANSI mode
    comparison = "=" if option == "dimensions" else ">=" if option.startswith("min") else "<="
    return f"{measure}({at.sql}) {comparison} {size}"


def _multiple(column: str, of: object) -> str:
    if isinstance(of, bool) or not isinstance(of, int | float) or of <= 0:
        raise ValueError(f"{of!r} is not a number above 0")
    if isinstance(of, int):
        return f"{column} % {of} = 0"
    # 0.3 / 0.1 is not 3 in floating point, so a quotient counts as whole when it is so within a billionth.
    return f"abs({column} / {literal(of)} - round({column} / {literal(of)})) < 1e-9"


def _bound(of: ContractProperty, at: ColumnPath, option: str, value: object) -> Iterator[Check]:
    """Until v3.0 `exclusiveMinimum` is a flag of `minimum`; since v3.1 it is a bound."""
    if isinstance(value, bool) and option.startswith("exclusive"):
        inclusive = option.removeprefix("exclusive").lower()
        if value and inclusive not in of.options:
            raise UnsupportedRule(f"{option} of {of.name} is true but there is no {inclusive}")
        return
    bound = _comparable(of, value)
    is_minimum = option.lower().endswith("minimum")
    is_flagged = of.options.get(f"exclusive{option.capitalize()}") is True
    if option.startswith("exclusive") or is_flagged:
        sign = ">" if is_minimum else "<"
        yield _expression(f"{of.name} {sign} {value}", f"{at.sql} {sign} {literal(bound)}")
    else:
        key, sign = ("min", "≥") if is_minimum else ("max", "≤")
        yield {"type": "range", "column": str(at), key: bound, "name": f"{of.name} {sign} {value}"}


def _comparable(of: ContractProperty, value: object) -> object:
    """The bound as a value of the column's type. Dates are strings, or already parsed by YAML."""
    match of.logical_type:
        case "time":
            raise UnsupportedRule(f"bounds of times ({of.name}) are not enforced yet")
        case "timestamp":
            return _moment(value, of.options.get("defaultTimezone"))
        case "date":
            if isinstance(value, date) and not isinstance(value, datetime):
                return value
            return date.fromisoformat(str(value))
        case _:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{value!r} is not a number")
            literal(value)  # refuses what no column can be compared with: nan, infinity
            return value


def _moment(value: object, zone: object) -> datetime:
    if isinstance(value, datetime):
        moment = value
    else:
        text = value.isoformat() if isinstance(value, date) else str(value)
        moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        return moment
    try:
        return moment.replace(tzinfo=ZoneInfo(str(zone or "UTC")))
    except (OSError, KeyError) as error:
        raise ValueError(f"the time zone {zone} is not known") from error


def _format(of: ContractProperty, at: ColumnPath, value: object) -> Iterator[Check]:
    """The format of a date, timestamp, time or float concerns display: a typed column cannot violate it."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    if of.logical_type == "integer":
        if value not in INTEGER_BOUNDS:
            raise UnsupportedRule(f"the format {value} of {of.name} is not known; integers have i8 … u128")
        low, high = INTEGER_BOUNDS[str(value)]
        bounds = {key: bound for key, bound in (("min", low), ("max", high)) if bound is not None}
        if bounds:
            yield {"type": "range", "column": str(at), **bounds, "name": f"{of.name} fits {value}"}
    elif of.logical_type in ("string", None) and value not in FREE_TEXT_FORMATS:
        if value not in TEXT_PATTERNS:
            known = ", ".join(TEXT_PATTERNS)
            raise UnsupportedRule(f"the format {value} of {of.name} is not enforced; known are {known}")
        pattern = TEXT_PATTERNS[str(value)]
        yield {"type": "regex", "column": str(at), "pattern": pattern, "name": f"{of.name} is a valid {value}"}
