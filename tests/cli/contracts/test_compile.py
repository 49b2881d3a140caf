"""`forge compile`: exit statuses, files for other programs, registration; against a real lake and without a JVM."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
team: {name: sales}
schema:
  - name: core.orders
    description: Orders
    properties:
      - {name: order_id, logicalType: integer, required: true, description: Number}
      - {name: amount, logicalType: string, description: What was paid}
      - {name: customer, logicalType: string, description: Who}
"""
FILE = "contracts/core.orders.odcs.yaml"
GOOD = CONTRACT.replace("{name: amount, logicalType: string", "{name: amount, logicalType: number")


@pytest.fixture(autouse=True)
def _no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    from forge.engines.spark.session.session import LazySession

    def refuse(self: object) -> None:
        raise AssertionError("compiling started Spark")

    monkeypatch.setattr(LazySession, "_start", refuse)


def put(house: Any, text: str, governance: str = "") -> None:
    path = house.root / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    settings = "project: house\nuser: {name: Ada, email: ada@example.com}\n"
    (house.root / "forge.yaml").write_text(settings + (f"governance: {governance}\n" if governance else ""))


def test_the_answer_has_the_words_of_the_specification(house: Any) -> None:
    put(house, CONTRACT)
    ended = house("compile", "--json")
    assert ended.status == 0, ended.err
    document = ended.json
    assert document["schema_version"] == 1
    assert document["valid"] is False
    (violation,) = document["violations"]
    assert (violation["code"], violation["file"], violation["line"]) == ("FORGE-E530", FILE, 13)
    assert (violation["policy_type"], violation["severity"]) == ("data_contract", "error")
    assert violation["fix"]
    assert [each["code"] for each in document["warnings"]] == ["FORGE-E532"], "the status is not in the contract"
    assert list(document["summary"]) == [
        "naming",
        "coverage",
        "documentation",
        "semantic",
        "custom",
        "data_contract",
    ]
    assert document["summary"]["data_contract"] == 2
    assert document["schema_hash"].startswith("sha256:")
    assert document["validated_at"].endswith("+00:00")


@pytest.mark.parametrize(
    ("governance", "words", "status"),
    [
        ("", (), 0),
        ("{contracts: {enforcement: warn}}", (), 0),
        ("{contracts: {enforcement: strict}}", (), 1),
        ("{contracts: {enforcement: strict, drift: {enforcement: warn}}}", (), 0),
        ("{contracts: {enforcement: off}}", (), 0),
        ("", ("--max-violations", "0"), 1),
        ("", ("--max-violations", "1"), 0),
        ("{contracts: {enforcement: strict}}", ("--max-violations", "1"), 0),
    ],
)
def test_the_exit_status_follows_enforcement(house: Any, governance: str, words: tuple[str, ...], status: int) -> None:
    put(house, CONTRACT, governance)
    assert house("compile", "--dry-run", *words).status == status


def test_people_read_a_line_for_each_finding_and_a_summary(house: Any) -> None:
    put(house, CONTRACT)
    ended = house("compile")
    assert f"FORGE-E530 {FILE}:13:" in ended.out
    assert "  fix: " in ended.out
    assert "1 error, 1 note in 1 table and 1 contract (data_contract 2)" in ended.err
    assert "with governance.contracts.enforcement: strict this ends with 1" in ended.err


def test_what_is_good_is_registered_once_and_frozen(house: Any) -> None:
    put(house, GOOD)
    first = house("compile")
    assert "registered Orders 1.0.0" in first.err
    assert "registered" not in house("compile").err
    document = json.loads((house.root / "artifacts.json").read_text())
    assert [each["id"] for each in document["data_contracts"]] == ["orders"]
    listed = house("contract", "list", "--json")
    assert listed.status == 0, listed.err
    assert "orders" in listed.out


def test_a_contract_that_breaks_the_registered_one_is_told_and_not_registered(house: Any) -> None:
    put(house, GOOD)
    assert house("compile").status == 0
    put(house, GOOD.replace("      - {name: customer, logicalType: string, description: Who}\n", ""))
    ended = house("compile", "--json")
    assert [each["code"] for each in ended.json["violations"]] == ["FORGE-E520"]
    assert "is not registered" in ended.err


def test_a_dry_run_leaves_nothing_behind(house: Any) -> None:
    put(house, GOOD)
    assert house("compile", "--dry-run").status == 0
    assert not (house.root / "artifacts.json").exists()
    assert "registered Orders" in house("compile").err


