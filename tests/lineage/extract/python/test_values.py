"""Texts, lists, dicts, functions and classes: what names hold while a program is read."""

from __future__ import annotations

import pytest

from tests.lineage.extract.python.programs import edges, gaps

ORDERS = {"m.t.id <- raw.orders.id identity"}


@pytest.mark.parametrize(
    "name",
    [
        '"raw.orders"',
        '"raw" + "." + "orders"',
        '"%s.%s" % ("raw", "orders")',
        '"{}.{t}".format("raw", t="orders")',
        '".".join(["raw", "orders"])',
        'f"{schema}.{table.lower()}"',
        '"RAW.ORDERS".lower()',
        '"raw.{x}".replace("{x}", "orders")',
        '{"a": "raw.orders"}["a"]',
        '{"a": "raw.orders"}.get("a", "x")',
        '["x", "raw.orders"][-1]',
        '("raw.orders", 1)[0]',
        '"x.raw.orders".split(".", 1)[1]',
        'str("raw.orders")',
        '"raw.orders" if 1 < 2 else "x"',
        'None or "raw.orders"',
        '(lambda s, t="orders": s + "." + t)("raw")',
        '[n for n in ("orders", "gone") if n.startswith("o")] and "raw.orders"',
        'next(f"raw.{n}" for n in ["orders"])',
        'getattr(Names, "source")',
        "Names.source",
        "dict(a='raw.orders')['a']",
        'sorted(["x", "raw.orders"])[0]',
    ],
)
def test_a_name_is_followed_through(name: str) -> None:
    program = f"""
schema, table = "raw", "ORDERS"
class Names:
    source = "raw.orders"
spark.table({name}).select("id").write.saveAsTable("m.t")
"""
    assert edges(program) == ORDERS
    assert gaps(program) == []


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ('os.path.join("data", "x.parquet")', "data/x.parquet"),
        ('Path("data") / "x" / "y"', "data/x/y"),
        ('str(Path("data", "x"))', "data/x"),
        ('f"{Path(BASE)}/x"', "s3://b/x"),
        ('BASE + "/" + str(2024) + "/x"', "s3://b/2024/x"),
        ('f"{BASE}/{7:02d}"', "s3://b/07"),
    ],
)
def test_a_path_is_named_as_it_is_put_together(path: str, written: str) -> None:
    program = f"""
import os
from pathlib import Path
BASE = "s3://b"
spark.table("raw.orders").select("id").write.parquet({path})
"""
    assert edges(program) == {f"{written}.id <- raw.orders.id identity"}


def test_a_function_called_twice_gives_both() -> None:
    program = """
def copy(name, *columns, target="m"):
    df = spark.table(f"raw.{name}")
    return df.select(*columns).write.saveAsTable(f"{target}.{name}")
copy("orders", "id")
copy("customers", "id", "name", target="n")
"""
    assert edges(program) == {
        "m.orders.id <- raw.orders.id identity",
        "n.customers.id <- raw.customers.id identity",
        "n.customers.name <- raw.customers.name identity",
    }


def test_a_closure_remembers_its_names() -> None:
    program = """
def keep(*names):
    def inner(df):
        return df.select(*names)
    return inner
spark.table("raw.orders").transform(keep("id")).write.saveAsTable("m.t")
"""
    assert edges(program) == ORDERS


def test_a_class_inherits_methods_and_sets_attributes() -> None:
    program = """
from abc import ABC
class Job(ABC):
    target = "m.t"
    def __init__(self, source):
        self.source = source
        self.frames = {}
    def run(self):
        self.frames["in"] = spark.table(self.source)
        self.transform(self.frames["in"]).write.saveAsTable(self.target)
    @property
    def keys(self):
        return ["id"]
class Orders(Job):
    def __init__(self):
        super().__init__("raw.orders")
    def transform(self, df):
        return df.select(self.keys)
Orders().run()
"""
    assert edges(program) == ORDERS


def test_a_dataclass_takes_its_fields() -> None:
    program = """
from dataclasses import dataclass, field
@dataclass
class Config:
    source: str
    target: str = "m.t"
    columns: list = field(default_factory=lambda: ["id"])
c = Config("raw.orders")
spark.table(c.source).select(c.columns).write.saveAsTable(c.target)
"""
    assert edges(program) == ORDERS


def test_a_decorator_of_the_program_is_looked_through() -> None:
    program = """
import functools
def logged(level):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **named):
            return f(*args, **named)
        return inner
    return wrap
@logged("info")
def load(name):
    return spark.table(name)
load("raw.orders").select("id").write.saveAsTable("m.t")
"""
    assert edges(program) == ORDERS


def test_loops_over_what_is_written_are_followed() -> None:
    program = """
RENAMES = {"id": "order_id", "amount": "net"}
df = spark.table("raw.orders").select("id", "amount")
for old, new in RENAMES.items():
    df = df.withColumnRenamed(old, new)
for place, name in enumerate(["a", "b"]):
    df = df.withColumn(f"{name}{place}", df.net)
df.drop("net").write.saveAsTable("m.t")
"""
    assert edges(program) == {
        "m.t.order_id <- raw.orders.id identity",
        "m.t.a0 <- raw.orders.amount identity",
        "m.t.b1 <- raw.orders.amount identity",
    }


def test_columns_can_be_chosen_by_their_names() -> None:
    program = """
df = spark.table("raw.orders")
df.select([c for c in df.columns if c not in ("amount", "status", "address")]).write.saveAsTable("m.t")
"""
    assert edges(program) == {
        "m.t.id <- raw.orders.id identity",
        "m.t.customer_id <- raw.orders.customer_id identity",
    }


def test_reduce_goes_through_a_list() -> None:
    program = """
from functools import reduce
from pyspark.sql import DataFrame
frames = [spark.table(t).select("id") for t in ("raw.orders", "raw.customers")]
reduce(DataFrame.unionByName, frames).write.saveAsTable("m.t")
"""
    assert edges(program) == {"m.t.id <- raw.orders.id union", "m.t.id <- raw.customers.id union"}


def test_a_list_that_grows_in_place_is_followed() -> None:
    program = """
columns = ["id"]
def more(names):
    names.append("status")
more(columns)
columns += ["amount"]
spark.table("raw.orders").select(columns).write.saveAsTable("m.t")
"""
    assert edges(program) == {f"m.t.{name} <- raw.orders.{name} identity" for name in ("id", "status", "amount")}


def test_functions_that_threads_run_are_called() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
def copy(name):
    spark.table(f"raw.{name}").select("id").write.saveAsTable(f"m.{name}")
with ThreadPoolExecutor() as pool:
    list(pool.map(copy, ["orders"]))
    pool.submit(copy, "customers")
"""
    assert edges(program) == {"m.orders.id <- raw.orders.id identity", "m.customers.id <- raw.customers.id identity"}


def test_SQL_comes_from_a_file_of_the_codebase() -> None:
    files = {
        "jobs/a.py": "with open('sql/q.sql') as f:\n    spark.sql(f.read())\n",
        "jobs/sql/q.sql": "INSERT INTO m.t SELECT id FROM raw.orders",
    }
    assert edges(files) == ORDERS
