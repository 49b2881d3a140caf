"""Other names of the rows of a table: views, partitions, children, and tables in which others keep their rows. What a
source keeps back is not read by one of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from asked_plan import explain
from mariadb_server import MariadbServer
from migrated import lay_database
from source_worlds import SECRETS, SourceWorld, mariadb_world, postgres_world, sqlite_world

from forge.federation.policy import Audience, ColumnMask, MaskKind, RowFilter
from forge.federation.source import Source
from forge.flows.federation.query import FederationPorts, QueryRequest, ask
from forge.flows.federation.sources import describe_source
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.model.time import utc_now
from forge.settings import load_settings
from forge.stores.connectors import open_connector
from forge.wiring import Wiring

EVE, ADA = "eve@example.com", "ada@example.com"
NUMBERS = count(1)
BUT_ADA = Audience(except_=(ADA,))
HIDDEN = {"hidden": frozenset({"orders.mail"})}
ONLY_EU = {"rows": (RowFilter("orders", "region = 'EU'", BUT_ADA),)}
HASHED = {"masks": (ColumnMask("orders.mail", MaskKind.HASH, BUT_ADA),)}
ORDERS = "(1, 'EU', 'a@x.example'), (2, 'US', 'b@x.example')"
TABLES = {
    "sqlite": (
        "CREATE TABLE orders (id int, region text, mail text)",
        "CREATE TABLE plain (id int)",
        "CREATE VIEW seen AS SELECT id, region, mail AS contact FROM orders",
        "CREATE VIRTUAL TABLE docs USING fts5(body)",
        "CREATE TABLE notes (docs_content text)",
    ),
    "postgresql": (
        "CREATE TABLE orders (id int, region text, mail text) PARTITION BY LIST (region)",
        "CREATE TABLE orders_eu PARTITION OF orders FOR VALUES IN ('EU')",
        "CREATE TABLE orders_us PARTITION OF orders FOR VALUES IN ('US') PARTITION BY LIST (id)",
        "CREATE TABLE orders_us_2 PARTITION OF orders_us FOR VALUES IN (2)",
        "CREATE TABLE plain (id int)",
        "CREATE VIEW seen AS SELECT id, region, mail AS contact FROM orders",
    ),
    "mysql": (
        "CREATE TABLE orders (id int, region varchar(9), mail varchar(99)) ENGINE = MyISAM",
        "CREATE TABLE plain (id int)",
        "CREATE VIEW seen AS SELECT id, region, mail AS contact FROM orders",
        "CREATE TABLE merged (id int, region varchar(9), mail varchar(99)) ENGINE = MERGE UNION = (orders)",
    ),
}
DERIVED = {
    "sqlite": ("seen", "SEEN", "main.seen", "docs", "docs_content", "Docs_Content"),
    "postgresql": ("seen", "SEEN", "public.seen"),
    "mysql": ("seen", "SEEN", "merged"),
}
EVERY_KIND = (
    "sqlite",
    pytest.param("postgresql", marks=pytest.mark.services("postgres")),
    pytest.param("mysql", marks=pytest.mark.services("mariadb")),
)


@pytest.fixture(params=EVERY_KIND)
def ruled_world(request: pytest.FixtureRequest, tmp_path: Path) -> SourceWorld:
    match request.param:
        case "sqlite":
            made = sqlite_world(tmp_path)
        case "postgresql":
            new: Callable[[], str] = request.getfixturevalue("new_postgres")
            made = postgres_world(new(), tmp_path)
        case _:
            server: MariadbServer = request.getfixturevalue("mariadb_server")
            made = mariadb_world(server, f"derived_{next(NUMBERS)}", tmp_path)
    for text in (*TABLES[made.kind], f"INSERT INTO orders VALUES {ORDERS}", "INSERT INTO plain VALUES (7)"):
        made.execute(text)
    if made.kind == "sqlite":
        made.execute("INSERT INTO docs VALUES ('a@x.example');\nINSERT INTO notes VALUES ('n')")
    return made


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("user: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    made = Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))
    yield made
    made.close()


@pytest.fixture
def asked(ruled_world: SourceWorld, wiring: Wiring) -> Callable[..., FederationPorts]:
    """The ports of Eve, of the source with these rules."""

    def ports(user: str = EVE, **rules: object) -> FederationPorts:
        return replace(
            wiring.federation.query_ports(user=user),
            sources=lambda: {"shop": replace(ruled_world.source, **rules)},  # type: ignore[arg-type]
            connector=lambda source: open_connector(source, ruled_world.root, SECRETS.__getitem__),
        )

    return ports


def rows(ports: FederationPorts, table: str, columns: str = "*") -> list[tuple[object, ...]]:
    request = QueryRequest(f"SELECT {columns} FROM shop.{table}", executor="in-process", cache=False)
    return sorted(ask(ports, request, QueryCaller(ports.user, "test", utc_now)).rows, key=repr)


@pytest.mark.parametrize("rules", [HIDDEN, ONLY_EU, HASHED], ids=["hidden", "rows", "masks"])
def test_what_may_show_rows_of_a_table_with_rules_is_refused(
    asked: Callable[..., FederationPorts], ruled_world: SourceWorld, rules: dict[str, object]
) -> None:
    for name in DERIVED[ruled_world.kind]:
        for read in (rows, lambda ports, name: explain(ports, QueryRequest(f"SELECT 1 AS n FROM shop.{name}"))):
            with pytest.raises(ForgeError) as refused:
                read(asked(**rules), name)
            assert refused.value.code == "E892", name
            assert "@x.example" not in str(refused.value.to_dict())
    assert rows(asked(**rules), "plain") == [(7,)]


def test_without_rules_for_who_asks_it_is_read(asked: Callable[..., FederationPorts], ruled_world: SourceWorld) -> None:
    for ports in (asked(), asked(user=ADA, **ONLY_EU), asked(user=ADA, **HASHED)):
        assert len(rows(ports, "seen")) == 2
    if ruled_world.kind == "sqlite":
        assert rows(asked(**HIDDEN), "notes") == [("n",)]


def test_a_rule_of_its_own_says_what_of_a_view_is_read(asked: Callable[..., FederationPorts]) -> None:
    all_of_it = RowFilter("seen", "true")
    assert rows(asked(**HIDDEN, rows=(all_of_it,)), "seen", "id") == [(1,), (2,)]
    ports = asked(rows=(*ONLY_EU["rows"], RowFilter("seen", "region = 'US'"), all_of_it))
    assert rows(ports, "seen", "id") == [(2,)]
    ports = asked(hidden=frozenset({"orders.mail", "seen.contact"}))
    assert rows(ports, "seen") == [(1, "EU", None), (2, "US", None)]
    with pytest.raises(ForgeError, match="may show"):  # it has no such column
        rows(asked(hidden=frozenset({"orders.mail", "seen.mail"})), "seen")
    with pytest.raises(ForgeError, match="may show"):  # the rule is not for her
        rows(asked(**HIDDEN, rows=(RowFilter("seen", "true", Audience(only=(ADA,))),)), "seen")


def test_a_list_of_tables_tells_no_size_of_what_may_show_others(ruled_world: SourceWorld, wiring: Wiring) -> None:
    source = replace(ruled_world.source, **ONLY_EU)  # type: ignore[arg-type]

    def described(user: str) -> dict[str, int | None]:
        ports = wiring.federation.source_ports(user)

        def opened(one: Source) -> object:
            return open_connector(one, ruled_world.root, SECRETS.__getitem__)

        found = describe_source(
            "shop",
            replace(
                ports,
                files=lambda: type("Files", (), {"sources": (source,), "errors": ()})(),
                open_connector=opened,  # type: ignore[arg-type]
            ),
        )
        return {one.name.path[-1]: one.to_dict()["rows"] for one in found.tables}  # type: ignore[misc]

    told = described(EVE)
    assert {told[name] for name in DERIVED[ruled_world.kind] if name in told} | {told["orders"]} == {None}


@pytest.mark.services("postgres")
@pytest.mark.parametrize("ruled_world", ["postgresql"], indirect=True)
def test_rules_of_a_table_are_those_of_its_partitions(asked: Callable[..., FederationPorts]) -> None:
    for name in ("orders_us", "orders_us_2", "public.orders_us_2", "ORDERS_US_2"):
        assert rows(asked(**ONLY_EU), name) == []
        assert rows(asked(**HIDDEN), name) == [(2, "US", None)]
        ((_, _, mail),) = rows(asked(**HASHED), name)
        assert len(str(mail)) == 32
    assert rows(asked(), "orders_us_2") == [(2, "US", "b@x.example")]


@pytest.mark.services("postgres")
@pytest.mark.parametrize("ruled_world", ["postgresql"], indirect=True)
def test_rules_of_a_partition_hold_where_its_rows_are_read(asked: Callable[..., FederationPorts]) -> None:
    ports = asked(hidden=frozenset({"orders_us_2.mail"}))
    assert [one[2] for one in rows(ports, "orders")] == [None, None]
    assert rows(ports, "orders_eu") == [(1, "EU", "a@x.example")]  # which holds none of them


@pytest.mark.services("postgres")
@pytest.mark.parametrize("ruled_world", ["postgresql"], indirect=True)
def test_children_materialized_views_and_foreign_tables(
    asked: Callable[..., FederationPorts], ruled_world: SourceWorld
) -> None:
    for text in (
        "CREATE TABLE people (mail text)",
        "CREATE TABLE staff (pay int) INHERITS (people)",
        "CREATE TABLE guests (seat int)",
        "CREATE TABLE both_of () INHERITS (staff, guests)",
        "INSERT INTO both_of VALUES ('c@x.example', 5, 1)",
        "CREATE MATERIALIZED VIEW kept AS SELECT mail AS contact FROM people",
        "CREATE FOREIGN DATA WRAPPER nothing",
        "CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing",
        "CREATE FOREIGN TABLE elsewhere (mail text) SERVER nowhere",
        "CREATE TABLE whole (mail text)",
        "CREATE FOREIGN TABLE part () INHERITS (whole) SERVER nowhere",
    ):
        ruled_world.execute(text)
    hidden = asked(hidden=frozenset({"people.mail", "staff.pay"}))
    assert rows(hidden, "both_of") == [(None, None, 1)]
    assert rows(hidden, "guests") == [(1,)]
    assert rows(hidden, "people") == [(None,)]
    filtered = asked(rows=(RowFilter("staff", "pay > 9"),))
    assert rows(filtered, "staff") == rows(filtered, "both_of") == []
    for name in ("people", "guests"):  # whose rows these are, too, and which have no such column
        with pytest.raises(ForgeError, match="does not fit"):
            rows(filtered, name)
    for name in ("kept", "elsewhere", "part", "whole"):
        with pytest.raises(ForgeError) as refused:
            rows(hidden, name)
        assert refused.value.code == "E892", name
