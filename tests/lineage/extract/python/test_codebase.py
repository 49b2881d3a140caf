"""Several files, functions that nobody calls, notebooks that run others."""

from __future__ import annotations

from forge.lineage.extract.python import read_python
from tests.lineage.extract.python.programs import CATALOG, edges, gaps, read, tables

COPY = "def copy(name):\n    spark.table(f'raw.{name}').select('id').write.saveAsTable(f'm.{name}')\n"
ORDERS = {"m.orders.id <- raw.orders.id identity"}


def test_a_function_of_another_file_is_told_where_it_stands() -> None:
    files = {"jobs/main.py": "from jobs.util import copy\ncopy('orders')\n", "jobs/util.py": COPY}
    (edge,) = read(files).edges
    assert (str(edge.target), edge.file, edge.line) == ("m.orders.id", "jobs/util.py", 2)


def test_modules_are_found_in_all_ways_to_import_them() -> None:
    for line in (
        "from util import copy",
        "from .util import copy",
        "from . import util; copy = util.copy",
        "import jobs.util; copy = jobs.util.copy",
        "import jobs.util as u; copy = u.copy",
        "from jobs.util import *",
        "from jobs import copy",
        "from ..jobs.util import copy",
    ):
        files = {
            "src/jobs/main.py": f"{line}\ncopy('orders')\n",
            "src/jobs/util.py": COPY,
            "src/jobs/__init__.py": "from .util import copy\n",
        }
        assert edges(files) == ORDERS, line


def test_modules_that_import_each_other_end() -> None:
    files = {
        "a.py": "import b\ndef copy(n):\n    b.write(n)\ncopy('orders')\n",
        "b.py": "import a\n" + COPY.replace("copy", "write"),
    }
    assert edges(files) == ORDERS


def test_a_module_that_is_imported_is_not_the_main_program() -> None:
    files = {
        "a.py": "import b\n",
        "b.py": COPY + "if __name__ == '__main__':\n    copy('orders')\n",
    }
    programs = {program.file: program for program in read_python(files, CATALOG)}
    assert programs["a.py"].steps == ()
    assert [step.target for step in programs["b.py"].steps if step.made.real] == ["m.orders"]


def test_a_job_that_something_outside_starts_is_read() -> None:
    program = """
from pyspark.sql import SparkSession
def helper(df):
    return df.select("id")
def run(spark: SparkSession, day: str):
    helper(spark.table("raw.orders")).write.saveAsTable("m.orders")
    helper(spark.table(f"raw.orders_{day}")).write.saveAsTable("m.daily")
"""
    assert edges(program) == ORDERS
    assert gaps(program) == [(7, "the table raw.orders_{day} is not known: its name depends on day (the argument day)")]


def test_a_method_that_nobody_calls_is_read_with_an_object_of_its_own() -> None:
    program = """
class Job:
    def __init__(self, spark, config):
        self.spark = spark
        self.target = "m.orders"
    def run(self):
        self.spark.read.table("raw.orders").select("id").write.saveAsTable(self.target)
"""
    assert edges(program) == ORDERS


def test_a_function_that_only_writes_what_it_is_given_is_not_read_alone() -> None:
    program = "def save(df, name):\n    df.write.saveAsTable(name)\n"
    assert gaps(program) == []


def test_rows_from_outside_the_codebase_keep_their_table() -> None:
    program = """
from company.cleaning import clean
df = clean(spark.table("raw.orders"))
df.write.saveAsTable("m.t")
"""
    found = read(program)
    assert [(edge.source, edge.target) for edge in found.table_edges] == [("raw.orders", "m.t")]
    assert [gap.reason for gap in found.gaps] == [
        "what clean does with its rows (line 3) is not known: it is not in the codebase"
    ]


def test_a_write_of_something_unknown_is_told() -> None:
    assert "come from code that cannot be followed" in gaps("load().write.saveAsTable('m.t')\n")[0][1]


def test_only_the_files_asked_for_are_read() -> None:
    files = {"a.py": "import b\nb.copy('orders')\n", "b.py": COPY}
    programs = read_python(files, CATALOG, only=["a.py"])
    assert [program.file for program in programs] == ["a.py"]
    assert any(step.target == "m.orders" for step in programs[0].steps)


def test_each_variable_is_a_step_of_its_own() -> None:
    program = """
df = spark.table("raw.orders")
paid = df.filter("status = 'paid'").select("id")
paid.write.saveAsTable("m.t")
"""
    (found,) = read_python({"a.py": program}, CATALOG)
    assert [(step.target, sorted(step.reads)) for step in found.steps] == [
        ("df@2", ["raw.orders"]),
        ("paid@3", ["df@2"]),
        ("m.t", ["paid@3"]),
    ]
    assert (found.statements, found.understood) == (3, 3)


def test_SQL_that_is_not_known_is_told_where_it_is_executed() -> None:
    program = "import sqlite3\ncur = sqlite3.connect('x').cursor()\nwanted = build()\ncur.execute(wanted)\n"
    assert gaps(program) == [(4, "the SQL is not known: it is build()")]


def test_the_tables_of_SQL_with_a_missing_part_are_told() -> None:
    program = "columns = pick()\nspark.sql(f'INSERT INTO m.t SELECT {columns} FROM raw.orders')\n"
    assert tables(program) == {("raw.orders", "m.t")}
    assert gaps(program) == [(2, "a part of the SQL is not known: columns (pick())")]


def test_values_that_are_not_known_do_not_matter_in_SQL() -> None:
    program = (
        "day = arg()\nspark.sql(f\"INSERT INTO m.t SELECT id FROM raw.orders WHERE status = '{day}' LIMIT {n}\")\n"
    )
    assert edges(program) == {"m.t.id <- raw.orders.id identity"}
    assert gaps(program) == []


def test_a_table_that_is_not_known_does_not_hide_the_others_in_SQL() -> None:
    program = """
env = arg()
spark.sql(f"INSERT INTO m.t SELECT c.name FROM raw_{env}.orders o JOIN raw.customers c ON o.id = c.id")
"""
    assert edges(program) == {"m.t.name <- raw.customers.name identity"}
    assert gaps(program) == [(3, "the table raw_{env}.orders is not known: it depends on env (arg())")]
