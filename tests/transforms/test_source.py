from __future__ import annotations

import pytest

from forge.transforms.source import load_sources
from forge.transforms.transform import FileSource, JdbcSource, TransformKind

# The example of the guide, word for word.
GUIDE = """\
# sources/shop.yaml
sources:
  - output: raw.orders
    connector: files              # files | jdbc
    format: csv                   # csv | json | parquet
    path: data/orders/*.csv       # relative to the project; globs allowed
    options: {header: "true"}     # passed to Spark's reader
    columns: {order_id: long, amount: "decimal(12,2)", day: date}   # required for csv and json
    kind: append                  # full | append (append loads files not loaded before on this branch)
    owner: platform@example.com
    checks: [{type: row_count, min: 1}]
  - output: raw.customers
    connector: jdbc
    url: jdbc:postgresql://db.example.com/crm
    table: public.customers       # or query:
    user: env:CRM_USER
    password: env:CRM_PASSWORD
"""


def test_the_guides_example_is_read() -> None:
    (orders, customers), errors = load_sources(GUIDE, "sources/shop.yaml")
    assert errors == ()
    assert orders.body == FileSource(
        "csv",
        "data/orders/*.csv",
        {"order_id": "long", "amount": "decimal(12,2)", "day": "date"},
        {"header": "true"},
    )
    assert (str(orders.output), orders.kind, orders.owner) == (
        "raw.orders",
        TransformKind.APPEND,
        "platform@example.com",
    )
    assert (orders.checks, orders.check_lines) == (({"type": "row_count", "min": 1},), (11,))
    assert (orders.file, orders.line, orders.is_source) == ("sources/shop.yaml", 3, True)
    assert customers.body == JdbcSource(
        "jdbc:postgresql://db.example.com/crm", "public.customers", None, "env:CRM_USER", "env:CRM_PASSWORD"
    )
    assert (customers.line, customers.kind) == (12, TransformKind.FULL)


def test_options_are_text_for_sparks_reader() -> None:
    text = FILES.format("options: {header: true, sep: ';', maxColumns: 5}")
    (source,), _ = load_sources(text, "s.yaml")
    assert isinstance(source.body, FileSource)
    assert source.body.options == {"header": "true", "sep": ";", "maxColumns": "5"}


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "sources: []\n"])
def test_a_file_may_be_empty(text: str) -> None:
    assert load_sources(text, "s.yaml") == ((), ())


FILES = "sources:\n  - output: raw.a\n    connector: files\n    format: parquet\n    path: d/*\n    {}\n"
JDBC = "sources:\n  - output: raw.a\n    connector: jdbc\n    url: jdbc:sqlite:x\n    {}\n"
WRONG = [
    ("source: []", "E104", 1, "sources"),
    ("sources: {}", "E206", 1, "list"),
    ("- output: raw.a", "E206", 1, "sources:"),
    ("sources:\n  - raw.a", "E206", 2, "mapping"),
    ("sources:\n  - output: raw.a", "E206", 2, "connector"),
    ("sources:\n  - output: raw.a\n    connector: file", "E206", 3, "files"),
    ("sources:\n  - connector: jdbc\n    url: jdbc:x\n    table: t", "E206", 2, "output"),
    ("sources: [", "E103", "1:11", "YAML"),
    (FILES.format("onwer: ada"), "E104", 6, "owner"),
    (FILES.format("url: jdbc:x"), "E104", 6, "path"),
    (FILES.format("kind: view"), "E206", 6, "append"),
    (FILES.format("options: header"), "E206", 6, "mapping"),
    (FILES.format("columns: {id: lng}"), "E206", 6, "long"),
    (FILES.format("columns: {id: 3}"), "E206", 6, "string"),
    (FILES.replace("parquet", "parket").format(""), "E206", 4, "parquet"),
    (FILES.replace("parquet", "csv").format(""), "E206", 2, "columns"),
    (FILES.replace("parquet", "json").format("owner: ada"), "E206", 2, "columns"),
    (FILES.replace("raw.a", "raw").format(""), "E101", 2, "schema.table"),
    (FILES.format("options: {password: hunter2}"), "E106", 6, "env:"),
    (JDBC.format("owner: ada"), "E206", 2, "query"),
    (JDBC.format("table: t\n    query: SELECT 1"), "E206", 6, "either"),
    (JDBC.format("table: t\n    password: hunter2"), "E106", 6, "env:"),
    (JDBC.format("table: t\n    user: sa"), "E106", 6, "env:"),
    (JDBC.format("table: t\n    options: {user: sa}"), "E106", 6, "env:"),
    (JDBC.replace("jdbc:sqlite:x", "sqlite:x").format("table: t"), "E206", 4, "jdbc:"),
    (JDBC.replace("jdbc:sqlite:x", "jdbc:postgresql://h/d?password=hunter2").format("table: t"), "E106", 4, "env:"),
    (JDBC.replace("jdbc:sqlite:x", "jdbc:postgresql://sa:hunter2@h/d").format("table: t"), "E106", 4, "env:"),
    (JDBC.format("table: t\n    password: [hunter2]"), "E206", 6, "***"),
]


@pytest.mark.parametrize(("text", "code", "line", "word"), WRONG)
def test_a_wrong_source_is_refused_with_its_line_and_shows_no_secret(
    text: str, code: str, line: int | str, word: str
) -> None:
    found, errors = load_sources(text, "s.yaml")
    assert found == ()
    (error,) = errors
    assert (error.code, error.where) == (code, f"s.yaml:{line}")
    told = f"{error.what} {error.why} {error.fix}"
    assert word in told
    assert "hunter2" not in told


def test_one_wrong_source_does_not_hide_the_others() -> None:
    text = GUIDE + "  - output: raw.c\n    connector: ftp\n  - output: raw.d\n    conector: files\n"
    found, errors = load_sources(text, "s.yaml")
    assert [str(source.output) for source in found] == ["raw.orders", "raw.customers"]
    assert [error.where for error in errors] == ["s.yaml:19", "s.yaml:20"]


def code_of(text: str) -> str:
    (source, *_), errors = load_sources(text, "s.yaml")
    assert errors == ()
    return source.code_hash


def test_the_code_of_a_source_is_what_decides_its_data() -> None:
    base = code_of(JDBC.format("table: t\n    user: env:A"))
    assert code_of(JDBC.format("table: t\n    user: env:B\n    password: file:/p\n    owner: ada")) == base
    assert code_of(JDBC.format("table: u\n    user: env:A")) != base
    assert code_of(JDBC.replace("sqlite", "h2").format("table: t")) != base
    assert code_of(FILES.format("columns: {a: int, b: int}")) != code_of(FILES.format("columns: {b: int, a: int}"))
