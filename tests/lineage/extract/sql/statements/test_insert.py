"""INSERT, MERGE, UPDATE, DELETE: what arrives where, and what decides which rows."""

from __future__ import annotations

from sql_scripts import edges, gaps, program, shaped, tables

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.program import BY_POSITION
from forge.lineage.extract.sql.program import read_sql


def test_the_last_columns_of_the_query_fill_the_dynamic_partitions() -> None:
    script = "INSERT INTO d PARTITION (day = 'x', hour) SELECT id, b, a FROM s"
    assert edges(script) == {"s.id -> d.k", "s.b -> d.v", "s.a -> d.hour"}
    (step,) = program(script).steps
    assert not step.columns["day"].sources


def test_dynamic_partitions_of_an_unknown_table_are_the_last_columns_of_the_query() -> None:
    script = "INSERT OVERWRITE w PARTITION (day = '1', hour) SELECT id, a, c FROM s"
    assert edges(script) == {"s.id -> w.id", "s.a -> w.a", "s.c -> w.hour"}


def test_a_target_that_nobody_described_takes_the_names_of_the_query_with_less_confidence() -> None:
    read = program("INSERT INTO w SELECT id, a + 1 AS more FROM s")
    values = read.steps[0].columns
    assert {trace.confidence for value in values.values() for trace in value.sources.values()} == {BY_POSITION}
    assert read.unknown == {"w"}


def test_fewer_columns_than_the_target_has_are_a_gap_in_spark_and_none_in_postgres() -> None:
    script = "INSERT INTO t SELECT id, a FROM s"
    assert edges(script) == {"gap 1: 2 columns are given, but t takes 3"}
    assert tables(script) == {"s -> t"}
    assert edges(script, "postgres") == {"s.id -> t.id", "s.a -> t.x"}


def test_on_conflict_adds_what_the_update_writes_to_what_the_insert_writes() -> None:
    script = """INSERT INTO t (id, x) SELECT id, a FROM s
    ON CONFLICT (id) DO UPDATE SET x = excluded.x + t.x WHERE t.y = 'a'"""
    assert edges(script, "postgres") == {"s.id -> t.id", "s.a -> t.x transformation", "t.x -> t.x transformation"}
    assert shaped(script, "postgres") == {"t.y ~ t filter"}


def test_returning_gives_the_rows_of_a_change_to_the_statement_around_it() -> None:
    script = """WITH n AS (INSERT INTO t (id, x) SELECT id, a FROM s RETURNING id, x)
    INSERT INTO u (id, p) SELECT id, x FROM n"""
    assert edges(script, "postgres") == {"s.id -> t.id", "s.a -> t.x", "s.id -> u.id", "s.a -> u.p"}


def test_output_into_writes_a_second_table() -> None:
    script = "INSERT INTO t (id, x) OUTPUT inserted.id, inserted.x INTO dbo.log (k, v) SELECT id, a FROM s"
    expected = {"s.id -> t.id", "s.a -> t.x", "s.id -> dbo.log.k", "s.a -> dbo.log.v"}
    assert edges(script, "tsql") == expected


def test_one_update_of_a_join_may_write_two_tables() -> None:
    script = "UPDATE t JOIN s ON s.id = t.id SET t.x = s.a, s.b = t.y"
    assert edges(script, "mysql") == {"s.a -> t.x", "t.y -> s.b"}


def test_tables_in_an_update_may_stand_in_a_list() -> None:
    assert edges("UPDATE t, s SET t.x = s.a WHERE t.id = s.id", "mysql") == {"s.a -> t.x"}


def test_a_delete_from_two_tables_is_indirect_on_both() -> None:
    script = "DELETE t, s FROM t JOIN s ON t.id = s.id WHERE s.a > 1"
    assert edges(script, "mysql") == set()
    assert shaped(script, "mysql") >= {"s.a ~ t filter", "s.a ~ s filter"}


def test_an_update_that_reads_only_itself_has_no_table_edge_unless_its_values_are_read() -> None:
    assert tables("UPDATE t SET x = 1 WHERE y = 'a'") == set()
    assert tables("UPDATE t SET x = x + 1") == {"t -> t"}


