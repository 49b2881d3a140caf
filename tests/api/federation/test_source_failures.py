"""What a failed source tells: an intruder who may read some of it looks for the rest in errors."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from run_site import until
from version_site import VersionSite, open_version_site

from forge.api.federation.routes import query
from forge.flows.federation.query import FederationPorts
from forge.flows.upkeep.access import TokenScope

QUERY = "/api/v1/federation/query"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\nroles: {boss: [ada@example.com]}\n"
SOURCES = """\
sources:
  - {name: born, connector: sqlite, path: data/people.db, masks: [{column: people.born, as: year, except: [boss]}]}
  - {name: near, connector: sqlite, path: data/people.db, rows: [{table: people, filter: "paid < 9", except: [boss]}]}
  - {name: open, connector: sqlite, path: data/people.db}
  - name: list
    connector: files
    path: data/list.csv
    columns: {id: int, city: string, secret: string}
    hidden: [list.secret]
  - {name: gone, connector: sqlite, path: data/very-secret-place.db}
"""
SECRET = "hush-hush"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("told") / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(SOURCES)
        _lay_people(opened.root / "data")
        yield opened


def _lay_people(folder: Path) -> None:
    folder.mkdir()
    with closing(sqlite3.connect(folder / "people.db")) as connection, connection:
        connection.execute("CREATE TABLE people (id INTEGER, paid DECIMAL(9,2), born DATE)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [(1, 5, "1990-02-03"), (2, 90, SECRET)])
    (folder / "list.csv").write_text(f"1,London,{SECRET}\n2,Paris,{SECRET},one too many\n")


@pytest.fixture(scope="module")
def eve(site: VersionSite) -> dict[TokenScope, dict[str, str]]:
    return {scope: site.token_of("eve@example.com", scope) for scope in (TokenScope.READ, TokenScope.WRITE)}


@pytest.mark.parametrize("scope", [TokenScope.READ, TokenScope.WRITE])
@pytest.mark.parametrize("sql", ["SELECT born FROM born.people", "SELECT born FROM near.people", "SELECT id FROM list"])
def test_an_error_has_no_value_that_is_masked_hidden_or_in_a_row_of_others(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]], sql: str, scope: TokenScope
) -> None:
    answer = site.client.post(QUERY, json={"sql": sql, "engine": "in-process", "explain": True}, headers=eve[scope])
    assert answer.json()["code"] in ("FORGE-E310", "FORGE-E210")
    assert SECRET not in answer.text


def test_who_sees_all_of_a_source_is_told_which_value_does_not_fit(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]]
) -> None:
    for sql, headers in (
        ("SELECT born FROM open.people", eve[TokenScope.READ]),
        ("SELECT born FROM near.people", None),
    ):
        answer = site.client.post(QUERY, json={"sql": sql, "engine": "in-process"}, headers=headers)
        assert SECRET in answer.json()["why"]


def test_what_breaks_off_amid_its_rows_tells_a_reader_no_place(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]]
) -> None:
    body = {"sql": "SELECT id FROM list", "engine": "in-process"}
    told = site.client.post(QUERY, json=body, headers=eve[TokenScope.READ]).json()
    assert (told["detail"], told["where"], told["why"]) == ("The source list cannot be read", None, None)
    assert site.client.post(QUERY, json=body).json()["where"] == "sources/all.yaml:5"


# what others are told of a query: it is a run while it works, and when it has ended


ASKED = "SELECT born FROM near.people WHERE id <> 4711"
UNREACHED = "SELECT id FROM gone.people WHERE id <> 4711"
RUNS = "/api/v1/runs"


def ended_query(
    site: VersionSite, sql: str, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str] | None = None
) -> str:
    """One that failed after its id was given to who asked."""
    opened = query._ports

    def slowly(*given: Any) -> FederationPorts:
        time.sleep(0.1)
        return opened(*given)

    monkeypatch.setattr(query, "_ports", slowly)
    monkeypatch.setattr(site.site.executor, "patience", 0.0)
    ticket = site.client.post(QUERY, json={"sql": sql, "engine": "in-process"}, headers=headers)
    assert ticket.status_code == 202, ticket.text
    run_id: str = ticket.json()["run_id"]
    until(lambda: site.client.get(f"{RUNS}/{run_id}").json()["status"] == "failed")
    return run_id


def told_of(site: VersionSite, run_id: str, headers: dict[str, str] | None = None) -> list[str]:
    """All that is said of one run."""
    listed = site.client.get(RUNS, params={"limit": 500}, headers=headers).json()["items"]
    (one,) = [one for one in listed if one["run_id"] == run_id]
    stream = site.client.get(f"{RUNS}/{run_id}/events", headers=headers)
    detail = site.client.get(f"{RUNS}/{run_id}", headers=headers)
    system = site.client.get("/api/v1/system", headers=headers)
    return [repr(one), stream.text, detail.text, system.text]


@pytest.mark.parametrize("sql", [ASKED, UNREACHED])
def test_what_others_ask_and_why_it_failed_is_not_for_who_may_only_read(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]], monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    run_id = ended_query(site, sql, monkeypatch)
    for text in told_of(site, run_id, eve[TokenScope.READ]):
        assert not [word for word in (SECRET, "no such file", "all.yaml", "4711") if word in text]
    told = site.client.get(f"{RUNS}/{run_id}", headers=eve[TokenScope.READ]).json()
    assert told["error"]["code"] in ("FORGE-E310", "FORGE-E308")
    assert (told["error"]["why"], told["error"]["where"], told["text"]) == (None, None, "")
    assert (told["kind"], told["user"], told["status"]) == ("query", "ada@example.com", "failed")


def test_who_may_write_is_told_what_others_ask_and_not_why_it_failed(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = ended_query(site, ASKED, monkeypatch)
    texts = told_of(site, run_id, eve[TokenScope.WRITE])
    assert not [text for text in texts if SECRET in text]
    assert all("4711" in text for text in texts[:3])


def test_who_asked_is_told_why_it_failed(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = ended_query(site, ASKED, monkeypatch)
    assert all(SECRET in text and "4711" in text for text in told_of(site, run_id)[:3])
    own = ended_query(site, UNREACHED, monkeypatch, eve[TokenScope.READ])
    told = site.client.get(f"{RUNS}/{own}", headers=eve[TokenScope.READ]).json()
    assert (told["error"]["what"], told["text"]) == ("The source gone cannot be read", UNREACHED)


def test_a_token_that_may_only_read_is_not_told_what_one_of_the_same_person_that_may_write_was(
    site: VersionSite, eve: dict[TokenScope, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = ended_query(site, UNREACHED, monkeypatch, eve[TokenScope.WRITE])
    assert "no such file" in repr(told_of(site, run_id, eve[TokenScope.WRITE]))
    assert "no such file" not in repr(told_of(site, run_id, eve[TokenScope.READ]))


# what the pages of sources and virtual tables tell


SOURCES_API, VIRTUAL_API = "/api/v1/federation/sources", "/api/v1/federation/virtual-tables"
BROKEN = """\
sources:
  - {name: missing, connector: files, path: secret-place/none.csv, columns: {id: int}}
  - {name: torn, connector: files, path: secret-place/torn.parquet}
  - {name: marked, connector: delta, path: secret-place/marked}
  - {name: down, connector: postgresql, url: "jdbc:postgresql://127.0.0.1:9/secret-place"}
  - {name: lost, connector: postgresql, url: "jdbc:postgresql://127.0.0.1:9/shop", password: "file:secret-place/key"}
