"""`forge quality remediate` in a project whose tables are small: no JVM is started."""

from __future__ import annotations

from typing import Any

import pytest

House = Any  # as tests/cli/conftest.py makes it

FILL = "{action: impute, method: constant, columns: amount, value: 5}"


@pytest.fixture
def mended(house: House) -> House:
    house.commit("order_id,customer,amount,status\n4,dee,,new\n")
    return house


@pytest.mark.slow
def test_a_proposal_is_looked_at_approved_and_taken_back(mended: House) -> None:
    made = mended("quality", "remediate", "propose", "core.orders", "--action", FILL, "--json")
    assert made.status == 0, made.err
    (item,) = made.json["remediations"]
    assert (item["status"], item["counts"]) == (
        "proposed",
        [{"table": "core.orders", "added": 0, "changed": 1, "deleted": 0}],
    )
    shown = mended("quality", "remediate", "show", item["id"], "--json")
    (table,) = shown.json["tables"]
    assert (table["table"], table["rows"][0]["after"]["amount"]) == ("core.orders", 5.0)
    assert mended.values("main", "amount")[4] is None
    done = mended("quality", "remediate", "approve", item["id"], "-m", "yes", "--json")
    assert done.json["remediations"][0]["status"] == "applied"
    assert mended.values("main", "amount")[4] == 5.0
    assert mended("quality", "remediate", "revert", item["id"]).status == 0
    assert mended.values("main", "amount")[4] is None
    listed = mended("quality", "remediate", "list", "core.orders", "--status", "reverted", "--json")
    assert [one["id"] for one in listed.json["remediations"]] == [item["id"]]


@pytest.mark.slow
def test_at_once(mended: House) -> None:
    done = mended("quality", "remediate", "propose", "core.orders", "--action", FILL, "--now")
    assert done.status == 0, done.err
    assert "applied" in done.out
    assert mended.values("main", "amount")[4] == 5.0


@pytest.mark.slow
def test_a_rejected_proposal_is_gone(mended: House) -> None:
    (item,) = mended("quality", "remediate", "propose", "core.orders", "--action", FILL, "--json").json["remediations"]
    assert mended("quality", "remediate", "reject", item["id"]).status == 0
    again = mended("quality", "remediate", "approve", item["id"])
    assert again.status == 1
    assert "FORGE-E746" in again.err
    assert "remedy/" not in mended("branch", "list").out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("propose", "core.orders", "--action", "quarantin"), 2, "Did you mean quarantine"),
        (("propose", "core.orders", "--action", "{action: impute}"), 2, "'method' is missing"),
        (("propose", "core.orders", "--action", "{action"), 3, "--action:1"),
        (("propose", "core.nope", "--action", FILL), 2, "There is no table core.nope"),
        (("propose", "core.orders", "--action", FILL.replace("amount", "amoun")), 2, "Did you mean amount"),
        (("approve", "q1"), 2, "There is no remediation q1"),
        (("list", "--status", "applid"), 2, "Did you mean applied"),
    ],
)
def test_what_is_wrong_is_said(mended: House, words: tuple[str, ...], status: int, said: str) -> None:
    ended = mended("quality", "remediate", *words)
    assert said in ended.err
    assert ended.status == status


def test_an_empty_list_says_what_to_type(house: House) -> None:
    ended = house("quality", "remediate", "list")
    assert ended.status == 0
    assert "forge quality remediate propose" in ended.err
