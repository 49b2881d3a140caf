"""Declared APIs: what they say, and all that is wrong with them at once."""

from __future__ import annotations

from typing import Any

import pytest
from each_case import each_case

from forge.federation.rest import PagingType, RestPaging, RestTable
from forge.federation.source import SourceOrigin
from forge.federation.source_keys import load_named_sources, read_source, source_of_keys
from forge.model.errors import ForgeError, errors_of

YAML = """\
sources:
  - name: shop
    connector: rest
    url: https://api.example.com/v1
    password: env:SHOP_TOKEN
    options: {header: X-Api-Key, timeout: 30 s, max_pages: 50}
    hidden: [orders.email]
    tables:
      orders:
        path: /orders
        records: data.items
        columns: {id: bigint, city: string, email: string, at: timestamp}
        fields: {city: /address/city}
        parameters: {expand: all, archived: false, limit: 5}
        filters: {city: city}
        paging: {type: page, parameter: p, size: 100, size_parameter: per_page, first: 0}
      rates: {path: /rates.json, columns: {day: date, rate: "decimal(12,6)"}}
"""
GOOD: dict[str, Any] = {
    "name": "shop",
    "connector": "rest",
    "url": "https://api.example.com",
    "tables": {"orders": {"path": "/orders", "columns": {"id": "bigint"}}},
}


def test_an_api_is_read_with_its_tables() -> None:
    ((source,), errors) = load_named_sources(YAML, "sources/shop.yaml")
    assert errors == ()
    assert source.tables["orders"] == RestTable(
        path="/orders",
        records="data.items",
        columns={"id": "bigint", "city": "string", "email": "string", "at": "timestamp"},
        fields={"city": "/address/city"},
        parameters={"expand": "all", "archived": "false", "limit": "5"},
        filters={"city": "city"},
        paging=RestPaging(type=PagingType.PAGE, parameter="p", size=100, size_parameter="per_page", first=0),
    )
    assert source.tables["rates"].paging == RestPaging()
    assert read_source(source.keys).keys == source_of_keys(source.keys, SourceOrigin.FILE).keys == source.keys


def test_each_error_is_told_with_its_line_and_all_at_once() -> None:
    text = YAML.replace("path: /orders", "path: orders?x=1").replace("city: string", "city: strin")
    text = text.replace("type: page", "type: pages").replace("path: /rates.json", "pth: /rates.json")
    text = text.replace("env:SHOP_TOKEN", "hunter2").replace("max_pages: 50", "max_pages: 0")
    found, errors = load_named_sources(text, "s.yaml")
    assert found == ()
    assert [(error.code, error.where) for error in errors] == [
        ("E106", "s.yaml:5"),
        ("E880", "s.yaml:6"),
        ("E880", "s.yaml:16"),
        ("E880", "s.yaml:17"),
        ("E104", "s.yaml:17"),
    ]
    text = text.replace("type: pages", "type: page").replace("pth:", "path:").replace("hunter2", "env:X")
    assert [error.where for error in load_named_sources(text, "s.yaml")[1]] == ["s.yaml:6", "s.yaml:10", "s.yaml:12"]
    assert "hunter2" not in str([str(error) for error in errors])


TABLES: list[tuple[dict[str, Any], str, str]] = [
    ({"path": "orders"}, "path", "endpoint"),
    ({"path": "/a/../b"}, "path", "endpoint"),
    ({"path": "/a%2e"}, "path", "endpoint"),
    ({"path": "/a b"}, "path", "endpoint"),
    ({"path": "/a#b"}, "path", "endpoint"),
    ({"path": "/a\\b"}, "path", "endpoint"),
    ({"path": "https://evil.example/a"}, "path", "endpoint"),
    ({"path": ""}, "path", "endpoint"),
    ({"columns": {}}, "columns", "needs columns"),
    ({"columns": {"a": "int", "A": "int"}}, "columns", "same name"),
    ({"columns": {"": "int"}}, "columns", "one none"),
    ({"columns": {"a": "lng"}}, "columns.a", "unknown type"),
    ({"columns": {"a": "array<int>"}}, "columns.a", "cannot be"),
    ({"columns": {"a": "binary"}}, "columns.a", "cannot be"),
    ({"columns": {"a": "varchar(3)"}}, "columns.a", "cannot be"),
    ({"columns": {"a": "decimal(39,2)"}}, "columns.a", "cannot be"),
    ({"columns": {"a": 1}}, "columns.a", "string"),
    ({"records": "a..b"}, "records", "no place"),
    ({"records": "/a~2"}, "records", "no place"),
    ({"fields": {"id": "a\x00"}}, "fields.id", "no place"),
    ({"fields": {"ID2": "a"}}, "fields.ID2", "no column"),
    ({"filters": {"no": "x"}}, "filters.no", "no column"),
    ({"columns": {"x": "double"}, "filters": {"x": "x"}}, "filters.x", "parameter"),
    ({"columns": {"x": "timestamp"}, "filters": {"x": "x"}}, "filters.x", "parameter"),
    ({"parameters": {"api_token": "hunter2"}}, "parameters.api_token", "secret"),
    ({"parameters": {"a": "b\r\nc"}}, "parameters.a", "control"),
    ({"parameters": {"page": 1}, "paging": {"type": "page"}}, "", "two things"),
    ({"filters": {"id": "offset"}, "paging": {"type": "offset"}}, "", "two things"),
    ({"paging": {"type": "cursor"}}, "paging", "needs next"),
    ({"paging": {"type": "link", "parameter": "x"}}, "paging.parameter", "no parameter"),
    ({"paging": {"type": "page", "next": "x"}}, "paging.next", "no next"),
    ({"paging": {"type": "offset", "first": 0}}, "paging.first", "no first"),
    ({"paging": {"size": 5, "size_parameter": "n"}}, "paging.size", "no size"),
    ({"paging": {"type": "page", "size": 5}}, "paging", "needs its parameter"),
    ({"paging": {"type": "page", "size": -5}}, "paging.size", "greater"),
    ({"paging": {"type": "link", "next": "a..b"}}, "paging.next", "no place"),
    ({"pagng": {}}, "pagng", "unknown key"),
]


