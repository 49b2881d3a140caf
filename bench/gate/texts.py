"""Texts that try to get through the gate: honest queries, payloads, and every way of hiding one in the other that the
two readings of SQL (comments, quotes, escapes, blocks) might see differently. The same seed gives the same texts."""

from __future__ import annotations

import random
from collections.abc import Iterator

HONEST = (
    "SELECT id, name FROM gate.orders",
    "SELECT count(*) AS n FROM gate.orders WHERE id > 0 GROUP BY name HAVING count(*) > 0 ORDER BY n DESC LIMIT 5",
    "WITH a AS (SELECT * FROM gate.orders), b AS (SELECT id FROM a) SELECT a.id FROM a JOIN b USING (id)",
    "SELECT o.id, row_number() OVER (PARTITION BY name ORDER BY id) AS r FROM gate.orders o",
    "SELECT x FROM gate.orders LATERAL VIEW explode(xs) t AS x",
    "SELECT * FROM gate.orders WHERE id IN (SELECT max(id) FROM gate.orders)",
    "SELECT id FROM gate.orders UNION ALL SELECT id FROM gate.orders EXCEPT SELECT 1",
    "FROM gate.orders |> WHERE id > 1 |> SELECT id, upper(name) AS u",
    "SELECT transform(xs, x -> x + 1), CASE WHEN id = 1 THEN 'a' ELSE 'b' END FROM gate.orders",
    "VALUES (1, 'x'), (2, 'y')",
    "SELECT * FROM range(5) r, LATERAL (SELECT r.id + 1 AS k)",
    "TABLE gate.orders",
    "SELECT * FROM (SELECT id, name FROM gate.orders) PIVOT (count(id) FOR name IN ('a', 'b'))",
    "SELECT 'it''s', \"two\", r'raw', X'1F', 1.5D, DATE '2024-01-01', INTERVAL 1 DAY, CAST(id AS STRING)",
    "SELECT * FROM gate.orders TABLESAMPLE (50 PERCENT) REPEATABLE (1)",
)
# {file} is a file of the server, {mark} a file that a program would make.
PAYLOADS = (
    "SELECT max(value) FROM text.`{file}`",
    "(SELECT max(value) FROM text.`{file}`)",
    "text.`{file}`",
    "parquet.`{file}`",
    "csv.`file://{file}`",
    "SELECT TRANSFORM(id) USING 'touch {mark}' AS (x STRING) FROM gate.orders",
    "TRANSFORM(id) USING 'touch {mark}' AS (x STRING)",
    "MAP id USING 'touch {mark}' AS x",
    "INSERT INTO forge.gate.orders SELECT 9, 'z', array()",
    "INSERT OVERWRITE forge.gate.orders SELECT 9, 'z', array()",
    "INSERT OVERWRITE DIRECTORY '{mark}' USING csv SELECT 1",
    "DROP TABLE forge.gate.orders",
    "DELETE FROM forge.gate.orders",
    "UPDATE forge.gate.orders SET id = 9",
    "TRUNCATE TABLE forge.gate.orders",
    "CREATE TABLE forge.gate.made AS SELECT 1 AS a",
    "CREATE OR REPLACE TEMPORARY FUNCTION count AS 'java.lang.Object'",
    "java_method('java.lang.System', 'getenv', 'PATH')",
    "reflect('java.nio.file.Files', 'readString', '{file}')",
    "try_reflect('java.lang.System', 'getProperty', 'user.dir')",
    "system.builtin.reflect('java.lang.System', 'getenv', 'PATH')",
    "input_file_name()",
    "current_user()",
    "from_xml('<a/>', 'a INT', map('rowValidationXSDPath', '{file}'))",
    "xpath('<!DOCTYPE a [<!ENTITY x SYSTEM \"file://{file}\">]><a>&x;</a>', 'a/text()')",
    "'${{env:PATH}}'",
    "${{env:PATH}}",
    "gate.hidden",
    "forge.gate.hidden",
    "SELECT * FROM gate.hidden",
    "gate.orders.snapshots",
    "IDENTIFIER('forge.gate.hidden')",
    "EXECUTE IMMEDIATE 'DROP TABLE forge.gate.orders'",
    "BEGIN DROP TABLE forge.gate.orders; END",
    "SET spark.sql.runSQLOnFiles = true",
    "ADD JAR '{file}'",
    "CALL forge.system.rollback_to_snapshot('gate.orders', 1)",
    "python_worker_logs()",
    "range(100000000000)",
    "forge.system.bucket(2, id)",
    "gate.orders VERSION AS OF 1",
    "gate.orders FOR SYSTEM_TIME AS OF '2020-01-01'",
    "gate.orders WITH ('path' = '{file}')",
    "STREAM gate.orders",
    "WITH p AS (SELECT value FROM text.`{file}`) SELECT * FROM p",
    "EXISTS (SELECT 1 FROM json.`{file}`)",
    "REFRESH TABLE forge.gate.orders",
    "SHOW TABLES IN forge.gate",
    "DESCRIBE TABLE forge.gate.hidden",
    "EXPLAIN SELECT 1",
    "CACHE TABLE c AS SELECT 1",
    "USE forge.gate",
)
# What one reader may take for a comment, a string or nothing, and the other not. {} is what is hidden.
COVERS = (
    "{}",
    "/* {} */",
    "/* /* {} */ */",
    "/* /*+ */ {} -- */",
    "/*+ {} */",
    "/*+ BROADCAST(o) */ {}",
    "/* */ {} /* */",
    "-- {}\n",
    "-- \\\n{}\n",
    "-- x\r{}",
    "-- x\r\n{}",
    "# {}\n",
    "// {}\n",
    "'{}'",
    "'\\'{}'",
    "'\\\\' {} '",
    "''' {} '''",
    '"{}"',
    '"\\" {} "',
    "r'\\' {} '",
    'R"\\" {} "',
    "`{}`",
    "``` {} ```",
    "$$ {} $$",
    "$tag$ {} $tag$",
    "'a' '{}'",
    "'a'\n'{}'",
    "E'\\' {} '",
    "U&'\\0027 {}'",
    "N'{}'",
    "'\\u0027 {} \\u0027'",
    "'\\x27 {} \\x27'",
    "'\\047 {} \\047'",
    "{{{{ {} }}}}",
    "{{% {} %}}",
    "{{fn {} }}",
    "; {}",
    ";; {} ;",
    "; -- \n{}",
    "({})",
    "(({}))",
    ", ({})",
    ", {}",
    "UNION ALL {}",
    "UNION {}",
    "|> SELECT {}",
    "|> JOIN {}",
    "WHERE EXISTS ({})",
    "JOIN {}",
    ", LATERAL {}",
    "LATERAL VIEW {} t",
    "AND {} IS NOT NULL",
    "ORDER BY {}",
    "FROM {}",
    ":p {}",
    "? {}",
    "/* ' */ {} /* ' */",
    "' /* ' {} ' */ '",
    "` /* ` {} ` */ `",
    "-- '\n{} -- '",
    "/*! {} */",
    "/*!50000 {} */",
    "<!-- {} -->",
    "/**/{}/**/",
    "/* *\\/ {} */",
)
NOISE = (
    " ", "\t", "\n", "\r", "\r\n", "\x00", "\x0b", "\x0c", "\x1a", "\x85", "\u00a0", "\u200b",
    "\u200d", "\u2028", "\u202e",
    "\u3000", "\ufeff", "\uff07", "\uff08", "\u2019", "\u02bc", "'", "''", '"', "`", "``", "\\",
    "\\\\", "\\'", "\\\n", "/*",
    "*/", "/*+", "--", "-- ", "#", ";", "(", ")", "[", "]", "{", "}", ",", ".", "..", ":", "::",
    ":a", "?", "@", "$", "$$", "|>",
    "->", "=>", "%", "&", "!", "~", "*", "/", "é", "ſ", "K", "İ", "😀", "\ud7ff", "0x1F", "1e400",
    "NULL", "SELECT", "FROM", "WITH",
    "TABLE", "LATERAL", "VALUES", "AS", "ON", "USING", "UNION", "BEGIN", "END", "IDENTIFIER(",
    "TRANSFORM(", "EXPLAIN",
)  # fmt: skip


