"""`forge pii scan|list|review`: personal data in files, also outside a project, and in tables; and decisions about
what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.command import command, command_group
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from forge.catalog.pii import PiiType
    from forge.catalog.pii.review import PiiRecord
    from forge.cli.answer import AnswerColumn
    from forge.flows.catalog.file_scan import FileScan
    from forge.flows.catalog.pii.scan import TableScan


@command
def scan(
    terminal: Terminal,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE|TABLE]...", help="CSV, Parquet or JSON lines; or tables of the project."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(min=1, help="How many rows are looked at: of a file the first, of a table spread over it."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="All tables of the project; of files, show columns without personal data, too."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Scan tables that did not change, too.")] = False,
) -> None:
    """Tell which columns of files or tables hold personal data, and by what evidence. No value is shown or stored;
    findings about tables are kept for review."""
    names = targets or []
    files = [Path(name) for name in names if _is_file(name)]
    if files and len(files) == len(names):
        _scan_files(terminal, files, rows or 10_000, everything=everything)
        return
    _refuse_mixture(files, names, everything=everything)
    _scan_tables(terminal, names, rows, force=force)


def _is_file(name: str) -> bool:
    """A path, or an ending that tables do not have."""
    from forge.flows.catalog.file_scan import is_table_file

    return "/" in name or "\\" in name or is_table_file(Path(name)) or Path(name).is_file()


def _refuse_mixture(files: Sequence[Path], names: Sequence[str], *, everything: bool) -> None:
    from forge.model.errors import ForgeError

    if files:
        raise ForgeError("E105", "Files and tables are not scanned together", fix="Call it once for each.")
    if not names and not everything:
        fix = "Name files or tables; --all scans every table of the project."
        raise ForgeError("E105", "There is nothing to scan", fix=fix)


def _scan_files(terminal: Terminal, files: Sequence[Path], rows: int, *, everything: bool) -> None:
    from forge.cli.answer import AnswerColumn, CommandAnswer
    from forge.cli.output import OutputFormat
    from forge.flows.catalog.file_scan import scan_file

    types = _own_types(terminal)
    scans = [scan_file(file, rows, types) for file in files]
    # Programs are told of every column; people of those that matter.
    everything = everything or terminal.format is not OutputFormat.TABLE
    found = [
        {"file": scan.file, **finding.to_dict(), "quasi": finding.quasi}
        for scan in scans
        for finding in scan.findings
        if everything or finding.type is not None or finding.quasi
    ]
    columns = [
        *([AnswerColumn("FILE", lambda item: str(item["file"]))] if len(scans) > 1 else []),
        *_finding_columns(),
    ]
    facts = {"files": [{"file": one.file, "rows": one.rows, "complete": one.complete} for one in scans]}
    terminal.answer(
        CommandAnswer(name="columns", items=found, columns=columns, facts=facts, foot=[_summary(one) for one in scans])
    )


def _own_types(terminal: Terminal) -> tuple[PiiType, ...]:
    """Of the project, if there is one."""
    from forge.model.errors import NoProjectError
    from forge.settings import load_settings

    try:
        return load_settings(terminal.project).pii_types
    except NoProjectError:
        if terminal.project is not None:
            raise
        return ()


def _finding_columns() -> list[AnswerColumn]:
    from forge.cli.answer import AnswerColumn

    return [
        AnswerColumn("COLUMN", lambda item: str(item["column"]), style="bold"),
        AnswerColumn("TYPE", _type_text),
        AnswerColumn("SCORE", lambda item: f"{item['score']:.2f}" if item["score"] else "", right=True),
        AnswerColumn("EVIDENCE", _evidence, style="dim"),
    ]


def _evidence(item: Any) -> str:
    return "; ".join(item["evidence"])


def _type_text(item: Any) -> str:
    return str(item["type"] or ("quasi-identifier" if item["quasi"] else ""))


def _summary(scan: FileScan) -> str:
    from forge.cli.formatting import plural

    personal = sum(finding.type is not None for finding in scan.findings)
    of = "all rows" if scan.complete else f"the first {scan.rows:,} rows"
    return f"{scan.file}: {plural(personal, 'column')} of {len(scan.findings)} with personal data, by {of}"


def _scan_tables(terminal: Terminal, names: Sequence[str], rows: int | None, *, force: bool) -> None:
    from dataclasses import replace

    from forge.flows.catalog.pii.scan import scan_tables
    from forge.model.names import TableName

    with terminal.open() as wiring:
        tables = [TableName.parse(name) for name in names] or sorted(wiring.catalog.pii.known_tables())
        ports = wiring.catalog.pii.scan_ports()
        scans = scan_tables(tables, replace(ports, rows=rows or ports.rows), force=force)
        found = wiring.catalog.pii.findings.findings(tables=[scan.table for scan in scans])
        terminal.answer(_findings_answer(found, scans))
    if any(scan.outcome == "failed" for scan in scans):
        raise typer.Exit(1)


def _findings_answer(records: Iterable[PiiRecord], scans: Sequence[TableScan] = ()) -> Any:
    from forge.cli.answer import AnswerColumn, CommandAnswer

    columns = [
        AnswerColumn("ID", lambda item: str(item["id"]), style="dim"),
        AnswerColumn("TABLE", lambda item: str(item["table"])),
        *_finding_columns()[:-1],
        AnswerColumn("STATE", lambda item: str(item["state"])),
        AnswerColumn("EVIDENCE", _why, style="dim"),
    ]
    items = [record.to_dict() for record in records]
    facts = {"scans": [scan.to_dict() for scan in scans]} if scans else {}
    return CommandAnswer(
        name="findings", items=items, columns=columns, facts=facts, foot=[_told(scan) for scan in scans]
    )


def _why(item: Any) -> str:
    way = [" → ".join(item["path"])] if item["path"] else []
    reason = [item["reason"]] if item["reason"] else []
    return "; ".join((*item["evidence"], *way, *reason))


def _told(scan: TableScan) -> str:
    from forge.cli.formatting import plural

    if scan.outcome == "failed":
        return f"{scan.table}: not scanned: {scan.error}"
    if scan.outcome == "vanished":
        return f"{scan.table}: the table is gone, {plural(scan.changed, 'finding')} closed"
    of = "all rows" if scan.complete else f"{scan.rows:,} rows"
    again = " (unchanged since)" if scan.outcome == "unchanged" else ""
    return f"{scan.table}: {plural(scan.found, 'column')} with personal data, by {of}{again}"


@command
def list_(
    terminal: Terminal,
    tables: Annotated[list[str] | None, typer.Argument(metavar="[TABLE]...", help="Only of these.")] = None,
    state: Annotated[
        list[str] | None, typer.Option("--state", help="open, confirmed or rejected; may be repeated.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--type", help="Like email or phone; may be repeated.")] = None,
    closed: Annotated[bool, typer.Option("--closed", help="Those whose column or evidence is gone, too.")] = False,
) -> None:
    """List findings of personal data, with their evidence and what people said to them."""
    from forge.model.names import TableName

    with terminal.open() as wiring:
        found = wiring.catalog.pii.findings.findings(
            tables=[str(TableName.parse(name)) for name in tables] if tables else None,
            states=[_state(word) for word in state or ()],
            types=kind or (),
            closed=closed,
        )
        terminal.answer(_findings_answer(found))


def _state(word: str) -> Any:
    from forge.catalog.pii.review import ReviewState
    from forge.model.errors import UnknownNameError

    if word not in set(ReviewState):
        raise UnknownNameError(f"There is no state '{word}'", fix=f"Known are {', '.join(ReviewState)}.")
    return ReviewState(word)


@command
def review(
    terminal: Terminal,
    confirm: Annotated[list[str] | None, typer.Option("--confirm", metavar="ID", help="It is personal data.")] = None,
    reject: Annotated[list[str] | None, typer.Option("--reject", metavar="ID", help="It is not.")] = None,
    reopen: Annotated[list[str] | None, typer.Option("--reopen", metavar="ID", help="Undecided again.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="Why, for whoever reads it next.")] = None,
    expected_version: Annotated[
        int | None,
        typer.Option("--expected-version", metavar="N", help="Refuse where the finding is no longer at this version."),
    ] = None,
) -> None:
    """Confirm or reject findings; without an id, list those that wait. A decision outlives every scan."""
    from forge.catalog.pii.review import ReviewState
    from forge.flows.catalog.pii.reviews import review_finding
    from forge.model.errors import ForgeError

    decisions = [
        (finding_id, state)
        for ids, state in (
            (confirm, ReviewState.CONFIRMED),
            (reject, ReviewState.REJECTED),
            (reopen, ReviewState.OPEN),
        )
        for finding_id in ids or ()
    ]
    if expected_version is not None and len(decisions) != 1:
        raise ForgeError("E105", "--expected-version is of one finding", fix="Decide on one at a time.")
    with terminal.open() as wiring:
        if not decisions:
            terminal.answer(_findings_answer(wiring.catalog.pii.findings.findings(states=[ReviewState.OPEN])))
            return
        ports = wiring.catalog.pii.review_ports()
        decided = [review_finding(one, state, ports, note=note, expected=expected_version) for one, state in decisions]
        terminal.answer(_findings_answer(decided))


app = command_group("Find personal data, and decide on what was found.", (scan, list_, review))
