"""Scripts cut into statements."""

from __future__ import annotations

from forge.lineage.extract.sql.syntax.split import StatementKind, split


def texts(script: str, dialect: str = "spark") -> list[str]:
    """With `?` before what runs only under a condition."""
    kept = (StatementKind.STATEMENT, StatementKind.UNCLOSED)
    return [f"{'?' * piece.maybe}{piece.text}" for piece in split(script, dialect) if piece.kind in kept]


def test_strings_names_and_comments_hide_semicolons() -> None:
    script = "SELECT ';', \"a;b\", `c;d` -- e;f\n, 1 /* g;h */; SELECT 2"
    assert texts(script)[1:] == ["SELECT 2"]
    assert texts("SELECT 'it\\'s;'; SELECT 2")[1:] == ["SELECT 2"]
    assert texts("SELECT 'c:\\'; SELECT 2", "postgres") == ["SELECT 'c:\\'", "SELECT 2"]
    assert texts("SELECT q'[it's;]' FROM dual; SELECT 2", "oracle")[1:] == ["SELECT 2"]
    assert texts("SELECT [a;b] FROM x; SELECT 2", "tsql")[1:] == ["SELECT 2"]
    assert texts("SELECT 1 # a;b\n; SELECT 2", "mysql")[1:] == ["SELECT 2"]


def test_a_statement_has_the_line_of_its_first_word() -> None:
    script = "\n-- a\nSELECT 1;\n\n/* b\n */ SELECT\n2;\nSELECT 3"
    assert [(piece.text, piece.line) for piece in split(script, "spark", line=11)] == [
        ("SELECT 1", 13),
        ("SELECT\n2", 16),
        ("SELECT 3", 18),
    ]


def test_bodies_in_dollars_stay_whole() -> None:
    script = "CREATE FUNCTION f() AS $$ a; b; $$ LANGUAGE sql; DO $x$ c; $x$; SELECT 1"
    assert texts(script, "postgres") == ["CREATE FUNCTION f() AS $$ a; b; $$ LANGUAGE sql", "DO $x$ c; $x$", "SELECT 1"]


def test_blocks_are_taken_apart() -> None:
    script = """BEGIN
      DECLARE x INT DEFAULT 1;
      IF x > CASE WHEN y THEN 1 END THEN SELECT 1; ELSEIF x > 0 THEN SELECT 2; ELSE SELECT 3; END IF;
      WHILE x < 3 DO SET x = x + 1; END WHILE;
      CASE x WHEN 1 THEN SELECT 4; ELSE SELECT 5; END CASE;
      again: LOOP SELECT 6; LEAVE again; END LOOP again;
      SELECT CASE WHEN a THEN 7 END FROM b;
    END; SELECT 8"""
    assert texts(script) == [
        "DECLARE x INT DEFAULT 1",
        "?SELECT 1",
        "?SELECT 2",
        "?SELECT 3",
        "?SET x = x + 1",
        "?SELECT 4",
        "?SELECT 5",
        "?SELECT 6",
        "?LEAVE again",
        "SELECT CASE WHEN a THEN 7 END FROM b",
        "SELECT 8",
    ]


def test_a_transaction_is_no_block() -> None:
    assert texts("BEGIN; SELECT 1; COMMIT; BEGIN TRANSACTION; SELECT 2; END", "postgres") == [
        "BEGIN", "SELECT 1", "COMMIT", "BEGIN TRANSACTION", "SELECT 2", "END",
    ]  # fmt: skip


def test_the_head_of_a_loop_is_kept_with_its_query() -> None:
    script = "BEGIN FOR r IN (SELECT a FROM s) LOOP INSERT INTO t VALUES (r.a); END LOOP; END;"
    loop, inner = split(script, "oracle")
    assert (loop.kind, loop.text) == (StatementKind.LOOP, "FOR r IN (SELECT a FROM s)")
    assert (inner.text, inner.maybe) == ("INSERT INTO t VALUES (r.a)", True)


def test_procedures_of_every_dialect_are_taken_apart() -> None:
    mysql = """DELIMITER //
    CREATE PROCEDURE p(IN d DATE) BEGIN SELECT 1; IF d THEN SELECT 2; END IF; END //
    DELIMITER ;
    SELECT 3;"""
    assert texts(mysql, "mysql") == ["SELECT 1", "?SELECT 2", "SELECT 3"]
    oracle = """CREATE PROCEDURE p (a NUMBER) IS v NUMBER;
    BEGIN SELECT 1; EXCEPTION WHEN OTHERS THEN SELECT 2; END p;
    /
    SELECT 3"""
    assert texts(oracle, "oracle") == ["SELECT 1", "?SELECT 2", "SELECT 3"]
    tsql = "CREATE PROC p AS\nSELECT 1\nUPDATE t SET a = 1\nGO\nSELECT 3"
    assert texts(tsql, "tsql") == ["SELECT 1", "UPDATE t SET a = 1", "SELECT 3"]


def test_t_sql_needs_no_semicolons() -> None:
    script = """DECLARE @x INT
    SET @x = 1
    INSERT INTO a SELECT b FROM c
    UPDATE z SET z = 1
    WITH w AS (SELECT 1 AS k) INSERT INTO a SELECT k FROM w
    IF @x > 1 BEGIN DELETE FROM t END ELSE INSERT INTO t SELECT 1
    SELECT a INTO #t FROM b UNION ALL SELECT c FROM d
    DROP TABLE IF EXISTS #t
    IF OBJECT_ID('a') IS NOT NULL DROP TABLE a
    MERGE INTO t USING s ON t.a=s.a WHEN MATCHED THEN UPDATE SET a=1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1);
    BEGIN TRY SELECT 1 END TRY BEGIN CATCH SELECT 2 END CATCH"""
    assert texts(script, "tsql") == [
        "DECLARE @x INT",
        "SET @x = 1",
        "INSERT INTO a SELECT b FROM c",
        "UPDATE z SET z = 1",
        "WITH w AS (SELECT 1 AS k) INSERT INTO a SELECT k FROM w",
        "?DELETE FROM t",
        "?INSERT INTO t SELECT 1",
        "SELECT a INTO #t FROM b UNION ALL SELECT c FROM d",
        "DROP TABLE IF EXISTS #t",
        "?DROP TABLE a",
        "MERGE INTO t USING s ON t.a=s.a WHEN MATCHED THEN UPDATE SET a=1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)",
        "SELECT 1",
        "?SELECT 2",
    ]


def test_a_quote_that_is_not_closed_leaves_what_stands_before_it() -> None:
    assert texts("SELECT 1; SELECT 'a; SELECT 2") == ["SELECT 1", "SELECT 'a; SELECT 2"]
