"""Delta tables as sources over HTTP: what they may reach, and what an intruder gets."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from version_site import VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation/sources"
QUERY = "/api/v1/federation/query"
EVENTS = {"name": "events", "connector": "delta", "path": "data/shared/events"}
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\nfederation: {folders: [data/shared]}\n"

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop", YAML) as opened:
        for place in ("data/shared/events", "data/own/events"):
            table = pa.table({"id": pa.array([1, 2], pa.int64()), "mail": ["ada@example.com", None]})
            write_deltalake(opened.root / place, table)
        yield opened


def ask(site: VersionSite, as_: dict[str, str] | None = None) -> Any:
    body = {"sql": "SELECT * FROM events ORDER BY id", "engine": "in-process"}
    return site.client.post(QUERY, json=body, headers=as_)


def test_a_delta_table_is_made_tested_shown_and_asked(site: VersionSite) -> None:
    made = site.client.post(API, json={**EVENTS, "options": {"versionAsOf": "0"}, "hidden": ["events.mail"]})
    assert made.status_code == 201, made.text
    assert site.client.post(f"{API}/events/test").json()["answered"] == "Delta Lake, version 0"
    (table,) = site.client.get(f"{API}/events/tables").json()["items"]
    assert (table["table"], table["rows"], [one["hidden"] for one in table["columns"]]) == ("", 2, [False, True])
    reader = site.token_of("eve@example.com", TokenScope.READ)
    assert ask(site, reader).json()["rows"] == [[1, None], [2, None]]
    assert site.client.get(f"{API}/events", headers=reader).json()["path"] is None


@pytest.mark.parametrize(
    "changed",
    [
        {"path": "data/own/events"},
        {"path": "data/shared/../own/events"},
        {"path": "/etc"},
        {"path": ".forge/warehouse/core/orders"},
        {"path": "~/events"},
        {"path": "file:data/own/events"},
        {"options": {"versionAsOf": "env:HOME"}},
        {"options": {"AWS_ENDPOINT_URL": "http://evil.example"}},
    ],
)
def test_it_reaches_nothing_that_the_operator_did_not_name(site: VersionSite, changed: dict[str, object]) -> None:
    refused = site.client.post(API, json={**EVENTS, **changed})
    assert refused.status_code in (403, 422)
    assert any(code in refused.text for code in ("E886", "E880"))
    assert site.client.get(API).json()["items"] == []


def test_links_are_looked_at_each_time_it_is_opened(site: VersionSite) -> None:
    folder, secret = site.root / "data" / "shared" / "events", site.root / "data" / "own" / "events"
    assert site.client.post(API, json=EVENTS).status_code == 201
    assert len(ask(site).json()["rows"]) == 2
    (file,) = folder.glob("*.parquet")
    file.unlink()
    file.symlink_to(next(secret.glob("*.parquet")))
    problem(ask(site), 403, "E886")
    shutil.rmtree(folder)
    folder.symlink_to(secret)
    problem(ask(site), 403, "E886")
    problem(site.client.post(f"{API}/events/test"), 403, "E886")
    problem(site.client.get(f"{API}/events/tables"), 403, "E886")


@pytest.fixture
def linked(site: VersionSite) -> VersionSite:
    """`in` leads by a link of its own to `other`, which is allowed, too; a link in there leads out."""
    shared, own = site.root / "data" / "shared", site.root / "data" / "own"
    (own / "secret.csv").write_text("id\n4711\n")
    for name in ("in", "in/.x", "other"):
        (shared / name).mkdir()
    (shared / "in" / "a.csv").write_text("id\n1\n")
    (shared / "in" / "more").symlink_to(shared / "other")
    for folder in ("other", "in/.x"):
        (shared / folder / "evil.csv").symlink_to(own / "secret.csv")
        (shared / folder / "evil.parquet").symlink_to(next((own / "events").glob("*.parquet")))
    return site


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("in/**/*.csv", "E886"),
        ("in/more/*.csv", "E886"),
        ("in/.*/*.csv", "E886"),
        ("in/.x/evil.csv", "E886"),
        ("in", ""),
    ],
)
def test_no_pattern_leads_out_by_way_of_a_link_or_a_hidden_folder(linked: VersionSite, path: str, code: str) -> None:
    body = {"name": "events", "connector": "files", "format": "csv", "path": f"data/shared/{path}"}
    made = linked.client.post(API, json={**body, "columns": {"id": "int"}, "options": {"header": "true"}})
    answer = ask(linked) if made.status_code == 201 else made
    assert "4711" not in answer.text
    assert answer.json().get("code", "").removeprefix("FORGE-") == code, answer.text
    assert code or answer.json()["rows"] == [[1]]


def test_no_log_leads_out_by_way_of_a_link(linked: VersionSite) -> None:
    folder = linked.root / "data" / "shared" / "events"
    (folder / "more").symlink_to(linked.root / "data" / "shared" / "other")
    assert linked.client.post(API, json=EVENTS).status_code == 201
    (log,) = (folder / "_delta_log").glob("*.json")
    (file,) = folder.glob("*.parquet")
    log.write_text(log.read_text().replace(file.name, "more/evil.parquet"))
    problem(ask(linked), 403, "E886")
