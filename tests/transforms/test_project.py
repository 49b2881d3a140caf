from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forge.model.errors import ForgeError, errors_of, raise_errors
from forge.model.names import TableName
from forge.transforms.dag import Transforms
from forge.transforms.project import find_transform_faults, read_transforms

Write = Callable[[dict[str, str]], Path]

SOURCE = "sources:\n  - {output: raw.orders, connector: files, format: parquet, path: d/*}\n"
PYTHON = """\
from forge import transform


@transform(inputs={"orders": "core.orders"})
def revenue(orders):
    return orders
"""
SHOP = {
    "sources/shop.yaml": SOURCE,
    "transforms/staging/orders.sql": "SELECT * FROM raw.orders",
    "transforms/core/orders.sql": "SELECT * FROM staging.orders",
    "transforms/marts/money.py": PYTHON,
}


def load_transforms(root: Path, known: frozenset[TableName] | None = None) -> Transforms:
    """As a run of everything takes them."""
    found = read_transforms(root)
    raise_errors(fault.error for fault in find_transform_faults(found, known))
    return found.transforms


def errors_when_loading(root: Path, known: frozenset[TableName] | None = frozenset()) -> list[tuple[str, str | None]]:
    with pytest.raises(ForgeError) as raised:
        load_transforms(root, known)
    return [(error.code, error.where) for error in errors_of(raised.value)]


def test_sources_sql_and_python_are_one_project(write: Write) -> None:
    found = load_transforms(write(SHOP), frozenset())
    assert [str(table) for table in found] == ["core.orders", "marts.revenue", "raw.orders", "staging.orders"]
    assert all(transform.output == table for table, transform in found.items())


def test_a_project_may_have_no_transforms_yet(tmp_path: Path) -> None:
    assert load_transforms(tmp_path, frozenset()) == {}


def test_hidden_files_and_caches_are_not_read(write: Write) -> None:
    root = write(
        {**SHOP, "transforms/.trash/x.sql": "no", "transforms/core/.#a.sql": "no", "transforms/__pycache__/x.py": "no"}
    )
    assert len(load_transforms(root)) == 4


def test_an_input_that_nothing_writes_is_unknown_unless_it_is_in_the_lake(write: Write) -> None:
    root = write({**SHOP, "transforms/core/b.sql": "SELECT *\nFROM core.orders\nJOIN core.ordrs USING (id)"})
    with pytest.raises(ForgeError) as raised:
        load_transforms(root, frozenset())
    assert (raised.value.code, raised.value.where) == ("E202", "transforms/core/b.sql:3")
    assert "core.orders" in (raised.value.fix or "")
    assert len(load_transforms(root, frozenset({TableName("core", "ordrs")}))) == 5
    assert len(load_transforms(root)) == 5


def test_an_unknown_input_of_python_is_named_at_its_function(write: Write) -> None:
    root = write({"transforms/marts/money.py": PYTHON})
    assert errors_when_loading(root) == [("E202", "transforms/marts/money.py:4")]


def test_an_output_written_twice_names_both_places(write: Write) -> None:
    root = write({**SHOP, "transforms/eu/core/orders.sql": "SELECT 1", "sources/z.yaml": SOURCE})
    with pytest.raises(ForgeError) as raised:
        load_transforms(root)
    told = [(e.code, e.where, e.why) for e in errors_of(raised.value)]
    assert told == [
        ("E205", "sources/z.yaml:2", "sources/shop.yaml:2 writes it too."),
        ("E205", "transforms/eu/core/orders.sql:1", "transforms/core/orders.sql:1 writes it too."),
    ]


def test_a_circle_is_found_when_the_project_is_read(write: Write) -> None:
    root = write({"transforms/core/a.sql": "SELECT *\nFROM core.b", "transforms/core/b.sql": "SELECT * FROM core.a"})
    assert errors_when_loading(root) == [("E204", "transforms/core/a.sql:2")]


def test_all_errors_of_all_files_are_told_at_once(write: Write) -> None:
    root = write(
        {
            **SHOP,
            "transforms/core/bad.sql": "SELECT (",
            "transforms/core/reads_bad.sql": "SELECT * FROM core.bad",
            "transforms/core/lost.sql": "SELECT * FROM core.nowhere",
            "transforms/core/twice.sql": "/* forge\noutput: core.orders\nownr: ada\n*/ SELECT * FROM x",
        }
    )
    assert errors_when_loading(root) == [
        ("E201", "transforms/core/bad.sql:1:8"),
        ("E104", "transforms/core/twice.sql:3"),
        ("E202", "transforms/core/twice.sql:4:18"),
        ("E202", "transforms/core/lost.sql:1"),
    ]


def test_a_broken_python_file_is_told_beside_the_others_and_its_readers_are_not_blamed(write: Write) -> None:
    root = write(
        {
            "transforms/core/bad.py": "\n1 / 0\n",
            "transforms/core/reads.sql": "SELECT * FROM core.bad",
            "sources/bad.yaml": "sources: [",
        }
    )
    assert errors_when_loading(root) == [("E103", "sources/bad.yaml:1:11"), ("E207", "transforms/core/bad.py:2")]


def test_a_file_that_is_not_text_is_refused(write: Write) -> None:
    root = write(SHOP)
    (root / "transforms/core/latin.sql").write_bytes("SELECT 'ü'".encode("latin-1"))
    assert errors_when_loading(root) == [("E201", "transforms/core/latin.sql")]
