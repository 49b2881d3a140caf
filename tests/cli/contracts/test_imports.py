"""`forge contract import` outside any project: YAML on stdout, notes on stderr, nothing overwritten or fetched."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.contracts.linter.lint import lint

Forge = Callable[..., Any]

SHORTHAND = """\
name: orders
version: 1.0.0
status: active
owner: ada@example.com
mood: good
models: {orders: {description: One row each, fields: {id: bigint, amount: "decimal(12,2)"}}}
"""
SQL = "CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, email VARCHAR(100), amount DECIMAL(12,2));\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "short.yaml").write_text(SHORTHAND, "utf-8")
    (tmp_path / "orders.sql").write_text(SQL, "utf-8")
    return tmp_path


def test_the_shorthand_is_known_by_itself_and_becomes_a_clean_contract(forge: Forge, folder: Path) -> None:
    done = forge("contract", "import", "short.yaml", at=folder)
    assert done.status == 0
    assert lint(done.out) == ()
    assert yaml.safe_load(done.out)["schema"][0]["properties"][1]["physicalType"] == "decimal(12,2)"
    assert done.err.splitlines() == [
        "note: mood: has no place in the standard that Forge knows, and was left out",
        "Read as shorthand; 1 note; lint: no findings.",
    ]


def test_the_shorthand_may_be_json(forge: Forge, folder: Path) -> None:
    (folder / "short.json").write_text(json.dumps(yaml.safe_load(SHORTHAND), indent="\t"), "utf-8")
    done = forge("contract", "import", "short.json", at=folder)
    assert (done.status, done.out) == (0, forge("contract", "import", "short.yaml", at=folder).out)


def test_other_programs_get_json(forge: Forge, folder: Path) -> None:
    document = forge("contract", "import", "short.yaml", "--json", at=folder).json
    assert (document["schema_version"], document["format"], document["violations"]) == (1, "shorthand", [])
    assert document["contract"]["id"] == "orders"
    assert yaml.safe_load(document["text"]) == document["contract"]


def test_a_file_that_is_there_is_not_written_over(forge: Forge, folder: Path) -> None:
    out = folder / "orders.odcs.yaml"
    assert forge("contract", "import", "short.yaml", "--out", str(out), at=folder).status == 0
    first = out.read_text("utf-8")
    out.write_text("mine", "utf-8")
    again = forge("contract", "import", "short.yaml", "--out", str(out), at=folder)
    assert (again.status, "FORGE-E109" in again.err, out.read_text("utf-8")) == (2, True, "mine")
    assert forge("contract", "import", "short.yaml", "--out", str(out), "--force", at=folder).out == ""
    assert out.read_text("utf-8") == first


def test_a_contract_of_the_standard_needs_no_import(forge: Forge, folder: Path) -> None:
    (folder / "a.yaml").write_text("apiVersion: v3.1.0\nkind: DataContract\nschema: []\n", "utf-8")
    for words in ([], ["--from", "shorthand"]):
        done = forge("contract", "import", "a.yaml", *words, at=folder)
        assert (done.status, done.out) == (3, "")
        assert "forge contract lint a.yaml" in done.err


def test_a_contract_of_version_2_is_known_by_itself(forge: Forge, folder: Path) -> None:
    text = "apiVersion: v2.2.2\nkind: DataContract\nuuid: a\nversion: 1.0.0\nstatus: current\n"
    (folder / "old.yaml").write_text(
        text + "dataset: [{table: t, columns: [{column: id, isNullable: false}]}]\n", "utf-8"
    )
    assert "forge contract import old.yaml" in forge("contract", "lint", "old.yaml", at=folder).out
    done = forge("contract", "import", "old.yaml", at=folder)
    assert (done.status, lint(done.out)) == (0, ())
    assert yaml.safe_load(done.out)["schema"][0]["properties"] == [{"name": "id", "required": True}]


def test_what_lint_still_finds_ends_with_1(forge: Forge, folder: Path) -> None:
    (folder / "short.yaml").write_text(SHORTHAND.replace("1.0.0", "first"), "utf-8")
    done = forge("contract", "import", "short.yaml", at=folder)
    assert (done.status, "FORGE-E502" in done.err, "version: first" in done.out) == (1, True, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["missing.yaml"], "There is no such file"),
        (["pipe"], "no regular file"),
        (["pipe", "--from", "csv"], "no regular file"),
        (["orders.sql", "--from", "shorthand"], "FORGE-E50"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_words(forge: Forge, folder: Path, words: list[str], told: str) -> None:
    os.mkfifo(folder / "pipe")
    done = forge("contract", "import", *words, at=folder)
    assert (done.status, done.out) == (3, "")
    assert told in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["orders.sql", "--from", "postgres"], "asks a server"),
        (["orders.sql", "--from", "snowflake"], "asks a server"),
        (["orders.sql", "--from", "sqll"], "Did you mean sql?"),
        (["orders.sql", "--from", "bla"], "why: From files: shorthand"),
        (["notes.txt"], "--from"),
    ],
)
def test_a_format_that_there_is_not_is_wrong_use(forge: Forge, folder: Path, words: list[str], told: str) -> None:
    (folder / "notes.txt").write_text("hello", "utf-8")
    done = forge("contract", "import", *words, at=folder)
    assert (done.status, done.out) == (2, "")
    assert told in done.err


def test_hostile_yaml_is_refused_before_anything_reads_it(forge: Forge, folder: Path) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
    )
    (folder / "bomb.yaml").write_text(bomb, "utf-8")
    for words in ([], ["--from", "openapi"], ["--from", "odcs"]):
        done = forge("contract", "import", "bomb.yaml", *words, at=folder)
        assert (done.status, "FORGE-E502" in done.err) == (3, True)


FILES = {
    "orders.sql": ("sql", SQL),
    "order.json": (
        "jsonschema",
        json.dumps(
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "title": "orders",
                "type": "object",
                "properties": {"id": {"type": "integer"}, "x": {"$ref": "https://unreachable.example/x.json"}},
            }
        ),
    ),
    "iceberg.json": (
        "iceberg",
        '{"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "type": "long", "required": true}]}',
    ),
    "models.py": ("pydantic-model", "from pydantic import BaseModel\n\n\nclass Order(BaseModel):\n    id: int\n"),
    "lines.jsonl": ("json", '{"id": 1, "mail": "a@example.com"}\n{"id": 2, "mail": null}\n'),
    "api.yaml": (
        "openapi",
        "openapi: 3.0.0\ninfo: {title: shop, version: '1'}\npaths:\n  /orders:\n    get:\n      operationId: orders\n"
        "      responses: {'200': {description: ok, content: {application/json: {schema: "
        "{type: object, properties: {id: {type: integer}}}}}}}\n",
    ),
}


@pytest.mark.services  # datacontract-cli takes a second to load
@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", FILES)
def test_files_of_other_formats_become_clean_contracts_without_a_network(forge: Forge, folder: Path, name: str) -> None:
    format, text = FILES[name]
    (folder / name).write_text(text, "utf-8")
    done = forge("contract", "import", name, "--json", at=folder)
    assert done.status == 0, done.err
    assert (done.json["format"], done.json["violations"]) == (format, [])
    assert lint(done.json["text"]) == ()
    assert done.json["contract"]["name"] not in ("", "My Data Contract")


@pytest.mark.services
@pytest.mark.usefixtures("offline")
def test_what_the_tool_could_not_carry_over_is_a_note(forge: Forge, folder: Path) -> None:
    (folder / "order.json").write_text(FILES["order.json"][1], "utf-8")
    assert "unreachable.example" in forge("contract", "import", "order.json", at=folder).err


@pytest.mark.services
def test_a_file_that_is_not_what_it_says_is_refused(forge: Forge, folder: Path) -> None:
    (folder / "order.json").write_text("[1, 2", "utf-8")
    done = forge("contract", "import", "order.json", "--from", "jsonschema", at=folder)
    assert (done.status, done.out, "FORGE-E508" in done.err) == (3, "", True)


@pytest.mark.services
def test_what_is_not_sql_is_asked_for_without_colours(forge: Forge, folder: Path) -> None:
    (folder / "short.yaml").write_text("apiVersion: v3.0.2\nkind: x\n", "utf-8")
    done = forge("contract", "import", "short.yaml", "--from", "sql", at=folder)
    assert (done.status, "Is it sql?" in done.err) == (3, True)
    assert "[4m" not in done.err
    assert "\x1b" not in done.err


@pytest.mark.services
@pytest.mark.parametrize("name", ["people.csv", "people.jsonl"])
def test_values_of_rows_never_come_into_the_contract(forge: Forge, folder: Path, name: str) -> None:
    rows = {"people.csv": "mail,age\nbob@x.example,71\nann@x.example,83\n"}
    rows["people.jsonl"] = '{"mail": "bob@x.example", "age": 71}\n{"mail": "ann@x.example", "age": 83}\n'
    (folder / name).write_text(rows[name], "utf-8")
    done = forge("contract", "import", name, at=folder)
    assert done.status == 0, done.err
    assert not any(value in done.out for value in ("bob@", "ann@", "71", "83", "unique", "required"))
    assert "note: examples: were left out; they are values of rows" in done.err
