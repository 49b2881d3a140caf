"""APIs as a source, on a real server: what is asked, what is read, and where it ends."""

from __future__ import annotations

import gc
import gzip
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from threading import Thread, Timer
from threading import enumerate as enumerate_threads
from typing import Any

import pyarrow as pa
import pytest
from rest_api import Answer, Asked, RestApi, rest_api

from forge.federation.plan import Scan, ScanFilter, SourceQuery
from forge.federation.relation import RelationName
from forge.federation.source_keys import read_source
from forge.flows.federation.ports import SourceConnector
from forge.model.errors import CancellationError, ForgeError
from forge.model.secret import Secret, resolve_secret
from forge.stores.connectors import open_connector
from forge.versioning.arrow_types import arrow_type

ENVIRON = {"TOKEN": "s3cret-token", "USER_NAME": "ada", "BROKEN": "two\r\nlines: x", "UMLAUT": "pässwort"}
ID = {"id": "bigint"}


@pytest.fixture
def api() -> Iterator[RestApi]:
    with rest_api() as opened:
        yield opened


def opened(api: RestApi, table: Mapping[str, object] | None = None, **keys: Any) -> SourceConnector:
    """A source with one table, `orders`, at /v1/orders."""
    tables = {"orders": {"path": "/orders", "columns": ID, **(table or {})}}
    fields = {"name": "shop", "connector": "rest", "url": f"{api.url}/v1", "tables": tables, **keys}
    source = read_source(fields)

    def secret(reference: str) -> Secret:
        return resolve_secret(reference, ENVIRON)

    return open_connector(source, Path(), secret)


def rows(
    connector: SourceConnector, *columns: str, filters: tuple[ScanFilter, ...] = (), limit: int | None = None
) -> list[tuple[Any, ...]]:
    relation = connector.describe(("orders",))
    assert relation is not None
    wanted = [relation.get(name) for name in columns or tuple(one.name for one in relation.columns)]
    schema = pa.schema([(one.name, arrow_type(str(one.type))) for one in wanted if one is not None])
    names = tuple(one.name for one in wanted if one is not None)
    reader = connector.read(Scan(RelationName("shop", ("orders",)), names, filters, limit), schema)
    return [tuple(one.values()) for one in reader.read_all().to_pylist()]


def refused(code: str, connector: SourceConnector, *columns: str, **more: Any) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        rows(connector, *columns, **more)
    assert caught.value.code == code, str(caught.value)
    assert "s3cret" not in f"{caught.value}"
    return caught.value


def numbered(first: int, count: int) -> list[dict[str, int]]:
    return [{"id": number} for number in range(first, first + count)]


# Columns and values


def test_every_type_is_read_as_it_is_written(api: RestApi) -> None:
    columns = {
        "i": "bigint",
        "d": "decimal(20,4)",
        "f": "double",
        "s": "string",
        "b": "boolean",
        "day": "date",
        "at": "timestamp",
        "local": "timestamp_ntz",
    }
    body = rb"""[{"i": 9007199254740993, "d": 1234567890123456.7890, "f": 0.1, "s": "\u00fc \ud83e\udd86", "b": true,
      "day": "2026-01-31", "at": "2026-01-31T23:59:59.5+02:00", "local": "2026-01-31T23:59:59"},
      {"i": null, "s": 12.50, "at": "0001-01-01T00:00:00Z"}, {}]"""
    api.serve("/v1/orders", Answer(body))
    assert rows(opened(api, {"columns": columns})) == [
        (
            9007199254740993,
            Decimal("1234567890123456.7890"),
            0.1,
            "ü 🦆",
            True,
            date(2026, 1, 31),
            datetime(2026, 1, 31, 21, 59, 59, 500000, UTC),
            datetime(2026, 1, 31, 23, 59, 59),
        ),
        (None, None, None, "12.50", None, None, datetime(1, 1, 1, tzinfo=UTC), None),
        (None,) * 8,
    ]


