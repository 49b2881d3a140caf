"""Queries from Python: which engine, why, and exact types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from migrated import lay_database
from sqlite_source import lay_shop

from forge.connection.runs.project import Connection
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

YAML = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db, hidden: [customers.email]}
  - name: rates
    connector: files
    path: data/rates.csv
    columns: {day: date, rate: "decimal(12,6)", at: timestamp}
    options: {header: "true"}
"""
RATES = "day,rate,at\n2026-11-14,1.5,2026-11-14 06:00:00\n"


@pytest.fixture
def f(tmp_path: Path) -> Iterator[Connection]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(YAML)
    lay_database(tmp_path / ".forge" / "forge.db")
    lay_shop(tmp_path / "data" / "till.db")
    (tmp_path / "data" / "rates.csv").write_text(RATES)
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        yield Connection(wiring, wiring.default_branch)


def test_rows_say_who_computed_them_and_why(f: Connection) -> None:
    found = f.query("SELECT id, email FROM till.customers WHERE city = :city", {"city": "London"})
    assert (found.rows, found.engine, found.why) == (((1, None),), "in-process", "it is small")
    assert found.plan is not None
    assert "till" in found.plan.text()
    assert (found.masked, sum(found.rows_read.values()), found.seconds > 0) == (frozenset({"email"}), 1, True)
    assert found.to_dict()["kept_until"]
    assert {**found.to_dict(), "ms": 0, "kept_until": None} == {
        "columns": ["id", "email"],
        "rows": [[1, None]],
        "engine": "in-process",
        "why": "it is small",
        "cache": "miss",
        "kept_until": None,
        "rows_read": dict(found.rows_read),
        "ms": 0,
    }
    assert f.query("SELECT id FROM till.customers", limit=0).rows == ()
    with pytest.raises(ForgeError, match="There is no engine 'flink'"):
        f.query("SELECT id FROM till.customers", engine="flink")  # type: ignore[arg-type]


def test_arrow_has_the_types_of_the_query(f: Connection) -> None:
    found = f.query("SELECT day, rate, at FROM rates").to_arrow()
    kinds = [pa.date32(), pa.decimal128(12, 6), pa.timestamp("us", tz="UTC")]
    assert (found.column_names, found.schema.types) == (["day", "rate", "at"], kinds)
    assert str(found["rate"][0]) == "1.500000"
    assert found["at"][0].as_py().isoformat() == "2026-11-14T06:00:00+00:00"


def test_a_plan_reads_no_row(f: Connection) -> None:
    plan = f.explain("SELECT city, count(*) AS n FROM till.customers GROUP BY city")
    document: dict[str, Any] = plan.to_dict()
    assert (plan.executor, plan.why) == ("in-process", "it is small")
    assert [one["source"] for one in document["sources"]] == ["till"]
    assert "till" in plan.text()


def test_a_query_is_given_a_time(f: Connection) -> None:
    assert f.query("SELECT id FROM till.customers", timeout=60).rows == ((1,),)
    with pytest.raises(ForgeError, match="timeout"):
        f.query("SELECT id FROM till.customers", timeout=0)
