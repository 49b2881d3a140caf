"""`forge erd`: tables of a schema in every form. No JVM."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.mark.slow
def test_the_tables_of_a_schema_with_their_columns(traced: Any) -> None:
    document = traced("erd", "--schema", "marts", "--format", "json").json
    assert (document["schema_version"], document["schema"]) == (1, "marts")
    assert {table["name"]: [c["name"] for c in table["columns"]] for table in document["tables"]} == {
        "marts.contacts": ["mail_hash", "mail_length"],
        "marts.guess": ["value"],
        "marts.revenue": ["revenue"],
    }
    assert traced("erd", "--schema", "marts", "--json").json == document
    assert yaml.safe_load(traced("erd", "--schema", "marts", "--format", "yaml").out) == document


def test_without_a_schema_all_are_shown_with_how_they_hang_together(traced: Any) -> None:
    document = traced("erd", "--json").json
    flows = {(one["source"], one["target"]) for one in document["relations"] if one["type"] == "lineage"}
    assert ("raw.orders", "marts.revenue") in flows
    lines = traced("erd").out.splitlines()
    assert "marts.revenue  (table)" in lines
    assert "  revenue  bigint" in lines
    assert "raw.orders ⇒ marts.revenue  (2 edges)" in lines


@pytest.mark.parametrize(
    ("form", "begins"), [("mermaid", "erDiagram"), ("dot", "digraph"), ("svg", "<svg")], ids=["mermaid", "dot", "svg"]
)
def test_pictures_are_text_that_other_programs_read(traced: Any, tmp_path: Path, form: str, begins: str) -> None:
    ended = traced("erd", "--schema", "marts", "--format", form)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith(begins)
    assert "marts.revenue" in ended.out
    file = tmp_path / f"marts.{ {'mermaid': 'mmd'}.get(form, form) }"
    written = traced("erd", "--schema", "marts", "--out", str(file))
    assert (written.status, written.out) == (0, "")
    assert file.read_text() == ended.out


def test_the_svg_is_whole_and_loads_nothing(traced: Any) -> None:
    text = traced("erd", "--format", "svg").out
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_a_row_a_column_in_csv(traced: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(traced("erd", "--schema", "raw", "--format", "csv").out)))
    assert [(row["table"], row["name"], row["data_type"]) for row in rows] == [
        ("raw.orders", "amount", "bigint"),
        ("raw.orders", "status", ""),
    ]


def test_as_it_was(traced: Any) -> None:
    document = traced("erd", "--schema", "marts", "--at", "2026-11-14T12:00", "--json").json
    assert [table["name"] for table in document["tables"]] == ["marts.revenue"]


@pytest.mark.parametrize(
    ("words", "told"),
    [(("--schema", "mart"), "Did you mean marts?"), (("--out", "nowhere/x.svg"), "nowhere/x.svg cannot be written")],
    ids=["schema", "folder"],
)
def test_what_cannot_be_is_a_usage_error(traced: Any, words: tuple[str, ...], told: str) -> None:
    ended = traced("erd", *words)
    assert (ended.status, ended.out) == (2, "")
    assert told in ended.err


def test_an_unknown_form_names_the_known(traced: Any) -> None:
    ended = traced("erd", "--format", "jpeg")
    assert (ended.status, "mermaid" in ended.err) == (2, True)


CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: draft
schema:
  - name: orders
    physicalName: raw.orders
    properties:
      - {name: amount, logicalType: integer, primaryKey: true, primaryKeyPosition: 1, required: true}
"""


def test_keys_of_the_projects_own_tables_are_those_of_contracts_and_checks(traced_copy: Any) -> None:
    root = traced_copy.root
    (root / "checks" / "marts.yaml").write_text(
        "marts.revenue:\n  - {type: unique, columns: [revenue]}\n  - {type: not_null, columns: [revenue]}\n"
        "  - {type: foreign_key, column: revenue, references: raw.orders.amount}\n"
    )
    (root / "contracts" / "orders.odcs.yaml").write_text(CONTRACT)
    tables = traced_copy("erd", "--json").json["tables"]
    keys = {table["name"]: [c["name"] for c in table["columns"] if c["primary_key"]] for table in tables}
    assert (keys["raw.orders"], keys["marts.revenue"]) == (["amount"], ["revenue"])
    told = "marts.revenue.revenue → raw.orders.amount  (one to one: checks/marts.yaml:4)"
    assert told in traced_copy("erd").out.splitlines()