WRONG = [
    ("bigint", b'"5"'),
    ("bigint", b"5.0"),
    ("bigint", b"1e3"),
    ("bigint", b"9223372036854775808"),
    ("bigint", b"true"),
    ("int", b"2147483648"),
    ("tinyint", b"128"),
    ("decimal(5,2)", b"1.234"),
    ("decimal(5,2)", b"1234.5"),
    ("decimal(38,0)", b"1" * 39),
    ("double", b'"1.5"'),
    ("double", b"1e999"),
    ("boolean", b"1"),
    ("boolean", b'"true"'),
    ("string", b'{"a": 1}'),
    ("string", b"[1]"),
    ("string", rb'"\ud800"'),
    ("date", b'"31.01.2026"'),
    ("date", b'"2026-02-30"'),
    ("date", b'"0000-01-01"'),
    ("date", b"20260131"),
    ("date", b'"2026-01-31T00:00:00"'),
    ("timestamp", b'"2026-01-31T00:00:00"'),
    ("timestamp", b'"2026-01-31T00:00:00.1234567Z"'),
    ("timestamp", b'"0000-01-01T00:00:00Z"'),
    ("timestamp", b"1769817600"),
    ("timestamp_ntz", b'"2026-01-31T00:00:00Z"'),
    ("timestamp_ntz", b"1769817600"),
    ("bigint", b'""'),
    ("date", b'""'),
]


def test_a_value_that_does_not_fit_is_an_error_and_never_null(api: RestApi) -> None:
    for kind, value in WRONG:
        api.serve("/v1/orders", Answer(b'[{"x": null}, {"x": ' + value + b"}]"))
        error = refused("E310", opened(api, {"columns": {"x": kind}}))
        assert "column x of shop" in error.what, (kind, value)


def test_what_a_query_does_not_read_need_not_fit(api: RestApi) -> None:
    api.serve_list("/v1/orders", [{"id": 1, "odd": "x"}])
    connector = opened(api, {"columns": {**ID, "odd": "bigint"}})
    assert rows(connector, "id") == [(1,)]
    refused("E310", connector, "odd")


def test_records_and_columns_are_found_where_they_are(api: RestApi) -> None:
    record = {"id": 7, "user": {"name": "Ada", "e.mail": "a@x"}, "tags": ["new", "red"], "a/b": 1}
    fields = {"name": "user.name", "mail": "/user/e.mail", "tag": "/tags/1", "none": "tags.9", "ab": "/a~1b"}
    columns = {**ID, "name": "string", "mail": "string", "tag": "string", "none": "string", "ab": "int"}
    for records, body in (("data.items", {"data": {"items": [record]}}), ("/0/rows", [{"rows": [record]}])):
        api.serve("/v1/orders", Answer(body))
        connector = opened(api, {"records": records, "fields": fields, "columns": columns})
        assert rows(connector) == [(7, "Ada", "a@x", "red", None, 1)]
    api.serve("/v1/orders", Answer([{"rows": [{"user": "x"}]}]))
    refused("E310", connector, "name")


def test_an_answer_of_another_form_is_an_error(api: RestApi) -> None:
    for body in ({"error": "x"}, {"data": None}, {"data": {"a": 1}}, {"data": [1]}, {"data": [[1]]}, 7, b"<html>", b""):
        api.serve("/v1/orders", Answer(body))
        refused("E309", opened(api, {"records": "data"}))
    for body in (b"[" * 200_000, b'[{"id": NaN}]', b'[{"id": 1}', b"\xff\xfe"):
        api.serve("/v1/orders", Answer(body))
        refused("E309", opened(api))


def test_it_is_described_without_asking(api: RestApi) -> None:
    connector = opened(api, {"columns": {**ID, "city": "string"}, "filters": {"city": "town"}})
    assert connector.relations() == (RelationName("shop", ("orders",)),)
    found = connector.describe(("ORDERS",))
    assert found is not None
    assert [(one.name, str(one.type), one.parameter) for one in found.columns] == [
        ("id", "bigint", ""),
        ("city", "string", "town"),
    ]
    assert connector.describe(("nothing",)) is connector.describe(("a", "orders")) is None
    assert api.asked == []
    with pytest.raises(TypeError):
        connector.read(SourceQuery("SELECT 1"), pa.schema([]))


def test_testing_reads_the_first_page_of_every_endpoint(api: RestApi) -> None:
    api.serve_list("/v1/orders", numbered(1, 3))
    paging = {"type": "page"}
    assert opened(api, {"paging": paging}).test() == f"1 endpoint of {api.url}"
    assert len(api.asked) == 1
    api.serve_list("/v1/orders", [{"id": "x"}])
    with pytest.raises(ForgeError) as caught:
        opened(api).test()
    assert caught.value.code == "E310"


# Pages


