"""Who uses a source: virtual tables, loads and saved queries, straight and through virtual tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_source import lay_shop
from typer.testing import CliRunner
from version_site import VersionSite, open_version_site

from forge.cli.main import app
from forge.connection import connect
from forge.flows.upkeep.access import TokenScope

SOURCES = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db}
  - {name: safe, connector: sqlite, path: data/till.db, readers: [bob@example.com]}
  - {output: raw.customers, source: till, table: customers}
"""
TABLES = """\
virtual_tables:
  - name: people
    sources: [{alias: c, connector_id: till, table_name: customers}]
    columns: [{name: city, source_column: c.city, data_type: string}]
  - name: cities
    sources: [{alias: p, connector_id: virtual, table_name: people}]
    columns: [{name: city, source_column: p.city, data_type: string}]
  - name: closed
    readers: [bob@example.com]
    sources: [{alias: c, connector_id: till, table_name: customers}]
    columns: [{name: city, source_column: c.city, data_type: string}]
"""
EVE, BOB = "eve@example.com", "bob@example.com"
API = "/api/v1/federation"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    root = tmp_path_factory.mktemp("users") / "shop"
    for folder, text in (("sources", SOURCES), ("virtual_tables", TABLES)):
        (root / folder).mkdir(parents=True)
        (root / folder / "all.yaml").write_text(text)
    lay_shop(root / "data" / "till.db")
    with open_version_site(root) as opened:
        bob = opened.token_of(BOB)
        for name, sql, is_shared in (
            ("straight", "SELECT city FROM till.customers", True),
            ("through", "SELECT city FROM virtual.cities", True),
            ("own", "SELECT city FROM till.customers", False),
            ("other", "SELECT city FROM safe.customers", True),
            ("unreadable", "SELECT till FROM", True),
        ):
            body = {"name": name, "sql": sql, "is_shared": is_shared}
            assert opened.client.post(f"{API}/saved-queries", json=body, headers=bob).status_code == 201
        yield opened


def users(site: VersionSite, source: str, as_: dict[str, str]) -> list[tuple[str, str, list[str]]]:
    found = site.client.get(f"{API}/sources/{source}/users", headers=as_)
    assert found.status_code == 200, found.text
    assert found.json()["total_count"] == len(found.json()["items"])
    return [(one["kind"], one["name"], one["through"]) for one in found.json()["items"]]


OPEN = [
    ("virtual_table", "cities", ["people"]),
    ("virtual_table", "people", []),
    ("load", "raw.customers", []),
    ("saved_query", "straight", []),
    ("saved_query", "through", ["cities", "people"]),
]


def test_a_reader_learns_of_what_is_for_him_page_by_page(site: VersionSite) -> None:
    reader, url = site.token_of(EVE, TokenScope.READ), f"{API}/sources/till/users"
    assert users(site, "till", reader) == OPEN
    first = site.client.get(url, params={"limit": 3}, headers=reader).json()
    assert (len(first["items"]), first["has_more"], first["total_count"]) == (3, True, len(OPEN))
    rest = site.client.get(url, params={"limit": 3, "cursor": first["next_cursor"]}, headers=reader).json()
    assert [one["name"] for one in (*first["items"], *rest["items"])] == [name for _, name, _ in OPEN]
    assert (rest["has_more"], rest["next_cursor"]) == (False, None)


def test_others_learn_of_theirs(site: VersionSite) -> None:
    bob = site.token_of(BOB, TokenScope.READ)
    found = users(site, "TILL", bob)
    assert ("virtual_table", "closed", []) in found
    assert ("saved_query", "own", []) in found
    assert users(site, "safe", bob) == [("saved_query", "other", [])]
    answer = site.client.get(f"{API}/sources/nothing/users")
    assert answer.status_code == 404


def test_terminal_and_python_say_the_same(site: VersionSite) -> None:
    project = ["--project", str(site.root)]
    shown = CliRunner().invoke(app, [*project, "source", "show", "till", "--json"])
    assert shown.exit_code == 0, shown.output
    listed = json.loads(shown.stdout)["used_by"]
    assert [(one["kind"], one["name"]) for one in listed] == [
        *(("virtual_table", name) for name in ("cities", "closed", "people")),
        *(one[:2] for one in OPEN[2:]),
    ]
    with connect(Path(site.root)) as forge:
        assert [one.to_dict() for one in forge.sources.users("till")] == listed
