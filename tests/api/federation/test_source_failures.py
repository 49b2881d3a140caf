"""What a failed source tells: an intruder who may read some of it looks for the rest in errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from version_site import VersionSite, open_version_site

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
