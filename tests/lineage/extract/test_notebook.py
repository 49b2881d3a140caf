"""Notebooks as Python text, with the lines of the file."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence

import pytest

from forge.lineage.edge import Gap
from forge.lineage.extract.notebook import NotebookCode, is_notebook, read_notebook
from forge.lineage.extract.program import OutputKind, Program, ProgramStep


def notebook(*cells: str | dict[str, object], language: str = "python", indent: int | None = 1) -> str:
    made = [cell if isinstance(cell, dict) else code(cell) for cell in cells]
    metadata = {"kernelspec": {"language": language}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=indent)


def code(source: str, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source.splitlines(keepends=True), **more}


def statements(found: NotebookCode) -> list[str]:
    return [ast.unparse(one) for one in ast.parse(found.text).body]


def read(*cells: str | dict[str, object], language: str = "python") -> NotebookCode:
    return read_notebook(notebook(*cells, language=language), "a.ipynb")


def test_a_line_of_the_text_is_the_line_of_the_file() -> None:
    text = notebook("a = 1\nb = 2", "c = 3")
    found = read_notebook(text, "a.ipynb")
    for name in ("a = 1", "b = 2", "c = 3"):
        at = next(number for number, line in enumerate(text.splitlines(), 1) if name in line)
        assert found.text.splitlines()[at - 1] == name
        assert found.place(at).line == at
    assert not found.gaps


def test_a_notebook_in_one_line_still_tells_the_cell() -> None:
    found = read_notebook(notebook("a = 1\nb = 2", "c = 3\nd = 4", indent=None), "a.ipynb")
    assert found.text == "a = 1\nb = 2\nc = 3\nd = 4"
    assert [(found.place(line).line, str(found.place(line))) for line in (1, 4)] == [
        (1, "cell 1, line 1"),
        (1, "cell 2, line 2"),
    ]


def test_source_may_be_one_text_or_pieces_without_line_breaks() -> None:
    cells = [code(""), code("")]
    cells[0]["source"] = "a = 1\r\nb = 2"
    cells[1]["source"] = ["c = ", "3\n", "d = 4"]
    assert statements(read(*cells)) == ["a = 1", "b = 2", "c = 3", "d = 4"]


def test_text_in_outputs_is_not_taken_for_source() -> None:
    text = notebook(code("a = 1", outputs=[{"text": ["source", "a = 1\n"], "": ["x"]}]), "b = 2")
    found = read_notebook(text, "a.ipynb")
    at = next(n for n, line in enumerate(text.splitlines(), 1) if "b = 2" in line)
    assert found.text.splitlines()[at - 1] == "b = 2"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%%sql\nSELECT 1", "_sqldf = spark.sql('\\nSELECT 1')"),
        ("%sql SELECT a\nFROM t", "_sqldf = spark.sql('SELECT a\\nFROM t')"),
        ("%sql\nSELECT 1;\nSELECT 2", "_sqldf = spark.sql('\\nSELECT 1;\\nSELECT 2')"),
        ("%%sparksql\nSELECT 1", "_sqldf = spark.sql('\\nSELECT 1')"),
        ("%%sql -o df -q\nSELECT 1", "df = spark.sql('\\nSELECT 1')"),
        ("%%sql result <<\nSELECT 1", "result = spark.sql('\\nSELECT 1')"),
        ("%%sql sqlite:///shop.db\nSELECT 1", "_sqldf = spark.sql('\\nSELECT 1')"),
        ("%%sql --save totals\nSELECT 1", "totals = spark.sql('\\nSELECT 1')"),
        ("%%bigquery df\nSELECT 1", "df = spark.sql('\\nSELECT 1')"),
        ("df = %sql SELECT 1", "df = spark.sql('SELECT 1')"),
        ("a = 1\n%sql SELECT 1", "a = 1|_sqldf = spark.sql('SELECT 1')"),
        ("%sql SELECT 1\nb = 2", "_sqldf = spark.sql('SELECT 1')|b = 2"),
        ("%%sql\nSELECT * FROM {{name}}", "_sqldf = spark.sql(f'\\nSELECT * FROM {name}')"),
        ("%%sql\nSELECT 'x{2}' FROM {name}", "_sqldf = spark.sql(f\"\\nSELECT 'x{{2}}' FROM {name}\")"),
        ("%%sql\nSELECT 'x{2}', '\\d', \"q\"", "_sqldf = spark.sql('\\nSELECT \\'x{2}\\', \\'\\\\d\\', \"q\"')"),
        ("%%sql\n-- nothing", ""),
        ("%run ./other", "__forge_run__('./other')"),
        ('%run "../shared/set up" $day="1"', "__forge_run__('../shared/set up')"),
        ('%run /jobs/x { "a": 1 }', "__forge_run__('/jobs/x')"),
        ("%run -i helpers.py", "__forge_run__('helpers.py')"),
        ("%pip install polars\nimport polars", "pass|import polars"),
        ("!ls -l\nfiles = !ls\n%matplotlib inline\na = 1", "pass|files = None|pass|a = 1"),
        ("!pip install \\\n  polars\na = 1", "pass|a = 1"),
        ("if a:\n    !ls\nb = 1", "if a:\n    pass|b = 1"),
        ("?df\ndf.head?\na = 1", "pass|pass|a = 1"),
        ("%time df = f()", "df = f()"),
        ("x = %time f()", "x = f()"),
        ("%%time\na = 1", "a = 1"),
        ("%%capture out\n%sql SELECT 1", "_sqldf = spark.sql('SELECT 1')"),
        ("%python\na = 1", "a = 1"),
        ("%%pyspark\na = 1", "a = 1"),
        ("%%bash\nrm -rf /", ""),
        ("%md\n# Title", ""),
        ("%%html\n<b>", ""),
        ("%%configure -f\n{}", ""),
        ("%%spark\na = 1", "a = 1"),
        ('x = ("a"\n  % b)', "x = 'a' % b"),
        ('!ls\nx = """\n%sql SELECT 1\n"""\ny = (7\n%sql\n)', "pass|x = '\\n%sql SELECT 1\\n'|y = 7 % sql"),
    ],
)
def test_a_cell_is_python(cell: str, expected: str) -> None:
    found = read(cell, "last = 1")
    assert not found.gaps
    assert statements(found) == [*filter(None, expected.split("|")), "last = 1"]


def test_a_sql_cell_keeps_its_lines() -> None:
    text = notebook("a = 1", "%%sql\nSELECT x\nFROM t\nWHERE y = 1", "b = 2")
    found = read_notebook(text, "a.ipynb")
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines, 1) if "%%sql" in line)
    assert found.text.splitlines()[at - 1 : at + 3] == [
        '_sqldf = spark.sql("""',
        "SELECT x",
        "FROM t",
        'WHERE y = 1""")',
    ]
    assert str(found.place(at + 2)) == "cell 2, line 3"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("%scala\nval x = 1", "a cell in Scala is not read; only Python and SQL are (cell 1, line 1)"),
        ("%%R\nx <- 1", "a cell in R is not read; only Python and SQL are (cell 1, line 1)"),
        ("%%spark\nval x = 1", "a cell in Scala is not read; only Python and SQL are (cell 1, line 1)"),
        (
            "%%prolog\nx :- y.",
            "the cell begins with %%prolog, which is not known, and was not read (cell 1, line 1)",
        ),
        ("a = 1\nprint a b", "the cell is not Python and was not read: invalid syntax"),
    ],
)
def test_a_cell_that_is_not_understood_is_a_gap_and_hides_no_other(cell: str, reason: str) -> None:
    text = notebook(cell, "last = 1")
    found = read_notebook(text, "a.ipynb")
    assert statements(found) == ["last = 1"]
    (gap,) = found.gaps
    line = cell.splitlines()[1 if "not Python" in reason else 0]
    assert line in text.splitlines()[gap.line - 1]
    if "not Python" not in reason:
        assert gap.reason == reason
    else:
        assert gap.reason.endswith("(cell 1, line 2)")


