"""What exists only while a script runs: temporary tables and views, variables; and tables that get another name."""

from __future__ import annotations

from sql_scripts import edges, program, shaped, tables

from forge.lineage.extract.program import MAYBE, OutputKind


def test_a_temporary_table_holds_all_that_was_written_so_far() -> None:
    script = """CREATE TEMP TABLE z (k int, v text);
    INSERT INTO z SELECT id, b FROM s;
    CREATE TABLE one AS SELECT v FROM z;
    INSERT INTO z SELECT id, q FROM u;
    CREATE TABLE two AS SELECT v FROM z;"""
    assert edges(script, "postgres") == {"s.b -> one.v", "s.b -> two.v", "u.q -> two.v"}


def test_every_write_to_a_temporary_table_is_a_step_of_its_own() -> None:
    script = "CREATE TEMP TABLE z (k int); INSERT INTO z SELECT id FROM s; INSERT INTO z SELECT id FROM u"
    made = [step for step in program(script, "postgres").steps if step.made is OutputKind.TEMPORARY]
    assert [step.target for step in made] == ["z@1", "z@1:2", "z@1:3"]
    assert {step.label for step in made} == {"z"}


def test_an_update_of_a_temporary_table_adds_to_what_it_holds() -> None:
    script = """CREATE TABLE #z (k int, v varchar(3));
    INSERT INTO #z SELECT id, b FROM s;
    UPDATE #z SET v = UPPER(u.q) FROM #z JOIN u ON u.id = #z.k;
    SELECT k, v INTO r FROM #z;"""
    assert edges(script, "tsql") == {"s.id -> r.k", "s.b -> r.v", "u.q -> r.v transformation"}
    assert shaped(script, "tsql") == {"u.id ~ r join", "s.id ~ r join"}


def test_a_truncated_temporary_table_is_empty_again() -> None:
    script = """CREATE TEMP TABLE z AS SELECT id, a FROM s;
    TRUNCATE TABLE z;
    INSERT INTO z SELECT id, p FROM u;
    CREATE TABLE r AS SELECT * FROM z;"""
    assert edges(script, "postgres") == {"u.id -> r.id", "u.p -> r.a"}


def test_rows_deleted_from_a_temporary_table_shape_what_is_read_from_it() -> None:
    script = "CREATE TEMP TABLE z AS SELECT id, a FROM s; DELETE FROM z WHERE a > 1; CREATE TABLE r AS SELECT id FROM z"
    assert shaped(script, "postgres") == {"s.a ~ r filter"}


def test_a_dropped_temporary_view_is_gone_and_the_table_of_that_name_is_meant() -> None:
    script = "CREATE TEMP VIEW s AS SELECT id AS k FROM u; DROP VIEW s; CREATE TABLE r AS SELECT a FROM s"
    assert edges(script) == {"s.a -> r.a"}


def test_a_renamed_table_is_found_under_its_new_name_wherever_the_script_wrote_or_read_it() -> None:
    script = """CREATE TABLE n AS SELECT id, a FROM s;
    CREATE TABLE r AS SELECT id FROM n;
    ALTER TABLE n RENAME TO f;
    CREATE TABLE g AS SELECT * FROM f;"""
    assert edges(script) == {"s.id -> f.id", "s.a -> f.a", "f.id -> r.id", "f.id -> g.id", "f.a -> g.a"}


def test_swapped_tables_hold_what_the_other_held() -> None:
    script = "CREATE TABLE n AS SELECT id, a FROM s; ALTER TABLE n SWAP WITH live"
    assert edges(script, "snowflake") == {"s.id -> live.id", "s.a -> live.a"}


def test_every_dialect_renames_in_its_own_words() -> None:
    made = "CREATE TABLE n AS SELECT id FROM s;"
    assert edges(f"{made} RENAME TABLE n TO f", "mysql") == {"s.id -> f.id"}
    assert edges("SELECT id INTO n FROM s; EXEC sp_rename 'n', 'f'", "tsql") == {"s.id -> f.id"}


