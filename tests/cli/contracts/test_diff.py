"""`forge contract diff`: a changelog of two files, and in a project against what was before."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

OLD = """\
apiVersion: v3.1.0
kind: DataContract
id: raw-orders
name: Orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: raw.orders
    properties:
      - {name: amount, logicalType: number, physicalType: double}
      - {name: status, logicalType: string}
"""
NEW = OLD.replace("physicalType: double", "physicalType: string").replace("1.0.0", "1.1.0")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "old.yaml").write_text(OLD)
    (tmp_path / "new.yaml").write_text(NEW)
    return "old.yaml", "new.yaml"


def test_two_files_are_compared_without_a_project(forge: Callable[..., Any], files: tuple[str, str]) -> None:
    ended = forge("contract", "diff", *files, "--json")
    assert ended.status == 1
    document = ended.json
    assert (document["schema_version"], document["required_bump"], document["actual_bump"]) == (1, "major", "minor")
    [violation] = document["violations"]
    assert (violation["code"], violation["file"], violation["line"]) == ("FORGE-E520", "new.yaml", 11)
    assert [change["subject"] for change in document["changes"]] == ["orders.amount"]
    assert "consumers" not in document


def test_the_changelog_is_readable(forge: Callable[..., Any], files: tuple[str, str]) -> None:
    ended = forge("contract", "diff", *files)
    assert ended.out.splitlines() == [
        "Orders 1.0.0 → 1.1.0",
        "",
        "Breaking",
        "  ✗ orders.amount: double → string",
        "",
        "FORGE-E520 new.yaml:11:59  orders.amount: double → string: breaks readers, and 1.0.0 → 1.1.0 is only a MINOR "
        "version",
        "  fix: Set version: 2.0.0, or keep double, or add a column of the type string beside it.",
        "",
        "needs a MAJOR version (2.0.0), has a MINOR one",
    ]


def test_a_version_that_says_so_is_fine(forge: Callable[..., Any], files: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "new.yaml").write_text(NEW.replace("1.1.0", "2.0.0"))
    ended = forge("contract", "diff", *files)
    assert ended.status == 0
    assert ended.out.endswith("needs a MAJOR version (2.0.0), has a MAJOR one\n")


@pytest.mark.parametrize("form", ["csv", "ndjson", "yaml"])
def test_changes_come_in_every_form(forge: Callable[..., Any], files: tuple[str, str], form: str) -> None:
    ended = forge("contract", "diff", *files, "--format", form)
    assert ended.status == 1
    assert "orders.amount" in ended.out
    if form == "yaml":
        assert yaml.safe_load(ended.out)["required_bump"] == "major"


def test_markdown_is_for_release_notes(forge: Callable[..., Any], files: tuple[str, str]) -> None:
    assert forge("contract", "diff", *files, "--markdown").out.startswith("## Orders 1.0.0 → 1.1.0\n\n### Breaking\n")


def test_a_file_that_is_no_contract_is_a_finding(
    forge: Callable[..., Any], files: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "new.yaml").write_text("schema: [\n")
    ended = forge("contract", "diff", *files, "--json")
    assert ended.status == 1
    assert ended.json["required_bump"] == ended.json["actual_bump"] == "unknown"
    assert [one["code"] for one in ended.json["violations"]] == ["FORGE-E502"]


def test_a_file_that_is_not_there_cannot_be_read(forge: Callable[..., Any], files: tuple[str, str]) -> None:
    ended = forge("contract", "diff", files[0], "nowhere.yaml")
    assert ended.status == 3
    assert "FORGE-E103 nowhere.yaml" in ended.err


def test_two_files_and_a_version_are_one_too_many(forge: Callable[..., Any], files: tuple[str, str]) -> None:
    assert forge("contract", "diff", *files, "--against", "git:HEAD").status == 2


@pytest.mark.slow
def test_in_a_project_it_names_who_is_hit(traced_copy: Any) -> None:
    folder = traced_copy.root
    (folder / "contracts").mkdir(exist_ok=True)
    file = folder / "contracts/raw.orders.odcs.yaml"
    file.write_text(OLD)
    for words in (["init", "-q"], ["add", "contracts"], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=folder, check=True)
    file.write_text(NEW)
    ended = traced_copy("contract", "diff", "raw.orders", "--against", "git:HEAD", "--json")
    assert ended.status == 1
    hit = {one["name"]: one for one in ended.json["consumers"]}
    assert "dashboard:revenue" in hit
    assert hit["marts.revenue"]["columns"] == ["raw.orders.amount"]
    text = traced_copy("contract", "diff", "raw-orders", "--against", "git:HEAD").out
    assert "  marts.revenue" in text
    assert "reads raw.orders.amount" in text
    before = traced_copy("contract", "diff", "raw.orders")
    assert (before.status, "No version of raw-orders before 1.1.0" in before.err) == (2, True)


@pytest.mark.services  # datacontract-cli takes a second to load
def test_a_second_opinion_stands_apart(forge: Any, tmp_path: Path) -> None:
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\nschema: [{name: t}]\n"
    (tmp_path / "one.yaml").write_text(text, "utf-8")
    (tmp_path / "two.yaml").write_text(text.replace("1.0.0", "1.0.1"), "utf-8")
    found = forge("contract", "diff", "one.yaml", "two.yaml", "--second-opinion", "--json", at=tmp_path).json
    assert found["second_opinion"] == [{"path": "version", "kind": "updated", "old": "1.0.0", "new": "1.0.1"}]
    told = forge("contract", "diff", "one.yaml", "two.yaml", "--second-opinion", at=tmp_path).out
    assert told.splitlines()[-2:] == ["datacontract-cli says: 1 change", "  version updated: 1.0.0 → 1.0.1"]
    assert forge("contract", "diff", "one.yaml", "--second-opinion", at=tmp_path).status != 0
