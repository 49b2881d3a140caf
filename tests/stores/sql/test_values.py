"""Values of rows survive JSON as what they were."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from forge.stores.sql.values import decode, encode
from forge.versioning.conflict import Conflict, ConflictKind

EAST = timezone(timedelta(hours=5, minutes=30))
VALUES: dict[str, object] = {
    "null": None,
    "true": True,
    "zero": 0,
    "one": 1,
    "a number beyond 64 bits": 2**80,
    "a whole float": 1.0,
    "a tenth": 0.1,
    "minus zero": -0.0,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "a decimal with its scale": Decimal("1.50"),
    "a decimal of 38 digits": Decimal("12345678901234567890123456789012345.678"),
    "a decimal in exponents": Decimal("1E+3"),
    "a date": date(2026, 11, 15),
    "an old date": date(1, 1, 1),
    "a time of day": time(6, 10, 0, 5),
    "a naive moment": datetime(2026, 11, 15, 6, 10, 0, 123456),
    "a moment in utc": datetime(2026, 11, 15, 6, 10, tzinfo=UTC),
    "a moment in the east": datetime(2026, 11, 15, 6, 10, tzinfo=EAST),
    "a span": timedelta(days=-1, microseconds=3),
    "bytes": b"\x00\xff",
    "no bytes": b"",
    "a uuid": UUID(int=7),
    "text": "ä\x00 \ud800 {}",
    "text that looks like a decimal": "1.50",
    "a list": [1, [Decimal("2.0")], None, b"x"],
    "a row": {"id": 1, "at": date(2026, 11, 15), "parts": {"a": Decimal("1.10")}},
    "a row with a column called like the tag": {"$": "decimal", "v": "x"},
    "a map with keys that are no text": {1: "a", date(2026, 11, 15): Decimal("2.50")},
    "an empty row": {},
}


def typed(value: object) -> Iterator[Any]:
    """The kinds of all values inside, which equality alone does not tell: 1, 1.0 and True are equal."""
    yield type(value)
    yield str(value) if isinstance(value, float | Decimal | datetime) else None
    for inner in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from typed(inner)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a_value_comes_back_equal_and_of_the_same_kind(value: object) -> None:
    text = json.dumps(encode(value), allow_nan=False)
    back = decode(json.loads(text))
    assert back == value
    assert list(typed(back)) == list(typed(value))


def test_what_is_not_a_number_stays_that() -> None:
    for value in (math.nan, Decimal("NaN")):
        back = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
        assert type(back) is type(value)
        assert back != back


def test_a_tuple_comes_back_as_a_list_and_what_is_unknown_as_its_text() -> None:
    assert decode(encode((1, (2,)))) == [1, [2]]
    assert decode(encode(range(3))) == "range(0, 3)"


@pytest.mark.parametrize("value", [*VALUES.values(), math.nan, (1, 2)], ids=[*VALUES, "nan", "a tuple"])
def test_a_conflict_keeps_its_id(value: object) -> None:
    if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
        value = list(value.values())  # an id needs keys that sort
    if isinstance(value, str):
        value = value.replace("\ud800", "")  # and text that can be encoded
    conflict = Conflict(
        kind=ConflictKind.MODIFY_MODIFY,
        key={"id": value},
        column="a",
        base=None,
        ours=value,
        theirs=[value],
        table="core.orders",
    )
    parts: dict[str, Any] = {
        name: decode(json.loads(json.dumps(encode(getattr(conflict, name)))))
        for name in ("key", "base", "ours", "theirs")
    }
    assert replace(conflict, **parts).id == conflict.id
