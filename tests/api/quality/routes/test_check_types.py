"""The types of checks over HTTP: what a form is made of is what validation reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from version_site import VersionSite, open_version_site

from forge.quality.checks import CHECKS

SAMPLE: dict[str, Any] = {
    "column": "name",
    "columns": ["name"],
    "text": "core.orders.name",
    "sql": "amount > 0",
    "pattern": "^a",
    "number": 1,
    "percentage": 5,
    "duration": 24,
    "value": 1,
    "list": [1, 2],
    "mapping": {"name": "string"},
    "boolean": False,
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("types") / "shop") as site:
        yield site


@pytest.fixture(scope="module")
def types(site: VersionSite) -> Any:
    answer = site.client.get("/api/v1/quality/checks/types")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_type_is_there_with_its_keys(types: Any) -> None:
    assert [one["type"] for one in types["types"]] == [check.type for check in CHECKS]
    row_count = next(one for one in types["types"] if one["type"] == "row_count")
    assert row_count["keys"][0] == {
        "name": "min",
        "aliases": ["min_rows"],
        "label": "At least",
        "kind": "number",
        "required": False,
        "default": None,
        "words": [],
        "help": "",
        "example": "",
    }
    severity = types["common"][0]
    assert (severity["name"], severity["default"], severity["words"]) == (
        "severity",
        "error",
        ["info", "warning", "error", "critical"],
    )


@pytest.mark.parametrize("check", [check.type for check in CHECKS])
def test_a_form_that_is_filled_by_the_kinds_of_its_keys_is_read_without_a_key_at_fault(
    site: VersionSite, types: Any, check: str
) -> None:
    form = next(one for one in types["types"] if one["type"] == check)
    filled = {key["name"]: SAMPLE.get(key["kind"], (key["words"] or [None])[0]) for key in form["keys"]}
    filled |= {"function": "quality/rules.py:odd", "tables": ["core.orders"]} if check == "function" else {}
    body = {"checks": [{"type": check, **filled}]}
    answer = site.client.post("/api/v1/quality/checks/validate", json=body).json()
    assert [error for error in answer["errors"] if error["path"] != "checks[0]"] == []
