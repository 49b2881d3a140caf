"""`forge lineage record|export|import`: declared lineage, and the whole graph as a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import count, plural
from forge.cli.lineage.walk import open_lineage
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.lineage.facts.claim import WriteCounts


@command
def record(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="FROM", help="A table, column, dataset@version or other entity.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The same.")],
    type_: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="derives_from, consumes, produces, executes or contains.")
    ] = "derives_from",
    relationship: Annotated[
        str | None, typer.Option("--relationship", metavar="WORD", help="copied, aggregated, joined, …")
    ] = None,
    transformation: Annotated[
        str, typer.Option("--transformation", metavar="WORD", help="identity, aggregation, window, …")
    ] = "unknown",
    way: Annotated[
        str | None, typer.Option("--indirect", metavar="WAY", help="It only shapes rows: join, filter, group_by, sort.")
    ] = None,
    expression: Annotated[str, typer.Option("--expression", metavar="SQL", help="How the value is made.")] = "",
    masking: Annotated[bool, typer.Option("--masking", help="What is personal ends here.")] = False,
    confidence: Annotated[
        float | None, typer.Option("--confidence", metavar="0…1", help="How sure; declared is certain.")
    ] = None,
    nodes: Annotated[
        list[str] | None,
        typer.Option("--node", metavar="TYPE:NAME", help="Declare an end that is new: dashboard:revenue; repeatable."),
    ] = None,
    derivation: Annotated[
        str | None, typer.Option("--derivation", metavar="NAME[@VERSION]", help="It was made by this transformation.")
    ] = None,
    anonymization: Annotated[
        str | None,
        typer.Option("--anonymization", metavar="POLICY[@VERSION]", help="… made anonymous under this policy."),
    ] = None,
    params: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="Of the transformation or policy; repeatable."),
    ] = None,
    code_hash: Annotated[str, typer.Option("--code-hash", metavar="HASH", help="Of its code.")] = "",
    valid_from: Annotated[str | None, typer.Option("--valid-from", metavar="TIME", help="Since when; now.")] = None,
    valid_to: Annotated[str | None, typer.Option("--valid-to", metavar="TIME", help="Until when.")] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why this is so.")] = "",
) -> None:
    """Declare an edge, a derivation or an anonymization that no run can show."""
    from forge.cli.values import read_params

    if derivation and anonymization:
        raise ForgeError("E105", "--derivation and --anonymization exclude each other")
    made, _, version = (derivation or anonymization or "").partition("@")
    named = {"name": made, "version": version, "parameters": read_params(params), "code_hash": code_hash}
    with open_lineage(terminal) as view:
        if derivation:
            done = view.record_derivation(source, target, named)
        elif anonymization:
            done = view.record_anonymization(source, target, named)
        else:
            done = view.record(
                source,
                target,
                nodes=nodes or (),
                reason=reason,
                type=type_,
                relationship=relationship,
                transformation=transformation,
                indirect=way,
                expression=expression,
                masking=masking,
                confidence=confidence,
                valid_from=valid_from,
                valid_to=valid_to,
            )
    _show_counts(terminal, done)


def _show_counts(terminal: Terminal, done: WriteCounts) -> None:
    words = ("added", "changed", "extended", "closed", "nodes")
    columns = [AnswerColumn(word, lambda i, word=word: count(i[word]), right=True) for word in words]  # type: ignore[misc]
    terminal.answer(CommandAnswer(name="recorded", items=[done.to_dict()], columns=columns))
    if not (done.added or done.changed or done.closed):
        terminal.say("The graph knew that already.")


@command
def export(
    terminal: Terminal,
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to; - is the terminal.")] = "-",
) -> None:
    """Write the whole record of lineage, with its history, as lines of JSON."""
    with open_lineage(terminal) as view:
        if file == "-":
            for line in view.export_lines():
                sys.stdout.write(line + "\n")
            return
        lines = view.export(file)
    terminal.say(f"{file}: {plural(lines, 'line')} written. Elsewhere: forge lineage import {file}")


@command
def import_(
    terminal: Terminal,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="An export, a YAML file of edges, or OpenLineage events (.json, .ndjson)."
        ),
    ] = None,
    dagster: Annotated[
        str | None,
        typer.Option(
            "--dagster", metavar="INSTANCE|MODULE|FILE", help="A Dagster instance (its folder), or code, which is run."
        ),
    ] = None,
    job: Annotated[str | None, typer.Option("--job", metavar="JOB", help="Only assets of this job of Dagster.")] = None,
    run_id: Annotated[
        str | None, typer.Option("--run-id", metavar="ID", help="Only what this run of Dagster materialized.")
    ] = None,
) -> None:
    """Add what a file or a Dagster instance tells. What is known already stays as it is."""
    from forge.cli.lineage.import_view import print_import
    from forge.connection.lineage.imports import import_dagster, import_file

    if (file is None) == (dagster is None):
        what = "What is to be imported?" if file is None else "A file and --dagster exclude each other"
        raise ForgeError("E105", what, fix="forge lineage import FILE, or forge lineage import --dagster INSTANCE")
    if dagster is None and (job or run_id):
        raise ForgeError("E105", "--job and --run-id belong to --dagster")
    with terminal.open() as wiring:
        done = (
            import_file(wiring, file)
            if file is not None
            else import_dagster(wiring, dagster or "", job=job, run_id=run_id)
        )
    print_import(terminal, done)
