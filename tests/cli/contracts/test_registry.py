"""`forge contract register|list|show|state|publish-results` in the terminal. No JVM."""

from __future__ import annotations

import json
from typing import Any

import pytest

ORDERS = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:shop:orders
name: orders
version: 1.0.0
status: active
team:
  name: sales
description:
  purpose: All orders.
schema:
  - name: core.orders
    properties:
      - name: order_id
        logicalType: integer
        physicalType: bigint
      - name: amount
        logicalType: number
"""


def contract(house: Any, *words: str, status: int = 0) -> Any:
    ended = house("contract", *words)
    assert ended.status == status, ended.out + ended.err
    return ended


@pytest.fixture
def promised(house: Any) -> Any:
    """core.orders has a contract, in a file."""
    (house.root / "contracts").mkdir()
    (house.root / "contracts" / "orders.odcs.yaml").write_text(ORDERS)
    return house


def write(house: Any, text: str) -> None:
    (house.root / "contracts" / "orders.odcs.yaml").write_text(text)


def test_a_project_without_contracts_is_told_how_to_make_one(house: Any) -> None:
    ended = contract(house, "list")
    assert ended.out == ""
    assert "forge contract init" in ended.err
    assert "FORGE-E105" in contract(house, "register", status=2).err


def test_all_contracts_of_a_project_are_registered_at_once_and_again_without_a_change(promised: Any) -> None:
    (item,) = contract(promised, "register", "--json").json["contracts"]
    assert (item["id"], item["version"], item["created"], item["state"]) == ("urn:shop:orders", "1.0.0", True, "active")
    (again,) = contract(promised, "register", "contracts/orders.odcs.yaml", "--json").json["contracts"]
    assert (again["created"], again["registered_at"]) == (False, item["registered_at"])
    assert "known already" in contract(promised, "register").out


def test_a_dry_run_registers_nothing(promised: Any) -> None:
    ended = contract(promised, "register", "--dry-run")
    assert "Nothing was kept" in ended.err
    assert ended.out.splitlines()[1].split()[:4] == ["orders", "1.0.0", "active", "new"]
    (item,) = contract(promised, "register", "--dry-run", "--json").json["contracts"]
    assert (item["created"], item["registered_at"], item["schema_hash"][:7]) == (True, None, "sha256:")
    (item,) = contract(promised, "list", "--json").json["contracts"]
    assert (item["registered_at"], item["versions"]) == (None, 0)


def test_a_version_that_is_taken_is_refused_with_the_way_out(promised: Any) -> None:
    contract(promised, "register")
    write(promised, ORDERS.replace("logicalType: number", "logicalType: string"))
    ended = contract(promised, "register", status=1)
    assert "FORGE-E505" in ended.err
    assert "forge contract diff" in ended.err
    (item,) = contract(promised, "list", "--json").json["contracts"]
    assert (item["version"], item["file_differs"]) == ("1.0.0", True)


def test_nothing_is_registered_where_one_of_several_is_wrong(promised: Any) -> None:
    bad = ORDERS.replace("urn:shop:orders", "urn:shop:bad").replace("core.orders", "core.bad")
    (promised.root / "contracts" / "zz.odcs.yaml").write_text(bad.replace("1.0.0", "one"))
    ended = contract(promised, "register", status=3)
    assert "FORGE-E502" in ended.err
    assert all(one["registered_at"] is None for one in contract(promised, "list", "--json").json["contracts"])


def test_the_list_tells_state_owner_and_findings(promised: Any) -> None:
    assert "not checked" in contract(promised, "list").out
    contract(promised, "register")
    out = contract(promised, "list").out
    for word in ("urn:shop:orders", "1.0.0", "active", "sales", "core.orders", "contracts/orders.odcs.yaml"):
        assert word in out
    ended = contract(promised, "list", "refunds", "--json")
    assert (ended.json["contracts"], ended.err) == ([], "No contract matches refunds.\n")
    assert contract(promised, "list", "--state", "draft", "--json").json["contracts"] == []
    assert "draft, active, deprecated" in contract(promised, "list", "--state", "bogus", status=2).err


def test_the_list_is_sorted_by_what_it_shows_first(promised: Any) -> None:
    other = ORDERS.replace("urn:shop:orders", "urn:shop:aaa").replace("name: orders", "name: zebra")
    (promised.root / "contracts" / "zebra.odcs.yaml").write_text(other.replace("core.orders", "core.zebra"))
    rows = contract(promised, "list").out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["urn:shop:aaa", "urn:shop:orders"]


def test_one_contract_is_shown_with_its_versions_and_as_it_was_written(promised: Any) -> None:
    contract(promised, "register")
    write(promised, ORDERS.replace("1.0.0", "1.0.1").replace("All orders", "Each order"))
    assert contract(promised, "show", "orders", "--text").out == ORDERS
    assert "Each order" in contract(promised, "show", "orders", "--text", "--version", "file").out
    contract(promised, "register")
    (item,) = contract(promised, "show", "urn:shop:orders", "--json").json["contracts"]
    assert [one["version"] for one in item["versions"]] == ["1.0.1", "1.0.0"]
    assert item["history"][0]["state"] == "active"
    assert contract(promised, "show", "orders", "--version", "1.0.0", "--text").out == ORDERS
    assert "version 1.0.1: registered" in contract(promised, "show", "orders").out


def test_an_unknown_contract_is_answered_with_the_nearest(promised: Any) -> None:
    ended = contract(promised, "show", "ordres", status=2)
    assert "FORGE-E504" in ended.err
    assert "orders" in ended.err


def test_a_contract_is_meant_by_id_name_table_or_file(promised: Any) -> None:
    for name in ("urn:shop:orders", "Core.Orders", "contracts/orders.odcs.yaml"):
        assert contract(promised, "show", name, "--text").out == ORDERS
    (item,) = contract(promised, "publish-results", "contracts/orders.odcs.yaml", "--json").json["results"]
    assert item["contract_id"] == "urn:shop:orders"
    contract(promised, "register")
    assert "is deprecated" in contract(promised, "state", "core.orders", "deprecated").out


def test_a_table_of_two_contracts_means_neither(promised: Any) -> None:
    other = ORDERS.replace("urn:shop:orders", "urn:other").replace("name: orders", "name: other")
    (promised.root / "other.odcs.yaml").write_text(other)
    contract(promised, "register", "other.odcs.yaml")
    ended = contract(promised, "show", "core.orders", status=2)
    assert "2 contracts are about core.orders" in ended.err
    assert "urn:other, urn:shop:orders" in ended.err or "urn:shop:orders, urn:other" in ended.err


def test_a_second_contract_of_a_name_is_warned_of(promised: Any) -> None:
    contract(promised, "register")
    other = ORDERS.replace("urn:shop:orders", "urn:other").replace("name: core.orders", "name: core.more")
    (promised.root / "other.odcs.yaml").write_text(other)
    ended = contract(promised, "register", "other.odcs.yaml")
    assert "urn:shop:orders is called orders, too" in ended.out
    (item,) = contract(promised, "register", "other.odcs.yaml", "--json").json["contracts"]
    assert [(one["severity"], one["path"]) for one in item["violations"]] == [("warning", "name")]


def test_a_file_that_is_not_there_cannot_be_registered(promised: Any) -> None:
    ended = contract(promised, "register", "nope.yaml", status=3)
    assert "FORGE-E103 nope.yaml" in ended.err
    assert "Give the path of a file that is there" in ended.err


def test_what_breaks_is_told_without_the_path_in_front(promised: Any) -> None:
    settings = promised.root / "forge.yaml"
    contract(promised, "register")
    settings.write_text(settings.read_text() + "governance: {contracts: {enforcement: strict}}\n")
    gone = ORDERS.replace("1.0.0", "1.0.1").replace("      - name: amount\n        logicalType: number\n", "")
    described = gone.replace("name: core.orders", "name: core.orders\n    description: Orders.")
    write(promised, described.replace("physicalType: bigint", "physicalType: bigint\n        description: Its number."))
    ended = contract(promised, "register", status=1)
    assert "FORGE-E520" in ended.err
    assert "schema[0]" not in ended.err


def test_a_contract_goes_on_in_its_life(promised: Any) -> None:
    contract(promised, "register")
    words = ("--reason", "v2 is out", "--ends-at", "2099-03-31", "--replacement", "urn:shop:orders2")
    ended = contract(promised, "state", "orders", "deprecated", *words, "--dry-run")
    assert "Nothing was changed" in ended.err
    (item,) = contract(promised, "state", "orders", "deprecated", *words, "--json").json["contracts"]
    assert (item["state"], item["notice"]["replacement"]) == ("deprecated", "urn:shop:orders2")
    assert item["notice"]["ends_at"].startswith("2099-03-31")
    ended = contract(promised, "state", "orders", "active", status=1)
    assert "FORGE-E507" in ended.err
    assert "is deprecated and cannot go back to active" in ended.err
    ended = contract(promised, "state", "orders", "sunset", "--ends-at", "31.12.2026", status=2)
    assert "Write a date like 2027-03-31" in ended.err
    assert "is retired" in contract(promised, "state", "orders", "retired").out
    assert "v2 is out" in contract(promised, "show", "orders").out


RUN = {
    "runId": "r1",
    "dataContractId": "urn:shop:orders",
    "result": "passed",
    "timestampEnd": "2026-11-16T06:10:02Z",
    "checks": [{"type": "row_count", "name": "there are rows", "result": "passed"}],
}


def test_results_of_a_file_are_kept_once(promised: Any) -> None:
    file = promised.root / "run.json"
    file.write_text(json.dumps(RUN))
    assert "1 checks kept" in contract(promised, "publish-results", "run.json").out
    assert "known already" in contract(promised, "publish-results", "run.json").out
    (item,) = contract(promised, "list", "--json").json["contracts"]
    assert item["last_test"] == "passed"
    file.write_text("[1]")
    assert "FORGE-E105" in contract(promised, "publish-results", "run.json", status=2).err
    assert "FORGE-E103" in contract(promised, "publish-results", "gone.json", status=3).err


def test_what_our_own_checks_said_is_published_for_a_contract(promised: Any) -> None:
    (item,) = contract(promised, "publish-results", "orders", "--json").json["results"]
    assert (item["contract_id"], item["result"], item["checks"]) == ("urn:shop:orders", "unknown", [])


@pytest.mark.parametrize("words", [("--to", "ftp://x/y"), ("--to", "https://x/y", "--key", "secret")])
def test_an_address_or_a_key_of_the_wrong_form_is_wrong_use(promised: Any, words: tuple[str, ...]) -> None:
    ended = contract(promised, "publish-results", "orders", *words, status=2)
    assert "FORGE-E105" in ended.err
    assert "secret" not in ended.err


def test_results_that_are_no_json_are_told_with_what_to_give(promised: Any) -> None:
    (promised.root / "notes.json").write_text("hello")
    ended = contract(promised, "publish-results", "notes.json", status=3)
    assert "cannot be read as JSON" in ended.err
    assert "fix: Give what `datacontract test --output-format json` wrote" in ended.err


def test_an_address_that_does_not_answer_is_told(promised: Any) -> None:
    ended = contract(promised, "publish-results", "orders", "--to", "http://127.0.0.1:9/x", status=5)
    assert "FORGE-E735" in ended.err


def test_a_plan_refuses_a_new_reader_of_what_is_retired(promised: Any) -> None:
    contract(promised, "register")
    for state in ("deprecated", "retired"):
        contract(promised, "state", "orders", state, "--reason", "it is over")
    folder = promised.root / "transforms" / "marts"
    folder.mkdir(parents=True)
    (folder / "total.sql").write_text("SELECT sum(amount) AS total FROM core.orders")
    ended = promised("plan")
    assert ended.status == 4, ended.err
    assert "FORGE-E506 transforms/marts/total.sql:1" in ended.err
    assert "it is over" in ended.err
    settings = promised.root / "forge.yaml"
    settings.write_text(settings.read_text() + "governance: {contracts: {enforcement: off}}\n")
    assert promised("plan").status == 0


@pytest.mark.slow
def test_who_would_be_told_is_found_in_the_lineage_dashboards_too(traced_copy: Any) -> None:
    text = ORDERS.replace("core.orders", "marts.revenue").replace("amount", "revenue")
    (traced_copy.root / "revenue.odcs.yaml").write_text(text)
    contract(traced_copy, "register", "revenue.odcs.yaml")
    ended = contract(traced_copy, "state", "orders", "deprecated", "--dry-run", "--json")
    assert ended.json["consumers"] == [
        {
            "name": "dashboard:revenue",
            "owner": "board@example.com",
            "depth": 1,
            "reads": ["marts.revenue"],
            "columns": ["marts.revenue.revenue"],
        }
    ]
    assert "1 consumer, and no channel to tell them" in ended.err
    (item,) = contract(traced_copy, "state", "orders", "deprecated", "--json").json["contracts"]
    assert item["notice"]["told"] == []
    settings = traced_copy.root / "forge.yaml"
    channel = "alerts: {channels: {ops: {type: webhook, url: 'env:HOOK'}}}\n"
    settings.write_text(settings.read_text() + channel)
    ended = contract(traced_copy, "state", "orders", "sunset")
    assert "a notice to 1 consumer goes to ops (forge serve sends it)" in ended.out
    (item,) = contract(traced_copy, "show", "orders", "--json").json["contracts"]
    assert item["notice"]["told"] == ["dashboard:revenue"]


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--no-ff",)])
def test_a_merge_into_the_default_branch_registers_what_it_brings(promised: Any, words: tuple[str, ...]) -> None:
    promised("branch", "create", "fix")
    promised.commit("order_id,amount\n7,2.5\n", "--branch", "fix")
    assert contract(promised, "list", "--json").json["contracts"][0]["registered_at"] is None
    assert promised("merge", "fix", *words).status == 0
    assert contract(promised, "list", "--json").json["contracts"][0]["registered_at"] is not None


def test_rows_committed_to_the_default_branch_register_the_contract_of_their_table(promised: Any) -> None:
    promised.commit("order_id,amount\n7,2.5\n")
    assert contract(promised, "list", "--json").json["contracts"][0]["registered_at"] is not None
