"""Contracts over HTTP: registered once and for all, compared, checked against their tables, moved on in their lives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from version_site import VersionSite, open_version_site

from forge.connection.contracts.registry import ContractsView
from forge.contracts.contract import Violation
from forge.contracts.registry import CompileRecord, ContractFinding
from forge.flows.upkeep.access import TokenScope

NOW = datetime(2026, 11, 16, 6, 10, tzinfo=UTC)
API = "/api/v1/contracts"
YAML_TYPE = {"content-type": "application/yaml"}
SETTINGS = """\
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [id]}}
quality: {scheduler: false}
owners: {core.*: ada}
"""
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n3,,30.0\n"


def contract(version: str = "1.0.0", name: str = "orders", status: str = "active", amount: str = "number") -> str:
    return f"""\
apiVersion: v3.1.0
kind: DataContract
id: urn:shop/{name}
name: {name}
version: {version}
status: {status}
team:
  name: sales
description:
  purpose: All orders of the shop.
schema:
  - name: core.{name}
    properties:
      - name: id
        logicalType: integer
        required: true
      - name: amount
        logicalType: {amount}
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("contracts") / "shop", SETTINGS) as site:
        site.commit(ORDERS, table="core.orders")
        yield site


@pytest.fixture
def own(tmp_path: Path) -> Iterator[VersionSite]:
    """A project that a test may spoil."""
    with open_version_site(tmp_path / "shop", SETTINGS) as site:
        yield site


def call(site: VersionSite, method: str, path: str = "", status: int = 200, **given: Any) -> Any:
    answer = site.client.request(method, f"{API}{path}", **given)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.headers["content-type"].endswith("json") else answer.text


def put(site: VersionSite, text: str, status: int = 201, name: str = "orders", query: str = "") -> Any:
    path = f"/{quote(f'urn:shop/{name}', safe='')}{query}"
    return call(site, "PUT", path, status, content=text, headers=YAML_TYPE)


def at(name: str, rest: str = "") -> str:
    return f"/{quote(f'urn:shop/{name}', safe='')}{rest}"


@pytest.mark.slow
def test_a_contract_is_registered_once_and_found_by_its_id_and_its_name(shared: VersionSite) -> None:
    first = put(shared, contract(name="found"), name="found")
    assert (first["created"], first["contract"]["version"], first["contract"]["state"]) == (True, "1.0.0", "active")
    again = put(shared, contract(name="found") + "# a remark\n", status=200, name="found")
    assert not again["created"]
    assert again["contract"]["registered_at"] == first["contract"]["registered_at"]
    by_id = call(shared, "GET", at("found"))
    assert by_id == call(shared, "GET", "/found")
    assert by_id["description"] == "All orders of the shop."
    assert (by_id["owner"], by_id["tables"], by_id["registered_by"]) == ("sales", ["core.found"], "ada@example.com")
    assert by_id["document"]["schema"][0]["properties"][1] == {"name": "amount", "logicalType": "number"}
    assert by_id["schema_hash"].startswith("sha256:")
    assert [step["state"] for step in by_id["history"]] == ["active"]


@pytest.mark.slow
def test_it_is_given_back_as_it_was_written(shared: VersionSite) -> None:
    text = contract(name="written") + "# by hand\n"
    put(shared, text, name="written")
    assert call(shared, "GET", at("written", "?format=yaml")) == text
    assert call(shared, "GET", at("written"), headers={"accept": "application/yaml"}) == text
    assert call(shared, "GET", at("written"), headers={"accept": "application/json, application/yaml"})["text"] == text
    document = call(shared, "GET", at("written", "/document"))
    assert document["id"] == "urn:shop/written"
    assert call(shared, "GET", at("written", "/document?format=yaml")) == text


@pytest.mark.slow
def test_a_contract_may_come_as_json(shared: VersionSite) -> None:
    data = {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": "urn:shop/json",
        "version": "1.0.0",
        "status": "draft",
        "description": {"purpose": "tab\there, line\nthere, Ärger: \u2028"},
        "schema": [{"name": "core.json", "properties": [{"name": "id", "logicalType": "integer"}]}],
    }
    kept = call(shared, "PUT", at("json"), 201, json=data)["contract"]
    assert kept["document"] == data
    assert kept["state"] == "draft"
    assert not call(shared, "PUT", at("json"), 200, content=kept["text"], headers=YAML_TYPE)["created"]


