"""A session as a Python program uses it."""

from __future__ import annotations

from sql_scripts import TABLES

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.sql.session import SqlSession


def session() -> SqlSession:
    return SqlSession(TableCatalog(definitions_of(TABLES)), file="job.py")


def found(run: SqlSession) -> set[str]:
    result = flatten([run.finish("python")])
    return {f"{edge.source} -> {edge.target}" for edge in result.edges} | {gap.reason for gap in result.gaps}


def test_a_query_gives_its_rows_and_writes_nothing() -> None:
    run = session()
    rows = run.run("SELECT id, a + 1 AS more FROM s", 7)
    assert rows is not None
    assert rows.names == ("id", "more")
    assert found(run) == set()


def test_a_frame_is_readable_under_its_name_in_one_query_only() -> None:
    run = session()
    rows = run.run("SELECT id, b FROM s")
    assert rows is not None
    inner = run.run("SELECT b AS name FROM df", frames={"df": rows})
    assert inner is not None
    run.write("out", inner, 3, by="name", whole=True)
    assert found(run) == {"s.b -> out.name"}
    again = run.run("SELECT b FROM df")
    assert again is not None
    assert again.reads == {"df"}


def test_a_view_of_rows_is_read_by_sql_and_by_name() -> None:
    run = session()
    run.define_view("v", run.read_table("s", 1), 2)
    rows = run.run("SELECT a FROM v")
    assert rows is not None
    run.write("one", rows, 3, by="name", whole=True)
    run.write("two", run.read_table("V", 4), 5, by="name", whole=True)
    run.drop_view("v")
    assert run.read_table("v", 6).open == ("v",)
    assert found(run) >= {"s.a -> one.a", "s.a -> two.a", "s.b -> two.b"}


def test_a_global_view_is_read_with_its_schema() -> None:
    run = session()
    run.define_view("v", run.read_table("s", 1), 2, label_global=True)
    assert run.read_table("global_temp.v", 3).names == ("id", "a", "b", "c")


def test_insert_into_goes_by_position_and_append_by_name() -> None:
    run = session()
    rows = run.run("SELECT id AS y, a AS id, b AS x FROM s")
    assert rows is not None
    run.write("t", rows, 1, by="position", whole=False)
    assert found(run) == {"s.id -> t.id", "s.a -> t.x", "s.b -> t.y"}
    other = session()
    rows = other.run("SELECT id AS y, a AS id, b AS x FROM s")
    assert rows is not None
    other.write("t", rows, 1, by="name", whole=False)
    assert found(other) == {"s.id -> t.y", "s.a -> t.id", "s.b -> t.x"}


def test_a_path_is_written_as_it_is() -> None:
    run = session()
    run.write("s3://Lake/Out", run.read_table("t", 1), 2, by="name", made=OutputKind.FILE, whole=True)
    assert found(run) == {"t.id -> s3://Lake/Out.id", "t.x -> s3://Lake/Out.x", "t.y -> s3://Lake/Out.y"}


def test_expressions_are_read_over_rows() -> None:
    run = session()
    rows = run.read_table("s", 1)
    values = run.expression("*, upper(b) AS loud, a + id", rows, 2)
    assert [name for name, _ in values] == ["id", "a", "b", "c", "loud", "(a + id)"]
    ((name, value),) = run.expression("a > 1 AND b = 'x'", rows, 3)
    assert name
    assert {str(source) for source in value.sources} == {"s.a", "s.b"}
    assert run.expression("a +", rows, 4) == ()
    assert run.finish("python").gaps[0].line == 4


def test_what_one_call_defines_the_next_one_knows() -> None:
    run = session()
    run.run("CREATE TABLE w (k int, v string)")
    run.run("CREATE OR REPLACE TEMP VIEW v AS SELECT id, b FROM s")
    run.run("INSERT INTO w SELECT * FROM v")
    assert found(run) == {"s.id -> w.k", "s.b -> w.v"}
