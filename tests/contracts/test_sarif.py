"""SARIF 2.1.0: valid by its own schema, stable ids and fingerprints, paths that start at the project."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from forge.contracts.contract import Violation, ViolationSeverity
from forge.contracts.policy.facts import PolicyFinding
from forge.contracts.sarif import fingerprints, sarif_of, sarif_text

TEXT = (Path(__file__).parent / "sarif" / "sarif-2.1.0-rtm.4.json").read_text(encoding="utf-8")
# This edition has a bracket too many, which strict readers of patterns refuse; nothing here has a language.
SCHEMA = json.loads(TEXT.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$"))
VALID = jsonschema_rs.validator_for(SCHEMA)


def finding(code: str = "E502", severity: ViolationSeverity = "error", line: int = 4, **more: object) -> PolicyFinding:
    path = str(more.pop("path", "schema[0].properties[2].logicalType"))
    message = str(more.pop("message", "'txt' is no type, first in line 3 of contracts/a.odcs.yaml:3:1"))
    file = str(more.pop("file", "contracts/a.odcs.yaml"))
    violation = Violation(
        code=code, severity=severity, file=file, line=line, column=7, path=path, message=message, fix="Use string."
    )
    given = {"policy_type": "data_contract", "rule": code, "table": "core.a", **more}
    return PolicyFinding(violation=violation, **given)  # type: ignore[arg-type]


EVERY = (
    finding(),
    finding("E532", "info", 0, path="", table=None),
    finding("", "warning", rule="nullability"),
    finding("", "warning", rule="version"),
    finding("E545", policy_type="custom", rule="E545/gold-owner", message="naïve % 100 ‰ \u2028 <a>"),
    finding("E540", policy_type="naming", file="transforms/über uns/a b.sql"),
    finding(file="../platform/contracts/all.odcs.yaml"),
)


@pytest.mark.parametrize("findings", [(), EVERY], ids=["none", "every kind"])
def test_the_document_is_valid_by_the_schema_of_the_standard(findings: tuple[PolicyFinding, ...]) -> None:
    document = json.loads(sarif_text(findings, "1.2.3", "2026-11-16T06:00:00.000000Z"))
    assert [error.message for error in VALID.iter_errors(document)] == []
    assert document["version"] == "2.1.0"
    assert len(document["runs"][0]["results"]) == len(findings)


def test_the_schema_would_have_refused_a_wrong_document() -> None:
    document = sarif_of(EVERY, "1.2.3")
    document["runs"][0]["results"][0]["level"] = "fatal"  # type: ignore[index]
    assert not VALID.is_valid(document)


def results(*findings: PolicyFinding) -> list[dict[str, object]]:
    run = json.loads(sarif_text(findings, "1.2.3"))["runs"][0]
    assert all(run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"])
    return list(run["results"])


def test_rules_have_stable_ids_and_severities_their_levels() -> None:
    found = results(*EVERY)
    assert [each["ruleId"] for each in found[:5]] == [
        "FORGE-E502",
        "FORGE-E532",
        "FORGE-nullability",
        "FORGE-version",
        "FORGE-E545/gold-owner",
    ]
    assert [each["level"] for each in found[:3]] == ["error", "note", "warning"]


def test_paths_start_at_the_project_and_are_uris() -> None:
    places = [each["locations"][0]["physicalLocation"] for each in results(*EVERY)]  # type: ignore[index]
    assert [place["artifactLocation"]["uri"] for place in places[-2:]] == [
        "transforms/%C3%BCber%20uns/a%20b.sql",
        "../platform/contracts/all.odcs.yaml",
    ]
    assert {place["artifactLocation"]["uriBaseId"] for place in places} == {"%SRCROOT%"}
    assert places[1]["region"]["startLine"] == 1, "a line before the first is none"


def test_a_fingerprint_survives_lines_and_columns_that_move() -> None:
    message = "'txt' is no type, first in line 30 of contracts/a.odcs.yaml:33:4"
    moved = finding(line=40, path="schema[1].properties[12].logicalType", message=message)
    assert fingerprints([finding()]) == fingerprints([moved])


@pytest.mark.parametrize(
    "other",
    [
        finding(file="contracts/b.odcs.yaml"),
        finding("E503", rule="E503"),
        finding(message="'int' is no type"),
        finding(table="core.b"),
        finding(path="schema[0].properties[2].physicalType"),
    ],
)
def test_another_finding_has_another_fingerprint(other: PolicyFinding) -> None:
    assert fingerprints([finding()]) != fingerprints([other])


def test_findings_that_are_alike_are_counted() -> None:
    first, second = fingerprints([finding(line=1), finding(line=9)])
    assert first != second
    assert (first[-2:], second[-2:]) == (":1", ":2")
    both = results(finding(line=1), finding(line=9))
    assert [set(each["partialFingerprints"].values()) for each in both] == [{first}, {second}]  # type: ignore[attr-defined]
