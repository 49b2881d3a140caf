"""Kept results of queries: the same rows with and without them, never of before a change, nor for others' rights."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from asked_plan import explain
from migrated import lay_database
from pyiceberg.catalog.sql import SqlCatalog

from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.cache_upkeep import cache_stats, forget_results
from forge.flows.federation.query import FederationPorts, QueryAnswer, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

SOURCES = """
sources:
  - {name: crm, connector: sqlite, path: data/crm.db}
  - {name: vault, connector: sqlite, path: data/crm.db, readers: [ada@example.com]}
  - {name: slow, connector: sqlite, path: data/crm.db, cache_ttl_seconds: 60}
  - name: rates
    connector: files
    path: data/rates.csv
    columns: {country: string, rate: double}
    options: {header: "true"}
"""
PEOPLE = "SELECT id, name, mail FROM crm.people ORDER BY id"
ADA, EVE = "ada@example.com", "eve@example.com"


class Now:
    def __init__(self) -> None:
        self.at = datetime(2026, 11, 19, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def wiring(tmp_path: Path, now: Now) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    for folder in ("data", "sources"):
        (tmp_path / folder).mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    (tmp_path / "data" / "rates.csv").write_text("country,rate\nDE,1.19\nFR,1.20\n")
    change(tmp_path, "CREATE TABLE people (id INTEGER NOT NULL, name TEXT, country TEXT, mail TEXT)")
    change(tmp_path, "CREATE VIEW moments AS SELECT id, random() AS r FROM people")
    change(tmp_path, "INSERT INTO people VALUES (1, 'Ada', 'DE', 'ada@x'), (2, 'Bob', 'FR', NULL)")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(open_project(tmp_path, now)) as made:
        yield made


def open_project(root: Path, now: Now) -> Wiring:
    return Wiring(load_settings(root, {"PATH": "", "HOME": "/nowhere"}), now)


def change(root: Path, text: str) -> None:
    with closing(sqlite3.connect(root / "data" / "crm.db")) as crm, crm:
        crm.execute(text)


def answer(wiring: Wiring, sql: str = PEOPLE, *, user: str = ADA, hidden: Any = None, **more: Any) -> QueryAnswer:
    ports = wiring.federation.query_ports(user=user, hidden=hidden)
    return asked(ports, wiring, QueryRequest(sql, executor="in-process", **more), user)


def asked(ports: FederationPorts, wiring: Wiring, request: QueryRequest, user: str = ADA) -> QueryAnswer:
    return ask(ports, request, QueryCaller(user, "test", wiring.clock))


def states(wiring: Wiring, *texts: str, **more: Any) -> list[str]:
    return [answer(wiring, text, **more).cache for text in texts]


def commit_orders(wiring: Wiring, table: pa.Table) -> None:
    catalog = SqlCatalog("forge", uri=str(wiring.database.url), warehouse=str(wiring.settings.warehouse_path()))
    if not catalog.namespace_exists("core"):
        catalog.create_namespace("core")
        catalog.create_table(("core", "orders"), table.schema)
    catalog.load_table(("core", "orders")).append(table)
    catalog.engine.dispose()


def test_the_same_question_is_answered_without_reading_again(wiring: Wiring) -> None:
    first, second = answer(wiring), answer(wiring)
    assert (first.cache, second.cache) == ("miss", "hit")
    assert first.rows == second.rows == ((1, "Ada", "ada@x"), (2, "Bob", None))
    assert first.schema == second.schema
    assert first.table is not None
    assert second.table is not None
    assert second.table.equals(first.table)
    assert sum(first.rows_read.values()) == 2
    assert sum(second.rows_read.values()) == 0
    assert (second.executor, second.why) == (first.executor, first.why)


def test_an_answer_says_how_long_it_is_kept(wiring: Wiring, now: Now) -> None:
    day = now.at + timedelta(days=1)
    assert answer(wiring).kept_until == day
    now.at += timedelta(hours=1)
    assert (answer(wiring).cache, answer(wiring).kept_until) == ("hit", day)
    assert answer(wiring, cache=False).kept_until is None


def test_all_types_come_back_as_they_were(wiring: Wiring) -> None:
    sql = (
        "SELECT p.id, CAST(p.id AS DECIMAL(12,3)) AS d, DATE '2024-02-29' AS day, TIMESTAMP '2024-10-27 02:30:00' AS t,"
        " TIMESTAMP_NTZ '2024-10-27 02:30:00' AS local, p.id > 1 AS yes, NULL AS none,"
        " p.id * 1.5D AS f, p.name AS name, p.name AS name FROM crm.people p WHERE p.id < 0 OR p.id = 1"
    )
    first, second = answer(wiring, sql), answer(wiring, sql)
    assert second.cache == "hit"
    assert repr(first.rows) == repr(second.rows)
    assert first.schema == second.schema


def test_other_processes_share_it(wiring: Wiring, now: Now) -> None:
    answer(wiring)
    with closing(open_project(wiring.root, now)) as other:
        assert answer(other).cache == "hit"


def test_spaces_make_no_difference_and_values_do(wiring: Wiring) -> None:
    sql = "SELECT id FROM crm.people WHERE id = :id"
    assert states(wiring, sql, "select  id\nfrom crm.people where id=:id", parameters={"id": 1}) == ["miss", "hit"]
    assert answer(wiring, sql, parameters={"id": 2}).rows == ((2,),)
    assert answer(wiring, sql, parameters={"id": Decimal(1)}).cache == "miss"
    assert answer(wiring, "SELECT id FROM crm.people", limit=1).cache == "miss"
    assert len(answer(wiring, "SELECT id FROM crm.people").rows) == 2


def test_who_wants_it_fresh_gets_it_fresh(wiring: Wiring) -> None:
    assert answer(wiring, cache=False).cache == "off"
    assert answer(wiring).cache == "miss"
    fresh = answer(wiring, cache=False)
    assert (fresh.cache, sum(fresh.rows_read.values())) == ("off", 2)


def test_a_change_of_the_source_is_seen(wiring: Wiring) -> None:
    answer(wiring)
    change(wiring.root, "UPDATE people SET name = 'Eva' WHERE id = 1")
    found = answer(wiring)
    assert (found.cache, found.rows[0][1]) == ("miss", "Eva")
    assert answer(wiring).cache == "hit"


def test_a_change_in_the_log_of_a_database_is_seen(wiring: Wiring) -> None:
    with closing(sqlite3.connect(wiring.root / "data" / "crm.db")) as open_one:
        open_one.execute("PRAGMA journal_mode = WAL")
        for turn in range(6):
            open_one.execute("UPDATE people SET name = ? WHERE id = 1", (f"n{turn}",))
            open_one.commit()
            if turn == 3:
                open_one.execute("PRAGMA wal_checkpoint(RESTART)")
            found = answer(wiring)
            assert (found.cache, found.rows[0][1]) == ("miss", f"n{turn}")
            assert answer(wiring).cache == "hit"


def test_a_file_that_was_written_again_is_seen_though_its_time_and_size_are_the_same(wiring: Wiring) -> None:
    sql, file = "SELECT country, rate FROM rates ORDER BY country", wiring.root / "data" / "rates.csv"
    assert states(wiring, sql, sql) == ["miss", "hit"]
    before = file.stat()
    file.write_text(file.read_text().replace("1.19", "1.07"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    found = answer(wiring, sql)
    assert (found.cache, found.rows[0]) == ("miss", ("DE", 1.07))


def test_what_changes_while_it_is_read_is_not_kept(wiring: Wiring) -> None:
    ports = wiring.federation.query_ports(user=ADA)
    executor = ports.in_process()
    plain = executor.run

    def run(*given: Any) -> Any:
        found = plain(*given)
        change(wiring.root, "UPDATE people SET name = 'Eva' WHERE id = 1")
        return found

    executor.run = run  # type: ignore
    state = asked(ports, wiring, QueryRequest(PEOPLE, executor="in-process")).cache
    assert state == "not cacheable (crm.people changed while it was read)"
    assert answer(wiring).rows[0][1] == "Eva"


def test_a_view_of_a_database_may_change_by_itself(wiring: Wiring) -> None:
    why = "not cacheable (crm cannot tell when crm.moments changes, and has no cache_ttl_seconds)"
    assert states(wiring, *["SELECT id FROM crm.moments"] * 2) == [why, why]


def test_a_source_that_cannot_tell_is_asked_again_after_its_time(wiring: Wiring, now: Now) -> None:
    sql = "SELECT id FROM slow.moments ORDER BY id"
    assert states(wiring, sql, sql) == ["miss", "hit"]
    now.at += timedelta(seconds=59)
    assert answer(wiring, sql).cache == "hit"
    now.at += timedelta(seconds=2)
    assert answer(wiring, sql).cache == "miss"


def test_snapshots_of_the_lake_tell_exactly(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = pa.table({"id": pa.array([1, 2], pa.int64()), "day": pa.array([date(2026, 1, 1)] * 2, pa.date32())})
    commit_orders(wiring, orders)
    joined = "SELECT count(*) AS n FROM core.orders o JOIN crm.people p ON p.id = o.id"
    assert states(wiring, joined, joined) == ["miss", "hit"]
    commit_orders(wiring, orders)
    found = answer(wiring, joined)
    assert (found.cache, found.rows) == ("miss", ((4,),))
    alone = "SELECT count(*) AS n FROM core.orders"
    quick = "not cacheable (the lake alone was asked, and it was quick)"
    assert states(wiring, alone, alone) == [quick, quick]
    monkeypatch.setattr("forge.flows.federation.kept_results.SLOW_SECONDS", 0.0)
    assert states(wiring, alone, alone) == ["miss", "hit"]


@pytest.mark.parametrize(
    "expression",
    [
        "current_date()",
        "current_date",
        "current_timestamp()",
        "now()",
        "rand()",
        "randn(3)",
        "uuid()",
        "shuffle(array(1, 2))",
        "current_user()",
        "current_timezone()",
        "unix_timestamp()",
        "localtimestamp()",
        "my_function(id)",
        "DATE 'today'",
        "TIMESTAMP ' now'",
        "version()",
        "input_file_name()",
    ],
)
def test_what_is_not_the_same_each_time_is_not_kept(wiring: Wiring, expression: str) -> None:
    sql = f"SELECT {expression} AS x FROM crm.people"
    ports = wiring.federation.query_ports(user=ADA)
    assert explain(ports, QueryRequest(sql)).cache.startswith("not cacheable ("), sql  # type: ignore[union-attr]


def test_a_sample_is_not_kept(wiring: Wiring) -> None:
    found = explain(wiring.federation.query_ports(), QueryRequest("SELECT id FROM crm.people TABLESAMPLE (5 ROWS)"))
    assert (found.cache or "").startswith("not cacheable (")


def test_values_of_parameters_that_mean_another_time_later_are_not_kept(wiring: Wiring) -> None:
    sql = "SELECT id FROM crm.people WHERE name = :x"
    assert answer(wiring, sql, parameters={"x": "today"}).cache.startswith("not cacheable (")


def test_who_may_read_less_gets_less(wiring: Wiring) -> None:
    """An intruder asks what was just answered for another: by his name, with masks, and of a source that is not his."""
    assert answer(wiring).rows[0] == (1, "Ada", "ada@x")
    source = wiring.root / "sources" / "all.yaml"
    source.write_text(SOURCES.replace("path: data/crm.db}", "path: data/crm.db, hidden: [people.mail]}", 1))
    masked = answer(wiring, user=EVE)
    assert (masked.cache, masked.rows[0]) == ("miss", (1, "Ada", None))
    assert answer(wiring, user=EVE).cache == "hit"
    source.write_text(SOURCES)
    assert answer(wiring).rows[0] == (1, "Ada", "ada@x")

    secret = "SELECT mail FROM vault.people"
    answer(wiring, secret)
    assert answer(wiring, secret).cache == "hit"
    for text in (secret, secret.lower(), "SELECT MAIL FROM `Vault`.PEOPLE", f"WITH x AS ({secret}) SELECT * FROM x"):
        with pytest.raises(ForgeError) as caught:
            answer(wiring, text, user=EVE)
        assert caught.value.code == "E885"
    source.write_text(SOURCES.replace("readers: [ada@example.com]", "readers: [eve@example.com]"))
    with pytest.raises(ForgeError) as caught:
        answer(wiring, secret)
    assert caught.value.code == "E885"


def test_rows_and_masks_by_role_are_never_anothers(wiring: Wiring, now: Now) -> None:
    """An intruder asks, letter by letter, what was just answered for a role that may see more; then roles change."""
    rules = "rows: [{table: people, filter: \"country = 'DE'\", except: [owners]}]"
    masks = "masks: [{column: people.mail, as: hash, except: [owners]}]"
    source = wiring.root / "sources" / "all.yaml"
    source.write_text(SOURCES.replace("path: data/crm.db}", f"path: data/crm.db, {rules}, {masks}}}", 1))

    def rows_as(user: str, roles: str, state: str) -> list[tuple[object, ...]]:
        text = f"project: x\nuser: {{name: Ada, email: {ADA}}}\nroles: {{owners: {roles}}}\n"
        (wiring.root / "forge.yaml").write_text(text)
        with closing(open_project(wiring.root, now)) as opened:
            found = answer(opened, user=user)
        assert found.cache == state
        return [(*row[:2], row[2] if row[2] in ("ada@x", None) else "hash") for row in found.rows]

    all_rows, part = [(1, "Ada", "ada@x"), (2, "Bob", None)], [(1, "Ada", "hash")]
    assert rows_as(ADA, f"[{ADA}]", "miss") == all_rows
    assert rows_as(EVE, f"[{ADA}]", "miss") == part
    assert rows_as(EVE, f"[{ADA}]", "hit") == part
    assert rows_as(ADA, f"[{ADA}]", "hit") == all_rows
    assert rows_as("bob@example.com", f"[{ADA}]", "hit") == part  # with the same rights as Eve
    assert rows_as(ADA, f"[{EVE}]", "hit") == part
    assert rows_as(EVE, f"[{EVE}]", "hit") == all_rows


def test_personal_data_of_the_lake_that_was_found_since_is_not_shown(wiring: Wiring) -> None:
    commit_orders(wiring, pa.table({"id": pa.array([1], pa.int64()), "mail": pa.array(["ada@x"])}))
    sql = "SELECT o.mail FROM core.orders o JOIN crm.people p ON p.id = o.id"
    assert answer(wiring, sql).rows == (("ada@x",),)
    hidden = PersonalColumns(frozenset({("core.orders", "mail")}))
    for _ in range(2):
        assert answer(wiring, sql, hidden=hidden, user=EVE).rows == ((None,),)
    assert answer(wiring, sql).rows == (("ada@x",),)


def test_who_asked_what_is_in_the_audit_all_the_same(wiring: Wiring) -> None:
    answer(wiring)
    answer(wiring, user=EVE)
    hit, miss = wiring.metadata.audit(limit=2)
    assert (miss.actor, miss.detail["cache"], miss.detail["rows"]) == (ADA, "miss", 2)
    assert (hit.actor, hit.detail["cache"], hit.detail["rows"]) == (EVE, "hit", 2)
    assert (hit.detail["text"], hit.detail["sources"], hit.detail["rows_read"]) == (PEOPLE, ["crm"], 0)


def test_results_are_let_go_of_by_source_and_by_table(wiring: Wiring) -> None:
    def forget(source: str = "", table: str = "") -> int:
        results = wiring.federation.results
        return forget_results(results, wiring.metadata, wiring.clock, EVE, source=source, table=table)

    rates = "SELECT rate FROM rates"
    states(wiring, PEOPLE, rates)
    assert forget(source="CRM", table="people") == 1
    assert states(wiring, PEOPLE, rates) == ["miss", "hit"]
    assert forget(source="rates") == 1
    assert forget(table="People") == 1
    assert forget(source="nobody") == 0
    states(wiring, PEOPLE, rates)
    assert forget() == 2
    noted = wiring.metadata.audit(limit=1)[0]
    assert (noted.actor, noted.action, noted.detail["removed"]) == (EVE, "cache.invalidate", 2)
    assert cache_stats(wiring.federation.results).entries == 0


def test_results_of_a_source_that_is_changed_or_removed_are_gone(wiring: Wiring) -> None:
    from forge.flows.federation.sources import change_source, create_source, drop_source

    ports = wiring.federation.source_ports()
    create_source({"name": "mine", "connector": "sqlite", "path": "data/crm.db"}, ports)
    sql = "SELECT id FROM mine.people"
    assert states(wiring, sql, sql) == ["miss", "hit"]
    change_source("mine", {"hidden": ["people.id"]}, ports)
    assert cache_stats(wiring.federation.results).entries == 0
    assert answer(wiring, sql).rows == ((None,), (None,))
    drop_source("mine", ports)
    assert cache_stats(wiring.federation.results).entries == 0


def test_a_large_result_is_not_kept(wiring: Wiring) -> None:
    ports = wiring.federation.query_ports(user=ADA)
    assert ports.cache is not None
    small = replace(ports, cache=replace(ports.cache, max_entry_bytes=10))
    state = asked(small, wiring, QueryRequest(PEOPLE, executor="in-process")).cache
    assert state.startswith("not cacheable (its rows have ")


def test_files_are_for_their_owner_alone(wiring: Wiring) -> None:
    answer(wiring)
    folder = wiring.root / ".forge" / "results"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = list(folder.iterdir())
    assert any(one.suffix == ".arrow" for one in files)
    assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}


def test_bytes_that_nobody_here_wrote_are_a_miss(wiring: Wiring) -> None:
    answer(wiring)
    results = wiring.federation.results
    assert results is not None
    use: Any = None
    from forge.flows.federation import kept_results

    with pytest.MonkeyPatch.context() as patch:
        plain = results.look

        def look(key: str) -> Any:
            nonlocal use
            use = key
            return plain(key)

        patch.setattr(results, "look", look)
        answer(wiring)
    for body in (b"", b"\x80\x04pickle", b"not arrow at all"):
        results.put(use, body, tags=(), expires=wiring.clock() + timedelta(hours=1), mark=results.look("x").mark)
        assert answer(wiring).cache == "miss"
        assert answer(wiring).cache == "hit"
    assert kept_results._result_of(b"") is None


def test_a_store_that_does_not_work_stops_no_query(wiring: Wiring) -> None:
    folder = wiring.root / ".forge" / "results"
    folder.write_text("a file, where a folder belongs")
    found = answer(wiring)
    assert len(found.rows) == 2
    assert found.cache == "off (The cache of results (disk) does not answer)"


def test_an_explanation_says_whether_there_is_a_result(wiring: Wiring) -> None:
    ports = wiring.federation.query_ports(user=ADA)
    request = QueryRequest(PEOPLE, executor="in-process")
    assert explain(ports, request).to_dict()["cache"] == "miss"
    asked(ports, wiring, request)
    found = explain(ports, request)
    assert found.to_dict()["cache"] == "hit"
    assert found.text().endswith("Cache: hit")
    assert cache_stats(wiring.federation.results).hits == 0


def test_a_virtual_table_may_say_that_its_results_are_not_kept_or_not_for_long(wiring: Wiring, now: Now) -> None:
    from forge.flows.federation.kept_results import CachePolicy, KeptResult, look_up
    from forge.flows.federation.opened_query import open_query

    ports = wiring.federation.query_ports(user=ADA)
    found = answer(wiring, cache=False)
    result = KeptResult(schema=found.schema, table=found.table, executor=found.executor, why=found.why)
    with open_query(ports, QueryRequest(PEOPLE), []) as query:
        plain = query.question
        assert plain is not None
        off = look_up(ports.cache, replace(plain, policies=(CachePolicy("people_now", False, 60),)))
        assert off.state == "not cacheable (people_now says so)"
        brief = replace(plain, policies=(CachePolicy("people_now", True, 60), CachePolicy("other", True, 600)))
        use = look_up(ports.cache, brief)
        assert use.keep(result, 0.0, query.version_now).kept_until == now.at + timedelta(seconds=60)
        now.at += timedelta(seconds=59)
        assert look_up(ports.cache, brief).state == "hit"
        now.at += timedelta(seconds=2)
        assert look_up(ports.cache, brief).state == "miss"
        look_up(ports.cache, brief).keep(result, 0.0, query.version_now)
        assert wiring.federation.results is not None
        assert forget_results(wiring.federation.results, wiring.metadata, now, ADA, table="People_Now") == 1


def test_a_condition_on_the_rows_of_a_reader_is_part_of_the_question(wiring: Wiring) -> None:
    """Whatever a relation or a fragment says of who asks is in the key, whether or not it shows in the tree."""
    from sqlglot import parse_one

    from forge.flows.federation.kept_results import look_up
    from forge.flows.federation.opened_query import open_query

    ports = wiring.federation.query_ports(user=ADA)
    with open_query(ports, QueryRequest(PEOPLE), []) as query:
        plain = query.question
        assert plain is not None
        (name,) = plain.relations
        others = [
            replace(plain, relations={name: replace(plain.relations[name], hidden=frozenset({"name"}))}),
            replace(plain, relations={name: replace(plain.relations[name], version="another")}),
            replace(plain, sources={"crm": replace(plain.sources["crm"], readers=(ADA,))}),
            replace(plain, sources={"crm": replace(plain.sources["crm"], user="env:PATH")}),
            replace(plain, asked=(*plain.asked, "a role")),
            replace(plain, parameters={"x": True}),
            replace(plain, parameters={"x": 1}),
            replace(plain, plan=replace(plain.plan, rest=parse_one("SELECT 1 AS one", read="spark"))),  # type: ignore
        ]
        keys = [look_up(ports.cache, one).key for one in (plain, *others)]
        estimate = replace(plain, relations={name: replace(plain.relations[name], rows=7, bytes=8)})
        assert look_up(ports.cache, estimate).key == keys[0]
    assert len(set(keys)) == len(keys)
    assert all(keys)


@pytest.mark.services("redis")
def test_servers_on_several_machines_share_results_in_redis(wiring: Wiring, now: Now) -> None:
    from redis_server import running_redis

    yaml = wiring.root / "forge.yaml"
    yaml.write_text(yaml.read_text() + "federation: {cache: {store: redis, url: 'env:WHERE'}}\n")
    with running_redis() as server:
        environ = {"PATH": "", "HOME": "/nowhere", "WHERE": server.url}
        settings = load_settings(wiring.root, environ)
        with closing(Wiring(settings, now, environ)) as one, closing(Wiring(settings, now, environ)) as other:
            assert answer(one).cache == "miss"
            found = answer(other)
            assert (found.cache, found.rows) == ("hit", answer(wiring, cache=False).rows)
            assert cache_stats(other.federation.results).store == "redis"
            change(wiring.root, "UPDATE people SET name = 'Eva' WHERE id = 1")
            assert answer(other).rows[0][1] == "Eva"
            server.stop()
            down = answer(one)
            assert (down.cache, down.rows[0][1]) == ("off (The cache of results (redis) does not answer)", "Eva")
    assert not (wiring.root / ".forge" / "results").exists()


def test_a_password_in_the_address_of_redis_is_refused(wiring: Wiring) -> None:
    yaml = wiring.root / "forge.yaml"
    yaml.write_text("project: x\nfederation: {cache: {store: redis, url: 'redis://:only-for-tests@h:6379/0'}}\n")
    with pytest.raises(ForgeError) as caught:
        load_settings(wiring.root, {"PATH": "", "HOME": "/nowhere"})
    assert caught.value.code == "E106"
    assert "only-for-tests" not in str(caught.value)


def test_what_a_virtual_table_says_of_its_results_holds(wiring: Wiring, now: Now) -> None:
    from forge.flows.federation.virtual_tables import create_virtual_table

    ports = wiring.federation.virtual_ports()
    said: dict[str, dict[str, object]] = {"brief": {"cache_ttl_seconds": 60}, "never": {"cache_enabled": False}}
    for name, more in said.items():
        fields: dict[str, object] = {
            "name": name,
            "sources": [{"alias": "p", "connector_id": "crm", "table_name": "people"}],
            "columns": [{"name": "id", "source_column": "p.id"}],
        }
        create_virtual_table({**fields, **more}, ports)
    brief, never = "SELECT id FROM virtual.brief", "SELECT id FROM virtual.never"
    assert states(wiring, brief, brief) == ["miss", "hit"]
    now.at += timedelta(seconds=61)
    assert answer(wiring, brief).cache == "miss"
    assert states(wiring, never, never) == ["not cacheable (never says so)"] * 2
    forget_results(wiring.federation.results, wiring.metadata, now, ADA, table="brief")
    assert cache_stats(wiring.federation.results).entries == 0
