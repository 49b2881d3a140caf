"""Kept results over HTTP: hits, counts, letting go of them, and what an intruder gets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlite_source import alter, lay_shop
from version_site import VersionSite, open_version_site

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
SOURCES = """\
sources:
  - {name: till, connector: sqlite, path: data/till.db}
  - {name: safe, connector: sqlite, path: data/till.db, readers: [bob@example.com]}
"""
SQL = "SELECT id, email FROM till.customers ORDER BY id"

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(SOURCES)
        lay_shop(opened.root / "data" / "till.db")
        yield opened


def ask(site: VersionSite, sql: str, as_: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
    answer = site.client.post(f"{API}/query", json={"sql": sql, "engine": "in-process", **body}, headers=as_)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def forget(site: VersionSite, as_: dict[str, str] | None = None, **body: Any) -> Any:
    return site.client.post(f"{API}/cache/invalidate", json=body, headers=as_)


def stats(site: VersionSite, as_: dict[str, str] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = site.client.get(f"{API}/cache/stats", headers=as_).json()
    return found


def test_a_result_is_kept_until_its_source_changes_or_it_is_let_go_of(site: VersionSite) -> None:
    # The server remembers the answer of the same request for a moment by itself: another limit, another request.
    first, second = ask(site, SQL), ask(site, SQL + " ")
    assert (first["cache"], second["cache"]) == ("miss", "hit")
    assert first["kept_until"] == second["kept_until"] > "2026"
    assert ask(site, SQL, cache=False)["cache"] == "off"
    assert stats(site)["entries"] == 1
    alter(site.root / "data" / "till.db", "UPDATE customers SET email = 'new@example.com'")
    found = ask(site, f"{SQL}  ")
    assert (found["cache"], found["items"][0]["email"]) == ("miss", "new@example.com")
    assert forget(site, source_id="till", table="customers").json() == {"removed": 2}
    assert ask(site, f"\n{SQL}")["cache"] == "miss"
    assert forget(site).json() == {"removed": 1}
    plan = site.client.post(f"{API}/query/explain", json={"sql": SQL}).json()
    assert plan["cache"] == "miss"


def test_who_may_only_read_lets_go_of_nothing(site: VersionSite) -> None:
    reader = site.token_of("eve@example.com", TokenScope.READ)
    ask(site, SQL)
    for body in ({}, {"source_id": "till"}, {"table": "customers"}):
        assert forget(site, reader, **body).status_code == 403
    assert stats(site, reader)["entries"] == 1
    assert set(stats(site, reader)) == {"store", "entries", "bytes", "max_bytes", "hits", "misses", "evictions"}
    nobody = {"Authorization": "Bearer nonsense"}
    assert site.client.get(f"{API}/cache/stats", headers=nobody).status_code == 401
    assert forget(site, nobody).status_code == 401


def test_a_wrong_body_is_refused(site: VersionSite) -> None:
    assert forget(site, source="till").status_code == 422
    assert forget(site, source_id=["till"]).status_code == 422


def test_nobody_gets_the_rows_of_another_with_more_rights(site: VersionSite) -> None:
    secret = "SELECT email FROM safe.customers ORDER BY id"
    bob, eve = site.token_of("bob@example.com", TokenScope.READ), site.token_of("eve@example.com", TokenScope.READ)
    assert ask(site, secret, bob)["cache"] == "miss"
    assert ask(site, secret + " ", bob)["cache"] == "hit"
    for text in (secret, secret + " ", secret.upper().replace("SAFE", "safe")):
        refused = site.client.post(f"{API}/query", json={"sql": text, "engine": "in-process"}, headers=eve)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORGE-E885")
    assert ask(site, SQL, bob)["items"][0]["email"] is not None
    hidden = SOURCES.replace("path: data/till.db}", "path: data/till.db, hidden: [customers.email]}", 1)
    (site.root / "sources" / "all.yaml").write_text(hidden)
    for who in (bob, eve):
        assert {row["email"] for row in ask(site, SQL, who)["items"]} == {None}


def test_how_many_results_a_source_of_others_has_is_not_told(site: VersionSite) -> None:
    bob, eve = (site.token_of(f"{name}@example.com") for name in ("bob", "eve"))
    ask(site, "SELECT id FROM safe.customers", bob)
    for body in ({"source_id": "safe"}, {"source_id": "SAFE", "table": "customers"}):
        refused = forget(site, eve, **body)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORGE-E885")
        assert "removed" not in refused.json()
    assert forget(site, eve, table="customers").json() == {"removed": 0}
    ask(site, "SELECT id FROM till.customers")
    assert forget(site, eve, table="customers").json() == {"removed": 1}
    assert forget(site, bob, source_id="safe").json() == {"removed": 1}