def test_a_variable_carries_what_it_was_set_from() -> None:
    script = """DECLARE @m INT;
    SELECT @m = MAX(a) FROM s WHERE b = 'x';
    INSERT INTO t (x) VALUES (@m);"""
    assert edges(script, "tsql") == {"s.a -> t.x aggregation"}
    assert shaped(script, "tsql") == {"s.b ~ t filter"}
    assert tables(script, "tsql") == {"s -> t"}


def test_a_parameter_of_a_procedure_is_no_column_of_a_table_that_nobody_described() -> None:
    script = """CREATE PROCEDURE p(IN wanted DATE)
    BEGIN
      INSERT INTO t (id) SELECT k FROM raw.f WHERE day = wanted;
    END"""
    assert shaped(script, "mysql") == {"raw.f.day ~ t filter"}


def test_what_runs_under_a_condition_is_less_sure() -> None:
    script = """BEGIN
      INSERT INTO t (id) SELECT id FROM s;
      IF 1 > 0 THEN INSERT INTO t (x) SELECT p FROM u; END IF;
    END"""
    sure, maybe = program(script).steps
    assert [trace.confidence for trace in sure.columns["id"].sources.values()] != [MAYBE]
    assert [trace.confidence for trace in maybe.columns["x"].sources.values()] == [MAYBE]


def test_a_body_in_dollars_is_a_script_with_its_own_lines() -> None:
    script = """CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO t (id) SELECT id FROM s;
  SELECT max(a) INTO n FROM s;
  IF n > 1 THEN
    INSERT INTO t (nope) SELECT id, a FROM s;
  END IF;
END $$"""
    assert edges(script, "postgres") == {"s.id -> t.id", "gap 7: 2 columns are given, but t takes 1"}


def test_snowflake_tasks_procedures_and_streams_are_read() -> None:
    script = """CREATE STREAM st ON TABLE u;
    CREATE TASK k WAREHOUSE = w AS INSERT INTO t (x) SELECT p FROM st;
    CREATE PROCEDURE p() RETURNS STRING LANGUAGE SQL AS $$ BEGIN INSERT INTO t (id) SELECT id FROM s; END $$;"""
    assert edges(script, "snowflake") >= {"u.p -> st.p", "st.p -> t.x", "s.id -> t.id"}


def test_settings_fill_templates_and_what_is_not_set_does_no_harm() -> None:
    script = """SET src = s;
    CREATE TABLE r AS SELECT id FROM ${src} WHERE a > ${low} AND b = :name"""
    assert edges(script) == {"s.id -> r.id"}
    assert shaped(script) == {"s.a ~ r filter", "s.b ~ r filter"}


def test_what_one_statement_returns_is_no_table_to_the_next() -> None:
    script = """WITH gone AS (DELETE FROM s RETURNING id) INSERT INTO t (id) SELECT id FROM gone;
    INSERT INTO u (id) SELECT id FROM gone;"""
    assert edges(script, "postgres") == {"s.id -> t.id", "gone.id -> u.id"}


def test_views_that_read_each_other_crosswise_are_not_read_again_and_again() -> None:
    views = "".join(f"CREATE TEMP VIEW v{i} AS SELECT x.a FROM v{i - 1} x JOIN v{i - 2} y;" for i in range(2, 40))
    script = f"""CREATE TEMP VIEW v0 AS SELECT a FROM s; CREATE TEMP VIEW v1 AS SELECT a FROM s; {views}
    CREATE OR REPLACE TEMP VIEW v1 AS SELECT p AS a FROM u;
    CREATE TABLE r AS SELECT a FROM v39;"""
    read = program(script)
    assert len(read.steps) < 100
    assert edges(script) == {"u.p -> r.a"}


def test_identifier_is_put_together_from_constants_and_variables() -> None:
    script = "DECLARE x STRING DEFAULT 'lab'; CREATE TABLE IDENTIFIER(x || '.w') AS SELECT a FROM s"
    assert edges(script, "databricks") == {"s.a -> lab.w.a"}