def test_a_version_never_changes(shared: VersionSite) -> None:
    put(shared, contract(name="fixed"), name="fixed")
    problem = put(shared, contract(name="fixed", amount="string"), status=409, name="fixed")
    assert problem["code"] == "FORGE-E505"
    assert "forge contract diff" in problem["fix"]
    assert call(shared, "GET", at("fixed"))["document"]["schema"][0]["properties"][1]["logicalType"] == "number"
    assert len(call(shared, "GET", at("fixed", "/versions"))["items"]) == 1


def test_what_is_wrong_with_a_contract_is_told_all_at_once_and_nothing_is_kept(shared: VersionSite) -> None:
    text = contract(name="wrong").replace("version: 1.0.0", "version: one").replace("integer", "intger")
    problem = put(shared, text, status=422, name="wrong")
    assert {one["code"] for one in problem["errors"]} == {"FORGE-E502", "FORGE-E503"}
    assert all(one["where"] and one["fix"] for one in problem["errors"])
    call(shared, "GET", at("wrong"), 404)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/yaml", 422),
        (b"\xff\xfe", "application/yaml", 422),
        (b"a: b\x00", "application/yaml", 422),
        (b"a: [", "application/yaml", 422),
        (b"- a", "application/yaml", 422),
        (b"a: &a [*a, *a]", "application/yaml", 422),
        (b"[1]", "application/json", 422),
        (b"{", "application/json", 422),
        (b'{"id": "\\ud800"}', "application/json", 422),
        (b"[" * 100_000, "application/json", 422),
        (b'{"a":' * 50_000, "application/json", 422),
        (b'{"id": "a", "schema": [{"name": "b", "name": "c"}]}', "application/json", 422),
        (b"a: b", "image/png", 422),
        (b"a" * 10_000_001, "application/yaml", 413),
        (b"1" * 2_000_001, "application/json", 413),
    ],
)
def test_a_bad_body_is_refused(shared: VersionSite, body: bytes, kind: str, status: int) -> None:
    problem = call(shared, "PUT", at("bad"), status, content=body, headers={"content-type": kind})
    assert problem["status"] == status
    assert problem["code"].startswith("FORGE-E")


def test_a_key_given_twice_is_named_in_json_too(shared: VersionSite) -> None:
    body = {"content": b'{"id": "x", "version": "1.0.0", "id": "y"}', "headers": {"content-type": "application/json"}}
    assert "'id'" in call(shared, "POST", "/lint", 422, **body)["why"]


def test_a_contract_is_sent_to_its_own_address(shared: VersionSite) -> None:
    problem = put(shared, contract(name="mine"), status=422, name="yours")
    assert problem["where"] == "body.id"


def test_an_unknown_contract_is_answered_with_the_nearest(shared: VersionSite) -> None:
    put(shared, contract(name="nearest"), name="nearest")
    problem = call(shared, "GET", at("nearst"), 404)
    assert problem["code"] == "FORGE-E504"
    assert "urn:shop/nearest" in problem["why"]
    assert call(shared, "GET", at("nearest", "/versions/9.9.9"), 404)["code"] == "FORGE-E504"


def test_a_trial_says_what_would_happen_and_keeps_nothing(shared: VersionSite) -> None:
    put(shared, contract(name="trial"), name="trial")
    told = put(shared, contract("1.1.0", "trial", amount="string"), status=200, name="trial", query="?dry_run=true")
    assert (told["created"], told["required_bump"], told["actual_bump"]) == (True, "major", "minor")
    assert {one["code"] for one in told["violations"]} >= {"FORGE-E520"}
    assert call(shared, "GET", at("trial"))["version"] == "1.0.0"


def test_versions_tell_the_bump_they_have_and_need(shared: VersionSite) -> None:
    put(shared, contract(name="versions"), name="versions")
    put(shared, contract("1.1.0", "versions", amount="string"), name="versions")
    newest, first = call(shared, "GET", at("versions", "/versions"))["items"]
    assert (newest["version"], newest["bump"], newest["required_bump"], newest["current"]) == (
        "1.1.0",
        "minor",
        "major",
        True,
    )
    assert newest["breaking"] >= 1
    assert (first["bump"], first["breaking"], first["current"]) == (None, None, False)
    one = call(shared, "GET", at("versions", "/versions/1.0.0"))
    assert one["text"] == contract(name="versions")


def test_the_difference_of_two_versions_names_what_breaks(shared: VersionSite) -> None:
    put(shared, contract(name="diff"), name="diff")
    call(shared, "GET", at("diff", "/diff"), 404)  # there is nothing before it
    put(shared, contract("2.0.0", "diff", amount="string"), name="diff")
    found = call(shared, "GET", at("diff", "/diff"))
    assert (found["old"], found["new"], found["required_bump"], found["actual_bump"]) == (
        "1.0.0",
        "2.0.0",
        "major",
        "major",
    )
    assert found["changes"][0]["subject"].endswith("amount")
    assert found["violations"] == []
    assert "amount" in found["changelog"]
    back = call(shared, "GET", at("diff", "/diff?old=2.0.0&new=1.0.0"))
    assert back["actual_bump"] == "downgrade"


