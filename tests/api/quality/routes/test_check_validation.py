"""Checks that a monitor is refused for are refused by validation and preview, in the same places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from version_site import VersionSite, open_version_site

NOT_NULL = {"type": "not_null", "column": "name"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("checks") / "shop") as site:
        site.commit("id,name,amount\n1,a,10.5\n", table="core.orders")
        yield site


def call(site: VersionSite, path: str, status: int, body: object) -> Any:
    answer = site.client.post(f"/api/v1/quality{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.mark.parametrize(
    "check",
    [
        {"type": "custom", "function": "checks.odd"},
        {**NOT_NULL, "where": "name IN (SELECT name FROM core.orders)"},
        {**NOT_NULL, "where": "true /* anything */"},
        {"type": "expression", "sql": "amount > (SELECT max(value) FROM text.`/etc/hosts`)"},
        {"type": "range", "column": "amount", "maxi": 25},
        {"type": "no such type"},
        "not a check",
    ],
    ids=str,
)
def test_validation_refuses_what_a_monitor_is_refused_for(site: VersionSite, check: object) -> None:
    refused = call(site, "/monitors", 422, {"name": "odd", "dataset": "core.orders", "checks": [check]})
    validated = call(site, "/checks/validate", 200, {"checks": [check]})
    previewed = call(site, "/monitors/preview", 200, {"name": "o", "dataset": "core.orders", "checks": [check]})
    told = [error["what"] for error in refused["errors"]] or [refused["detail"]]
    paths = [error["path"] for error in validated["errors"]]
    assert not validated["valid"]
    assert paths == [error["path"] for error in previewed["errors"]]
    assert [path for path, words in zip(paths, told, strict=True) if path not in words] == []