def texts(seed: int, number: int, file: str, mark: str) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(number):
        yield _text(chance).replace("{file}", file).replace("{mark}", mark).replace("{{", "{").replace("}}", "}")


def _text(chance: random.Random) -> str:
    text = chance.choice(HONEST)
    kind = chance.random()
    if kind < 0.12:
        text = _covered(chance)
    elif kind < 0.75:
        for _ in range(chance.choice((1, 1, 1, 2))):
            text = _put(chance, text, f" {_covered(chance)} ")
    elif kind < 0.85:
        text = _instead(chance, text)
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        text = _put(chance, text, chance.choice(NOISE))
    return _cased(chance, text) if chance.random() < 0.1 else text


def _covered(chance: random.Random) -> str:
    """A payload or an honest query under up to three covers."""
    inner = chance.choice(PAYLOADS if chance.random() < 0.8 else HONEST)
    for _ in range(chance.choice((1, 1, 2, 3))):
        cover = chance.choice(COVERS)
        inner = cover.replace("{}", inner, 1)
    return inner


def _put(chance: random.Random, text: str, more: str) -> str:
    """At a place between words, at an end, or anywhere."""
    gaps = [at for at, letter in enumerate(text) if letter == " "]
    at = chance.choice([0, len(text), chance.randrange(len(text) + 1), *gaps])
    return text[:at] + more + text[at:]


def _instead(chance: random.Random, text: str) -> str:
    """A word of the query gives way to a payload."""
    words = text.split(" ")
    words[chance.randrange(len(words))] = chance.choice(PAYLOADS)
    return " ".join(words)


def _cased(chance: random.Random, text: str) -> str:
    return "".join(chance.choice((letter.upper(), letter.lower(), letter)) for letter in text)
