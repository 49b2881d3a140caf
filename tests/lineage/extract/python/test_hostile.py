"""Files that are no programs, or that would take for ever: a gap each, and the rest is still read."""

from __future__ import annotations

import pytest

from tests.lineage.extract.python.programs import edges, gaps


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("def f(:\n", "not valid Python"),
        ("x = \0", "not valid Python"),
        ("(" * 10_000, "not valid Python"),
        ("x = a" + ".b()" * 5_000, "nested too deeply"),
        ("x = " + "[" * 150 + "]" * 150, ""),
        ("x" * 10_000_001, "10,000,001 characters"),
        ("\udcff", "not valid Python"),
        ("", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_a_gap(program: str, reason: str) -> None:
    found = gaps(program)
    assert [reason in text for _, text in found] == ([True] if reason else [False] * len(found))


def test_a_syntax_error_is_told_with_its_line() -> None:
    assert gaps("x = 1\ny = 2\nif x\n") == [(3, "this is not valid Python: expected ':'")]


def test_a_function_that_calls_itself_ends() -> None:
    program = """
def f(df, n):
    return f(df, n - 1) if n else df
def g(): return g()
g()
f(spark.table("raw.orders"), 1).select("id").write.saveAsTable("m.t")
"""
    assert edges(program) == {"m.t.id <- raw.orders.id identity"}


def test_a_program_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forge.lineage.extract.python.interpreter.interpreter.STEPS", 2_000)
    loops = "for i in range(200):\n for j in range(200):\n  x = i\n"
    assert gaps(loops) == [(1, "the file takes too long to follow; what comes after is not read")]


def test_long_chains_are_followed() -> None:
    chain = "".join(f".withColumn('c{place}', F.col('id') + {place})" for place in range(200))
    program = "from pyspark.sql import functions as F\n"
    program += f"df = spark.table('raw.orders'){chain}\ndf.select('c0', 'c199').write.saveAsTable('m.t')\n"
    assert edges(program) == {f"m.t.c{place} <- raw.orders.id transformation" for place in (0, 199)}
    assert gaps(program) == []


def test_a_loop_with_many_rounds_is_cut_and_told() -> None:
    assert gaps("for n in range(500):\n    x = n\n") == [(1, "a loop of 500 rounds is followed for 200 only")]


def test_a_recursion_that_doubles_is_cut_and_told() -> None:
    program = """
def f(df, n):
    f(df.withColumn(f"a{n}", df.id), n + 1)
    return f(df.withColumn(f"b{n}", df.id), n + 2)
f(spark.table("raw.orders"), 1)
spark.table("raw.orders").select("id").write.saveAsTable("m.t")
"""
    assert edges(program) == {"m.t.id <- raw.orders.id identity"}
    assert {text for _, text in gaps(program)} == {"f calls itself, and is not followed further here"}


@pytest.mark.slow
def test_a_long_row_of_classes_is_read() -> None:
    classes = "\n".join(f"class C{n}(C{n - 1}, D):\n    x{n} = 1" for n in range(1, 300))
    program = f"class C0:\n    def run(self, df): return df.select('id')\nclass D: pass\n{classes}\n"
    program += "C50().run(spark.table('raw.orders')).write.saveAsTable('m.t')\n"
    assert edges(program) == {"m.t.id <- raw.orders.id identity"}
