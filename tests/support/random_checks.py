"""Random small tables and random checks of every type on them, for what must agree with the oracle."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st
from memory_checks import Rows, schema_of

from forge.model.names import TableName

CUSTOMERS = TableName("core", "customers")
PARENTS: Rows = [{"id": 1}, {"id": 2}, {"id": None}, {"id": 7}]
SCHEMA = schema_of(
    key="bigint",
    amount="decimal(12,2)",
    ratio="double",
    status="string",
    zoned="timestamp",
    day="date",
    paid="boolean",
    address="struct<city:string,geo:struct<lat:double>>",
    größe="int",
)
POSITIVE = "amount > 0"


def positive(row: Mapping[str, Any]) -> bool | None:
    return None if row["amount"] is None else row["amount"] > 0


FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False) | st.sampled_from([0.0, 1.0, 2.5, float("nan"), float("inf")])
TIMES = st.datetimes(
    datetime(2026, 11, 13), datetime(2026, 11, 16), timezones=st.sampled_from([UTC, timezone(timedelta(hours=5))])
)
ROW = st.fixed_dictionaries(
    {
        "key": st.none() | st.integers(-2, 8) | st.just(2**60 + 1),
        "amount": st.none() | st.decimals(-50, 50, places=2, allow_nan=False),
        "ratio": st.none() | FLOATS,
        "status": st.none() | st.sampled_from(["open", "paid", "", "größer", "漢字", "a\nb"]),
        "zoned": st.none() | TIMES,
        "day": st.none() | TIMES.map(datetime.date),
        "paid": st.none() | st.booleans(),
        "address": st.none()
        | st.fixed_dictionaries(
            {"city": st.none() | st.sampled_from(["Bonn", "東京"]), "geo": st.none() | st.just({"lat": 1.5})}
        ),
        "größe": st.none() | st.integers(0, 3),
    }
)
ROWS = st.lists(ROW, max_size=30) | st.lists(ROW, max_size=8).map(lambda rows: rows * 5)
PERCENT = st.sampled_from([0.0, 1.0, 10.0, 33.3, 50.0, 100.0])
BOUND = st.integers(-60, 60)
NUMBERS = st.sampled_from(["key", "amount", "ratio", "größe", "address.geo.lat"])
ANY = st.sampled_from(["key", "amount", "ratio", "status", "zoned", "day", "paid", "address.city", "größe"])


def bounds(ends: st.SearchStrategy[Any] = BOUND) -> st.SearchStrategy[dict[str, Any]]:
    both = st.tuples(ends, ends).map(lambda pair: {"min": min(pair), "max": max(pair)})
    return both | ends.map(lambda low: {"min": low}) | ends.map(lambda high: {"max": high})


def mapping(word: str, **keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(word), **keys})


def with_bounds(base: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(base, bounds()).map(lambda pair: pair[0] | pair[1])


def statistical(kind: str, **keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return mapping("statistical", statistical_check=st.just(kind), **keys) | mapping(kind, **keys)


WRITTEN: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "completeness": mapping(
        "completeness", columns=st.lists(ANY, min_size=1, max_size=3, unique=True), max_null_percentage=PERCENT
    ),
    "uniqueness": mapping(
        "uniqueness", columns=st.lists(ANY, min_size=1, max_size=2, unique=True), max_violation_percentage=PERCENT
    ),
    "set": mapping(
        "set",
        column=st.sampled_from(["status", "address.city"]),
        values=st.lists(st.sampled_from(["open", "漢字", "Bonn", "größer"]), min_size=1),
        max_violation_percentage=PERCENT,
    ),
    "range": with_bounds(mapping("range", column=NUMBERS, max_violation_percentage=PERCENT)),
    "range of times": st.tuples(mapping("range", column=st.just("zoned")), bounds(TIMES)).map(lambda p: p[0] | p[1]),
    "regex": mapping(
        "regex",
        column=st.sampled_from(["status", "address.city"]),
        pattern=st.sampled_from(["^o", "ß", "^.+$", "漢"]),
        max_violation_percentage=PERCENT,
    ),
    "volume": mapping("volume", min_rows=st.integers(0, 20), max_rows=st.integers(20, 40)),
    "volume change": mapping("volume", max_change_percentage=PERCENT | st.just(250.0)),
    "freshness": mapping(
        "freshness", timestamp_column=st.sampled_from(["zoned", "day"]), max_age_hours=st.sampled_from([1, 24, 60])
    ),
    "referential": mapping(
        "referential",
        columns=st.just(["key"]),
        references=st.just("core.customers.id"),
        max_violation_percentage=PERCENT,
    ),
    "custom": mapping("custom", sql=st.just(POSITIVE), max_violation_percentage=PERCENT),
    "zscore": statistical(
        "zscore", column=NUMBERS, threshold=st.sampled_from([0.5, 1.3, 3.0]), max_outlier_percentage=PERCENT
    ),
    "iqr": statistical("iqr", column=NUMBERS, threshold=st.sampled_from([0.1, 1.5]), max_outlier_percentage=PERCENT),
    "mean": with_bounds(statistical("mean", column=NUMBERS)),
    "std": with_bounds(statistical("std", column=NUMBERS)),
    "quantile": with_bounds(statistical("quantile", column=NUMBERS, quantile=st.sampled_from([0, 0.1, 0.5, 0.9, 1]))),
    "ks_test": statistical(
        "ks_test",
        column=st.sampled_from(["key", "amount", "ratio", "zoned", "day"]),
        max_distance=st.sampled_from([0.05, 0.3]),
        significance=st.sampled_from([0.05, 0.5, 1.0]),
    ),
    "drift": statistical("drift", column=ANY, threshold=st.sampled_from([0.05, 0.2, 1.0])),
}
COMMON = st.fixed_dictionaries(
    {},
    optional={
        "where": st.just(POSITIVE),
        "partition_by": st.lists(
            st.sampled_from(["status", "größe", "address.city", "ratio"]), min_size=1, max_size=2, unique=True
        ),
    },
)
