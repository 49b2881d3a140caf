"""One behaviour of all connectors: databases on real servers, and a file of SQLite."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pyarrow as pa
import pytest
import source_worlds
from mariadb_server import USER, MariadbServer
from source_worlds import SECRETS, SourceWorld, mariadb_world, postgres_world, sqlite_world

from forge.federation.plan import SourceQuery
from forge.federation.relation import RelationName
from forge.federation.source import ConnectorKind, Source
from forge.federation.statistics import place_of
from forge.model.errors import CancellationError, ForgeError
from forge.stores.connectors import open_connector
from forge.stores.connectors.mysql import bound_text

NUMBERS = count(1)
BIGINT = pa.schema([("i", pa.int64())])
HOSTILE = (
    "' OR '1'='1",
    '"; DROP TABLE goods; --',
    "\\' OR 1=1 -- ",
    "%s %d %% $1 ? :name",
    "ünï 🦆 \u202e`",
    "",
    "a\nb\r\tc",
    "\\",
    "''",
)
HOSTILE_NAMES = ('a"b', "a'b", "a`b", "100%s", "ü ñ", "select", "a.b", "$1 ? %(x)s", "x;--")
SERVERS = ("postgresql", "mysql")


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.services("postgres")),
        pytest.param("mysql", marks=pytest.mark.services("mariadb")),
    ]
)
def source_world(request: pytest.FixtureRequest, tmp_path: Path) -> SourceWorld:
    match request.param:
        case "sqlite":
            return sqlite_world(tmp_path)
        case "postgresql":
            make: Callable[[], str] = request.getfixturevalue("new_postgres")
            return postgres_world(make(), tmp_path)
        case _:
            server: MariadbServer = request.getfixturevalue("mariadb_server")
            return mariadb_world(server, f"shop_{next(NUMBERS)}", tmp_path)


def wait_until(holds: Callable[[], bool]) -> None:
    """Polls; it is the timeout of the whole run that ends a wait for what never comes."""
    pause = Event()
    for _ in range(1200):
        if holds():
            return
        pause.wait(0.05)
    raise AssertionError("it never came to hold")


def test_it_says_what_answered(source_world: SourceWorld) -> None:
    said = source_world.open().test()
    names = {"sqlite": "SQLite 3", "postgresql": "PostgreSQL 1", "mysql": "MariaDB 1"}
    assert said.startswith(names[source_world.kind])


def test_tables_and_views_are_its_relations(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (id int);\nCREATE VIEW cheap AS SELECT id FROM goods")
    assert source_world.open().relations() == tuple(
        RelationName("shop", source_world.path(name)) for name in ("cheap", "goods")
    )


def test_a_name_is_found_as_it_is_or_in_any_case(source_world: SourceWorld) -> None:
    source_world.execute(f"CREATE TABLE {source_world.quoted('Goods')} (id int)")
    connector = source_world.open()
    for path in (
        ("Goods",),
        ("gOODS",),
        source_world.path("Goods"),
        tuple(part.upper() for part in source_world.path("goods")),
    ):
        found = connector.describe(path)
        assert found is not None
        assert found.name == RelationName("shop", source_world.path("Goods"))


def test_what_is_not_there_is_none(source_world: SourceWorld) -> None:
    connector = source_world.open()
    paths = (
        (),
        ("nothing",),
        ("nowhere", "nothing"),
        ("a", "b", "c", "d"),
        ("x' OR '1'='1",),
        ("pg_catalog", "pg_class"),
    )
    assert [connector.describe(path) for path in paths] == [None] * len(paths)


def test_a_relation_has_its_key_and_what_may_be_null(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (b int NOT NULL, a int NOT NULL, note int, PRIMARY KEY (a, b))")
    found = source_world.open().describe(("goods",))
    assert found is not None
    assert found.key == ("a", "b")
    assert [(one.name, one.nullable) for one in found.columns] == [("b", False), ("a", False), ("note", True)]


def test_an_estimate_of_rows_is_near_or_none(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (id int)")
    values = ", ".join(f"({number})" for number in range(1000))
    source_world.execute(f"INSERT INTO goods VALUES {values}")
    source_world.execute(
        {"mysql": "ANALYZE TABLE goods", "postgresql": "ANALYZE goods", "sqlite": "ANALYZE"}[source_world.kind]
    )
    source_world.execute("CREATE VIEW all_goods AS SELECT id FROM goods")
    connector = source_world.open()
    table, view = connector.describe(("goods",)), connector.describe(("all_goods",))
    assert table is not None
    assert view is not None
    assert table.rows is not None
    assert 900 <= table.rows <= 1100
    assert view.rows is None


def test_an_empty_table_has_no_rows_and_all_columns(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (id bigint, name varchar(10))")
    table = source_world.select(source_world.open(), "goods")
    assert (table.num_rows, table.column_names) == (0, ["id", "name"])


def test_a_wide_table_is_read_whole(source_world: SourceWorld) -> None:
    names = [f"c{number}" for number in range(300)]
    source_world.execute(f"CREATE TABLE wide ({', '.join(f'{name} int' for name in names)})")
    source_world.execute(f"INSERT INTO wide VALUES ({', '.join(map(str, range(300)))})")
    assert source_world.select(source_world.open(), "wide").to_pylist() == [
        {name: number for number, name in enumerate(names)}
    ]


def test_identifiers_are_names_whatever_they_hold(source_world: SourceWorld) -> None:
    for number, name in enumerate(HOSTILE_NAMES):
        source_world.execute(f"CREATE TABLE {source_world.quoted(name)} ({source_world.quoted(name)} int)")
        source_world.execute(f"INSERT INTO {source_world.quoted(name)} VALUES ({number})")
    connector = source_world.open()
    assert {one.path[-1] for one in connector.relations()} == set(HOSTILE_NAMES)
    for number, name in enumerate(HOSTILE_NAMES):
        assert source_world.select(connector, name).to_pylist() == [{name: number}]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_bound_text_is_a_value_whatever_it_holds(source_world: SourceWorld, value: str) -> None:
    source_world.execute("CREATE TABLE goods (id int, name varchar(100))")
    source_world.execute("INSERT INTO goods VALUES (1, 'x')")
    text = {"sqlite": "text", "postgresql": "text", "mysql": "char"}[source_world.kind]
    back, other = source_world.mark(1), source_world.mark(2)
    query = SourceQuery(
        f"SELECT CAST({back} AS {text}) AS back, g.id FROM {source_world.named('goods')} AS g WHERE g.name <> {other}",
        (value, value),
    )
    schema = pa.schema([("back", pa.string()), ("id", pa.int64())])
    assert source_world.open().read(query, schema).read_all().to_pylist() == [{"back": value, "id": 1}]


@pytest.mark.parametrize(
    ("native", "value", "kind"),
    [
        ("bigint", -(2**63) + 1, pa.int64()),
        ("bigint", 2**63 - 1, pa.int64()),
        ("double precision", 0.1, pa.float64()),
        ("double precision", -1.7976931348623157e308, pa.float64()),
        ("double precision", 5e-324, pa.float64()),
        ("varchar(10)", "ä'\\", pa.string()),
    ],
)
def test_a_bound_value_finds_its_equal(
    source_world: SourceWorld, native: str, value: object, kind: pa.DataType
) -> None:
    source_world.execute(f"CREATE TABLE goods (v {native})")
    written = (
        "'ä''\\\\'"
        if source_world.kind == "mysql" and isinstance(value, str)
        else "'ä''\\'"
        if isinstance(value, str)
        else repr(value)
    )
    source_world.execute(f"INSERT INTO goods VALUES ({written})")
    query = SourceQuery(
        f"SELECT g.v FROM {source_world.named('goods')} AS g WHERE g.v = {source_world.mark(1)}", (value,)
    )
    assert source_world.open().read(query, pa.schema([("v", kind)])).read_all().to_pylist() == [{"v": value}]


def test_null_and_true_are_bound_too(source_world: SourceWorld) -> None:
    one, two = source_world.mark(1), source_world.mark(2)
    kind = "signed" if source_world.kind == "mysql" else "int"
    query = SourceQuery(f"SELECT CAST({one} AS {kind}) AS n, CASE WHEN {two} THEN 1 ELSE 0 END AS t", (None, True))
    schema = pa.schema([("n", pa.int32()), ("t", pa.int32())])
    assert source_world.open().read(query, schema).read_all().to_pylist() == [{"n": None, "t": 1}]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO goods VALUES (2)",
        "UPDATE goods SET id = 3",
        "DELETE FROM goods",
        "DROP TABLE goods",
        "CREATE TABLE other AS SELECT id FROM goods",
    ],
)
def test_the_database_refuses_to_write(source_world: SourceWorld, statement: str) -> None:
    source_world.execute("CREATE TABLE goods (id int);\nINSERT INTO goods VALUES (1)")
    connector = source_world.open()
    for name in ("goods", "other"):
        statement = statement.replace(name, source_world.named(name))
    with pytest.raises(ForgeError) as caught:
        connector.read(SourceQuery(statement), BIGINT).read_all()
    assert caught.value.code == "E309"
    assert source_world.select(connector, "goods").to_pylist() == [{"id": 1}]
    assert len(connector.relations()) == 1


def test_one_text_is_one_statement(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (id int);\nINSERT INTO goods VALUES (1)")
    connector = source_world.open()
    with pytest.raises(ForgeError):
        connector.read(SourceQuery(f"SELECT 1 AS i; DELETE FROM {source_world.named('goods')}"), BIGINT).read_all()
    assert source_world.select(connector, "goods").num_rows == 1


def test_a_table_that_is_dropped_meanwhile_is_an_error_of_the_source(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (id int)")
    connector = source_world.open()
    assert connector.describe(("goods",)) is not None
    source_world.execute("DROP TABLE goods")
    with pytest.raises(ForgeError, match="shop refused the query") as caught:
        connector.read(SourceQuery(f"SELECT g.id FROM {source_world.named('goods')} AS g"), BIGINT)
    assert caught.value.code == "E309"
    assert "goods" in (caught.value.why or "")
    assert connector.describe(("goods",)) is None


def test_a_source_that_is_not_there_is_named(source_world: SourceWorld) -> None:
    url = {
        "sqlite": "sqlite:nothing.db",
        "postgresql": "postgresql://127.0.0.1:1/shop",
        "mysql": "mariadb://127.0.0.1:1/shop",
    }[source_world.kind]
    connector = source_world.open(url=url)  # nothing is connected yet
    for ask in (connector.test, connector.relations, lambda: connector.describe(("goods",))):
        with pytest.raises(ForgeError, match="shop cannot be reached") as caught:
            ask()
        assert caught.value.code == "E308"


def test_cancel_ends_a_query_that_gives_rows(source_world: SourceWorld) -> None:
    connector = source_world.open()
    reader = connector.read(SourceQuery(source_world.endless), BIGINT)
    reader.read_next_batch()
    connector.cancel()
    with pytest.raises(CancellationError):
        reader.read_all()
    wait_until(lambda: source_world.running() == 0)
    assert connector.read(SourceQuery("SELECT 1 AS i"), BIGINT).read_all().num_rows == 1


def test_cancel_ends_a_query_that_has_no_row_yet(source_world: SourceWorld) -> None:
    connector = source_world.open()
    errors: list[BaseException] = []

    def read() -> None:
        try:
            connector.read(SourceQuery(source_world.stuck), BIGINT).read_all()
        except ForgeError as error:
            errors.append(error)

    reader = Thread(target=read)
    reader.start()
    if source_world.kind in SERVERS:
        wait_until(lambda: source_world.running() == 1)

    def ended() -> bool:
        connector.cancel()
        reader.join(0.05)
        return not reader.is_alive()

    wait_until(ended)
    assert [type(error) for error in errors] == [CancellationError]
    wait_until(lambda: source_world.running() == 0)


def test_letting_go_of_a_reader_ends_its_query(source_world: SourceWorld) -> None:
    connector = source_world.open()
    reader = connector.read(SourceQuery(source_world.endless), BIGINT)
    assert reader.read_next_batch().num_rows
    reader.close()
    del reader
    wait_until(lambda: source_world.running() == 0)


def test_closing_ends_what_runs(source_world: SourceWorld) -> None:
    connector = source_world.open()
    reader = connector.read(SourceQuery(source_world.endless), BIGINT)
    connector.close()
    with pytest.raises(CancellationError):
        reader.read_all()
    wait_until(lambda: source_world.running() == 0)


def test_a_query_over_its_time_is_ended_by_the_source(source_world: SourceWorld) -> None:
    connector = source_world.open(options={"statement_timeout": "100 ms"})
    with pytest.raises(ForgeError, match="refused the query") as caught:
        connector.read(SourceQuery(source_world.stuck), BIGINT).read_all()
    assert (caught.value.code, caught.value.why) == ("E309", "It took longer than 0.1 s.")
    wait_until(lambda: source_world.running() == 0)


@pytest.mark.parametrize("options", [{"fetchsize": "10"}, {"statement_timeout": "soon"}, {"connect_timeout": "-1"}])
def test_an_option_that_it_does_not_know_is_refused(source_world: SourceWorld, options: dict[str, str]) -> None:
    with pytest.raises(ForgeError) as caught:
        source_world.open(options=options).test()
    assert caught.value.code == "E105"


def test_several_threads_read_at_once(source_world: SourceWorld) -> None:
    connector = source_world.open()
    readers = [connector.read(SourceQuery(f"SELECT {number} AS i"), BIGINT) for number in range(4)]
    found: list[int] = []
    threads = [Thread(target=lambda one=one: found.extend(one.read_all()["i"].to_pylist())) for one in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 1, 2, 3]


def test_batches_have_no_more_rows_than_asked_for(source_world: SourceWorld) -> None:
    source_world.execute("CREATE TABLE goods (id bigint)")
    source_world.execute("INSERT INTO goods VALUES " + ", ".join(f"({number})" for number in range(1000)))
    query = SourceQuery(f"SELECT g.id FROM {source_world.named('goods')} AS g")
    reader = source_world.open().read(query, pa.schema([("id", pa.int64())]), batch_rows=70)
    batches = list(reader)
    assert max(batch.num_rows for batch in batches) <= 70
    assert sorted(pa.Table.from_batches(batches)["id"].to_pylist()) == list(range(1000))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.decimal128(5, 2), pa.date32(), pa.bool_()])
def test_a_value_that_does_not_fit_names_its_column(source_world: SourceWorld, kind: pa.DataType) -> None:
    reader = source_world.open()
    with pytest.raises(ForgeError, match="column i of shop") as caught:
        reader.read(SourceQuery("SELECT 9007199254740993 AS i"), pa.schema([("i", kind)])).read_all()
    assert caught.value.code == "E310"


@pytest.mark.slow
def test_memory_is_bounded_however_many_rows_come(source_world: SourceWorld) -> None:
    source, reader = source_world.source, Path(source_worlds.__file__).with_name("source_reader.py")
    text = source_world.many.replace("%", "%%") if source_world.kind == "mysql" else source_world.many
    words = (source.connector, source_world.root, source.url, source.user or "", source.password or "", text)
    environ = os.environ | {name.removeprefix("env:"): value for name, value in SECRETS.items()}
    said = subprocess.run(
        [sys.executable, str(reader), *map(str, words)], capture_output=True, text=True, env=environ, check=True
    )
    rows, size, grown = map(int, said.stdout.split())
    assert rows == 500_000
    assert size > 190_000_000
    assert grown < 100_000_000


@pytest.mark.services("mariadb")
def test_a_wrong_password_is_said_without_it(mariadb_server: MariadbServer, tmp_path: Path) -> None:
    source_world = mariadb_world(mariadb_server, f"shop_{next(NUMBERS)}", tmp_path)
    connector = source_world.open(password="env:WRONG")
    with pytest.raises(ForgeError, match="shop cannot be reached") as caught:
        connector.test()
    shown = f"{caught.value}{caught.value.to_dict()}{connector!r}{vars(connector)!r}"
    assert caught.value.code == "E308"
    assert SECRETS["env:WRONG"] not in shown
    assert f"'{USER}'" not in shown


@pytest.mark.services("postgres")
def test_an_unknown_user_is_not_named(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    source_world = postgres_world(new_postgres(), tmp_path)
    connector = source_world.open(user="env:WRONG", password="env:PASSWORD")
    with pytest.raises(ForgeError, match="shop cannot be reached") as caught:
        connector.test()
    shown = f"{caught.value}{caught.value.to_dict()}{connector!r}{vars(connector)!r}"
    assert caught.value.code == "E308"
    assert SECRETS["env:WRONG"] not in shown
    assert SECRETS["env:PASSWORD"] not in shown


@pytest.mark.services("postgres")
def test_only_what_the_user_may_read_is_there(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    source_world = postgres_world(new_postgres(), tmp_path)
    source_world.execute("CREATE TABLE goods (id int, cost int); CREATE TABLE salaries (id int)")
    source_world.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT SELECT (id) ON goods TO reader")
    connector = open_connector(
        replace(source_world.source, user="env:READER"), tmp_path, {"env:READER": "reader"}.__getitem__
    )
    assert [one.path for one in connector.relations()] == [("public", "goods")]
    assert connector.describe(("salaries",)) is None
    found = connector.describe(("goods",))
    assert found is not None
    assert [one.name for one in found.columns] == ["id"]
    with pytest.raises(ForgeError, match="refused the query") as caught:
        connector.read(SourceQuery("SELECT s.id AS i FROM public.salaries AS s"), BIGINT)
    assert "permission denied" in (caught.value.why or "")


@pytest.mark.parametrize("url", ["postgresql://ada:pw@h/d", "mysql://ada@h/d"])
def test_a_user_in_the_url_is_refused_unseen(url: str, tmp_path: Path) -> None:
    kind = ConnectorKind.POSTGRESQL if url.startswith("postgresql") else ConnectorKind.MYSQL
    with pytest.raises(ForgeError) as caught:
        open_connector(Source("shop", kind, url=url), tmp_path, SECRETS.__getitem__).test()
    assert caught.value.code == "E106"
    assert "ada" not in str(caught.value)


def test_sqlite_opens_no_other_file(tmp_path: Path) -> None:
    source_world = sqlite_world(tmp_path)
    for text in ("ATTACH 'other.db' AS other", "PRAGMA query_only = OFF", "SELECT load_extension('x') AS i", "VACUUM"):
        with pytest.raises(ForgeError, match="refused the query"):
            source_world.open().read(SourceQuery(text), BIGINT)
    assert [one.name for one in tmp_path.iterdir() if one.name == "other.db"] == []


@pytest.mark.parametrize("value", ["'", "\\", "%s", "\x00", "🦆", "' OR 1=1 -- "])
def test_a_value_for_mysql_is_written_in_hexadecimal(value: str) -> None:
    text = bound_text("SELECT %s, '100%%'", (value,))
    assert text == f"SELECT _utf8mb4 X'{value.encode().hex()}', '100%'"


@pytest.mark.parametrize(("text", "values"), [("%s", ()), ("%s", (1, 2)), ("%d", (1,)), ("100%", ()), ("%", ())])
def test_placeholders_for_mysql_are_counted(text: str, values: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="do not match"):
        bound_text(text, values)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), object()])
def test_what_mysql_has_no_value_for_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="MySQL has no value"):
        bound_text("SELECT %s", (value,))


def test_the_version_of_a_table_is_that_of_its_rows(source_world: SourceWorld) -> None:
    """None where it cannot be told: in MySQL, and of views, which may ask for the time."""
    source_world.execute("CREATE TABLE seen (i int);\nCREATE VIEW cheap AS SELECT i FROM seen")
    source_world.execute("INSERT INTO seen VALUES (1)")
    assert _version(source_world, "cheap") == ""
    # Something else may write at the same server meanwhile, never five times.
    assert any(_version(source_world, "seen") == _version(source_world, "seen") for _ in range(5))
    for number in range(2, 6):
        before = _version(source_world, "seen")
        source_world.execute(f"UPDATE seen SET i = {number}")
        assert (before == "") == (source_world.kind == "mysql")
        assert not before or _version(source_world, "seen") not in ("", before)


@pytest.mark.services("postgres")
def test_postgresql_has_no_version_where_more_than_transactions_changes_rows(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    source_world = postgres_world(new_postgres(), tmp_path)
    for text in (
        "CREATE TABLE parted (i int) PARTITION BY LIST (i)",
        "CREATE TABLE one PARTITION OF parted FOR VALUES IN (1)",
        "CREATE MATERIALIZED VIEW made AS SELECT i FROM parted",
        "CREATE TABLE parent (i int)",
        "CREATE TABLE child () INHERITS (parent)",
        "CREATE TABLE ruled (i int)",
        "ALTER TABLE ruled ENABLE ROW LEVEL SECURITY",
    ):
        source_world.execute(text)
    has_one = {
        name: bool(_version(source_world, name)) for name in ("parted", "one", "made", "child", "parent", "ruled")
    }
    assert has_one == {"parted": True, "one": True, "made": True, "child": True, "parent": False, "ruled": False}
    before = _version(source_world, "made")
    source_world.execute("REFRESH MATERIALIZED VIEW made")
    assert _version(source_world, "made") != before


@pytest.mark.services("postgres")
def test_postgresql_tells_how_its_values_lie(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    source_world = postgres_world(new_postgres(), tmp_path)
    source_world.execute(
        "CREATE TABLE lies (id int, city text, amount numeric(10,2), day date, at timestamptz, same int, odd date);\n"
        "INSERT INTO lies SELECT n, 'city ' || n % 20, n / 10.0, date '2026-01-01' + n / 100, "
        "timestamptz '2026-01-01 00:00:00+00' + n * interval '1 minute', CASE WHEN n % 4 = 0 THEN 7 END, "
        "CASE WHEN n % 2 = 0 THEN date 'infinity' ELSE date '2026-01-01' END FROM generate_series(1, 10000) n"
    )
    source_world.execute("ANALYZE lies")
    found = source_world.open().describe(source_world.path("lies"))
    assert found is not None
    known = {one.name: one.statistics for one in found.columns}
    assert (known["city"].distinct, known["city"].bounds) == (20, ())
    assert known["same"].nulls == pytest.approx(0.75, abs=0.05)
    assert known["odd"].bounds == ()  # some of its values have no place
    for column, value in {
        "id": 2_500,
        "amount": Decimal(250),
        "day": date(2026, 1, 26),
        "at": datetime(2026, 1, 2, 17, 40, tzinfo=UTC),
    }.items():
        assert known[column].share_between(None, place_of(value)) == pytest.approx(0.25, abs=0.05), column


def _version(source_world: SourceWorld, table: str) -> str:
    found = source_world.open().describe(source_world.path(table))
    assert found is not None
    return found.version
