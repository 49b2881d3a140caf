"""Readings that are kept: which of them add up, and how they are written down.

The reading of a table that grew is the reading of what was there plus that of the new files, where the kind of measure
allows it. So nothing is read twice."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from forge.model.names import TableName
from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.readings import Distinct, Moments, Quantiles

_FORM = 1  # of what is written; a reading of another form is taken anew
_COUNTS = frozenset({"rows", "nulls", "outside_range", "outside_set", "not_matching", "false"})
_ADDED = _COUNTS | {"min", "max", "moments", "quantiles", "distinct"}
_WHOLE = frozenset({"duplicates"})  # of one snapshot only
# What an expression may say that is not of the row alone: the time, chance, another table, the file.
_CHANGING = re.compile(
    r"\b(?:select|table|from|current_\w+|now|curdate|today|yesterday|tomorrow|localtimestamp|unix_timestamp"
    r"|to_unix_timestamp|rand\w*|uniform|uuid|shuffle|monotonically_increasing_id|input_file\w*|spark_partition_id"
    r"|session_\w*|user|version|random\w*)\b",
    re.IGNORECASE,
)


def is_kept(measure: Measure) -> bool:
    """Whether its reading says something of the snapshot alone and for good."""
    if measure.by or measure.since or measure.at or measure.kind not in _ADDED | _WHOLE:
        return False
    texts = [measure.where or "", *(map(str, measure.arguments) if measure.kind == "false" else ())]
    return not any(_CHANGING.search(text) for text in texts)


def adds_up(measure: Measure) -> bool:
    """Whether the readings of two parts of a table give that of both."""
    return measure.kind in _ADDED and is_kept(measure)


def is_of_rows_only(measure: Measure) -> bool:
    """Whether it reads no columns by SQL, so that those it names are all it depends on."""
    return measure.where is None and measure.kind != "false"


def add(measure: Measure, one: Reading, two: Reading) -> Reading:
    """Raises TypeError where they are of no use together."""
    match one, two:
        case None, _:
            return two
        case _, None:
            return one
        case (int(), int()) if measure.kind in _COUNTS:
            return one + two
        case (Moments(), Moments()) | (Quantiles(), Quantiles()) | (Distinct(), Distinct()):
            return one + two  # type: ignore[operator]  # both are of one type
    if measure.kind not in ("min", "max"):
        raise TypeError(f"{one!r} and {two!r} are no readings of {measure.kind}")
    smaller = _is_before(one, two)
    return one if smaller is (measure.kind == "min") else two


def _is_before(one: Reading, two: Reading) -> bool:
    """NaN comes after all else."""
    if one != one or two != two:
        return one == one
    return bool(one < two)  # type: ignore[operator]  # two values of one column


def key_of(measure: Measure) -> str:
    """What tells its readings apart from those of others."""
    arguments = [_argument(value) for value in measure.arguments]
    parts = [_FORM, measure.kind, [name.lower() for name in measure.columns], arguments, measure.where]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _argument(value: object) -> object:
    return str(value) if isinstance(value, TableName) else _written(value)


def dump(reading: Reading) -> str | None:
    """None where it is of no kind that is kept."""
    if isinstance(reading, NotMeasured):
        return None
    try:
        return json.dumps(_written(reading))
    except TypeError:
        return None


def load(text: str) -> Reading:
    """Raises ValueError where it was written in another way."""
    match json.loads(text):
        case [str() as word, value] if word in _READERS:
            return _READERS[word](value)
        case other:
            raise ValueError(f"{other!r} is no reading")


def _written(value: object) -> object:
    match value:
        case None:
            return ["none", None]
        case bool():
            return ["bool", value]
        case int():
            return ["int", str(value)]
        case float():
            return ["float", value.hex()]
        case str():
            return ["text", value]
        case Decimal():
            return ["decimal", str(value)]
        case datetime():
            return ["time", value.isoformat()]
        case date():
            return ["date", value.isoformat()]
        case Moments():
            return ["moments", [value.count, value.mean.hex(), value.m2.hex()]]
        case Quantiles():
            return ["quantiles", base64.b64encode(value.sketch).decode()]
        case Distinct():
            return ["distinct", base64.b64encode(value.sketch).decode()]
    raise TypeError(f"a {type(value).__name__} is not kept")


_READERS: dict[str, Callable[..., Reading]] = {
    "none": lambda value: None,
    "bool": bool,
    "int": int,
    "float": float.fromhex,
    "text": str,
    "decimal": Decimal,
    "time": datetime.fromisoformat,
    "date": date.fromisoformat,
    "moments": lambda value: Moments(value[0], float.fromhex(value[1]), float.fromhex(value[2])),
    "quantiles": lambda value: Quantiles(base64.b64decode(value)),
    "distinct": lambda value: Distinct(base64.b64decode(value)),
}