"""
DATABASES = ("down", "lost")
NAMES = ("missing", "torn", "marked", "down", "lost")


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    """Sources that cannot be read, each for a reason of its own, and virtual tables over them."""
    with open_version_site(tmp_path_factory.mktemp("broken") / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(BROKEN)
        table = pa.table({"id": pa.array([1, 2], pa.int64())})
        write_deltalake(opened.root / "secret-place" / "marked", table)
        log = opened.root / "secret-place" / "marked" / "_delta_log" / f"{1:020}.json"
        features = ["vacuumProtocolCheck", "ofTomorrow"]  # which neither engine reads
        protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features}
        log.write_text(json.dumps({"protocol": {**protocol, "writerFeatures": features}}))
        (opened.root / "secret-place" / "torn.parquet").write_bytes(b"PAR1 secret-place PAR1")
        (opened.root / "virtual_tables").mkdir()
        for name in NAMES:
            table = f", table_name: {name}" if name in DATABASES else ""
            made = f"sources: [{{connector_id: {name}{table}, alias: t}}], columns: [{{name: id, source_column: t.id}}]"
            (opened.root / "virtual_tables" / f"{name}.yaml").write_text(
                f"virtual_tables: [{{name: v_{name}, {made}}}]"
            )
        yield opened


@pytest.mark.parametrize("name", NAMES)
def test_pages_of_a_source_tell_a_reader_that_it_cannot_be_read_and_no_more(broken: VersionSite, name: str) -> None:
    reader = broken.token_of(f"eve-{name}@example.com", TokenScope.READ)
    table = f"{name}.{name}" if name in DATABASES else name
    plan = broken.client.post(f"{QUERY}/explain", json={"sql": f"SELECT id FROM {table}"}, headers=reader)
    told = [
        broken.client.get(f"{SOURCES_API}/{name}/{path}", headers=reader) for path in ("tables", "tables/t", "drift")
    ]
    told += [broken.client.get(f"{VIRTUAL_API}/v_{name}/{path}", headers=reader) for path in ("drift", "rows")]
    failed = [answer for answer in (*told, plan) if answer.status_code >= 400]
    unknown = [answer for answer in failed if answer.json()["code"] == "FORGE-E887"]  # who has no table is not asked
    assert (len(failed) >= 5, len(unknown) <= 1) == (True, True), [answer.text for answer in told]
    for answer in failed:
        found = answer.json()
        if answer in unknown:
            continue
        assert (found["detail"], found["where"], found["why"]) == (f"The source {name} cannot be read", None, None)
        assert not [word for word in ("secret-place", "127.0.0.1", str(broken.root), "eletion") if word in answer.text]
    for answer in (*told, plan):
        assert "secret-place" not in answer.text