def test_the_kernel_and_the_cell_tell_the_language() -> None:
    assert statements(read("SELECT 1", "%python\na = 1", language="sql")) == ["_sqldf = spark.sql('SELECT 1')", "a = 1"]
    (gap,) = read("val x = 1", language="scala").gaps
    assert gap.reason.startswith("a cell in Scala")
    own = code("SELECT 1", metadata={"microsoft": {"language": "sparksql"}})
    assert statements(read(own)) == ["_sqldf = spark.sql('SELECT 1')"]
    book = {
        "cells": [code("%sql select a\n\nx = 1 from t")],
        "metadata": {"application/vnd.databricks.v1+notebook": {"language": "python"}},
    }
    assert statements(read_notebook(json.dumps(book), "a.ipynb")) == [
        "_sqldf = spark.sql('select a\\n\\nx = 1 from t')"
    ]


def test_older_and_other_forms_of_notebooks() -> None:
    old = {"worksheets": [{"cells": [{"cell_type": "code", "language": "python", "input": ["a = 1"]}]}], "nbformat": 3}
    assert statements(read_notebook(json.dumps(old), "a.ipynb")) == ["a = 1"]
    synapse = {"name": "n", "properties": {"cells": [code("a = 1")], "metadata": {}}}
    assert statements(read_notebook(json.dumps(synapse), "a.ipynb")) == ["a = 1"]


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("{", 1), ('{\n"cells": [,]}', 2), ("[]", 1), ("{}", 1), ('{"cells": 3}', 1), ("[" * 100_000, 1)],
)
def test_what_is_no_notebook_is_one_gap(text: str, line: int) -> None:
    found = read_notebook(text, "a.ipynb")
    assert found.text == ""
    (gap,) = found.gaps
    assert gap.place == "a.ipynb"
    assert gap.line == line
    assert gap.reason.startswith("not a notebook")


