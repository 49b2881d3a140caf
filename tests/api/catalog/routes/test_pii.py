"""Findings of personal data over HTTP: scans, reviews, and what an intruder gets."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from run_site import until
from version_site import YAML, VersionSite, open_version_site, problem

from forge.flows.catalog.crawl import crawl
from forge.flows.upkeep.access import TokenScope

API = "/api/v1/catalog"
MAILS = [f"person{n}@secret.example" for n in range(8)]
PEOPLE = "id,mail,note\n" + "".join(f"{n},{mail},x\n" for n, mail in enumerate(MAILS))

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop") as opened:
        opened.commit(PEOPLE, table="core.people")
        yield opened


def scan(site: VersionSite, table: str = "core.people", **query: str) -> dict[str, Any]:
    begun = site.client.post(f"{API}/assets/{table}/pii/scan", params=query)
    assert begun.status_code == 202, begun.text
    assert begun.headers["location"] == f"/api/v1/runs/{begun.json()['run_id']}"
    assert begun.json()["kind"] == "scan"

    def ended() -> dict[str, Any]:
        found: dict[str, Any] = site.client.get(begun.headers["location"]).json()
        return found if found["status"] not in ("queued", "running") else {}

    until(ended)
    return ended()


def findings(site: VersionSite, **query: str) -> list[dict[str, Any]]:
    answer = site.client.get(f"{API}/pii/findings", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def decide(site: VersionSite, found: dict[str, Any], state: str, **more: Any) -> httpx.Response:
    body = {"state": state, "expected_version": found["version"], **more}
    answer: httpx.Response = site.client.patch(f"{API}/pii/findings/{found['id']}", json=body)
    return answer


def test_a_scan_finds_what_hides_the_column_until_somebody_rejects_it(site: VersionSite) -> None:
    assert site.rows(table="core.people")[0][1] is None  # no scan has seen it
    assert scan(site)["status"] == "succeeded"
    (found,) = findings(site)
    assert (found["table"], found["column"], found["type"], found["state"]) == ("core.people", "mail", "email", "open")
    assert site.rows(table="core.people")[0][1] is None
    rejected = decide(site, found, "rejected", note="made up")
    assert (rejected.json()["state"], rejected.json()["note"]) == ("rejected", "made up")
    assert site.rows(table="core.people")[0][1] == MAILS[0]
    assert decide(site, rejected.json(), "confirmed").status_code == 200
    assert site.rows(table="core.people")[0][1] is None
    assert scan(site, force="true")["status"] == "succeeded"
    assert findings(site)[0]["state"] == "confirmed"


OWN = "pii: {types: {employee_number: {names: [employee no], pattern: 'E[0-9]{6}', level: restricted}}}\n"


def test_a_type_of_the_project_is_found_reviewed_and_searched_for_like_any_other(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "shop", YAML + OWN) as site:
        site.commit("id,badge\n" + "".join(f"{n},E10000{n}\n" for n in range(8)), table="core.people")
        assert site.rows(table="core.people")[0][1] is None  # no scan has seen it
        assert scan(site)["status"] == "succeeded"
        (found,) = findings(site, type="employee_number")
        assert (found["column"], found["type"], found["state"]) == ("badge", "employee_number", "open")
        assert findings(site, type="email") == []
        assert decide(site, found, "confirmed").status_code == 200
        crawl(site.wiring.catalog.crawl_ports())
        assert site.wiring.follow_up() == ()
        (hit,) = site.client.get(f"{API}/search", params={"pii": "employee_number"}).json()["items"]
        assert (hit["id"], hit["pii"], hit["classification"]) == ("core.people", ["employee_number"], "restricted")
        asset = site.client.get(f"{API}/assets/core.people").json()
        assert [column["pii_type"] for column in asset["schema"]] == [None, "employee_number"]


def test_a_stale_decision_is_refused(site: VersionSite) -> None:
    scan(site)
    (found,) = findings(site)
    assert decide(site, found, "confirmed").status_code == 200
    problem(decide(site, found, "rejected"), 409, "E871")
    assert findings(site)[0]["state"] == "confirmed"


def test_findings_are_filtered_and_paged(site: VersionSite) -> None:
    site.commit("id,tel,mail\n" + "".join(f"{n},+49 171 12345{n:02},{m}\n" for n, m in enumerate(MAILS)), table="a.b")
    scan(site)
    scan(site, "a.b")
    assert [(one["table"], one["column"]) for one in findings(site)] == [
        ("a.b", "mail"),
        ("a.b", "tel"),
        ("core.people", "mail"),
    ]
    assert [one["table"] for one in findings(site, table="core.people")] == ["core.people"]
    assert [one["column"] for one in findings(site, type="phone")] == ["tel"]
    assert findings(site, state="rejected") == []
    page = site.client.get(f"{API}/pii/findings", params={"limit": 2}).json()
    assert (len(page["items"]), page["has_more"]) == (2, True)
    rest = site.client.get(f"{API}/pii/findings", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert [one["table"] for one in rest["items"]] == ["core.people"]


def test_what_does_not_exist_is_not_scanned_or_reviewed(site: VersionSite) -> None:
    problem(site.client.post(f"{API}/assets/core.gone/pii/scan"), 404, "E108")
    problem(site.client.get(f"{API}/pii/findings/pii_none"), 404, "E870")
    problem(decide(site, {"id": "pii_none", "version": 1}, "confirmed"), 404, "E870")


@pytest.mark.parametrize(
    "body",
    [
        {"state": "deleted", "expected_version": 1},
        {"state": "confirmed"},
        {"state": "confirmed", "expected_version": 0},
        {"state": "confirmed", "expected_version": 1, "note": "x" * 2001},
        {"state": "confirmed", "expected_version": 1, "score": 0},
        {"state": "confirmed", "expected_version": 1, "note": "a\x00b"},
    ],
)
def test_a_decision_of_another_form_is_refused(site: VersionSite, body: dict[str, Any]) -> None:
    scan(site)
    (found,) = findings(site)
    assert site.client.patch(f"{API}/pii/findings/{found['id']}", json=body).status_code == 422
    assert findings(site)[0] == found


def test_a_reader_sees_findings_and_neither_scans_nor_decides(site: VersionSite) -> None:
    scan(site)
    (found,) = findings(site)
    reader = site.token_of("eve@example.com", TokenScope.READ)
    assert site.client.get(f"{API}/pii/findings", headers=reader).status_code == 200
    problem(site.client.post(f"{API}/assets/core.people/pii/scan", headers=reader), 403, "E904")
    body = {"state": "rejected", "expected_version": found["version"]}
    problem(site.client.patch(f"{API}/pii/findings/{found['id']}", json=body, headers=reader), 403, "E904")
    nobody = {"authorization": "Bearer wrong"}
    assert site.client.get(f"{API}/pii/findings", headers=nobody).status_code == 401
    assert findings(site)[0] == found


def test_no_answer_and_no_log_holds_a_value(site: VersionSite, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    run = scan(site)
    texts = [str(run), str(findings(site)), caplog.text]
    texts.append(str(site.wiring.metadata.audit(limit=100)))
    texts.append(site.client.get("/api/v1/runs").text)
    assert not any("secret.example" in text for text in texts)
    secret = f"{API}/pii/findings/{MAILS[0]}"
    assert site.client.get(secret).status_code == 404


def test_who_decided_is_the_caller(site: VersionSite) -> None:
    scan(site)
    (found,) = findings(site)
    ben = site.token_of("ben@example.com")
    body = {"state": "confirmed", "expected_version": found["version"]}
    answer = site.client.patch(f"{API}/pii/findings/{found['id']}", json=body, headers=ben)
    assert answer.json()["reviewed_by"] == "ben@example.com"
    audit = site.wiring.metadata.audit(limit=1)[0]
    assert (audit.actor, audit.action, audit.subject) == ("ben@example.com", "pii.confirmed", "core.people.mail")
