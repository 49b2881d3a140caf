"""`forge lineage verify|capture`: lineage from code compared with Spark's plans, and lineage observed in a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.failure import end_after_answer
from forge.cli.formatting import plural
from forge.cli.lineage.ingest import Db, DefaultSchema, SchemaFile
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.connection.lineage.spark import CaptureResult
    from forge.lineage.agreement import SparkAgreement


@command
def verify(
    terminal: Terminal,
    paths: Annotated[list[str], typer.Argument(metavar="FILE|DIR…", help="SQL to check.")],
    schema: SchemaFile = None,
    dialect: Annotated[str, typer.Option("--dialect", metavar="NAME", help="spark, databricks or hive.")] = "spark",
    db: Db = None,
    default_schema: DefaultSchema = None,
) -> None:
    """Check every SQL statement, as it was read, against Spark's own analyser on empty tables; print where they differ.

    Nothing is written. Exit status 1 where they disagree."""
    from forge.cli.lineage.ingest_view import answer_of_agreement
    from forge.connection.lineage.code import options_of
    from forge.connection.lineage.spark import verify_code

    options = options_of(db, default_schema, schema, dialect)
    with terminal.open() as wiring:
        found: SparkAgreement = verify_code(wiring, paths, options)
    terminal.answer(answer_of_agreement(found))
    for one in found.not_comparable:
        terminal.say(f"{one.file}:{one.line}  not compared: {one.reason}")
    score = found.score()
    compared, statements = len(found.compared), len(found.statements)
    terminal.say(f"{compared:,} of {plural(statements, 'statement')} compared, {score.agreed:,} edges agree")
    if found.disagreements:
        fix = "Where a table is missing, give its columns with --schema. Else it is a fault of Forge: please tell."
        end_after_answer(
            ForgeError(
                "E823",
                f"Code and Spark disagree on {plural(len(found.disagreements), 'edge')}",
                why="Listed above: `static` was read out of the code, `run time` is what Spark says.",
                fix=fix,
            )
        )


@command
def capture(
    terminal: Terminal,
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="A PySpark script; it runs unchanged.")],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[ARGS]…", help="What it is given.")] = None,
    db: Db = None,
    default_schema: DefaultSchema = None,
) -> None:
    """Run a PySpark script and record what it really read and wrote, column by column.

    What it prints goes to stderr. It is run as it is: what it writes is written. Options of Forge stand before the
    script; all that follows it is for the script."""
    from forge.cli.lineage.ingest_view import answer_of_capture
    from forge.connection.lineage.code import options_of
    from forge.connection.lineage.spark import capture_script
    from forge.flows.lineage.capture import fail_if_failed

    options = options_of(db, default_schema)
    with terminal.open() as wiring:
        done: CaptureResult = capture_script(wiring, script, arguments or (), options)
    terminal.answer(answer_of_capture(done))
    for gap in done.captured.gaps:
        terminal.say(f"not understood: {gap}")
    try:
        fail_if_failed(done.captured)
    except ForgeError as error:
        end_after_answer(error)
