"""`forge pii scan|list|review` on tables of a project: no JVM, no value, and decisions that stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from version_site import open_version_site

from forge.connection import connect
from forge.model.names import TableName

PEOPLE = "id,mail,city\n" + "".join(f"{n},person{n}@secret.example,Rome\n" for n in range(8))

pytestmark = pytest.mark.slow


@pytest.fixture
def people_project(tmp_path: Path) -> Path:
    with open_version_site(tmp_path / "shop") as site:
        site.commit(PEOPLE, table="core.people")
        site.commit("id,amount\n1,2.0\n2,3.0\n", table="core.sums")
    return tmp_path / "shop"


def test_tables_are_scanned_reviewed_and_listed(forge: Callable[..., Any], people_project: Path) -> None:
    said = forge("pii", "scan", "core.people", at=people_project)
    assert said.status == 0, said.err
    assert "core.people: 1 column with personal data, by all rows" in said.out + said.err
    assert "secret.example" not in said.out + said.err
    found = forge("pii", "list", "--json", at=people_project).json["findings"]
    assert [(one["column"], one["type"], one["state"], one["quasi"]) for one in found] == [
        ("city", None, "open", True),
        ("mail", "email", "open", False),
    ]
    mail = found[1]["id"]
    rejected = forge("pii", "review", "--reject", mail, "--note", "made up", "--json", at=people_project).json[
        "findings"
    ]
    assert [(one["id"], one["state"], one["note"]) for one in rejected] == [(mail, "rejected", "made up")]
    assert forge("pii", "scan", "core.people", "--force", at=people_project).status == 0
    rejected = forge("pii", "list", "--state", "rejected", "--json", at=people_project).json["findings"]
    assert [one["id"] for one in rejected] == [mail]
    assert [one["column"] for one in forge("pii", "review", "--json", at=people_project).json["findings"]] == ["city"]
    confirm = ("pii", "review", "--confirm", mail, "--expected-version")
    assert "FORGE-E871" in forge(*confirm, "1", at=people_project).err
    assert "FORGE-E105" in forge(*confirm, "2", "--reject", found[0]["id"], at=people_project).err
    version = str(rejected[0]["version"])
    assert forge(*confirm, version, "--json", at=people_project).json["findings"][0]["state"] == "confirmed"


def test_what_is_found_is_taken_out_of_stored_profiles(forge: Callable[..., Any], people_project: Path) -> None:
    def stored() -> str:
        with connect(people_project) as f:
            return str(f.wiring.catalog.profiles.history(TableName("core", "people")))

    assert forge("catalog", "profile", "core.people", at=people_project).status == 0
    assert "secret.example" not in stored()  # what no scan has seen is judged by its values
    assert forge("pii", "scan", "core.people", at=people_project).status == 0
    assert "secret.example" not in stored()
    assert "Rome" in stored()
    city = forge("pii", "list", "--json", at=people_project).json["findings"][0]
    forge("pii", "review", "--confirm", city["id"], at=people_project)
    assert "Rome" not in stored()


def test_all_tables_are_scanned_and_unchanged_ones_not_again(forge: Callable[..., Any], people_project: Path) -> None:
    first = forge("pii", "scan", "--all", "--json", at=people_project).json["scans"]
    assert [(one["table"], one["outcome"]) for one in first] == [("core.people", "scanned"), ("core.sums", "scanned")]
    again = forge("pii", "scan", "--all", "--json", at=people_project).json["scans"]
    assert {one["outcome"] for one in again} == {"unchanged"}


def test_what_cannot_be_scanned_is_an_error(forge: Callable[..., Any], people_project: Path) -> None:
    missing = forge("pii", "scan", "core.gone", "core.people", "--json", at=people_project)
    assert missing.status == 1
    assert [one["outcome"] for one in missing.json["scans"]] == ["failed", "scanned"]
    assert "FORGE-E105" in forge("pii", "scan", at=people_project).err
    (people_project / "a.csv").write_text("id\n1\n")
    assert "FORGE-E105" in forge("pii", "scan", "a.csv", "core.people", at=people_project).err
    assert "FORGE-E870" in forge("pii", "review", "--confirm", "pii_none", at=people_project).err
    assert "FORGE-E108" in forge("pii", "list", "--state", "odd", at=people_project).err