def test_drift_compares_with_the_table_and_says_how_to_mend_it(shared: VersionSite) -> None:
    put(shared, contract(), name="orders")
    found = call(shared, "GET", at("orders", "/drift"))
    (table,) = found["tables"]
    assert (table["table"], table["exists"]) == ("core.orders", True)
    assert {one["code"] for one in found["violations"]} >= {"FORGE-E532"}
    assert all(one["source"] == "drift" for one in found["violations"])
    assert call(shared, "GET", at("orders", "/drift?at=nowhere"), 404)["code"]
    live = call(shared, "GET", at("orders", "/violations"))
    assert live["infos"] >= 1
    assert (live["errors"], live["version"]) == (0, "1.0.0")


def test_a_table_that_is_not_there_yet_has_no_drift(shared: VersionSite) -> None:
    put(shared, contract(name="later"), name="later")
    found = call(shared, "GET", at("later", "/drift"))
    assert (found["tables"][0]["exists"], found["violations"]) == (False, [])


def test_a_check_is_kept_and_shown_in_the_list(own: VersionSite) -> None:
    folder = own.root / "contracts"
    folder.mkdir()
    (folder / "core.orders.odcs.yaml").write_text(contract().replace("version: 1.0.0", "version: one"))
    (view,) = call(own, "GET")["items"]
    assert (view["registered"], view["violations"], view["file"]) == (False, None, "contracts/core.orders.odcs.yaml")
    checked = call(own, "POST", at("orders", "/check"))
    assert checked["errors"] == 1
    assert checked["violations"][0]["line"] == 5
    (view,) = call(own, "GET", "?violations=true")["items"]
    assert view["violations"]["errors"] == 1
    assert call(own, "GET", "?violations=false")["items"] == []
    (problem,) = own.client.get("/api/v1/contract-violations").json()["items"]
    assert (problem["code"], problem["contract_id"], problem["source"]) == ("FORGE-E502", "urn:shop/orders", "lint")
    assert own.client.get("/api/v1/contract-violations?severity=info").json()["items"] == []


@pytest.mark.slow
def test_a_contract_that_a_gate_enforced_was_checked_by_it(own: VersionSite) -> None:
    folder = own.root / "contracts"
    folder.mkdir()
    (folder / "core.orders.odcs.yaml").write_text(contract())
    (view,) = call(own, "GET")["items"]
    assert view["violations"] is None  # nothing was published under it yet
    own.commit(ORDERS, table="core.orders")
    run = own.wiring.metadata.runs(limit=1)[0]
    assert run.finished_at is not None
    (view,) = call(own, "GET")["items"]
    assert view["violations"]["checked_at"] == run.finished_at.isoformat().replace("+00:00", "Z")
    found = call(own, "GET", at("orders", "/violations"))
    assert [view["violations"][key] for key in ("errors", "warnings")] == [found["errors"], found["warnings"]]
    assert call(own, "GET", at("orders"))["violations"] == view["violations"]
    (item,) = ContractsView(own.wiring, own.wiring.default_branch).list()
    assert item.to_dict()["checked_at"] == run.finished_at


def test_a_file_beside_the_registry_is_seen_to_differ(own: VersionSite) -> None:
    put(own, contract())
    file = own.root / "contracts" / "core.orders.odcs.yaml"
    file.parent.mkdir()
    file.write_text(contract())
    assert not call(own, "GET", at("orders"))["file_differs"]
    file.write_text(contract("1.0.1").replace("All orders", "Some orders"))
    view = call(own, "GET", at("orders"))
    assert (view["file_differs"], view["file_version"], view["version"]) == (True, "1.0.1", "1.0.0")
    shown = call(own, "GET", at("orders", "?version=file"))
    assert (shown["source"], "Some orders" in shown["text"]) == ("file", True)
    found = call(own, "GET", at("orders", "/diff"))
    assert (found["old"], found["new"], found["new_source"], found["required_bump"]) == (
        "1.0.0",
        "1.0.1",
        "file",
        "patch",
    )


