"""Details of a contract gate's verdict: code, place in the contract, and fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.quality.verdict import Verdict


def source_of(verdict: Verdict) -> str:
    """`FORGE-E530 contracts/core.orders.odcs.yaml:68`; empty for checks, which have none."""
    where, code = verdict.details.get("where"), verdict.details.get("code")
    if not where:
        return ""
    return f"FORGE-{code} {where}" if code else str(where)


def fix_of(verdict: Verdict) -> str:
    return str(verdict.details.get("fix") or "")


def source_lines(verdict: Verdict) -> list[str]:
    """Lines below a verdict: place in the contract, and fix."""
    fix = fix_of(verdict)
    return [line for line in (source_of(verdict), fix and f"fix: {fix}") if line]


def warnings_of(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Contract violations that did not block. Notes are no violations."""
    return [
        verdict
        for verdict in verdicts
        if source_of(verdict)
        and not verdict.blocks
        and str(verdict.outcome) == "failed"
        and str(verdict.severity) != "info"
    ]


def contract_lines(verdict: Verdict) -> list[str]:
    """A contract warning: one line as in `forge compile`, and its fix."""
    fix = fix_of(verdict)
    return [
        f"{source_of(verdict)}  {verdict.severity}: {verdict.table}: {verdict.message}",
        *([f"  fix: {fix}"] if fix else []),
    ]
