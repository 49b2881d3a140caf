"""Single values of an upload, parsed by the type of their column. These functions define what an upload accepts: the
conversions of whole columns are only faster."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

import pyarrow as pa
import pyarrow.compute as pc

from forge.model.types import parse_type
from forge.versioning.arrow_types import arrow_type

INTEGER = r"^[+-]?[0-9]+$"
DECIMAL = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
FLOAT = r"^([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|[+-]?(Infinity|inf))$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
BOOLEAN = r"^(true|false|True|False|TRUE|FALSE)$"

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
Convert = Callable[[object], object]


class InvalidValue(ValueError):
    """Why a value does not have the column's type."""


def converter(kind: str) -> Convert:
    """Of values as CSV (text) and JSON (text, numbers, true and false) have them; None stays None."""
    if kind in _BITS:
        return lambda value: _integer(value, _BITS[kind])
    if kind.startswith("decimal"):
        precision, scale = parse_type(kind).size
        return lambda value: _decimal(value, precision, scale)
    plain: dict[str, Convert] = {
        "string": _text,
        "boolean": _boolean,
        "float": _float,
        "double": _float,
        "date": _date,
        "timestamp": _time,
        "timestamp_ntz": _local_time,
        "binary": _binary,
    }
    return plain.get(kind) or (lambda value: _nested(value, kind))


def _integer(value: object, bits: int) -> int:
    if isinstance(value, str):
        if not re.match(INTEGER, value) or value.endswith("\n"):
            raise InvalidValue("it is no whole number")
        value = int(value) if len(value) < 40 else 10**40
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidValue("it is no whole number")
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise InvalidValue(f"it does not fit {bits} bits")
    return value


def _decimal(value: object, precision: int, scale: int) -> Decimal:
    try:
        if isinstance(value, str) and not re.fullmatch(DECIMAL, value):
            raise InvalidValue("it is no decimal number")
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            raise InvalidValue("it is no decimal number")
        number = Decimal(value)
    except InvalidOperation as error:
        raise InvalidValue("it is no decimal number") from error
    if not number.is_finite():
        raise InvalidValue("it is no decimal number")
    digits, exponent = number.as_tuple().digits, int(number.as_tuple().exponent)
    trailing = len(digits) - len("".join(map(str, digits)).rstrip("0")) if any(digits) else len(digits)
    if any(digits) and -(exponent + trailing) > scale:
        raise InvalidValue(f"it has more than {scale} decimals")
    if any(digits) and number.adjusted() >= precision - scale:
        raise InvalidValue(f"it has more than {precision - scale} digits before the point")
    return number


def _float(value: object) -> float:
    if isinstance(value, str):
        if not re.fullmatch(FLOAT, value):
            raise InvalidValue("it is no number")
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InvalidValue("it is no number")
    try:
        return float(value)
    except OverflowError as error:
        raise InvalidValue("it is too large") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValue("it is no text")
    return value


def _boolean(value: object) -> bool:
    if isinstance(value, str) and re.fullmatch(BOOLEAN, value):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise InvalidValue("it is neither true nor false")
    return value


def _date(value: object) -> date:
    try:
        if isinstance(value, str) and re.fullmatch(DATE, value):
            return date.fromisoformat(value)
    except ValueError as error:
        raise InvalidValue(str(error)) from error
    raise InvalidValue("it is no date like 2026-11-15")


def _moment(value: object) -> datetime:
    try:
        if isinstance(value, str) and re.fullmatch(TIME, value):
            return datetime.fromisoformat(value)
    except ValueError as error:
        raise InvalidValue(str(error)) from error
    raise InvalidValue("it is no time like 2026-11-15T06:00:00Z")


def _time(value: object) -> datetime:
    """Without a zone it is UTC."""
    moment = _moment(value)
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidValue("it is out of range") from error


def _local_time(value: object) -> datetime:
    moment = _moment(value)
    if moment.tzinfo is not None:
        raise InvalidValue("it has a time zone, and the column has none")
    return moment


def _binary(value: object) -> bytes:
    try:
        return bytes.fromhex(_text(value))
    except ValueError as error:
        raise InvalidValue("it is no text of hexadecimal digits") from error


def _nested(value: object, kind: str) -> object:
    try:
        return pa.scalar(_floats(value), arrow_type(kind)).as_py()
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise InvalidValue(str(error).splitlines()[0]) from error


def _floats(value: object) -> object:
    """JSON's decimal numbers inside lists and objects."""
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value


def cast_texts(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray | None:
    """A column of texts cast to that type at once; None where one does not fit, or has to be parsed singly. Empty
    texts are NULL, unless the column holds text."""
    if kind == "string":
        return column
    filled = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
    pattern = _PATTERNS.get("decimal" if kind.startswith("decimal") else kind)
    if pattern is None or not _all_match(filled, pattern):
        return None
    try:
        return _cast(filled, kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


_PATTERNS = {
    **dict.fromkeys(_BITS, INTEGER),
    "decimal": DECIMAL,
    "float": FLOAT,
    "double": FLOAT,
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIME,
    "timestamp_ntz": TIME,
}


def _all_match(texts: pa.ChunkedArray, pattern: str) -> bool:
    # in Arrow's expressions $ is the end of a line
    matched = pc.all(pc.match_substring_regex(texts, pattern.replace("$", r"\z"))).as_py()
    return matched is not False


def _cast(texts: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    if kind == "boolean":
        return pc.equal(pc.utf8_lower(texts), "true")
    if kind in _BITS:
        texts = pc.replace_substring_regex(texts, r"^\+", "")
    if kind == "timestamp":
        try:
            return texts.cast(arrow_type(kind))
        except pa.ArrowInvalid:  # without a zone it is UTC
            return pc.assume_timezone(texts.cast(pa.timestamp("us")), "UTC")
    return texts.cast(arrow_type(kind))


def find_type(texts: pa.ChunkedArray) -> str:
    """The inferred type of a column of a new table, from all of its values; empty ones are ignored."""
    values = texts.filter(pc.not_equal(texts, ""))
    if len(values) == 0:
        return "string"

    # 007 is a label and no number
    if _all_match(values, r"^[+-]?[0-9.].*$") and not pc.any(pc.match_substring_regex(values, r"^[+-]?0[0-9]")).as_py():
        if _all_match(values, INTEGER) and cast_texts(values, "bigint") is not None:
            return "bigint"
        if _all_match(values, FLOAT):
            return "double"
    for kind, pattern in (("boolean", BOOLEAN), ("date", DATE), ("timestamp", TIME)):
        if _all_match(values, pattern) and (kind == "boolean" or _all_fit(values, kind)):
            return kind
    return "string"


def _all_fit(texts: pa.ChunkedArray, kind: str) -> bool:
    convert = converter(kind)
    try:
        for text in texts.unique().to_pylist():
            convert(text)
    except InvalidValue:
        return False
    return True