def paged(api: RestApi, total: int, most: int) -> None:
    """By page, offset or cursor, whatever is asked; never more than `most` at once."""

    def answer(asked: Asked) -> Answer:
        start = int(asked.query.get("cursor") or asked.query.get("offset") or 0)
        start = (int(asked.query["page"]) - 1) * most if "page" in asked.query else start
        found = numbered(start, max(0, min(most, total - start)))
        following = start + most if start + most < total else None
        link = {"link": f'</v1/orders?offset={following}>; rel="next"'} if following else {}
        return Answer({"items": found, "next": following and str(following), "number": following}, headers=link)

    api.endpoints["/v1/orders"] = answer


PAGINGS: list[dict[str, object]] = [
    {"type": "page"},
    {"type": "page", "size": 100, "size_parameter": "limit"},  # of which the server gives fewer
    {"type": "offset"},
    {"type": "cursor", "next": "next"},
    {"type": "cursor", "next": "/number"},
    {"type": "link"},
]


@pytest.mark.parametrize("paging", PAGINGS, ids=str)
@pytest.mark.parametrize("total", [0, 1, 10, 25])
def test_all_pages_are_read_once_and_in_order(api: RestApi, paging: dict[str, object], total: int) -> None:
    paged(api, total, most=10)
    found = rows(opened(api, {"paging": paging, "records": "items", "parameters": {"expand": "x y&z"}}))
    assert found == [(number,) for number in range(total)]
    assert api.asked[0].query["expand"] == "x y&z"


def test_a_link_in_the_body_is_followed_wherever_it_is_relative_to(api: RestApi) -> None:
    for link in (
        "?offset=10",
        "/v1/orders?offset=10",
        f"{api.url}/v1/orders?offset=10",
        f"HTTP://127.0.0.1:{api.port}/v1/orders?offset=10#x",
    ):
        api.serve("/v1/orders", Answer({"items": numbered(0, 1), "next": link}), Answer({"items": [], "next": ""}))
        assert rows(opened(api, {"paging": {"type": "link", "next": "next"}, "records": "items"})) == [(0,)]


def test_pages_that_lead_back_are_an_error(api: RestApi) -> None:
    api.serve("/v1/orders", Answer({"items": numbered(0, 1), "next": "a"}))
    cursor = opened(api, {"paging": {"type": "cursor", "next": "next"}, "records": "items"})
    assert "lead back" in str(refused("E309", cursor).why)
    link = opened(api, {"paging": {"type": "link", "next": "next"}, "records": "items"})
    api.serve("/v1/a", Answer({"items": numbered(0, 1), "next": "orders"}))
    assert "lead back" in str(refused("E309", link).why)


def test_an_api_that_repeats_its_last_page_ends_at_a_limit_and_loses_nothing(api: RestApi) -> None:
    api.serve_list("/v1/orders", numbered(0, 2))
    connector = opened(api, {"paging": {"type": "page"}}, options={"max_pages": 20})
    assert refused("E309", connector).why == "It has more than 20 pages."
    assert len(api.asked) == 20


def test_limits_of_rows_and_bytes_are_errors_not_cuts(api: RestApi) -> None:
    paged(api, 100, most=10)
    table = {"paging": {"type": "page"}, "records": "items"}
    assert len(rows(opened(api, table, options={"max_rows": 100}))) == 100
    assert "max_rows" in str(refused("E309", opened(api, table, options={"max_rows": 99})).fix)
    assert "max_bytes" in str(refused("E309", opened(api, table, options={"max_bytes": 500})).fix)


# What is asked


def test_a_filter_is_asked_by_its_parameter_and_looked_at_again(api: RestApi) -> None:
    columns = {**ID, "city": "string", "open": "boolean", "day": "date"}
    records = [
        {"id": 1, "city": "London", "open": True, "day": "2026-01-31"},
        {"id": 2, "city": "london"},
        {"id": 3, "city": None},
        {"id": 4, "city": "London & more"},
    ]
    api.serve_list("/v1/orders", records)
    connector = opened(
        api, {"columns": columns, "filters": {"city": "town", "open": "is_open", "day": "day", "id": "nr"}}
    )
    cases: list[tuple[str, object, dict[str, str], list[tuple[int]]]] = [
        ("city", "London", {"town": "London"}, [(1,)]),
        ("City", "London & more", {"town": "London & more"}, [(4,)]),
        ("city", "a&town=b#c?d=e", {"town": "a&town=b#c?d=e"}, []),
        ("open", True, {"is_open": "true"}, [(1,)]),
        ("day", date(2026, 1, 31), {"day": "2026-01-31"}, [(1,)]),
        ("id", 3, {"nr": "3"}, [(3,)]),
    ]
    for column, value, query, found in cases:
        assert rows(connector, "id", filters=(ScanFilter(column, "=", (value,)),)) == found
        assert api.asked[-1].query == query
    both = (ScanFilter("id", "=", (1,)), ScanFilter("id", "=", (2,)))
    assert rows(connector, "id", filters=both) == []


