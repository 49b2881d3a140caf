"""Terminal output of contract drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forge.cli.contracts.findings import exit_on_errors, findings_answer, summary_line
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.contracts.contract import Contract, Violation
    from forge.contracts.drift.table import ContractDrift


def contract_at(path: Path) -> Contract:
    from forge.cli.contracts.file import bytes_of

    return _contract_of(bytes_of(path), str(path))


def _contract_of(source: bytes, file: str) -> Contract:
    """Also of an invalid contract: its table is compared, `lint` reports the rest."""
    from forge.contracts.document.file import read_document
    from forge.contracts.load import contract_of

    return contract_of(read_document(source, file))


def answer_drift(terminal: Terminal, drifts: Sequence[ContractDrift], more: Sequence[Violation] = ()) -> None:
    """The findings and their fixes; exit status 1 where one is an error."""
    violations = [*more, *(violation for drift in drifts for violation in drift.violations)]
    grouped = [*more, *(violation for drift in drifts for violation in _grouped_findings(drift))]
    facts = {
        "tables": [{"table": drift.table, "exists": drift.exists} for drift in drifts],
        "patch": "".join(drift.patch for drift in drifts) or None,
        "operations": [operation for drift in drifts for operation in drift.operations],
        "alter": [statement for drift in drifts for statement in drift.alter],
    }
    terminal.answer(findings_answer(violations, [*_fix_lines(drifts), summary_line(grouped)], facts, grouped))
    for drift in drifts:
        if not drift.exists:
            terminal.say(f"{drift.table} does not exist there yet, so it has no drift.")
    exit_on_errors(violations)


def _grouped_findings(drift: ContractDrift) -> list[Violation]:
    """For people: nullable but required columns are one line per table, as nearly all columns that Spark writes are
    nullable."""
    nullable = [each for each in drift.found if each.kind == "nullable"]
    if len(nullable) < 2:
        return list(drift.violations)
    names = ", ".join(".".join(each.steps) for each in nullable)
    one = replace(
        nullable[0].violation,
        message=f"{len(nullable)} required columns may be NULL in {drift.table}: {names}",
        fix="Keep `required`: rows are checked for it. Make them NOT NULL where the table is made, if that can be.",
    )
    return [*(each.violation for each in drift.found if each.kind != "nullable"), one]


def _fix_lines(drifts: Sequence[ContractDrift]) -> list[str]:
    lines = []
    for drift in drifts:
        if drift.alter:
            lines += ["", f"To make {drift.table} fit the contract:", *(f"  {line};" for line in drift.alter)]
        if drift.patch:
            lines += [
                "",
                f"To make the contract fit {drift.table}:",
                *(f"  {line}" for line in drift.patch.splitlines()),
            ]
    return [*lines, ""] if lines else []