def test_the_list_is_asked_by_words_state_owner_and_table(own: VersionSite) -> None:
    put(own, contract())
    put(own, contract(name="refunds", status="draft"), name="refunds")
    assert [one["name"] for one in call(own, "GET")["items"]] == ["orders", "refunds"]
    assert call(own, "GET")["total_count"] == 2
    assert [one["name"] for one in call(own, "GET", "?q=REFU")["items"]] == ["refunds"]
    assert [one["name"] for one in call(own, "GET", "?state=active")["items"]] == ["orders"]
    assert [one["name"] for one in call(own, "GET", "?table=core.refunds")["items"]] == ["refunds"]
    assert call(own, "GET", "?owner=nobody")["items"] == []
    page = call(own, "GET", "?limit=1")
    assert page["has_more"]
    assert [one["name"] for one in call(own, "GET", f"?cursor={page['next_cursor']}")["items"]] == ["refunds"]


def test_what_a_parent_demands_binds_and_is_marked_with_where_it_came_from(own: VersionSite) -> None:
    parent = contract(name="base").replace("core.base", "core.child") + (
        "slaProperties:\n  - property: retention\n    value: 30\n    unit: d\n"
    )
    put(own, parent, name="base")
    child = contract(name="child") + "customProperties:\n  - property: forge.extends\n    value: urn:shop/base\n"
    put(own, child, name="child")
    found = call(own, "GET", at("child", "/effective"))
    assert [one["id"] for one in found["chain"]] == ["urn:shop/base", "urn:shop/child"]
    assert found["effective"]["slaProperties"][0]["property"] == "retention"
    assert "urn:shop/base" in found["origins"].values()
    assert found["violations"] == []


def test_a_contract_goes_on_in_its_life_and_not_back(own: VersionSite) -> None:
    put(own, contract())
    detail = call(own, "GET", at("orders"))
    assert detail["next_states"] == ["deprecated"]
    body = {"state": "deprecated", "reason": "v2", "ends_at": "2099-01-01T00:00:00Z", "replacement": "urn:shop/v2"}
    moved = call(own, "POST", at("orders", "/state"), json=body)
    assert moved["state"] == "deprecated"
    assert moved["notice"]["ends_at"] == "2099-01-01T00:00:00Z"
    assert (moved["history"][0]["before"], moved["history"][0]["by"]) == ("active", "ada@example.com")
    assert call(own, "POST", at("orders", "/state"), 409, json={"state": "active"})["code"] == "FORGE-E507"
    retired = call(own, "POST", at("orders", "/state"), json={"state": "retired"})
    assert retired["notice"]["replacement"] == "urn:shop/v2"
    assert retired["next_states"] == []
    assert [one["state"] for one in call(own, "GET", at("orders", "/history"))["items"]] == [
        "retired",
        "deprecated",
        "active",
    ]
    assert call(own, "POST", at("orders", "/state"), 409, json={"state": "active", "ends_at": "2027-03-31"})["code"]
    past = {"state": "deprecated", "ends_at": "2001-01-01"}
    assert call(own, "POST", at("orders", "/state"), 422, json=past)["where"] == "ends_at"


def test_strict_enforcement_refuses_what_breaks_readers(tmp_path: Path) -> None:
    strict = SETTINGS + "governance: {contracts: {enforcement: strict}}\n"
    described = (
        contract()
        .replace("logicalType: integer", "logicalType: integer\n        description: key")
        .replace("logicalType: number", "logicalType: number\n        description: money")
    )
    with open_version_site(tmp_path / "shop", strict) as site:
        put(site, described)
        broken = described.replace("version: 1.0.0", "version: 1.1.0").replace(
            "logicalType: number", "logicalType: date"
        )
        problem = put(site, broken, status=422)
        assert problem["code"] == "FORGE-E520"
        assert call(site, "GET", at("orders"))["version"] == "1.0.0"
        put(site, broken.replace("1.1.0", "2.0.0"))


def test_a_lint_keeps_nothing_and_a_reader_may_ask_for_it(own: VersionSite) -> None:
    headers = {**YAML_TYPE, **own.token_of("ben@example.com", TokenScope.READ)}
    answer = own.client.post(f"{API}/lint", content=contract().replace("1.0.0", "one"), headers=headers)
    assert answer.status_code == 200, answer.text
    assert [one["code"] for one in answer.json()["violations"]] == ["FORGE-E502"]
    refused = own.client.put(f"{API}{at('orders')}", content=contract(), headers=headers)
    assert refused.status_code == 403