def test_a_limit_ends_the_paging(api: RestApi) -> None:
    paged(api, 1000, most=10)
    connector = opened(api, {"paging": {"type": "page"}, "records": "items"})
    assert rows(connector, limit=5) == [(number,) for number in range(5)]
    assert len(api.asked) <= 7  # the first batch
    assert rows(connector, limit=0) == []


def test_rows_are_counted_without_their_columns(api: RestApi) -> None:
    api.serve_list("/v1/orders", numbered(0, 3))
    scan = Scan(RelationName("shop", ("orders",)), ())
    reader = opened(api).read(scan, pa.schema([("one", pa.int32())]))
    assert reader.read_all().to_pydict() == {"one": [1, 1, 1]}


# Signing in


def test_the_secret_goes_where_it_is_declared_to(api: RestApi) -> None:
    api.serve_list("/v1/orders", [])
    basic = "Basic " + b64encode(b"ada:s3cret-token").decode()
    token: dict[str, Any] = {"password": "env:TOKEN"}
    assert rows(opened(api)) == rows(opened(api, **token)) == []
    assert rows(opened(api, **token, user="env:USER_NAME")) == []
    assert rows(opened(api, **token, options={"header": "X-Api-Key"})) == []
    assert [one.headers.get("authorization") for one in api.asked] == [None, "Bearer s3cret-token", basic, None]
    assert api.asked[-1].headers["x-api-key"] == "s3cret-token"


def test_a_secret_that_no_header_can_hold_is_refused_and_not_shown(api: RestApi) -> None:
    api.serve_list("/v1/orders", [])
    for name in ("BROKEN", "UMLAUT"):
        error = refused("E107", opened(api, password=f"env:{name}", options={"header": "X-Api-Key"}))
        assert not any(part in str(error) for part in ("lines", "wort"))
    refused("E107", opened(api, password="env:NOT_SET"))
    assert api.asked == []


def test_an_api_that_sends_the_secret_back_does_not_show_it(api: RestApi) -> None:
    told = {"you sent": "Bearer s3cret-token"}
    for status, code in ((401, "E308"), (403, "E308"), (400, "E309"), (500, "E309")):
        api.serve("/v1/orders", Answer(told, status))
        assert f"/v1/orders answered {status}" in str(refused(code, opened(api, password="env:TOKEN")).why)


# Where it ends