def test_merge_from_values_has_no_source() -> None:
    script = """MERGE INTO t USING (VALUES (1, 2)) AS v (id, x) ON t.id = v.id
    WHEN MATCHED THEN UPDATE SET x = v.x"""
    assert edges(script, "postgres") == set()
    assert shaped(script, "postgres") == {"t.id ~ t join"}


def test_a_star_in_merge_between_two_unknown_tables_is_a_gap_with_a_table_edge() -> None:
    script = "MERGE INTO w USING f ON w.id = f.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    assert gaps(script) == ["1: the columns of f are not known, so * cannot be told apart; give them with --schema"]
    assert tables(script) == {"f -> w"}


def test_a_column_written_in_two_branches_of_a_merge_has_the_stronger_step() -> None:
    script = """MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = s.a + 1
    WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.a)"""
    assert edges(script) == {"s.id -> t.id", "s.a -> t.x transformation"}


def test_insert_all_gives_every_target_its_own_values() -> None:
    script = "INSERT ALL INTO t (id, x) VALUES (id, a) INTO u (q) VALUES (UPPER(b)) SELECT id, a, b FROM s"
    assert edges(script, "oracle") == {"s.id -> t.id", "s.a -> t.x", "s.b -> u.q transformation"}


def test_files_are_read_and_written() -> None:
    script = "COPY t (id, x) FROM '/in.csv'; COPY (SELECT id, a FROM s) TO '/out.csv'"
    expected = {"/in.csv.id -> t.id", "/in.csv.x -> t.x", "s.id -> /out.csv.id", "s.a -> /out.csv.a"}
    assert edges(script, "postgres") == expected


def test_a_file_whose_columns_nobody_lists_gives_a_table_edge_and_a_gap() -> None:
    script = "LOAD DATA INPATH '/in' INTO TABLE t"
    assert tables(script, "hive") == {"/in -> t"}
    assert len(gaps(script, "hive")) == 1


def test_export_data_and_unload_write_files() -> None:
    exported = "EXPORT DATA OPTIONS (uri='gs://b/x', format='CSV') AS SELECT id FROM s"
    assert edges(exported, "bigquery") == {"s.id -> gs://b/x.id"}
    unloaded = "UNLOAD ('SELECT id FROM s WHERE b = ''x''') TO 's3://b/x' IAM_ROLE 'r'"
    assert edges(unloaded, "redshift") == {"s.id -> s3://b/x.id"}
    assert shaped(unloaded, "redshift") == {"s.b ~ s3://b/x filter"}


def test_a_name_that_may_mean_two_tables_gives_no_column_edge() -> None:
    known = {"one.o": {"a": "int"}, "two.o": {"a": "int"}}
    assert edges("CREATE TABLE r AS SELECT a FROM o", tables=known) == {
        "gap 1: o may be one.o, two.o; write more of its name or set --default-schema"
    }


def test_a_query_under_a_name_is_what_that_table_is_made_of() -> None:
    read = read_sql("WITH c AS (SELECT k FROM raw.x) SELECT k AS key FROM c", TableCatalog(), result="core.y")
    assert [step.target for step in read.steps] == ["c@1", "core.y"]
    assert read.queries == 0


def test_what_oracle_deletes_after_an_update_filters() -> None:
    script = """MERGE INTO t USING s ON (t.id = s.id)
    WHEN MATCHED THEN UPDATE SET t.x = s.a WHERE s.b > 1 DELETE WHERE t.y = 1
    WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"""
    assert edges(script, "oracle") == {"s.a -> t.x", "s.id -> t.id"}
    assert shaped(script, "oracle") >= {"s.b ~ t filter", "t.y ~ t filter"}


def test_an_update_through_a_cte_reaches_the_table_behind_it() -> None:
    script = "WITH c AS (SELECT t.x, s.a FROM t JOIN s ON s.id = t.id) UPDATE c SET x = a"
    assert edges(script, "tsql") == {"s.a -> t.x"}
