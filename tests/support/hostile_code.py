"""A codebase of files that mean no good, all in one folder: each is told in the report in one line, and whatever good
statement stands beside the bad one is still read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEEP = 10_000
SPARK = "from pyspark.sql import SparkSession, functions as F\nspark = SparkSession.builder.getOrCreate()\n"


@dataclass(frozen=True)
class Bad:
    """`words`: of the reason that is told; empty: there is nothing to tell. `read`: what is good in it is read."""

    name: str
    content: str | bytes
    words: str = ""
    read: bool = True


def good_sql(name: str) -> str:
    return f"INSERT INTO out.{name} (a) SELECT a FROM src.s;\n"


def good_python(name: str) -> str:
    return f'\nspark.table("src.s").select("a").write.saveAsTable("out.{name}")\n'


def sql(name: str, text: str, words: str = "", *, read: bool = True) -> Bad:
    return Bad(f"{name}.sql", f"{text}\n{good_sql(name)}", words, read)


def python(name: str, text: str, words: str = "", *, read: bool = True) -> Bad:
    return Bad(f"{name}.py", f"{SPARK}{text}\n{good_python(name)}", words, read)


def notebook(*cells: object) -> str:
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": list(cells)})


def chained(count: int, body: str) -> str:
    links = ", ".join(f"c{at} AS ({body.format(f'c{at - 1}')})" for at in range(1, count))
    return f"CREATE TABLE made.chained AS WITH c0 AS (SELECT a FROM src.s), {links} SELECT a FROM c{count - 1};"


def _bytes() -> Iterator[Bad]:
    yield Bad("empty.sql", "", "the file is empty", read=False)
    yield Bad("blank.py", " \n\n", "the file is empty", read=False)
    yield Bad("binary.sql", bytes(range(256)) * 20, "binary", read=False)
    yield Bad("elf.py", b"\x7fELF\0\0" * 100, "binary", read=False)
    yield Bad("nul.sql", good_sql("nul").encode() + b" " * 70_000 + b"\0", "not text", read=False)
    yield Bad("nul_in_python.py", SPARK.encode() + b"#" * 70_000 + b"\n\0", "null bytes", read=False)
    yield Bad("latin.sql", good_sql("latin").encode() + "-- Müller\n".encode("latin-1"), "line 2 is not UTF-8")
    yield Bad("bom.sql", b"\xef\xbb\xbf" + good_sql("bom").encode())
    yield Bad("utf16.sql", good_sql("utf16").encode("utf-16"))
    yield Bad("half_utf16.sql", b"\xff\xfea", "begins as UTF-16 and is not", read=False)
    yield sql("unicode", "INSERT INTO lab.\u043eut SELECT a AS `\U0001f600\u202e` FROM src.s;")
    yield python("halves", 'spark.table("src.s").select(F.col("a").alias("\\ud800")).write.saveAsTable("lab.h\\udfff")')
    yield Bad("other.scala", 'spark.table("a")', "Scala is not read", read=False)


def _broken() -> Iterator[Bad]:
    yield sql("syntax", "SELEC * FRM x WHERE;", "could not be parsed")
    yield Bad("quote.sql", f"{good_sql('quote')}INSERT INTO x SELECT 'abc FROM t", "not closed")
    yield Bad("comment.sql", f"{good_sql('comment')}/* SELECT 1", "not closed")
    yield Bad("broken.py", "def f(:\n  pass\n", "not valid Python", read=False)
    yield Bad("tabs.py", "if True:\n\tx = 1\n        y = 2\n", "not valid Python", read=False)
    yield Bad("cut.ipynb", '{"cells": [{"cell_type": "code", "source": ["x = 1"', "JSON is broken", read=False)
    yield Bad("list.ipynb", "[]", "it has no cells", read=False)
    yield Bad("deep.ipynb", '{"cells":' + "[" * 100_000, "JSON cannot be read", read=False)
    odd = (1, None, {"cell_type": "code"}, {"cell_type": "code", "source": 5})
    yield Bad("odd.ipynb", notebook(*odd, {"cell_type": "code", "source": ["x = (\n"]}), "never closed", read=False)
    yield Bad("rounds_of.ipynb", notebook({"cell_type": "code", "source": "%run ./rounds_of"}), "nested", read=False)


def _deep_sql() -> Iterator[Bad]:
    start = "INSERT INTO made.t SELECT "
    yield sql("parentheses", f"{start}{'(' * DEEP}a{')' * DEEP} FROM src.s;", "parentheses are 10000 deep")
    yield sql("calls", f"{start}{'f(' * DEEP}a{')' * DEEP} FROM src.s;", "parentheses are 10000 deep")
    yield Bad("open.sql", f"SELECT {'(' * DEEP}", "parentheses are 10000 deep", read=False)
    yield sql("queries", f"INSERT INTO made.t {'SELECT * FROM (' * 2000}SELECT 1{')' * 2000};", "deep")
    yield sql("signs", f"{start}{'- ' * DEEP}a FROM src.s;", "nested too deep")
    yield sql("nots", f"{start}a FROM src.s WHERE {'NOT ' * DEEP}a;", "nested too deep")
    yield sql("types", f"CREATE TABLE made.x (a {'array<' * 3000}int{'>' * 3000});")
    yield sql("terms", f"{start}{' + '.join(['a'] * DEEP)} AS a FROM src.s;")
    yield sql("names", f"INSERT INTO {'.'.join(['a'] * 2000)} SELECT 1;")
    yield sql("ctes", chained(2000, "SELECT a FROM {0}"))
    yield sql("doubling", chained(60, "SELECT x.a + y.a AS a FROM {0} x JOIN {0} y"))
    wide = "CREATE TABLE made.wide AS SELECT "
    yield sql("long_line", f"{wide}{', '.join(f'a AS c{at}' for at in range(2000))} FROM src.s;")
    yield Bad("semicolons.sql", ";" * 20_000, read=False)


def _templates() -> Iterator[Bad]:
    yield sql("billion", "{% for i in range(10**9) %}SELECT {{ i }};{% endfor %};", "cannot be rendered")
    loop = "{% for i in range(99999) %}"
    yield sql("loops", f"{loop}{loop}x{{% endfor %}}{{% endfor %}};", "more than 1,000,000 rounds")
    yield sql("product", '{{ ("a" * 10000) * 10000 * 10000 }};', "grows too large")
    yield sql("power", "{{ 9 ** 9 ** 9 }};", "grows too large")
    yield sql("macro", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }};", "without end")
    yield sql("inside", "{{ ''.__class__.__mro__[1].__subclasses__() }};", "not known")
    yield sql("include", '{% include "/etc/passwd" %};', "cannot be rendered")


def _deep_python() -> Iterator[Bad]:
    yield python("nested_calls", f"x = {'f(' * 3000}1{')' * 3000}", "too many nested parentheses", read=False)
    yield python("nested_lists", f"x = {'[' * 3000}{']' * 3000}", "too many nested parentheses", read=False)
    yield python("added", f"x = {'+'.join(['1'] * DEEP)}", "nested too deep", read=False)
    yield python("chain", "x = spark.table('src.s')" + ".limit(1)" * 3000, "nested too deep", read=False)


def _endless_python() -> Iterator[Bad]:
    yield python("recursion", "def f(x):\n    return f(x) + f(x)\ny = f(1)")
    yield python("growing", 'def f(x):\n    return f(x + "a")\ny = f("a")')
    yield python("mutual", "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\ny = f(1)")
    yield python("lambdas", "y = (lambda s: s(s))(lambda s: s(s))")
    yield python("decorated", "def d(f):\n    return d(f)\n@d\ndef g():\n    pass\ng()")
    yield python(
        "heir", "class A(A):\n    pass\nclass B:\n    def __getattr__(self, n):\n        return getattr(self, n)\nB().x"
    )
    yield python("while_true", 'x = "a"\nwhile True:\n    x = x + x')
    yield python("generator", "def g():\n    while True:\n        yield 1\nfor x in g():\n    pass\nl = list(g())")
    yield python("doubled", 'x = "ab"\n' + 'x = f"{x}{x}"\n' * 60)
    yield python("listed", "c = [1]\nfor i in range(60):\n    c = c + c\nprint(str(c))")
    yield python("times", 'x = "a" * 10**9\ny = [0] * 10**9\nz = (1,) * 10**10\nb = b"a" * 10**10')
    yield python("filled", 'x = "a".zfill(10**9)\ny = "%1000000000s" % "a"\nz = f"{1:>1000000000}"')
    yield python("joined", 'x = "a" * 100000\ny = x.join(["b"] * 1000)\nz = x.replace("a", x)')
    yield python("powers", "x = 10 ** 10 ** 10\nz = 1 << 10**10")
    yield python("ranges", "l = list(range(10**9))\ns = sum(range(10**9))\nc = [i for i in range(10**9)]")
    yield python("rounds", "for i in range(10**9):\n    x = i")
    yield python(
        "itself", 'x = []\nx.append(x)\nd = {}\nd["d"] = d\nprint(f"{x}{d}")\nimport itself\nfrom itself import *'
    )
    yield python("parsed", 'spark.sql("SELECT " + "(" * 10000 + "a" + ")" * 10000)', "parentheses are 10000 deep")
    branches = "".join(f'if c{at}:\n    n = n + "a"\nelse:\n    n = n + "b"\n' for at in range(40))
    yield python("branches", f"from flags import *\nn = ''\n{branches}")


BAD = (
    *(*_bytes(), *_broken(), *_deep_sql()),
    *(*_templates(), *_deep_python(), *_endless_python()),
)
TABLES = {"src.s": {"a": "int"}}


def write_bad(folder: Path) -> None:
    for one in BAD:
        data = one.content.encode() if isinstance(one.content, str) else one.content
        (folder / one.name).write_bytes(data)


def write_bomb(folder: Path) -> None:
    """A dbt project: YAML that would be gigabytes, models that name themselves, a manifest that is none."""
    models = folder / "models"
    models.mkdir(parents=True)
    (folder / "dbt_project.yml").write_text("name: bomb\n")
    links = zip("abcdefgh", "bcdefghi", strict=True)
    lines = ["a: &a [lol, lol]", *(f"{one}: &{one} [{', '.join([f'*{before}'] * 9)}]" for before, one in links)]
    (models / "schema.yml").write_text("\n".join(lines))
    (models / "loop.sql").write_text("SELECT * FROM {{ ref('loop') }}")
    (models / "range.sql").write_text("{% for i in range(10**9) %}SELECT {{ i }}{% endfor %}")
    (models / "good.sql").write_text("SELECT a FROM src.s")
    (folder / "target").mkdir()
    (folder / "target" / "manifest.json").write_text('{"nodes": [')


def write_odd_files(folder: Path) -> None:
    """Names that lead nowhere, or to something that is no file."""
    (folder / "loop").symlink_to(".")
    (folder / "self.sql").symlink_to("self.sql")
    (folder / "dangling.sql").symlink_to("nowhere.sql")
    (folder / "memory.sql").symlink_to("/proc/self/mem")  # a file that cannot be read, also for root
    (folder / "folder.sql").mkdir()
    (folder / "folder.sql" / "below.sql").write_text(good_sql("below"))
    os.mkfifo(folder / "pipe.sql")
    with (folder / "large.sql").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    Path(os.fsdecode(os.fsencode(folder) + b"/n\xffme.sql")).write_text(good_sql("name"))


ODD = {
    "self.sql": "Too many levels of symbolic links",
    "dangling.sql": "No such file",
    "memory.sql": "cannot be read",
    "pipe.sql": "no regular file",
    "large.sql": "the file has 50 MB",
}
