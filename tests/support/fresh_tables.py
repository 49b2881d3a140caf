"""Small tables for checks: plain Python values under Spark types, and the awkward ones among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

NOW = datetime(2024, 3, 10, 12, 0, tzinfo=UTC)
NAN, INF = float("nan"), float("inf")
BEYOND = 2**53  # the first long after which not every long is a double
PLUS_TWO, MINUS_FIVE = timezone(timedelta(hours=2)), timezone(timedelta(hours=-5))

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class FreshTable:
    """Rows under a schema of name to Spark type. `before` is the version before, whose rows were kept if `appended`;
    `stored` is false where a lake cannot hold it."""

    name: str
    schema: Mapping[str, str]
    rows: Rows
    before: Rows | None = None
    appended: bool = False
    stored: bool = True


def _at(*when: int, zone: timezone = UTC) -> datetime:
    return datetime(*when, tzinfo=zone)  # type: ignore[arg-type,misc]


def _rows(names: str, *values: tuple[Any, ...]) -> Rows:
    return tuple(dict(zip(names.split(), row, strict=True)) for row in values)


ORDERS_SCHEMA = {
    "id": "bigint",
    "status": "string",
    "amount": "double",
    "qty": "int",
    "price": "decimal(10,2)",
    "country": "string",
    "ordered": "date",
    "updated_at": "timestamp",
    "customer_id": "bigint",
    "paid": "boolean",
}
_ORDERS = _rows(
    " ".join(ORDERS_SCHEMA),
    (1, "open", 10.0, 1, Decimal("9.99"), "DE", date(2024, 3, 1), _at(2024, 3, 9, 12), 1, False),
    (2, "paid", 20.0, 2, Decimal("19.99"), "DE", date(2024, 3, 2), _at(2024, 3, 9, 0), 2, True),
    (3, "open", 30.0, 3, Decimal("0.10"), "FR", date(2024, 3, 3), _at(2024, 3, 8, 0), 2, False),
    (4, "cancelled", 40.0, 4, Decimal("100.00"), "FR", date(2024, 3, 4), _at(2024, 3, 7, 0), None, None),
    (5, None, None, None, None, None, None, None, 9, True),
    (6, "", 60.0, 6, Decimal("5.00"), "DE", date(2024, 3, 6), _at(2024, 3, 6, 0), 1, True),
)
_NOTHING = dict.fromkeys(ORDERS_SCHEMA)

_HUNDRED = tuple(
    {
        "n": n,
        "one_null": None if n == 50 else n,
        "seven_null": None if n < 7 else n,
        "half_null": None if n % 2 else n,
        "spike": 100.0 if n == 99 else 0.0,
        "word": "odd" if n in (3, 14, 15, 92, 65, 35, 89) else "even",
    }
    for n in range(100)
)

_FLOATS = _rows(
    "id f x zero",
    (1, 1.5, 1.0, 0.0),
    (2, NAN, 2.0, -0.0),
    (3, NAN, 3.0, 0.0),
    (4, INF, INF, -0.0),
    (5, -INF, NAN, 0.0),
    (6, -0.0, None, 0.0),
    (7, 0.0, None, 0.0),
    (8, None, None, None),
)

# written out: arithmetic of decimals rounds to 28 digits
_MOST, _ONE_LESS = "9" * 38, "9" * 37 + "8"
_FINE, _FINER = "12345678901234567890.123456789012345678", "12345678901234567890.123456789012345679"
_EXACT = _rows(
    "big whole fine cent top",
    (BEYOND, Decimal(_MOST), Decimal(_FINE), Decimal("0.1"), 2**63 - 1),
    (BEYOND + 1, Decimal(_ONE_LESS), Decimal(_FINER), Decimal("0.2"), 2**63 - 1),
    (BEYOND + 2, Decimal("-" + _MOST), Decimal("-" + _FINE), Decimal("0.3"), 2**63 - 1),
    (-BEYOND - 1, None, None, None, None),
)

_TIMES = _rows(
    "id zoned local day late",
    (1, _at(2024, 3, 10, 2, zone=PLUS_TWO), datetime(2024, 3, 10, 0, 0), date(2024, 3, 9), _at(2024, 3, 9, 11, 59, 59)),
    (2, _at(2024, 3, 9, 19, zone=MINUS_FIVE), datetime(2024, 3, 10, 0, 0, 0, 1), date(2024, 3, 10), _at(1969, 7, 20)),
    (3, _at(2024, 3, 10, 0, 0, 0, 1), datetime(2024, 3, 10, 12, 0), date(1582, 10, 15), None),
    (4, None, None, None, None),
)

_NAMES = tuple(
    {"a.b": dotted, "tick`ed": ticked, "größe 📏": size, "OrderID": order, "two words": words, "select": keyword}
    for dotted, ticked, size, order, words, keyword in (
        (1, "x", 1.0, 10, "α", 1),
        (2, None, 2.0, 11, "β", 2),
        (2, "y", None, 12, "β", 3),
    )
)

_NESTED = (
    {
        "id": 1,
        "address": {"city": "Köln", "geo": {"lat": 50.9}},
        "items": [{"sku": "a"}],
        "tags": {"k": 1},
        "list": [1],
    },
    {"id": 2, "address": {"city": None, "geo": {"lat": 91.0}}, "items": [], "tags": {}, "list": [1]},
    {"id": 3, "address": {"city": "Köln", "geo": None}, "items": [{"sku": None}], "tags": {"k": None}, "list": []},
    {"id": 4, "address": None, "items": None, "tags": None, "list": None},
)

_TEXTS = tuple(
    {"id": number, "t": text, "code": code, "b": raw}
    for number, (text, code, raw) in enumerate(
        (
            ("", "A1", b""),
            (None, None, None),
            ("é", "B22", b"\x00"),
            ("e\u0301", "C3", b"\x00\x00"),
            ("٣", "A1 ", b"\xff"),
            ("two\nlines", "a1", b"\x00"),
            ("📏", "D4", b"a"),
            ("straße", "E5", b"b"),
        ),
        start=1,
    )
)

_KEYS = _rows(
    "k a b",
    ("x", 1, "p"),
    ("x", 1, "p"),
    ("x", 1, None),
    ("x", 1, None),
    ("y", None, None),
    ("y", None, None),
    ("z", 2, "p"),
    (None, 2, "q"),
    (None, 3, "q"),
    ("w", 3, "p"),
)

_TREE = _rows(
    "id parent_id region parent_region",
    (1, None, "N", None),
    (2, 1, "N", "N"),
    (3, 2, "S", "N"),
    (4, 4, "S", "S"),
    (5, 3, "S", "N"),
    (6, 77, "S", "S"),
)

_CUSTOMERS = _rows(
    "customer_id country code small",
    (1, "DE", "1", 1),
    (2, "FR", "2", 2),
    (2, "FR", "2", 2),
    (None, "DE", None, None),
    (None, None, "x", None),
)

_SPREAD = _rows(
    "v same tied far four day",
    (1, 5.0, 5, 1e9 + 4, 1, date(2024, 1, 1)),
    (2, 5.0, 5, 1e9 + 7, 2, date(2024, 1, 2)),
    (3, 5.0, 5, 1e9 + 13, 3, date(2024, 1, 3)),
    (4, 5.0, 5, 1e9 + 16, 4, date(2024, 1, 4)),
    (5, 5.0, 5, None, None, None),
    (6, 5.0, 5, None, None, None),
    (7, 5.0, 5, None, None, None),
    (8, 5.0, 5, None, None, None),
    (100, 5.0, 5, None, None, None),
    (None, 5.0, 6, None, None, None),
)


def _moved(values: Sequence[Any], kinds: Sequence[str]) -> Rows:
    return tuple({"v": value, "kind": kind, "w": value * 1.0} for value, kind in zip(values, kinds, strict=True))


_HALVES = ["a"] * 50 + ["b"] * 50
_FEW = tuple({"v": value} for value in (1.0, 2.0, 3.0))

TABLES = (
    FreshTable("core.orders", ORDERS_SCHEMA, _ORDERS),
    FreshTable("core.empty", ORDERS_SCHEMA, ()),
    FreshTable("core.nulls", ORDERS_SCHEMA, (_NOTHING,) * 3),
    FreshTable(
        "core.hundred",
        {"n": "int", "one_null": "int", "seven_null": "int", "half_null": "int", "spike": "double", "word": "string"},
        _HUNDRED,
    ),
    FreshTable("core.floats", {"id": "bigint", "f": "double", "x": "double", "zero": "double"}, _FLOATS),
    FreshTable(
        "core.exact",
        {"big": "bigint", "whole": "decimal(38,0)", "fine": "decimal(38,18)", "cent": "decimal(3,1)", "top": "bigint"},
        _EXACT,
    ),
    FreshTable(
        "core.times",
        {"id": "bigint", "zoned": "timestamp", "local": "timestamp_ntz", "day": "date", "late": "timestamp"},
        _TIMES,
    ),
    FreshTable(
        "core.names",
        {
            "a.b": "bigint",
            "tick`ed": "string",
            "größe 📏": "double",
            "OrderID": "bigint",
            "two words": "string",
            "select": "int",
        },
        _NAMES,
    ),
    FreshTable(
        "core.dotted",
        {"a.b": "bigint", "a": "struct<b:bigint,c:bigint>"},
        ({"a.b": 1, "a": {"b": 7, "c": None}}, {"a.b": 2, "a": {"b": 7, "c": 1}}),
        stored=False,
    ),
    FreshTable(
        "core.nested",
        {
            "id": "bigint",
            "address": "struct<city:string,geo:struct<lat:double>>",
            "items": "array<struct<sku:string>>",
            "tags": "map<string,int>",
            "list": "array<int>",
        },
        _NESTED,
    ),
    FreshTable("core.texts", {"id": "int", "t": "string", "code": "string", "b": "binary"}, _TEXTS),
    FreshTable("core.keys", {"k": "string", "a": "int", "b": "string"}, _KEYS),
    FreshTable(
        "core.tree", {"id": "bigint", "parent_id": "bigint", "region": "string", "parent_region": "string"}, _TREE
    ),
    FreshTable(
        "core.customers", {"customer_id": "bigint", "country": "string", "code": "string", "small": "int"}, _CUSTOMERS
    ),
    FreshTable(
        "core.spread",
        {"v": "int", "same": "double", "tied": "int", "far": "double", "four": "int", "day": "date"},
        _SPREAD,
    ),
    FreshTable(
        "core.still",
        {"v": "int", "kind": "string", "w": "double"},
        _moved(range(1, 101), _HALVES),
        before=_moved(range(1, 101), _HALVES),
    ),
    FreshTable(
        "core.moved",
        {"v": "int", "kind": "string", "w": "double"},
        _moved(range(51, 161), ["a"] * 99 + ["b"] * 11),
        before=_moved(range(1, 101), _HALVES),
    ),
    FreshTable("core.few", {"v": "double"}, tuple({"v": value} for value in (10.0, 11.0, 12.0)), before=_FEW),
    FreshTable(
        "core.grown",
        {"v": "double", "k": "int"},
        (*({"v": value, "k": 1} for value in (1.0, None)), *({"v": value, "k": 1} for value in (3.0, 4.0, 5.0))),
        before=tuple({"v": value, "k": 1} for value in (1.0, None)),
        appended=True,
    ),
    FreshTable(
        "core.shifted",
        {"v": "int"},
        tuple({"v": value} for value in range(100, 1100)),
        before=tuple({"v": value} for value in range(1000)),
    ),
    FreshTable(
        "core.edges",
        {"g": "string", "i": "int", "l": "bigint", "p": "decimal(4,2)"},
        _rows(
            "g i l p",
            ("a", 2**31 - 1, 2**63 - 1, Decimal("99.99")),
            ("a", -(2**31), -(2**63), Decimal("-99.99")),
            ("a", None, None, None),
            ("b", 1, 1, Decimal("0.01")),
        ),
    ),
    FreshTable("core.awoken", {"v": "double"}, _FEW, before=()),
)

TABLE_OF: Mapping[str, FreshTable] = MappingProxyType({table.name: table for table in TABLES})
