"""`forge compile`: all policies on the project, with text, JSON, JUnit, SARIF and GitHub output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.contracts.findings import finding_lines
from forge.cli.file_writer import write_text
from forge.cli.formatting import plural
from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.contracts.policy.facts import PolicyFinding
    from forge.flows.contracts.compile.drafts import OutputDraft
    from forge.flows.contracts.compile.project import CompileResult
    from forge.wiring import Wiring

FILE = "artifacts.json"


@command
def compile_(
    terminal: Terminal,
    max_violations: Annotated[
        int | None,
        typer.Option(
            "--max-violations",
            metavar="N",
            min=0,
            help="Exit with 1 when there are more errors than this. Default: any where enforcement is strict, else as "
            "many as there are.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help=f"What to freeze it in. Default: {FILE} in the project."),
    ] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0, too.")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML, too.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Print annotations for GitHub Actions on stdout.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Register nothing and freeze nothing.")] = False,
) -> None:
    """Run all policies on the project: naming, test coverage, documentation, references, rules of your own, contracts.

    Contracts are compared with the tables as they are and registered; artifacts.json says what was found. Exits with 1
    on errors where governance.contracts.enforcement is strict, and always for references that nothing makes."""
    from forge.cli.contracts.compile_view import github_items
    from forge.cli.quality.github import print_annotations
    from forge.flows.contracts.compile.project import compile_project

    with terminal.open() as wiring:
        compiled = compile_project(wiring.contracts.compile_ports())
        drafts = _drafts(wiring, compiled)
        notes = [] if dry_run else _keep(wiring, compiled, out)
        notes += _write_drafts(wiring, drafts, dry_run=dry_run)
    if sarif is not None:
        _write_sarif(sarif, compiled)
        notes.append(f"SARIF is in {sarif}")
    counting = _counting(compiled, max_violations)
    if junit is not None:
        _write_junit(junit, compiled, counting)
        notes.append(f"JUnit is in {junit}")
    if github:
        print_annotations(github_items(compiled.findings))
    else:
        terminal.answer(_answer(terminal, compiled, drafts))
    _say(terminal, compiled, notes, max_violations)
    if counting:
        from forge.model.codes import FINDINGS

        raise typer.Exit(FINDINGS)


def _keep(wiring: Wiring, compiled: CompileResult, out: Path | None) -> list[str]:
    """Writes artifacts and records; contracts are registered unless something blocks. Returns lines to print."""
    from importlib.metadata import version

    from forge.contracts.artifacts import artifacts_text
    from forge.flows.contracts.compile.artifacts import artifacts_of
    from forge.flows.contracts.compile.record import keep_compiled

    document = artifacts_of(compiled, wiring.settings.project, version("forge"))
    write_text(out or wiring.root / FILE, artifacts_text(document))
    kept = keep_compiled(compiled, wiring.contracts.ports())
    return list(kept.notes)


def _drafts(wiring: Wiring, compiled: CompileResult) -> tuple[OutputDraft, ...]:
    if not compiled.unpromised:
        return ()
    from forge.flows.contracts.compile.drafts import find_drafts

    return find_drafts(compiled, wiring.settings.project)


def _write_drafts(wiring: Wiring, drafts: Sequence[OutputDraft], *, dry_run: bool) -> list[str]:
    """Into new files only, where the settings ask for it. Returns lines to print."""
    notes = []
    wanted = wiring.contracts.governance.auto_generation == "write" and not dry_run
    for draft in drafts:
        file = wiring.root / draft.file
        if draft.text is None:
            notes.append(f"{draft.table} has no contract; one can be drafted after its first run")
        elif wanted and not file.exists():
            write_text(file, draft.text)
            notes.append(f"{draft.file} is a draft of a contract; read it, and set status: active when it holds")
        else:
            notes.append(f"{draft.table} has no contract; `forge contract init {draft.table}` drafts one")
    return notes


def _answer(terminal: Terminal, compiled: CompileResult, drafts: Sequence[OutputDraft]) -> CommandAnswer:
    """JSON separates violations and warnings; rows are all findings."""
    facts = compiled.to_dict()
    if compiled.project.governance.auto_generation != "off":
        facts["proposals"] = [draft.to_dict() for draft in drafts]
    is_rows = terminal.format in (OutputFormat.NDJSON, OutputFormat.CSV)
    items = [finding.to_dict() for finding in (compiled.findings if is_rows else compiled.violations)]
    lines = finding_lines([finding.violation for finding in compiled.findings])
    facts.pop("violations")
    return CommandAnswer(name="violations", items=items, facts=facts, head=lines)


def _say(terminal: Terminal, compiled: CompileResult, notes: list[str], most: int | None) -> None:
    from forge.cli.contracts.compile_view import summary_text

    for note in notes:
        terminal.say(f"note: {note}")
    terminal.say(summary_text(compiled))
    if most is not None and len(compiled.violations) > most:
        terminal.say(f"{plural(len(compiled.violations), 'error')}, more than --max-violations {most}")
    elif compiled.violations and not compiled.blocking:
        terminal.say("Reported only; with governance.contracts.enforcement: strict this ends with 1.")


def _counting(compiled: CompileResult, most: int | None) -> tuple[PolicyFinding, ...]:
    """The findings for which the command exits with 1."""
    if most is None:
        return compiled.blocking
    return compiled.violations if len(compiled.violations) > most else ()


def _write_junit(file: Path, compiled: CompileResult, counting: Sequence[PolicyFinding]) -> None:
    from forge.cli.contracts.compile_view import junit_items
    from forge.cli.quality.junit import junit_xml

    items, failing = junit_items(compiled, counting)
    write_text(file, junit_xml(items, failing, "forge compile"))


def _write_sarif(file: Path, compiled: CompileResult) -> None:
    from importlib.metadata import version

    from forge.contracts.sarif import sarif_text

    ended = compiled.validated_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    write_text(file, sarif_text(compiled.findings, version("forge"), ended))