RUN = {
    "runId": "8f0b9a2e-0000-0000-0000-000000000001",
    "datacontractCliVersion": "1.2.8",
    "dataContractId": "urn:shop/orders",
    "dataContractVersion": "1.0.0",
    "server": "production",
    "timestampStart": "2026-11-16T06:10:00.123456Z",
    "timestampEnd": "2026-11-16T06:10:02Z",
    "result": "failed",
    "checks": [
        {"type": "field_present", "name": "id is there", "category": "schema", "result": "passed", "model": "orders"},
        {
            "type": "field_unique",
            "name": "id is unique",
            "result": "failed",
            "field": "id",
            "reason": "3 are not",
            "failedSamples": ['{"email": "ada@example.com"}'],
        },
    ],
    "logs": [{"level": "INFO", "message": "password=secret", "timestamp": "2026-11-16T06:10:00Z"}],
}


def test_results_of_a_test_are_taken_with_200_and_kept_once(own: VersionSite) -> None:
    put(own, contract())
    taken = call(own, "POST", "/results", json=RUN)
    assert (taken["created"], taken["known"], taken["checks"]) == (True, True, 2)
    assert not call(own, "POST", "/results", json={**RUN, "result": "passed"})["created"]
    (run,) = call(own, "GET", at("orders", "/results"))["items"]
    assert (run["result"], run["passed"], run["failed"], run["tool"]) == ("failed", 1, 1, "datacontract-cli 1.2.8")
    assert run["checks"][1]["column"] == "id"
    assert call(own, "GET", at("orders"))["last_test"]["result"] == "failed"
    assert "ada@example.com" not in json.dumps(run["checks"])
    assert not call(own, "POST", "/results", json={"dataContractId": "elsewhere"})["known"]


def test_a_token_may_come_as_an_api_key(own: VersionSite) -> None:
    key = own.token_of("ci@example.com")["authorization"].removeprefix("Bearer ")
    own.client.headers.pop("authorization")
    assert own.client.post(f"{API}/results", json=RUN, headers={"x-api-key": key}).status_code == 200
    assert own.client.post(f"{API}/results", json=RUN, headers={"x-api-key": "forge_wrong"}).status_code == 401
    assert own.client.post(f"{API}/results", json=RUN).status_code == 401
    assert own.wiring.contracts.registry.results("urn:shop/orders")[0].received_by == "ci@example.com"


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"dataContractId": ""},
        {"dataContractId": 5},
        {"dataContractId": "x" * 256},
        {"dataContractId": "a", "checks": {}},
        {"dataContractId": "a", "checks": [1]},
        {"dataContractId": "a", "timestampEnd": "yesterday"},
        {"dataContractId": "a", "runId": 7},
        {"dataContractId": "a\nb"},
    ],
)
def test_results_that_are_none_are_refused(shared: VersionSite, body: object) -> None:
    problem = call(shared, "POST", "/results", 422, json=body)
    assert problem["where"].startswith("body")


def test_the_last_compile_is_nothing_until_there_is_one(own: VersionSite) -> None:
    assert own.client.get("/api/v1/compile").json() is None
    violation = Violation(
        code="E540",
        severity="warning",
        file="transforms/a.sql",
        line=1,
        column=1,
        path="",
        message="bad name",
        fix="rename it",
    )
    record = CompileRecord(
        valid=False,
        validated_at=NOW,
        validated_by="ada",
        enforcement="strict",
        schema_hash="sha256:x",
        summary={"naming": 1},
        findings=(ContractFinding("policy", violation, "naming"),),
    )
    own.wiring.contracts.registry.keep_compiled(record)
    found = own.client.get("/api/v1/compile").json()
    assert (found["valid"], found["summary"], found["validated_by"]) == (False, {"naming": 1}, "ada")
    (told,) = own.client.get("/api/v1/contract-violations").json()["items"]
    assert (told, told["policy_type"]) == (found["violations"][0], "naming")


def test_a_contract_of_the_level_above_is_found_too(tmp_path: Path) -> None:
    platform = tmp_path / "platform"
    (platform / "contracts").mkdir(parents=True)
    (platform / "forge.platform.yaml").write_text("governance: {contracts: {enforcement: warn}}\n")
    floor = contract(name="floor").replace("schema:\n  - name: core.floor\n", "schema:\n  - name: core.orders\n")
    (platform / "contracts" / "floor.odcs.yaml").write_text(floor)
    with open_version_site(tmp_path / "shop", SETTINGS + "extends: ../platform/forge.platform.yaml\n") as site:
        put(site, contract())
        chain = call(site, "GET", at("orders", "/effective"))["chain"]
        assert [one["id"] for one in chain] == ["urn:shop/floor", "urn:shop/orders"]
        shown = call(site, "GET", at("floor"))
        assert (shown["registered"], shown["source"], shown["text"]) == (False, "file", floor)
        assert shown["file"] == "../platform/contracts/floor.odcs.yaml"
        assert [one["id"] for one in call(site, "GET")["items"]] == ["urn:shop/orders"]
