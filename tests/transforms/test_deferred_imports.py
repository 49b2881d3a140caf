"""A Python file is read without pyspark where nothing can tell the difference, and as it is everywhere else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forge.model.names import TableName
from forge.transforms.deferred_imports import deferred_code
from forge.transforms.project import read_transforms
from forge.transforms.transform import PythonFunction

Write = Callable[[dict[str, str]], Path]

HEAD = "from pyspark.sql import DataFrame\nfrom pyspark.sql import functions as F\nfrom forge import transform\n"
MARKED = '@transform(output="a.b", inputs={"t": "a.t"})\ndef b(t: DataFrame) -> DataFrame:\n    return t\n'

PUT_OFF = {
    "used in a function": HEAD + MARKED.replace("return t", "return t.select(F.lit(1))"),
    "a constant beside it": HEAD + "KINDS = ['x']\n" + MARKED,
    "a helper that is called in a function": HEAD + "def clean(c):\n    return F.trim(c)\n" + MARKED,
    "only for type checkers": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy\n" + HEAD + MARKED,
    "a module of it": "import pyspark.sql.functions as F\n" + HEAD + MARKED,
}
AS_IT_IS = {
    "no pyspark": "from forge import transform\ndef b():\n    pass\n",
    "a column at the top": HEAD + "ONE = F.lit(1)\n" + MARKED,
    "a default": HEAD + "def one(c=F.lit(1)):\n    return c\n" + MARKED,
    "a decorator of Spark": HEAD + "@F.udf\ndef one(c):\n    return c\n" + MARKED,
    "a class of Spark": "from pyspark.sql import SparkSession\nclass Mine(SparkSession):\n    pass\n" + HEAD + MARKED,
    "a function that is called at the top": HEAD + "def one():\n    return F.lit(1)\nONE = one()\n" + MARKED,
    "by way of another": HEAD + "def one():\n    return F.lit(1)\ndef two():\n    return one()\nTWO = two()\n" + MARKED,
    "all names at once": HEAD + "NAMES = sorted(globals())\n" + MARKED,
    "a decorator that may read annotations": HEAD
    + "from x import y\n@y\ndef one(t: DataFrame):\n    return t\n"
    + MARKED,
    "a name that pyspark does not have": "from pyspark.sql import functionz\n" + HEAD + MARKED,
    "a module that pyspark does not have": "import pyspark.sqll\n" + HEAD + MARKED,
    "a name that only loading can tell": "from pyspark.sql.functions import col\n" + HEAD + MARKED,
    "a syntax error": HEAD + "def (:\n",
}


@pytest.mark.parametrize("text", PUT_OFF.values(), ids=PUT_OFF)
def test_pyspark_is_put_off(text: str) -> None:
    assert deferred_code(text, "b.py") is not None


@pytest.mark.parametrize("text", AS_IT_IS.values(), ids=AS_IT_IS)
def test_a_file_that_could_tell_is_imported_as_it_is(text: str) -> None:
    assert deferred_code(text, "b.py") is None


def test_a_name_that_pyspark_does_not_have_is_found_when_the_file_is_read(write: Write) -> None:
    root = write({"transforms/a/b.py": "from pyspark.sql import functionz\n" + HEAD + MARKED})
    (error,) = read_transforms(root).errors
    assert (error.code, error.where) == ("E207", "transforms/a/b.py:1")


@pytest.mark.slow
def test_pyspark_is_loaded_when_a_function_is_called_and_not_before(write: Write) -> None:
    root = write({"transforms/a/b.py": HEAD + MARKED.replace("return t", "return F.__name__")})
    script = """
import json, sys
from pathlib import Path
from forge.model.names import TableName
from forge.transforms.project import read_transforms

found = read_transforms(Path(sys.argv[1])).transforms[TableName("a", "b")]
before = "pyspark" in sys.modules
said = found.body.function(t=None)
print(json.dumps([before, said, "pyspark" in sys.modules, found.line, str(found.inputs[0])]))
"""
    ran = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [False, "pyspark.sql.functions", True, 4, "a.t"]


def test_what_was_read_is_what_runs_whatever_is_saved_later(write: Write) -> None:
    root = write({"transforms/a/b.py": HEAD + MARKED.replace("return t", "return 'read'")})
    found = read_transforms(root).transforms[TableName("a", "b")]
    (root / "transforms/a/b.py").write_text(HEAD + MARKED.replace("return t", "return 'saved later'"))
    assert isinstance(found.body, PythonFunction)
    assert found.body.function(t=None) == "read"


def test_each_of_several_functions_is_called_by_its_place(write: Write) -> None:
    two = MARKED.replace("a.b", "a.c").replace("def b", "def c").replace("return t", "return 'c'")
    root = write({"transforms/a/b.py": HEAD + MARKED.replace("return t", "return 'b'") + two})
    found = read_transforms(root).transforms
    said = [one.body.function(t=None) for one in found.values() if isinstance(one.body, PythonFunction)]
    assert said == ["b", "c"]


def test_a_file_that_another_imports_is_whole_for_it(write: Write) -> None:
    helper = HEAD + "def named():\n    return F.__name__\n" + MARKED
    user = "from .b import named\n" + HEAD + MARKED.replace("a.b", "a.c").replace("return t", "return named()")
    root = write({"transforms/a/b.py": helper, "transforms/a/c.py": user})
    found = read_transforms(root).transforms[TableName("a", "c")]
    assert isinstance(found.body, PythonFunction)
    assert found.body.function(t=None) == "pyspark.sql.functions"