@pytest.mark.parametrize("cell", [{}, {"cell_type": "code"}, {"cell_type": "code", "source": 3}, {"source": [1, None]}])
def test_a_cell_without_source_is_none(cell: dict[str, object]) -> None:
    assert statements(read(cell, {"cell_type": "markdown", "source": "# x"}, "a = 1")) == ["a = 1"]


def export(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def test_a_databricks_export_in_python() -> None:
    text = export(
        [
            "# Databricks notebook source",
            "# DBTITLE 1,First",
            "a = 1",
            "# COMMAND ----------",
            "# MAGIC %sql",
            "# MAGIC -- a comment",
            "# MAGIC SELECT x",
            "# MAGIC",
            "# MAGIC FROM t",
            "# COMMAND ----------",
            "# MAGIC %run ./setup",
            "# COMMAND ----------",
            "# DBTITLE 1,Words",
            "# MAGIC %md",
            "# MAGIC # Title",
            "# COMMAND ----------",
            "# MAGIC %scala",
            "# MAGIC val x = 1",
            "# COMMAND ----------",
            "b = 2",
        ]
    )
    assert is_notebook("jobs/a.py", text)
    found = read_notebook(text, "jobs/a.py")
    lines = found.text.splitlines()
    assert lines[2] == "a = 1"
    assert lines[4:9] == ['_sqldf = spark.sql("""', "-- a comment", "SELECT x", "", 'FROM t""")']
    assert lines[10] == "__forge_run__('./setup')"
    assert lines[19] == "b = 2"
    assert len(statements(found)) == 4
    assert found.gaps == (
        Gap("jobs/a.py", 17, "a cell in Scala is not read; only Python and SQL are (cell 5, line 1)"),
    )


def test_a_databricks_export_in_sql() -> None:
    text = export(
        [
            "-- Databricks notebook source",
            "CREATE TABLE a AS SELECT 1",
            "-- COMMAND ----------",
            "-- MAGIC %python",
            "-- MAGIC b = 2",
            "-- COMMAND ----------",
            "SELECT 2",
        ]
    )
    assert is_notebook("a.sql", text)
    found = read_notebook(text, "a.sql")
    assert statements(found) == [
        "_sqldf = spark.sql('CREATE TABLE a AS SELECT 1')",
        "b = 2",
        "_sqldf = spark.sql('SELECT 2')",
    ]
    assert found.text.splitlines()[6].endswith('SELECT 2""")')


def test_a_fabric_export() -> None:
    text = export(
        [
            "# Fabric notebook source",
            "# METADATA ********************",
            "# META {",
            "# META }",
            "# MARKDOWN ********************",
            "# Words = not code",
            "# CELL ********************",
            "# MAGIC %%sql",
            "# MAGIC SELECT 1",
            "# METADATA ********************",
            "# META {}",
            "# CELL ********************",
            "a = 1",
        ]
    )
    found = read_notebook(text, "a.py")
    assert statements(found) == ["_sqldf = spark.sql('\\nSELECT 1')", "a = 1"]
    assert found.text.splitlines()[12] == "a = 1"


def test_plain_code_is_no_notebook() -> None:
    assert not is_notebook("a.py", "# COMMAND ----------\na = 1")
    assert not is_notebook("a.sql", "SELECT 1")
    assert not is_notebook("a.txt", "# Databricks notebook source")


def test_what_is_found_comes_back_at_the_lines_of_the_file() -> None:
    found = read_notebook(notebook("a = 1\nb = 2", "%scala\nx", indent=None), "a.ipynb")
    steps = (
        ProgramStep(target="t", made=OutputKind.TABLE, columns={}, file="a.ipynb", line=2),
        ProgramStep(target="u", made=OutputKind.TABLE, columns={}, file="lib.py", line=7),
    )
    gaps = (Gap("a.ipynb", 2, "not understood"), Gap("lib.py", 7, "not understood"))
    placed = found.placed(Program(file="a.ipynb", language="python", steps=steps, gaps=gaps))
    assert [(step.file, step.line) for step in placed.steps] == [("a.ipynb", 1), ("lib.py", 7)]
    assert [(gap.place, gap.line, gap.reason) for gap in placed.gaps] == [
        ("a.ipynb", 1, "a cell in Scala is not read; only Python and SQL are (cell 2, line 1)"),
        ("a.ipynb", 1, "not understood (cell 1, line 2)"),
        ("lib.py", 7, "not understood"),
    ]