@each_case(TABLES)
def test_a_wrong_table_is_refused_at_its_key(case: tuple[dict[str, Any], str, str]) -> None:
    changed, place, word = case
    table = {**GOOD["tables"]["orders"], **changed}
    error = refused({"tables": {"orders": table}})
    assert error.where == ".".join(part for part in ("tables", "orders", place) if part)
    assert word in f"{error.what} {error.why}"
    assert "hunter2" not in str(error)


SOURCES: list[tuple[dict[str, Any], str]] = [
    ({"url": ""}, ""),
    ({"url": "api.example.com"}, "url"),
    ({"url": "ftp://api.example.com"}, "url"),
    ({"url": "https://api.example.com/?a=b"}, "url"),
    ({"url": "https://api.example.com/#x"}, "url"),
    ({"url": "https://a.example,b.example"}, "url"),
    ({"url": "https://ada:pw@api.example.com"}, "url"),
    ({"url": "https://api.example.com:0"}, "url"),
    ({"url": "https://api.example.com/%2e%2e"}, "url"),
    ({"url": "https://api.example.com\\@evil.example"}, "url"),
    ({"url": "jdbc:postgresql://h/d"}, "url"),
    ({"tables": {}}, ""),
    ({"tables": {"a b": GOOD["tables"]["orders"]}}, "tables.a b"),
    ({"tables": {"a.b": GOOD["tables"]["orders"]}}, "tables.a.b"),
    ({"tables": {**GOOD["tables"], "ORDERS": GOOD["tables"]["orders"]}}, "tables.ORDERS"),
    ({"tables": {"orders": None}}, "tables.orders"),
    ({"tables": {"orders": []}}, "tables.orders"),
    ({"tables": []}, "tables"),
    ({"schema": "x"}, "schema"),
    ({"path": "x"}, "path"),
    ({"columns": {"a": "int"}}, "columns"),
    ({"user": "env:A"}, ""),
    ({"options": {"header": "X-Key"}}, ""),
    ({"password": "env:A", "options": {"header": "Host"}}, "options.header"),
    ({"password": "env:A", "options": {"header": "a: b\r\nc"}}, "options.header"),
    ({"password": "env:A", "user": "env:B", "options": {"header": "X-Key"}}, "options.header"),
    ({"options": {"verify": "false"}}, "options.verify"),
    ({"options": {"timeout": "soon"}}, "options.timeout"),
    ({"options": {"timeout": "9 days"}}, "options.timeout"),
    ({"options": {"max_rows": "1e3"}}, "options.max_rows"),
    ({"options": {"max_rows": 10**12}}, "options.max_rows"),
]


@each_case(SOURCES)
def test_a_wrong_api_is_refused_at_its_key(case: tuple[dict[str, Any], str]) -> None:
    changed, place = case
    assert refused(changed).where == place


def test_tables_are_of_apis_alone() -> None:
    for keys in (
        {"connector": "postgresql", "url": "jdbc:postgresql://h/d"},
        {"connector": "sqlite", "url": "", "path": "x.db"},
        {"connector": "files", "url": "", "path": "x.parquet"},
    ):
        assert refused(keys).where == "tables"


def refused(changed: dict[str, Any]) -> ForgeError:
    with pytest.raises(ForgeError) as raised:
        read_source({**GOOD, **changed})
    (error,) = errors_of(raised.value)
    assert error.code in ("E880", "E104", "E106")
    return error
