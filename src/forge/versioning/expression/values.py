"""The operators and functions of resolution expressions on Python values, with SQL's rules for NULL and Spark's for
numbers."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from sqlglot import exp

_WIDE = Context(prec=100)  # the default 28 digits cannot hold a decimal(38,…)


def is_true(value: object) -> bool:
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value is True


def _same_kind(left: Any, right: Any) -> tuple[Any, Any]:
    """A decimal and a float are compared as floats, as in Spark; bool is no number."""
    if isinstance(left, bool) != isinstance(right, bool):
        raise TypeError(f"{left!r} and {right!r} are of different kinds")
    if isinstance(left, float) and isinstance(right, Decimal):
        return left, float(right)
    if isinstance(left, Decimal) and isinstance(right, float):
        return float(left), right
    return left, right


def _arithmetic(
    of_decimals: Callable[[Any, Any], Any], of_others: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    def calculate(left: Any, right: Any) -> Any:
        left, right = _same_kind(left, right)
        if isinstance(left, bool | str | bytes) or isinstance(right, bool | str | bytes):
            raise TypeError(f"{left!r} and {right!r} are no numbers")
        decimals = isinstance(left, Decimal) or isinstance(right, Decimal)
        return of_decimals(left, right) if decimals else of_others(left, right)

    return calculate


def _modulo(left: Any, right: Any) -> Any:
    """With the sign of the left, as in SQL; Python takes the right's."""
    return math.fmod(left, right) if isinstance(left, float) or isinstance(right, float) else _whole_modulo(left, right)


def _whole_modulo(left: int, right: int) -> int:
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


OPERATORS: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.Add: _arithmetic(_WIDE.add, operator.add),
    exp.Sub: _arithmetic(_WIDE.subtract, operator.sub),
    exp.Mul: _arithmetic(_WIDE.multiply, operator.mul),
    exp.Div: _arithmetic(_WIDE.divide, operator.truediv),
    exp.Mod: _arithmetic(_WIDE.remainder, _modulo),
    exp.DPipe: lambda left, right: _concat(left, right),
}


def _rank(value: Any) -> tuple[bool, Any]:
    """NaN is the largest number, and equal to itself."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return (is_nan, 0.0 if is_nan else value)


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool | None]:
    def answer(left: Any, right: Any) -> bool | None:
        if left is None or right is None:
            return None
        left, right = _same_kind(left, right)
        if type(left) is not type(right) and not _are_numbers(left, right):
            raise TypeError(f"{left!r} and {right!r} are of different kinds")
        return compare(_rank(left), _rank(right))

    return answer


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float | Decimal) for value in values)


COMPARISONS: dict[type[exp.Expression], Callable[[Any, Any], bool | None]] = {
    exp.EQ: _comparison(operator.eq),
    exp.NEQ: _comparison(operator.ne),
    exp.LT: _comparison(operator.lt),
    exp.LTE: _comparison(operator.le),
    exp.GT: _comparison(operator.gt),
    exp.GTE: _comparison(operator.ge),
    exp.NullSafeEQ: lambda left, right: (
        left is right if left is None or right is None else _comparison(operator.eq)(left, right)
    ),
}


def _extreme(better: type[exp.Expression]) -> Callable[..., Any]:
    """The largest or smallest; NULLs are skipped."""

    def choose(*values: Any) -> Any:
        best = None
        for value in values:
            if value is not None and (best is None or COMPARISONS[better](value, best)):
                best = value
        return best

    return choose


def _strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """NULL in, NULL out."""
    return lambda *values: None if any(value is None for value in values) else function(*values)


def _texts(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        if not isinstance(values[0], str):
            raise TypeError(f"{values[0]!r} is no text")
        return function(*values)

    return _strict(call)


def _concat(*values: Any) -> Any:
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in value]
    if all(isinstance(value, bytes) for value in values):
        return b"".join(values)
    if any(isinstance(value, list | dict | bytes) for value in values):
        raise TypeError("texts and lists do not go together")
    return "".join(cast_to(value, "string") for value in values)


def _concat_ws(separator: Any, *values: Any) -> Any:
    return None if separator is None else separator.join(cast_to(each, "string") for each in values if each is not None)


def _round(value: Any, digits: Any = 0) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return value
    places = Decimal(1).scaleb(-int(digits))
    rounded = Decimal(str(value)).quantize(places, ROUND_HALF_UP, _WIDE)
    return type(value)(rounded)


def _whole(rounding: str) -> Callable[[Any], Any]:
    return lambda value: int(Decimal(str(value)).quantize(Decimal(1), rounding, _WIDE))


def _substring(text: Any, start: Any, length: Any = None) -> str:
    begin = start - 1 if start > 0 else max(len(text) + start, 0) if start < 0 else 0
    return str(text[begin:] if length is None else text[begin : begin + max(length, 0)])


FUNCTIONS: dict[type[exp.Expression], Callable[..., Any]] = {
    exp.Greatest: _extreme(exp.GT),
    exp.Least: _extreme(exp.LT),
    exp.Coalesce: lambda *values: next((value for value in values if value is not None), None),
    exp.Nullif: lambda value, other: None if COMPARISONS[exp.EQ](value, other) else value,
    exp.Abs: _strict(abs),
    exp.Sign: _strict(lambda value: (value > 0) - (value < 0)),
    exp.Round: _strict(_round),
    exp.Floor: _strict(_whole(ROUND_FLOOR)),
    exp.Ceil: _strict(_whole(ROUND_CEILING)),
    exp.Upper: _texts(str.upper),
    exp.Lower: _texts(str.lower),
    exp.Trim: _texts(str.strip),
    exp.Length: _strict(len),
    exp.Substring: _texts(_substring),
    exp.Concat: _strict(_concat),
    exp.ConcatWs: _concat_ws,
}


def cast_to(value: Any, kind: str) -> Any:
    if value is None:
        return None
    name, *numbers = re.findall(r"\w+", kind)
    if name == "number":  # of a literal: what Spark calls an int, a decimal or a double
        return int(value) if value.isdecimal() else float(value) if "e" in value.lower() else Decimal(value)
    if name not in _CASTS:
        raise TypeError(f"there is no cast to {kind}")
    return _CASTS[name](value, [int(number) for number in numbers])


def _to_int(value: Any, _: Sequence[int]) -> int:
    return int(Decimal(value.strip())) if isinstance(value, str) else int(value)


def _to_decimal(value: Any, numbers: Sequence[int]) -> Decimal:
    scale = numbers[1] if len(numbers) > 1 else 0
    return Decimal(str(value)).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _WIDE)


def _to_date(value: Any, _: Sequence[int]) -> date:
    return (
        value.date() if isinstance(value, datetime) else value if isinstance(value, date) else date.fromisoformat(value)
    )


def _to_time(value: Any, _: Sequence[int]) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


_CASTS: dict[str, Callable[[Any, Sequence[int]], Any]] = {
    "string": lambda value, _: str(value).lower() if isinstance(value, bool) else str(value),
    "tinyint": _to_int,
    "smallint": _to_int,
    "int": _to_int,
    "bigint": _to_int,
    "float": lambda value, _: float(value),
    "double": lambda value, _: float(value),
    "decimal": _to_decimal,
    "date": _to_date,
    "timestamp": _to_time,
    "timestamp_ntz": _to_time,
}