def test_it_asks_again_where_that_may_help(api: RestApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forge.stores.connectors.rest_client.backoff", lambda *_: 0.001)
    good = Answer(numbered(0, 1))
    for bad in (Answer(status=503), Answer(status=429, headers={"retry-after": "0"}), Answer(hang_up=True)):
        api.serve("/v1/orders", bad, bad, good)
        assert rows(opened(api)) == [(0,)]
        api.serve("/v1/orders", bad)
        assert refused("E308" if bad.hang_up else "E309", opened(api))
    api.asked.clear()
    api.serve("/v1/orders", Answer({"why": "no such parameter"}, 400))
    assert "no such parameter" in str(refused("E309", opened(api)).why)
    assert len(api.asked) == 1
    api.serve("/v1/orders", Answer(status=429, headers={"retry-after": "86400"}))
    assert "86400 s" in str(refused("E309", opened(api)).why)


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forge.stores.connectors.rest_client.backoff", lambda *_: 0.001)
    with rest_api() as gone:
        pass
    assert "shop cannot be reached" in refused("E308", opened(gone)).what


@pytest.mark.slow
@pytest.mark.parametrize("answer", [Answer(stall=True), Answer(drip=True)], ids=["silent", "a byte now and then"])
def test_a_read_ends_when_its_time_is_over(api: RestApi, answer: Answer) -> None:
    api.serve("/v1/orders", answer)
    assert refused("E309", opened(api, options={"timeout": "1 s"})).why == "It took longer than 1 s."
    assert api.left.wait(10)


@pytest.mark.slow
@pytest.mark.parametrize("page", [1, 2])
def test_a_cancel_ends_the_request_itself(api: RestApi, page: int) -> None:
    first = [Answer({"items": numbered(0, 300), "next": "b"})] if page == 2 else []
    api.serve("/v1/orders", *first, Answer(stall=True))
    connector = opened(api, {"paging": {"type": "cursor", "next": "next"}, "records": "items"})
    found: list[BaseException] = []

    def read() -> None:
        try:
            rows(connector)
        except BaseException as error:
            found.append(error)

    thread = Thread(target=read)
    thread.start()
    assert api.reached.wait(10)
    while len(api.asked) < page:
        thread.join(0.01)
    connector.cancel()
    thread.join(10)
    assert isinstance(found[0], CancellationError)
    assert api.left.wait(10)


def test_letting_go_of_the_rows_ends_the_paging(api: RestApi) -> None:
    paged(api, 100_000, most=300)
    connector = opened(api, {"paging": {"type": "page"}, "records": "items"})
    scan = Scan(RelationName("shop", ("orders",)), ("id",))
    reader = connector.read(scan, pa.schema([("id", pa.int64())]), 1_000)
    reader.read_next_batch()
    del reader
    gc.collect()
    assert len(api.asked) < 10
    for timer in [one for one in enumerate_threads() if isinstance(one, Timer)]:
        timer.join(10)  # it would wait for a minute
        assert not timer.is_alive()


# An intruder's tries: the API itself, or who declares it, leads elsewhere


def test_nothing_leads_to_another_host(api: RestApi) -> None:
    with rest_api() as other:
        other.serve("/v1/orders", Answer({"items": numbered(0, 1)}))
        places = [
            f"{other.url}/v1/orders",
            f"//127.0.0.1:{other.port}/v1/orders",
            f"http://localhost:{api.port}/v1/orders",
            f"https://127.0.0.1:{api.port}/v1/orders",
            f"http://ada:pw@127.0.0.1:{api.port}/v1/orders",
            f"http://127.0.0.1:{api.port}@127.0.0.1:{other.port}/v1/orders",
            f"http://127.0.0.1:{api.port}\\@127.0.0.1:{other.port}/v1/orders",
            f"http://127.1:{other.port}/v1/orders",
            f"http://[::ffff:127.0.0.1]:{other.port}/",
            "file:///etc/passwd",
            "ftp://127.0.0.1/x",
            "http://",
            "http://127.0.0.1:99999999/",
        ]
        secret: dict[str, Any] = {"password": "env:TOKEN"}
        for place in places:
            api.serve("/v1/orders", Answer({"items": numbered(0, 1), "next": place}))
            refused("E309", opened(api, {"paging": {"type": "link", "next": "next"}, "records": "items"}, **secret))
            api.serve("/v1/orders", Answer({"items": []}, headers={"link": f'<{place}>; rel="next"'}))
            refused("E309", opened(api, {"paging": {"type": "link"}, "records": "items"}, **secret))
            for status in (301, 302, 303, 307, 308):
                api.serve("/v1/orders", Answer(status=status, headers={"location": place}))
                refused("E309", opened(api, **secret))
        assert other.asked == []


def test_a_redirect_within_the_api_is_followed_and_not_for_ever(api: RestApi) -> None:
    api.serve("/v1/orders", Answer(status=307, headers={"location": "/v2/orders"}))
    api.serve_list("/v2/orders", numbered(0, 1))
    assert rows(opened(api)) == [(0,)]
    api.serve("/v2/orders", Answer(status=302, headers={"location": "/v1/orders"}))
    assert "again and again" in str(refused("E309", opened(api)).why)


def test_an_answer_that_grows_when_it_is_unpacked_is_refused(api: RestApi) -> None:
    packed = gzip.compress(b"[" + b" " * 1_000_000 + b"]")
    api.serve("/v1/orders", Answer(packed, headers={"content-encoding": "gzip"}))
    assert "compressed" in str(refused("E309", opened(api)).why)
    assert api.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("value", [b"{}", b"1"])
def test_one_page_has_no_more_values_than_memory_allows(api: RestApi, value: bytes) -> None:
    api.serve("/v1/orders", Answer(b"[" + (value + b",") * 4_000_000 + b"{}]"))
    assert "values" in str(refused("E309", opened(api)).why)


def test_one_page_is_not_larger_than_memory_allows(api: RestApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forge.stores.connectors.rest_client._PAGE_BYTES", 1024**2)
    api.serve("/v1/orders", Answer(b"[" + b" " * 3 * 1024**2 + b"]"))
    assert "MiB" in str(refused("E309", opened(api)).why)
