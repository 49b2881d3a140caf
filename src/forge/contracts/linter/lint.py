"""The linter: a contract validated against the version of the standard that it declares, and against semantic rules.

`lint` never raises for bad text; all findings are returned at once, in the order of the file."""

from __future__ import annotations

from forge.contracts.contract import Violation
from forge.contracts.document.file import Document, parse_document
from forge.contracts.linter.columns import check_tables
from forge.contracts.linter.explain import explain
from forge.contracts.linter.finding import LintFindings
from forge.contracts.linter.head import check_head, grammar_of
from forge.contracts.linter.parts import check_parts
from forge.contracts.linter.sla import check_sla
from forge.contracts.linter.standard_schema import is_valid
from forge.contracts.linter.strict import check_strict

PROFILES = ("standard", "strict")

# Each examines well-formed parts and leaves the rest to the schema.
_RULES = (check_tables, check_sla, check_parts)


def lint(
    source: str | bytes | Document, file: str = "contract.odcs.yaml", profile: str = "standard"
) -> tuple[Violation, ...]:
    """Findings of a contract. `profile` "strict" also requires a name, an owner, a schema and descriptions."""
    if profile not in PROFILES:
        raise ValueError(f"the profile is one of {', '.join(PROFILES)}, not {profile!r}")
    if isinstance(source, Document):
        return lint_document(source, profile)
    document, violations = parse_document(source, file)
    if document is None:
        return violations
    return _ordered((*violations, *lint_document(document, profile)))


def lint_document(document: Document, profile: str = "standard") -> tuple[Violation, ...]:
    """The same for a parsed document."""
    findings = LintFindings(document)
    grammar = grammar_of(findings)
    if grammar is not None:
        check_head(findings, grammar.version)
        if not is_valid(grammar.version, document.data):
            explain(findings, grammar.version, grammar.judged)
        for rule in _RULES:
            rule(findings, grammar.version)
        if profile == "strict":
            check_strict(findings)
    return _ordered(tuple(findings.violations))


def _ordered(violations: tuple[Violation, ...]) -> tuple[Violation, ...]:
    return tuple(sorted(dict.fromkeys(violations), key=lambda each: (each.line, each.column, each.code, each.path)))
