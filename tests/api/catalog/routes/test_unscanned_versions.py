"""What a reader's token is shown of versions that no scan stands for: old commits, branches, and what was just
published."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from version_site import VersionSite, open_version_site
from version_world import ArrowEngine, VersionWorld

from forge.catalog.pii import PiiFinding, PiiType, find_pii
from forge.flows.upkeep.access import TokenScope
from forge.model.names import TableName
from forge.stores.lake.iceberg import IcebergLake
from forge.versioning.field import TableField

API = "/api/v1"
MAILS = [f"person{n}@secret.example" for n in range(8)]
WORDS = ["wood", "stone", "iron", "clay", "tin", "lead", "zinc", "gold"]
MIXED = [*MAILS[:2], *WORDS[2:]]  # so few that no rule calls them personal
PEOPLE = TableName("core", "people")

pytestmark = pytest.mark.slow


def commit(site: VersionSite, values: list[str], **form: str) -> dict[str, Any]:
    text = "id,reach,amount\n" + "".join(f"{n},{one},{n}.5\n" for n, one in enumerate(values))
    return site.commit(text, **{"table": "core.people", "mode": "overwrite", "key": "id", **form})


def scan(site: VersionSite) -> None:
    site.wiring.catalog.pii.scan_tables([PEOPLE])


def decide(site: VersionSite, state: str) -> None:
    (found,) = site.client.get(f"{API}/catalog/pii/findings").json()["items"]
    body = {"state": state, "expected_version": found["version"]}
    assert site.client.patch(f"{API}/catalog/pii/findings/{found['id']}", json=body).status_code == 200


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    """Nothing follows a publication: each scan is one of the tests."""
    with open_version_site(tmp_path / "shop") as opened:
        commit(opened, MAILS)
        yield opened


def shown(site: VersionSite, path: str, **params: str) -> str:
    reader = site.token_of(f"{time.monotonic_ns()}@example.com", TokenScope.READ)
    answer = site.client.get(API + path, params=params, headers=reader)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


def rows_of(site: VersionSite, at: str, table: str = "core.people", **params: str) -> str:
    return shown(site, f"/branches/datasets/{table}/commits/{at}/data", **params)


def profiled(site: VersionSite, at: str) -> str:
    """Made by a job, then read; and what is stored of it."""
    begun = site.client.post(f"{API}/catalog/assets/core.people/profile", json={"at": at})
    deadline, run = time.monotonic() + 20, begun.json()
    while time.monotonic() < deadline and run.get("status", "running") in ("queued", "running"):
        time.sleep(0.02)
        run = site.client.get(begun.headers["location"]).json()
    assert run["status"] == "succeeded", run
    stored = repr(site.wiring.catalog.profiles.history(PEOPLE))
    return shown(site, "/catalog/assets/core.people/profile", at=at) + stored


def leaks(site: VersionSite, at: str, other: str) -> list[str]:
    """Doors at which a reader gets a mail of this version."""
    found = {
        "rows": rows_of(site, at),
        "filter": rows_of(site, at, filter="id=1"),
        "sql": rows_of(site, at, sql="SELECT * FROM data"),
        "diff": shown(site, "/branches/diff", base_commit=other, compare_commit=at, table="core.people"),
        "blame": shown(site, "/branches/blame", table="core.people", at=at),
        "profile": profiled(site, at),
    }
    return [door for door, text in found.items() if "secret.example" in text]


def test_mails_on_a_branch_are_hidden_before_any_scan(site: VersionSite) -> None:
    commit(site, WORDS)
    scan(site)
    site.branch("dev")
    commit(site, [mail.replace("person", "other") for mail in MAILS], branch="dev")
    assert leaks(site, "dev", "main") == []
    assert "wood" in rows_of(site, "main")


def test_a_table_of_a_branch_alone_is_hidden(site: VersionSite) -> None:
    site.branch("dev")
    commit(site, MAILS, branch="dev", table="core.others")
    assert "secret.example" not in rows_of(site, "dev", "core.others")
    commit(site, WORDS, branch="dev", table="core.things")
    assert "wood" in rows_of(site, "dev", "core.things")


def test_what_was_just_published_is_hidden_before_the_scan_that_follows(site: VersionSite) -> None:
    assert leaks(site, "main", "main") == []


def test_cleaned_values_stay_hidden_in_older_commits(site: VersionSite) -> None:
    scan(site)
    commit(site, WORDS)
    scan(site)
    assert leaks(site, "main~1", "main") == []
    assert "wood" in rows_of(site, "main")


@pytest.mark.parametrize("change", ["drop", "rename"])
def test_a_confirmed_column_that_was_dropped_or_renamed_stays_hidden_in_older_commits(
    site: VersionSite, change: str
) -> None:
    """Its values do not show it: a person said so."""
    scan(site)
    decide(site, "confirmed")
    commit(site, MIXED)
    scan(site)
    world = world_of(site)
    fields = tuple(one for one in world.fields("core.people") if one.name != "reach")
    renamed = tuple(TableField(one.id, "line", one.type) for one in world.fields("core.people") if one.name == "reach")
    world.set_fields("core.people", (*fields, *(renamed if change == "rename" else ())))
    scan(site)
    assert not any(one["closed_at"] is None for one in site.client.get(f"{API}/catalog/pii/findings").json()["items"])
    assert leaks(site, "main~1", "main") == []
    site.branch("old", from_commit="main~1")
    commit(site, WORDS, branch="old", table="core.things")  # a commit after the finding was closed
    assert leaks(site, "old", "main") == []


def world_of(site: VersionSite) -> VersionWorld:
    wiring = site.wiring
    ports = wiring.versioning.ports()
    lake, engine = cast(IcebergLake, wiring.lake), cast(ArrowEngine, wiring.engine)
    return VersionWorld(ports, lake, wiring.metadata, ports.tables, engine, {}, site.root, wiring.database)  # type: ignore[arg-type]


def test_a_confirmed_column_of_a_table_that_is_gone_stays_hidden_in_older_commits(site: VersionSite) -> None:
    scan(site)
    decide(site, "confirmed")
    made = commit(site, MIXED)
    scan(site)
    first = site.get("/main/commits")["items"][-1]["id"]
    site.post("/revert", commit=made["id"], branch="main")
    site.post("/revert", commit=first, branch="main")
    scan(site)
    assert site.client.get(f"{API}/catalog/pii/findings").json()["items"] == []
    assert "secret.example" not in rows_of(site, "main~2")


def test_what_a_person_rejected_is_shown_in_older_commits_and_on_branches(site: VersionSite) -> None:
    scan(site)
    decide(site, "rejected")
    commit(site, WORDS)
    scan(site)
    assert "secret.example" in rows_of(site, "main~1")
    site.branch("dev")
    commit(site, MAILS, branch="dev")
    assert "secret.example" in rows_of(site, "dev")


@pytest.mark.parametrize(
    "values",
    [
        [*MAILS, "wood", "stone"],
        [*(f"ask {mail} about it" for mail in MAILS[:7]), "wood", "stone", "iron"],
    ],
)
def test_what_many_of_the_values_show_is_hidden_before_and_after_a_scan(site: VersionSite, values: list[str]) -> None:
    commit(site, values)
    assert "secret.example" not in rows_of(site, "main")
    scan(site)
    assert "secret.example" not in rows_of(site, "main")


def test_a_version_is_judged_once(site: VersionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[object] = []

    def watched(values: Mapping[str, Sequence[object]], types: Sequence[PiiType]) -> tuple[PiiFinding, ...]:
        judged.append(values)
        return find_pii(values, types)

    monkeypatch.setattr("forge.flows.catalog.pii.unscanned_versions.find_pii", watched)
    for _ in range(3):
        rows_of(site, "main")
        rows_of(site, "main", filter="id=1")
    assert len(judged) == 1
