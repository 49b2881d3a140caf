"""Lint of the header: version of the standard, own version, name and status."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from forge.contracts.lifecycle import WORDS
from forge.contracts.linter.finding import LintFindings, has_variable, is_blank, shown
from forge.contracts.linter.keys import SHORTHAND
from forge.contracts.linter.standard_schema import GRAMMARS, NEWEST
from forge.contracts.linter.words import one_of

STATES = ("proposed", "draft", "active", "deprecated", "sunset", "retired")

_NUMBER = r"(?:0|[1-9][0-9]{0,17})"
_PART = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
SEMANTIC_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PART}(?:\.{_PART})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Grammar:
    """`judged`: keys that the schema need not judge again."""

    version: str
    judged: frozenset[str] = frozenset()


def grammar_of(findings: LintFindings) -> Grammar | None:
    """The grammar of the contract; None for another standard, which is reported already."""
    data = findings.document.data
    version = data.get("apiVersion")
    if isinstance(version, str) and version in GRAMMARS:
        return Grammar(version)
    foreign = [key for key in data if key in SHORTHAND]
    if is_blank(version):
        if foreign or (not data.keys() & {"schema", "kind"} and "models" in data):
            _shorthand(findings, foreign)
            return None
        problem = "is empty" if "apiVersion" in data else "is missing"
        message = f"apiVersion {problem}; it says which version of the standard the contract follows"
        findings.add("E501", ("apiVersion",), message, "Add apiVersion: v3.1.0.")
        return Grammar(NEWEST, frozenset({"apiVersion"}))
    message = f"{shown(version)} is no version of the standard that Forge reads"
    findings.add("E502", ("apiVersion",), message, _version_fix(str(version), findings.document.file))
    if str(version).lstrip("vV").startswith(("2", "1", "0")):
        _basics(findings)
        return None
    return Grammar(NEWEST, frozenset({"apiVersion"}))


def _version_fix(version: str, file: str) -> str:
    known = list(GRAMMARS)
    plain = f"v{version.lower().lstrip('v').strip()}"
    if plain in known:
        return f"Write apiVersion: {plain}."
    if plain.startswith("v2"):
        return f"Contracts of v2 have another form: forge contract import {file} turns one into ODCS 3."
    near = next((each for each in reversed(known) if each.startswith(plain)), None)
    return f"Write apiVersion: {near}." if near else f"Use one of {', '.join(known)}."


def _shorthand(findings: LintFindings, foreign: list[str]) -> None:
    """Never read silently: the shorthand must be converted to ODCS first."""
    document = findings.document
    fix = f"Turn it into ODCS: forge contract import {document.file}"
    for key in ("apiVersion", "kind"):
        if is_blank(document.data.get(key)):
            findings.add("E501", (key,), f"{key} is missing: this is the shorthand, not an ODCS contract", fix)
    first = next((key for key in ("models", "elements", "owner") if key in foreign), foreign[0])
    message = f"'{first}' is of the shorthand, which has no place in ODCS"
    findings.add("E502", (first,), message, fix, at_key=True)


def _basics(findings: LintFindings) -> None:
    """Required by every version."""
    for key, fix in (("kind", "Add kind: DataContract."), ("version", "Add version: 1.0.0.")):
        if is_blank(findings.document.data.get(key)):
            findings.add("E501", (key,), f"{key} is missing; a contract needs it", fix)
    check_head(findings, NEWEST)


def check_head(findings: LintFindings, version: str) -> None:
    data = findings.document.data
    own = data.get("version")
    if isinstance(own, str) and own.strip() and not SEMANTIC_VERSION.fullmatch(own):
        findings.add("E502", ("version",), f"{shown(own)} is not a semantic version", _semantic_fix(own))
    elif isinstance(own, int | float) and not isinstance(own, bool):
        written = findings.document.written(("version",)) or str(own)
        findings.add("E502", ("version",), f"{written} is a number, not a semantic version", _semantic_fix(written))
    _check_name(findings)
    status = data.get("status")
    if isinstance(status, str) and status.strip() and not has_variable(status) and status.strip().lower() not in WORDS:
        message = f"{shown(status)} is no state that Forge knows, and is taken as active"
        findings.add("E502", ("status",), message, one_of(status, STATES), severity="warning")
    created = data.get("contractCreatedTs")
    if isinstance(created, str) and not has_variable(created) and not is_moment(created):
        message = f"{shown(created)} is not a date and time"
        findings.add("E502", ("contractCreatedTs",), message, "Write it like 2026-01-31T12:00:00Z.")
    for key in ("apiVersion", "kind", "version", "id", *(() if version == NEWEST else ("status",))):
        if key in data and is_blank(data[key]):
            findings.add("E501", (key,), f"{key} is empty; a contract needs it", f"Write {key}: …")


def _check_name(findings: LintFindings) -> None:
    name = findings.document.data.get("name")
    if not isinstance(name, str) or 1 <= len(name.strip()) <= len(name) <= _LONGEST_NAME:
        return
    message = f"the name has {len(name)} characters" if name.strip() else "the name is empty"
    findings.add("E502", ("name",), f"{message}; 1 to {_LONGEST_NAME} are allowed", "Give it a short name.")


def _semantic_fix(version: str) -> str:
    numbers = re.findall(r"[0-9]{1,9}", version[:60])
    if not numbers:
        return "Write three numbers, like 1.0.0."
    likely = ".".join(str(int(each)) for each in [*numbers, "0", "0"][:3])
    return f"Write three numbers: version: {likely}."


def is_moment(text: str) -> bool:
    """A date with a time, in ISO 8601."""
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return len(text.strip()) > len("2026-01-31")
