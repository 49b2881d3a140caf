"""Stored readings: which kinds are additive, and their serialization.

Where the kind of measure is additive, the reading of a table that grew is the stored reading plus that of the new
files, so that no file is read twice."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal

from forge.model.names import TableName
from forge.quality.kinds import kind_of, sql_of
from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.readings import DistinctSketch, Moments, Quantiles

_FORM = 1  # format version; a reading of another format is measured again
# Expressions that do not depend on the row alone: time, random, another table, the file.
_CHANGING = re.compile(
    r"\b(?:select|table|from|current_\w+|now|curdate|today|yesterday|tomorrow|localtimestamp|unix_timestamp"
    r"|to_unix_timestamp|rand\w*|uniform|uuid|shuffle|monotonically_increasing_id|input_file\w*|spark_partition_id"
    r"|session_\w*|user|version|random\w*)\b",
    re.IGNORECASE,
)


def is_kept(measure: Measure) -> bool:
    """Whether its reading depends on the snapshot alone, so that it can be stored."""
    kind = kind_of(measure)
    if measure.by or measure.since or measure.at or not (kind.merge or kind.kept):
        return False
    return not any(_CHANGING.search(text) for text in sql_of(measure))


def adds_up(measure: Measure) -> bool:
    """Whether the readings of two parts of a table can be merged."""
    return kind_of(measure).merge is not None and is_kept(measure)


def add(measure: Measure, one: Reading, two: Reading) -> Reading:
    """Raises TypeError where they cannot be merged."""
    if one is None or two is None:
        return two if one is None else one
    merge = kind_of(measure).merge
    if merge is None:
        raise TypeError(f"readings of {measure.kind} do not add up")
    return merge(one, two)


def key_of(measure: Measure) -> str:
    """The storage key of a measure's readings."""
    arguments = [_argument(value) for value in measure.arguments]
    parts = [_FORM, measure.kind, [name.lower() for name in measure.columns], arguments, measure.where]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _argument(value: object) -> object:
    return str(value) if isinstance(value, TableName) else _written(value)


def dump(reading: Reading) -> str | None:
    """None for kinds that are not stored."""
    if isinstance(reading, NotMeasured):
        return None
    try:
        return json.dumps(_written(reading))
    except TypeError:
        return None


def load(text: str) -> Reading:
    """Raises ValueError for another format."""
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
        case DistinctSketch():
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
    "distinct": lambda value: DistinctSketch(base64.b64decode(value)),
}
