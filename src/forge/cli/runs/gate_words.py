"""What a gate's verdict on a contract says beside its message: code, place in the contract, and what to do."""

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
    """To stand below a verdict: where the contract says so, and what to do."""
    fix = fix_of(verdict)
    return [line for line in (source_of(verdict), fix and f"fix: {fix}") if line]


def warnings_of(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """What contracts were violated in without holding anything back. Notes are no violations."""
    return [
        verdict
        for verdict in verdicts
        if source_of(verdict)
        and not verdict.blocks
        and str(verdict.outcome) == "failed"
        and str(verdict.severity) != "info"
    ]


def contract_lines(verdict: Verdict) -> list[str]:
    """A warning of a contract: one line as `forge compile` has it, and its fix."""
    fix = fix_of(verdict)
    return [
        f"{source_of(verdict)}  {verdict.severity}: {verdict.table}: {verdict.message}",
        *([f"  fix: {fix}"] if fix else []),
    ]
