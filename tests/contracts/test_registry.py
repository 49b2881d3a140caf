"""What a registered version is known by, and how results of tests are read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from forge.contracts.datacontract_results import MOST_CHECKS, read_results
from forge.contracts.load import load_contract
from forge.contracts.registry import digest_of, merged_entries, namespaces_of, refuse_bad_id, registered_of
from forge.model.errors import ForgeError, errors_of

NOW = datetime(2026, 11, 16, 6, tzinfo=UTC)
TEXT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
description: {usage: For reports., purpose: All orders.}
schema:
  - name: core.orders
    properties:
      - {name: id, logicalType: integer}
"""


def digest(text: str) -> str:
    document = load_contract(text, "orders.odcs.yaml").document
    assert document is not None
    return digest_of(document.data)


def test_layout_comments_and_status_do_not_make_another_content() -> None:
    same = TEXT.replace("{name: id, logicalType: integer}", "name: id  # the key\n        logicalType: integer")
    assert digest(same) == digest(TEXT)
    assert digest(TEXT.replace("status: active", "status: deprecated")) == digest(TEXT)
    assert digest(TEXT.replace("All orders", "Some orders")) != digest(TEXT)
    assert digest(TEXT.replace("1.0.0", "1.0.1")) != digest(TEXT)


def test_a_registered_version_says_what_the_contract_does() -> None:
    contract = load_contract(TEXT, "contracts/orders.odcs.yaml")
    found = registered_of(contract, TEXT, "sha256:x", at=NOW, by="ada", file="contracts/orders.odcs.yaml")
    assert (found.name, found.description, found.tables) == ("orders", "All orders.", ("core.orders",))
    assert found.entry() == {
        "name": "orders",
        "version": "1.0.0",
        "owner": None,
        "schema_hash": "sha256:x",
        "registered_at": "2026-11-16T06:00:00+00:00",
    }


def test_the_list_of_a_namespace_keeps_what_is_not_ours_and_is_ordered() -> None:
    contract = load_contract(TEXT, "orders.odcs.yaml")
    new = registered_of(contract, TEXT, "sha256:x", at=NOW, by="ada")
    merged = merged_entries([{"name": "zebra", "more": 1}, {"name": "orders", "version": "0.9.0"}], [new])
    assert [(one["name"], one.get("version")) for one in merged] == [("orders", "1.0.0"), ("zebra", None)]
    assert namespaces_of(["core.orders", "core.lines", "marts.x", "loose"]) == ("core", "marts")


@pytest.mark.parametrize("name", ["", "x" * 256, "a\nb", "a\x00b", "a\u2028b"])
def test_an_id_that_no_address_can_carry_is_refused(name: str) -> None:
    with pytest.raises(ForgeError) as refused:
        refuse_bad_id(name)
    assert refused.value.code == "E502"


def test_results_are_read_without_rows_and_logs() -> None:
    data = {
        "dataContractId": "orders",
        "id": "fallback",
        "result": "brilliant",
        "timestampStart": "2026-11-16T08:00:00+02:00",
        "timestampEnd": "2026-11-16T06:00:01",
        "checks": [{"type": "sql", "result": "error", "reason": "x" * 5000, "failedSamples": [{"mail": "a@b.c"}]}],
        "logs": [{"message": "secret"}],
        "from the future": {},
    }
    run = read_results(data, at=NOW, by="ci")
    assert (run.id, run.result, run.started_at, run.tool) == ("fallback", "unknown", NOW, "")
    assert (run.checks[0].name, run.checks[0].result, len(run.checks[0].reason or "")) == ("sql", "error", 2000)
    assert "a@b.c" not in repr(run)
    assert "secret" not in repr(run)


def test_a_run_without_an_id_is_known_by_what_it_says() -> None:
    first = read_results({"dataContractId": "orders"}, at=NOW, by="ci")
    again = read_results({"dataContractId": "orders"}, at=NOW.replace(hour=9), by="ci")
    other = read_results({"dataContractId": "orders", "result": "passed"}, at=NOW, by="ci")
    assert first.id == again.id != other.id


def test_all_that_is_wrong_with_results_is_told_at_once() -> None:
    data = {"dataContractId": 5, "runId": [], "timestampEnd": "soon", "checks": [1, {}, 2], "server": "x" * 300}
    with pytest.raises(ForgeError) as refused:
        read_results(data, at=NOW, by="ci")
    places = {error.where for error in errors_of(refused.value)}
    assert places == {
        "body.dataContractId",
        "body.runId",
        "body.timestampEnd",
        "body.checks.0",
        "body.checks.2",
        "body.server",
    }
    with pytest.raises(ForgeError):
        read_results({"dataContractId": "a", "checks": [{}] * (MOST_CHECKS + 1)}, at=NOW, by="ci")
