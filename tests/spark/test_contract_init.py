"""Drafts of contracts on Spark: out of what a run measured, with no job, and out of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from forge.connection import Connection
from forge.contracts.linter.lint import lint
from forge.flows.contracts.draft import ContractDraft, draft_for
from forge.wiring import Wiring

pytestmark = pytest.mark.spark

PEOPLE = """\
/* forge
description: Everybody we know
owner: ada@example.com
columns:
  person_id: Number
  contact: Where we write to
  kind: How we know them
  home: Where they live
*/
SELECT CAST(id AS BIGINT) AS person_id, concat('p', id, '@example.com') AS contact,
       CASE WHEN id % 2 = 0 THEN 'buyer' ELSE 'seller' END AS kind,
       named_struct('city', 'Bern', 'zip', 3000) AS home
FROM range(1000)
"""


@pytest.fixture
def project(make_project: Callable[..., Connection]) -> Connection:
    made = make_project({"transforms/core/people.sql": PEOPLE})
    made.run("core.people")
    return made


def columns_of(drafted: ContractDraft) -> dict[str, dict[str, Any]]:
    assert lint(drafted.text) == ()
    return {each["name"]: each for each in yaml.safe_load(drafted.text)["schema"][0]["properties"]}


def test_a_table_becomes_a_contract(project: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    ports = project.wiring.quality.check_ports()
    found = draft_for("core.people", ports, "shop", profile=True)
    columns = columns_of(found)
    assert (found.looked, found.rows) == ("rows", 1000)
    assert columns["person_id"]["primaryKey"] is True
    assert columns["kind"]["quality"][0]["arguments"]["validValues"] == ["buyer", "seller"]
    assert (columns["contact"]["classification"], columns["contact"]["tags"]) == ("pii", ["pii:email"])
    assert columns["contact"]["logicalTypeOptions"] == {"format": "email"}
    assert [each["name"] for each in columns["home"]["properties"]] == ["city", "zip"]
    assert "@example" not in found.text.replace("ada@example.com", "")
    assert {each.message.split(" ")[0] for each in found.gaps} == {"city", "zip"}, "all else is described"

    # What the run measured is enough, and Spark is not asked again.
    monkeypatch.setattr(Wiring, "engine", property(lambda self: pytest.fail("Spark was asked for")))
    kept = project.contracts.draft("core.people")
    assert (kept.looked, kept.rows) == ("kept profile", 1000)
    assert columns_of(kept)["contact"]["classification"] == "pii"
    assert columns_of(kept)["person_id"]["required"] is True

    # The table has no drift from its own draft, but that Iceberg lets columns be NULL in which none is.
    file = project.wiring.root / "contracts" / "core.people.odcs.yaml"
    file.parent.mkdir()
    file.write_text(found.text)
    assert not [each for each in project.contracts.drift("shop-core-people")[0].violations if each.code]
