"""Terminal output of contract findings: one line each with its place, the fix below, a count at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import CommandAnswer
from forge.cli.formatting import plural

if TYPE_CHECKING:
    from forge.contracts.contract import Violation

_SEVERITIES = ("error", "warning", "info")
_STYLES = {"error": "red", "warning": "yellow"}


def finding_lines(violations: Sequence[Violation]) -> list[str]:
    lines = []
    for each in violations:
        label = f"FORGE-{each.code}" if each.code else each.severity
        prefix = f"{each.severity}: " if each.severity != "error" and each.code else ""
        lines.append(f"{label} {each.file}:{each.line}:{each.column}  {prefix}{each.message}")
        if each.fix:
            lines.append(f"  fix: {each.fix}")
    return lines


def findings_answer(
    violations: Sequence[Violation],
    foot: Sequence[str],
    facts: Mapping[str, object] | None = None,
    shown: Sequence[Violation] | None = None,
) -> CommandAnswer:
    """On a terminal errors are red and fixes dimmed. `shown`: what people see, where it differs from the data."""
    lines = [(line, style) for each in (violations if shown is None else shown) for line, style in _styled(each)]
    answer = CommandAnswer(name="violations", items=violation_items(violations), facts=facts or {}, foot=foot)
    return answer.with_lines(lines)


def _styled(violation: Violation) -> Iterator[tuple[str, str]]:
    head, *rest = finding_lines([violation])
    yield head, _STYLES.get(violation.severity, "")
    yield from ((line, "dim") for line in rest)


def summary_line(violations: Sequence[Violation]) -> str:
    """`2 errors, 1 warning`; without any, `no findings`."""
    counts = [(severity, sum(v.severity == severity for v in violations)) for severity in _SEVERITIES]
    parts = [plural(number, "note" if severity == "info" else severity) for severity, number in counts if number]
    return ", ".join(parts) or "no findings"


def violation_items(violations: Sequence[Violation]) -> list[Mapping[str, object]]:
    return [each.to_dict() for each in violations]


def exit_on_errors(violations: Sequence[Violation]) -> None:
    """Findings are output; the exit status says whether one of them is an error."""
    import typer

    if any(each.severity == "error" for each in violations):
        raise typer.Exit(1)
