"""Columns that SQL names and its inputs do not have are told with file, line and the nearest name, without a JVM."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forge.flows.runs.unknown_columns import _is_plainly_right, find_unknown_columns
from forge.lineage import extract_sql
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.transforms.project import read_transforms

SOURCE = """\
sources:
  - output: raw.orders
    connector: files
    format: csv
    path: data/*.csv
    columns: {id: long, amount: "decimal(12,2)", day: date, place: "struct<city:string>"}
"""


def found_in(
    root: Path, sql: dict[str, str], lake: Callable[[TableName], Schema | None] = lambda table: None
) -> list[str]:
    for folder in ("sources", "transforms/core", "transforms/marts"):
        (root / folder).mkdir(parents=True)
    (root / "sources/shop.yaml").write_text(SOURCE)
    for name, text in sql.items():
        (root / "transforms" / f"{name}.sql").write_text(text)
    transforms = read_transforms(root).transforms
    return [f"{e.where}: {e.what}. {e.fix}" for e in find_unknown_columns(transforms, transforms, lake)]


def test_a_mistyped_column_is_named_with_its_line_and_the_nearest(tmp_path: Path) -> None:
    found = found_in(
        tmp_path, {"core/orders": "SELECT id,\n  o.amont AS amount\nFROM raw.orders o\nWHERE dya > current_date()"}
    )
    place, what = "transforms/core/orders.sql", "core.orders reads a column"
    assert found == [
        f"{place}:2: {what} amont that its inputs do not have. Did you mean amount?",
        f"{place}:4: {what} dya that its inputs do not have. Did you mean day?",
    ]


def test_columns_of_another_transform_are_those_its_select_lists(tmp_path: Path) -> None:
    sql = {
        "core/orders": "SELECT id, amount AS total FROM raw.orders",
        "marts/sums": "SELECT sum(total) AS sums, max(amount) AS most FROM core.orders",
    }
    (only,) = found_in(tmp_path, sql)
    assert "marts.sums reads a column amount" in only


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, place.city, o.place.city AS there, upper(place.city) AS c FROM raw.orders o",
        "WITH a AS (SELECT id AS i FROM raw.orders) SELECT i, count(*) AS n FROM a GROUP BY i HAVING n > 1 ORDER BY n",
        "SELECT id, x FROM raw.orders LATERAL VIEW explode(array(1, 2)) t AS x",
        "SELECT * EXCEPT (amount), amount * 2 AS twice, twice + 1 AS more FROM raw.orders",
        "SELECT id, transform(array(1), y -> y + 1) AS t, :since AS p FROM raw.orders WHERE day > :since",
        "SELECT day, sum(amount) OVER w AS s FROM raw.orders WINDOW w AS (PARTITION BY day)",
        "SELECT a.id FROM raw.orders a JOIN raw.orders b USING (id)",
        "SELECT (SELECT max(o.day) FROM raw.orders i WHERE i.id = o.id) AS m FROM raw.orders o",
    ],
)
def test_what_is_right_is_not_named(tmp_path: Path, sql: str) -> None:
    assert found_in(tmp_path, {"core/orders": sql}) == []


def test_inputs_whose_columns_are_not_certain_are_left_to_spark(tmp_path: Path) -> None:
    sql = {"core/orders": "SELECT * FROM raw.orders", "marts/sums": "SELECT nothere FROM core.orders"}
    assert found_in(tmp_path, sql) == []


@pytest.mark.slow
def test_plan_and_compile_say_it_without_a_jvm(tmp_path: Path) -> None:
    def forge(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "forge.cli.main", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert forge("init", ".").returncode == 0
    file = tmp_path / "transforms/marts/revenue.sql"
    file.write_text(file.read_text().replace("sum(amount)", "sum(amont)"))
    for words in (("plan",), ("compile",)):
        ended = forge(*words)
        told = " ".join((ended.stdout + ended.stderr).split())
        assert "transforms/marts/revenue.sql:5" in told
        assert "reads a column amont" in told
        assert "Did you mean amount?" in told


def test_a_column_of_a_known_input_is_judged_beside_one_that_is_not_known(tmp_path: Path) -> None:
    sql = {
        "core/orders": "SELECT * FROM lake.raw_orders",
        "marts/both": "SELECT o.amont, c.anything, whatever\nFROM raw.orders o JOIN core.orders c ON c.id = o.id",
    }
    (only,) = found_in(tmp_path, sql)
    assert only == (
        "transforms/marts/both.sql:1: marts.both reads a column amont that its inputs do not have. Did you mean amount?"
    )


def test_the_name_that_is_missing_is_never_the_one_that_is_meant(tmp_path: Path) -> None:
    sql = {
        "core/orders": "SELECT id AS order_id, amount FROM raw.orders",
        "marts/both": "SELECT o.id\nFROM core.orders o JOIN raw.orders r ON r.id = o.order_id",
    }
    (only,) = found_in(tmp_path, sql)
    assert "Did you mean id" not in only


QUERIES = {
    "SELECT id, amount FROM raw.orders": True,
    "SELECT o.ID, sum(o.amount) AS s, count(*) AS n FROM raw.orders AS o WHERE day > :start GROUP BY o.id": True,
    "SELECT a.id FROM raw.orders a JOIN raw.orders b USING (id)": True,
    "SELECT o.* FROM raw.orders o": False,
    "SELECT amont FROM raw.orders": False,
    "SELECT o.amont FROM raw.orders o": False,
    "SELECT x.id FROM raw.orders o": False,
    "SELECT amount AS total FROM raw.orders WHERE total > 1": False,
    "SELECT id FROM (SELECT id FROM raw.orders)": False,
    "WITH o AS (SELECT id FROM raw.orders) SELECT id FROM o": False,
    "SELECT id FROM raw.orders UNION SELECT id FROM raw.orders": False,
    "SELECT place.city FROM raw.orders": False,
    "SELECT id FROM raw.orders LATERAL VIEW explode(xs) t AS x": False,
    "SELECT id FROM raw.other": False,
    "SELECT FROM WHERE": False,
}


@pytest.mark.parametrize(("sql", "is_plain"), QUERIES.items())
def test_what_is_plainly_right_has_nothing_that_the_reader_of_sql_would_tell(sql: str, is_plain: bool) -> None:
    columns = {"id": "bigint", "amount": "decimal(12,2)", "day": "date", "place": "struct<city:string>"}
    assert _is_plainly_right(sql, {"raw.orders": columns}) is is_plain
    if is_plain:
        assert extract_sql(sql, {"raw.orders": columns}, result="core.x").gaps == ()
