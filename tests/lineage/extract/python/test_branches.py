"""Code that may run: what is certain stays certain, the rest is told with less confidence."""

from __future__ import annotations

import pytest

from tests.lineage.extract.python.programs import edges, gaps, read, sure


def test_what_both_branches_bring_is_certain() -> None:
    program = """
df = spark.table("raw.orders")
if full():
    df = df.filter("amount > 0")
df.select("id").write.saveAsTable("m.t")
"""
    assert sure(program) == {"m.t.id <- raw.orders.id": 0.95}


def test_what_one_branch_brings_may_be() -> None:
    program = """
df = spark.table("raw.orders")
if full():
    df = df.withColumn("x", df.amount)
else:
    df = df.withColumn("x", df.customer_id)
df.select("id", "x").write.saveAsTable("m.t")
"""
    assert sure(program) == {
        "m.t.id <- raw.orders.id": 0.95,
        "m.t.x <- raw.orders.amount": 0.6,
        "m.t.x <- raw.orders.customer_id": 0.6,
    }


def test_a_write_in_a_branch_may_be() -> None:
    program = """
if full():
    spark.table("raw.orders").select("id").write.saveAsTable("m.t")
    spark.sql("INSERT INTO m.u SELECT id FROM raw.orders")
"""
    assert sure(program) == {"m.t.id <- raw.orders.id": 0.6, "m.u.id <- raw.orders.id": 0.6}


def test_a_condition_that_is_known_decides() -> None:
    program = """
ENV = "prod"
source = "raw.orders" if ENV == "prod" else "raw.customers"
if ENV in ("dev", "test"):
    source = "raw.customers"
spark.table(source).select("id").write.saveAsTable("m.t")
"""
    assert sure(program) == {"m.t.id <- raw.orders.id": 0.95}


def test_a_name_that_may_be_either_is_both() -> None:
    program = """
import sys
source = "raw.orders" if len(sys.argv) > 1 else "raw.customers"
target = "t"
if debug:
    target = "u"
spark.table(source).select("id").write.saveAsTable(f"m.{target}")
"""
    assert sure(program) == {
        f"m.{target}.id <- raw.{source}.id": 0.6 for target in "tu" for source in ("orders", "customers")
    }


def test_a_branch_that_raises_takes_nothing_away() -> None:
    program = """
df = spark.table("raw.orders")
if df.isEmpty():
    raise ValueError("no rows")
df.select("id").write.saveAsTable("m.t")
"""
    assert sure(program) == {"m.t.id <- raw.orders.id": 0.95}


def test_an_early_return_gives_one_of_two() -> None:
    program = """
def load(fresh):
    if fresh:
        return spark.table("raw.orders")
    return spark.table("raw.customers")
load(flag).select("id").write.saveAsTable("m.t")
load(True).select("id").write.saveAsTable("m.u")
"""
    assert sure(program) == {
        "m.t.id <- raw.orders.id": 0.6,
        "m.t.id <- raw.customers.id": 0.6,
        "m.u.id <- raw.orders.id": 0.95,
    }


def test_a_handler_of_an_exception_may_run() -> None:
    program = """
try:
    df = spark.table("raw.orders")
except Exception:
    df = spark.table("raw.customers")
df.select("id").write.saveAsTable("m.t")
"""
    assert sure(program) == {"m.t.id <- raw.orders.id": 0.6, "m.t.id <- raw.customers.id": 0.6}


def test_a_view_made_in_both_branches_is_both() -> None:
    program = """
if flag:
    spark.table("raw.orders").select("id").createOrReplaceTempView("v")
else:
    spark.table("raw.customers").select("id").createOrReplaceTempView("v")
spark.sql("SELECT id FROM v").write.saveAsTable("m.t")
"""
    assert edges(program) == {"m.t.id <- raw.orders.id identity", "m.t.id <- raw.customers.id identity"}


def test_a_list_changed_in_a_branch_is_as_it_was_in_the_other() -> None:
    program = """
columns = ["id"]
if flag:
    columns.append("gone")
else:
    raise SystemExit
columns.remove("gone")
spark.table("raw.orders").select(columns).write.saveAsTable("m.t")
"""
    assert edges(program) == {"m.t.id <- raw.orders.id identity"}
    assert gaps(program) == []


@pytest.mark.parametrize("subject", ['"orders"', "kind()"])
def test_match_takes_the_case_that_fits(subject: str) -> None:
    program = f"""
match {subject}:
    case "orders":
        df = spark.table("raw.orders")
    case _:
        df = spark.table("raw.customers")
df.select("id").write.saveAsTable("m.t")
"""
    known = {"m.t.id <- raw.orders.id": 0.95}
    both = {"m.t.id <- raw.orders.id": 0.6, "m.t.id <- raw.customers.id": 0.6}
    assert sure(program) == (known if subject.startswith('"') else both)


def test_a_loop_over_the_unknown_is_gone_through_once_and_told() -> None:
    program = """
for name in names():
    spark.table(f"raw.{name}").select("id").write.saveAsTable("m.t")
"""
    assert gaps(program) == [(3, "the table raw.{name} is not known: its name depends on name")]
    assert read(program).edges == ()
