"""What a file is, and how its bytes become text."""

from __future__ import annotations

import codecs

import pytest

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.files import LARGEST, FileKind, text_of_file
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.sql_file import read_sql_file

EVENT = '{"eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z", "run": {"runId": "x"}, "job": {}}\n'


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("a.sql", "SELECT 1", FileKind.SQL),
        ("A.SQL", "SELECT 1", FileKind.SQL),
        ("jobs/a.hql", "SELECT 1", FileKind.SQL),
        ("jobs/a.ddl", "SELECT 1", FileKind.SQL),
        ("jobs/a.dbsql", "SELECT 1", FileKind.SQL),
        ("jobs/a.sql.j2", "SELECT {{ x }}", FileKind.SQL),
        ("a.py", "a = 1", FileKind.PYTHON),
        ("a.py", "# Databricks notebook source\na = 1", FileKind.NOTEBOOK),
        ("a.sql", "-- Databricks notebook source\nSELECT 1", FileKind.NOTEBOOK),
        ("a.ipynb", "{}", FileKind.NOTEBOOK),
        ("dbt_project.yml", "name: x", FileKind.DBT),
        ("a.yml", "author: a\nreason: b\nedges:\n  - {source: a.b, target: c.d}", FileKind.DECLARED),
        ("a.yaml", "edges:\n  - source: a.b\n    target: c.d\n    author: x", FileKind.DECLARED),
        ("docker-compose.yml", "services: {}", FileKind.OTHER),
        ("a.ndjson", EVENT + EVENT, FileKind.EVENTS),
        ("a.json", EVENT, FileKind.EVENTS),
        ("package.json", '{"name": "x"}', FileKind.OTHER),
        ("seeds/a.csv", "a,b\n1,2", FileKind.OTHER),
        ("a.txt", "SELECT 1", FileKind.OTHER),
        ("Makefile", "all:", FileKind.OTHER),
        ("a", "SELECT 1", FileKind.OTHER),
    ],
)
def test_the_name_and_the_beginning_tell_what_a_file_is(path: str, text: str, kind: FileKind) -> None:
    found = text_of_file(path, text.encode())
    assert found.kind is kind
    assert found.problem == ""
    if kind is not FileKind.OTHER:
        assert found.text == text


@pytest.mark.parametrize(
    "data",
    [
        "SELECT 'ü'".encode(),
        codecs.BOM_UTF8 + "SELECT 'ü'".encode(),
        "SELECT 'ü'".encode("utf-16"),
        codecs.BOM_UTF16_BE + "SELECT 'ü'".encode("utf-16-be"),
        "SELECT 'ü'".encode("utf-32"),
    ],
)
def test_a_mark_at_the_beginning_tells_the_encoding(data: bytes) -> None:
    found = text_of_file("a.sql", data)
    assert (found.text, found.problem) == ("SELECT 'ü'", "")


def test_what_is_no_utf_8_is_read_as_latin_1_and_said() -> None:
    found = text_of_file("a.sql", b"SELECT 1;\nSELECT '\xfc'")
    assert found.text == "SELECT 1;\nSELECT 'ü'"
    assert found.problem == "line 2 is not UTF-8; the file was read as Latin-1"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (b"\x7fELF\0\0\0", "the file is binary"),
        (codecs.BOM_UTF16_LE + b"a", "the file begins as UTF-16 and is not"),
        (b"a" * (LARGEST + 1), "the file has 10 MB; files of more than 10 MB are not read"),
    ],
)
@pytest.mark.parametrize("path", ["a.sql", "a.py", "a.ipynb"])
def test_what_cannot_be_read_is_one_line(path: str, data: bytes, problem: str) -> None:
    found = text_of_file(path, data)
    assert found.problem == problem
    assert not (found.text or "").strip()


def test_the_size_of_the_file_counts_not_what_was_read_of_it() -> None:
    found = text_of_file("a.sql", b"SELECT 1", size=50 * 1024 * 1024)
    assert (found.text, found.problem) == (None, "the file has 50 MB; files of more than 10 MB are not read")


def test_nobody_misses_what_is_no_code() -> None:
    assert text_of_file("a.png", b"\x89PNG\0").problem == ""
    assert text_of_file("a.json", b"\0").problem == ""
    assert text_of_file("a.scala", b"object A").problem == "Scala is not read; only SQL and Python are"


def test_of_a_large_csv_the_names_of_its_columns_are_enough() -> None:
    assert text_of_file("seeds/a.csv", b"a,b\n1,2\n", size=LARGEST * 2).text == "a,b"


def edges(text: str) -> set[str]:
    return {
        f"{edge.source} -> {edge.target}" for edge in flatten([read_sql_file(text, TableCatalog(), file="a.sql")]).edges
    }


def test_a_file_of_sql_may_be_a_template() -> None:
    text = "{% set t = 'core.orders' %}\nCREATE TABLE mart.x AS SELECT a FROM {{ t }} WHERE day = '{{ ds }}'"
    program = read_sql_file(text, TableCatalog(), file="a.sql")
    assert edges(text) == {"core.orders.a -> mart.x.a"}
    assert (program.gaps, program.statements, program.understood) == ((), 1, 1)
    assert [step.line for step in program.steps] == [2]


def test_steps_of_both_sides_of_a_condition_are_kept() -> None:
    text = "INSERT INTO m.x (a) SELECT {% if full %}b{% else %}c{% endif %} FROM m.y"
    assert edges(text) == {"m.y.b -> m.x.a", "m.y.c -> m.x.a"}


def test_braces_in_a_string_are_no_template() -> None:
    text = "INSERT INTO m.x (a) SELECT b FROM m.y WHERE c LIKE '{%' AND d = '{{\"k\": 1}}'"
    program = read_sql_file(text, TableCatalog(), file="a.sql")
    assert edges(text) == {"m.y.b -> m.x.a"}
    assert program.gaps == ()


def test_a_broken_template_does_not_hide_the_other_statements() -> None:
    text = "CREATE TABLE m.x AS SELECT a FROM m.y;\n{% if a %}\nINSERT INTO m.z {{ what\n"
    program = read_sql_file(text, TableCatalog(), file="a.sql")
    assert edges(text) == {"m.y.a -> m.x.a"}
    assert program.gaps[0].reason.startswith("the template cannot be read")