def test_sarif_junit_and_annotations_say_the_same(house: Any, tmp_path: Path) -> None:
    put(house, CONTRACT, "{contracts: {enforcement: strict}}")
    sarif, junit = tmp_path / "out" / "f.sarif", tmp_path / "f.xml"
    ended = house("compile", "--github", "--sarif", str(sarif), "--junit", str(junit))
    assert ended.status == 1
    assert f"::error file={FILE},line=13,col=37,title=FORGE-E530 data_contract::" in ended.out
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["FORGE-E532", "FORGE-E530"]
    suites = ET.parse(junit).getroot()
    assert suites.get("name") == "forge compile"
    assert [suite.get("name") for suite in suites] == [
        "naming",
        "coverage",
        "documentation",
        "semantic",
        "custom",
        "data_contract",
    ]
    failed = suites.findall(".//failure")
    assert len(failed) == 1
    assert "FORGE-E530" in str(failed[0].get("type"))
    assert f"note: SARIF is in {sarif}" in ended.err
    assert f"note: JUnit is in {junit}" in ended.err
    assert f"::notice file={FILE},line=11,col=5,title=FORGE-E532 data_contract::" in ended.out


@pytest.mark.parametrize(("most", "status"), [(0, 1), (1, 0)])
@pytest.mark.parametrize("enforcement", ["warn", "strict"])
def test_more_errors_than_allowed_are_said_and_fail_in_junit(
    house: Any, tmp_path: Path, enforcement: str, most: int, status: int
) -> None:
    put(house, CONTRACT, f"{{contracts: {{enforcement: {enforcement}}}}}")
    junit = tmp_path / "f.xml"
    ended = house("compile", "--dry-run", "--max-violations", str(most), "--junit", str(junit))
    assert ended.status == status
    assert len(ET.parse(junit).getroot().findall(".//failure")) == status
    assert (f"1 error, more than --max-violations {most}" in ended.err) is bool(status)
    assert not (status and "Reported only" in ended.err)


def test_a_new_reader_of_what_is_retired_is_found(house: Any) -> None:
    put(house, GOOD)
    assert house("compile").status == 0
    for state in ("deprecated", "retired"):
        assert house("contract", "state", "orders", state).status == 0
    folder = house.root / "transforms" / "marts"
    folder.mkdir(parents=True)
    (folder / "total.sql").write_text("SELECT sum(amount) AS total FROM core.orders")
    ended = house("compile", "--json")
    found = [(each["code"], each["file"]) for each in ended.json["violations"]]
    assert (ended.status, found) == (1, [("FORGE-E506", "transforms/marts/total.sql")])
    put(house, GOOD, "{contracts: {enforcement: off}}")
    assert house("compile").status == 0


def test_a_reference_that_nothing_makes_ends_with_one_whatever_the_enforcement(house: Any) -> None:
    put(house, GOOD)
    folder = house.root / "transforms" / "marts"
    folder.mkdir(parents=True)
    (folder / "revenue.sql").write_text("SELECT amount\nFROM core.ordrs\n")
    ended = house("compile", "--json")
    assert ended.status == 1
    assert [each["code"] for each in ended.json["violations"]] == ["FORGE-E543"]
    assert ended.json["violations"][0]["fix"] == "Did you mean core.orders?"


@pytest.mark.slow
def test_an_empty_project_compiles(forge: Any, project: Path) -> None:
    ended = forge("compile", "--json", at=project)
    assert ended.status == 0, ended.err
    assert ended.json["valid"] is True


@pytest.mark.parametrize(("mode", "is_written"), [("propose", False), ("write", True), ("off", None)])
def test_outputs_without_a_contract_get_a_draft_where_asked_for(house: Any, mode: str, is_written: bool | None) -> None:
    put(house, GOOD, f"{{contracts: {{auto_generation: {mode}}}}}")
    (house.root / FILE).unlink()
    folder = house.root / "transforms" / "core"
    folder.mkdir(parents=True)
    (folder / "orders.sql").write_text("SELECT 1 AS order_id\n")
    (folder / "later.sql").write_text("SELECT order_id FROM core.orders\n")
    ended = house("compile", "--json")
    assert ended.status == 0, ended.err
    if is_written is None:
        assert "proposals" not in ended.json
        return
    later, orders = ended.json["proposals"]
    assert (later["table"], later["text"]) == ("core.later", None)
    assert (orders["file"], "order_id" in orders["text"]) == (FILE, True)
    assert (house.root / FILE).exists() is is_written
    if is_written:
        again = house("compile", "--json")
        assert (again.status, again.json["violations"]) == (0, [])
        assert [each["table"] for each in again.json["proposals"]] == ["core.later"]


def test_rows_are_all_findings(house: Any) -> None:
    put(house, CONTRACT)
    lines = house("compile", "--format", "ndjson").out.splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["FORGE-E532", "FORGE-E530"]


def test_python_compiles_the_same(house: Any) -> None:
    import forge

    put(house, CONTRACT)
    with forge.connect(house.root) as project:
        compiled = project.compile(keep=True)
        assert [each.violation.code for each in compiled.violations] == ["E530"]
        assert compiled.to_dict()["valid"] is False
    assert "registered" not in house("compile").err, "Python has registered it"
