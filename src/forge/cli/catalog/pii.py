"""`forge pii scan FILE…`: personal data in files, also outside a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command, command_group
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.flows.catalog.file_scan import FileScan


@command
def scan(
    terminal: Terminal,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="CSV, Parquet or JSON lines.")],
    rows: Annotated[int, typer.Option(min=1, help="How many rows of each file are looked at, from its beginning.")] = (
        10_000
    ),
    everything: Annotated[bool, typer.Option("--all", help="List columns without personal data, too.")] = False,
) -> None:
    """Tell which columns of files hold personal data, and by what evidence. No value is shown or stored."""
    from forge.cli.answer import AnswerColumn, CommandAnswer
    from forge.flows.catalog.file_scan import scan_file

    scans = [scan_file(file, rows) for file in files]
    found = [
        {"file": scan.file, **finding.to_dict(), "quasi": finding.quasi}
        for scan in scans
        for finding in scan.findings
        if everything or finding.type is not None or finding.quasi
    ]
    columns = [
        *([AnswerColumn("FILE", lambda item: str(item["file"]))] if len(scans) > 1 else []),
        AnswerColumn("COLUMN", lambda item: str(item["column"]), style="bold"),
        AnswerColumn("TYPE", _type_text),
        AnswerColumn("SCORE", lambda item: f"{item['score']:.2f}" if item["score"] else "", right=True),
        AnswerColumn("EVIDENCE", lambda item: "; ".join(item["evidence"]), style="dim"),  # type: ignore[arg-type]
    ]
    facts = {"files": [{"file": one.file, "rows": one.rows, "complete": one.complete} for one in scans]}
    terminal.answer(
        CommandAnswer(name="findings", items=found, columns=columns, facts=facts, foot=[_summary(one) for one in scans])
    )


def _type_text(item: object) -> str:
    assert isinstance(item, dict)
    return str(item["type"] or ("quasi-identifier" if item["quasi"] else ""))


def _summary(scan: FileScan) -> str:
    from forge.cli.formatting import plural

    personal = sum(finding.type is not None for finding in scan.findings)
    of = "all rows" if scan.complete else f"the first {scan.rows:,} rows"
    return f"{scan.file}: {plural(personal, 'column')} of {len(scan.findings)} with personal data, by {of}"


app = command_group("Find personal data.", (scan,))
