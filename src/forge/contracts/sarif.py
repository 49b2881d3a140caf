"""Findings as SARIF 2.1.0 for code hosts and editors."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from forge.contracts.policy.facts import PolicyFinding
from forge.model.codes import CODES

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINTS = ("forgeFinding/v1", "primaryLocationLineHash")
"""GitHub looks at the second only, and else hashes the line itself."""
ROOT = "%SRCROOT%"

_WITHOUT_CODE = {
    "nullability": "A column may be empty in the table and not in the contract, or the reverse.",
    "version": "A contract changed in a way that breaks nobody, and its version did not.",
    "inheritance": "Whether a contract weakens one above it cannot be told.",
}
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_LINES = re.compile(r"(?<=\S):\d+(?::\d+)?\b|\blines? \d+")
_INDEX = re.compile(r"\[\d+\]")


def sarif_of(findings: Sequence[PolicyFinding], version: str, ended: str | None = None) -> dict[str, object]:
    """One run. Rule ids are stable, paths are relative to the project, and fingerprints do not change when lines
    move."""
    rules = _rules(findings)
    index = {str(rule["id"]): number for number, rule in enumerate(rules)}
    invocation: dict[str, object] = {"executionSuccessful": True}
    if ended:
        invocation["endTimeUtc"] = ended
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "Forge", "version": version, "rules": rules}},
                "automationDetails": {"id": "forge/compile/"},
                "invocations": [invocation],
                "originalUriBaseIds": {ROOT: {"description": {"text": "The folder of the project."}}},
                "columnKind": "unicodeCodePoints",
                "results": _results(findings, index),
            }
        ],
    }


def sarif_text(findings: Sequence[PolicyFinding], version: str, ended: str | None = None) -> str:
    return json.dumps(sarif_of(findings, version, ended), indent=2, ensure_ascii=False) + "\n"


def rule_id(finding: PolicyFinding) -> str:
    return f"FORGE-{finding.rule}"


def fingerprints(findings: Sequence[PolicyFinding]) -> list[str]:
    """Identity of a finding independent of its line: rule, file, subject and message, without line numbers and list
    indexes. Equal findings are numbered."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for finding in findings:
        violation = finding.violation
        parts = (
            rule_id(finding),
            violation.file,
            _INDEX.sub("[]", violation.path),
            finding.table or "",
            _LINES.sub("", violation.message),
        )
        mark = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]
        seen[mark] = seen.get(mark, 0) + 1
        found.append(f"{mark}:{seen[mark]}")
    return found


def _results(findings: Sequence[PolicyFinding], index: Mapping[str, int]) -> list[dict[str, object]]:
    return [
        _result(finding, index[rule_id(finding)], mark)
        for finding, mark in zip(findings, fingerprints(findings), strict=True)
    ]


def _result(finding: PolicyFinding, number: int, mark: str) -> dict[str, object]:
    violation = finding.violation
    fix = f" {violation.fix}" if violation.fix else ""
    region = {"startLine": max(violation.line, 1), "startColumn": max(violation.column, 1)}
    location: dict[str, object] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(violation.file.replace("\\", "/") or "."), "uriBaseId": ROOT},
            "region": region,
        }
    }
    if finding.table:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.table, "kind": "object"}]
    return {
        "ruleId": rule_id(finding),
        "ruleIndex": number,
        "level": _LEVELS[violation.severity],
        "message": {"text": f"{violation.message.rstrip('.')}.{fix}"},
        "locations": [location],
        "partialFingerprints": dict.fromkeys(FINGERPRINTS, mark),
        "properties": {"policy_type": finding.policy_type, "path": violation.path, "fix": violation.fix},
    }


def _rules(findings: Iterable[PolicyFinding]) -> list[dict[str, object]]:
    """The violated rules, by id."""
    first: dict[str, PolicyFinding] = {}
    for finding in findings:
        first.setdefault(rule_id(finding), finding)
    return [_rule(name, first[name]) for name in sorted(first)]


def _rule(name: str, finding: PolicyFinding) -> dict[str, object]:
    code = CODES.get(finding.violation.code)
    title = code.title if code else finding.rule
    meaning = code.meaning if code else _WITHOUT_CODE.get(finding.rule, "")
    _, _, own = finding.rule.partition("/")
    rule: dict[str, object] = {
        "id": name,
        "name": _camel(own or title),
        "shortDescription": {"text": own or title},
        "fullDescription": {"text": meaning or title},
        "defaultConfiguration": {"level": _LEVELS[finding.violation.severity]},
        "properties": {"tags": [finding.policy_type]},
    }
    sentences = [text for text in (meaning, code.why if code else "") if text]
    if code:
        sentences.append(f"`forge explain {code.code}` tells more.")
    rule["help"] = {"text": " ".join(sentences)}
    return rule


def _camel(title: str) -> str:
    """`breaking change` → `BreakingChange`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", title) if word)
