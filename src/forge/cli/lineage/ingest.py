"""`forge ingest` and `forge lineage extract|sources`: lineage from code."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.formatting import plural
from forge.cli.lineage.walk import open_lineage
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError, NoProjectError

if TYPE_CHECKING:
    from forge.connection.lineage.code import CodeExtraction, OnProgress
    from forge.flows.lineage.code.ingest import IngestReport
    from forge.flows.lineage.code.ports import IngestOptions
    from forge.wiring import Wiring

Db = Annotated[str | None, typer.Option("--db", metavar="NAME", help="Database of names that have none.")]
DefaultSchema = Annotated[
    str | None, typer.Option("--default-schema", metavar="NAME", help="Schema of names that have none.")
]
SchemaFile = Annotated[
    str | None, typer.Option("--schema", metavar="FILE", help="YAML or JSON, table: {column: type}; wins over DDL.")
]
Dialect = Annotated[str, typer.Option("--dialect", metavar="NAME", help="spark, postgres, snowflake, …")]
Processes = Annotated[int | None, typer.Option("--processes", metavar="N", min=1, help="As many as cores.")]
Limit = Annotated[float | None, typer.Option("--limit", metavar="SECONDS", min=0.1, help="For one file; 30.")]


class IngestEngine(StrEnum):
    LOCAL = "local"
    SPARK = "spark"


Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 where something was not understood.")]


@command
def ingest(
    terminal: Terminal,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file or a folder of .sql, .py and .ipynb, or dbt.")],
    db: Db = None,
    default_schema: DefaultSchema = None,
    schema: SchemaFile = None,
    dialect: Dialect = "spark",
    again: Annotated[bool, typer.Option("--again", help="Also files that did not change.")] = False,
    engine: Annotated[
        IngestEngine, typer.Option("--engine", help="Who reads: processes of this machine, or the workers of Spark.")
    ] = IngestEngine.LOCAL,
    queries: Annotated[
        bool, typer.Option("--queries", help="PATH is a table or file of query texts; one Spark job reads them.")
    ] = False,
    text: Annotated[
        str | None, typer.Option("--text", metavar="COLUMN", help="Of --queries: the column of the texts.")
    ] = None,
    processes: Processes = None,
    limit: Limit = None,
    strict: Strict = False,
) -> None:
    """Read code into the lineage graph: SQL, Python, notebooks, dbt, in any order, with no database connection.

    Files that did not change since the last time are not read again."""
    from forge.cli.lineage.ingest_view import answer_of_ingest
    from forge.connection.lineage.code import ingest_code, options_of
    from forge.connection.lineage.spark import ingest_on_spark

    options = options_of(db, default_schema, schema, dialect, again=again)
    if queries:
        _ingest_queries(terminal, path, options, text, strict)
        return
    with _project(terminal, path) as wiring, progress_of(terminal, "Reading") as on_progress:
        if engine is IngestEngine.SPARK:
            done = ingest_on_spark(wiring, path, options, on_progress)
        else:
            done = ingest_code(wiring, path, options, on_progress, processes=processes, limit=limit)
    terminal.answer(answer_of_ingest(done))
    _end(terminal, done, strict)


@contextmanager
def _project(terminal: Terminal, path: str) -> Iterator[Wiring]:
    """The project whose graph is written to. Who has none can still see the lineage."""
    with ExitStack() as stack:
        try:
            wiring = stack.enter_context(terminal.open())
        except NoProjectError as error:
            fix = f"{error.fix}  Or see the lineage without a project: forge lineage extract {shlex.quote(path)}"
            raise error.but(fix=fix) from error
        yield wiring


def _ingest_queries(terminal: Terminal, place: str, options: IngestOptions, column: str | None, strict: bool) -> None:
    from forge.cli.lineage.ingest_view import answer_of_log
    from forge.connection.lineage.spark import ingest_queries

    with _project(terminal, place) as wiring:
        done = ingest_queries(wiring, place, options, column)
    terminal.answer(answer_of_log(done))
    _strict(strict, sum(times for _, times in done.gaps))


def _end(terminal: Terminal, done: IngestReport, strict: bool) -> None:
    if done.files and not done.gaps:
        terminal.say(f"Next: {terminal.program} upstream TABLE[.COLUMN]")
    elif done.gaps:
        own = terminal.program == "forge"
        words = "forge lineage sources --gaps" if own else f"{terminal.program} ingest {shlex.quote(done.root)} --json"
        terminal.say(f"Every gap with its line of code: {words}")
    _strict(strict, done.gaps)


def _strict(strict: bool, gaps: int) -> None:
    from forge.cli.failure import end_after_answer

    if strict and gaps:
        end_after_answer(
            ForgeError(
                "E824",
                f"{plural(gaps, 'gap')} in the lineage",
                why="With --strict all code must be understood.",
                fix="See the gaps above; often --schema or --default-schema tells what is missing.",
            )
        )


@command
def extract(
    terminal: Terminal,
    paths: Annotated[list[str], typer.Argument(metavar="FILE|DIR…", help="What to read; no project is needed.")],
    schema: SchemaFile = None,
    dialect: Dialect = "spark",
    db: Db = None,
    default_schema: DefaultSchema = None,
    processes: Processes = None,
    limit: Limit = None,
    strict: Strict = False,
) -> None:
    """Print the lineage that files of code hold. Needs no project, executes nothing and keeps nothing."""
    from forge.cli.lineage.ingest_view import answer_of_extraction, print_gaps
    from forge.connection.lineage.code import extract_code, options_of

    began = time.monotonic()
    options = options_of(db, default_schema, schema, dialect)
    with progress_of(terminal, "Reading") as on_progress:
        found: CodeExtraction = extract_code(paths, options, on_progress, processes=processes, limit=limit)
    terminal.answer(answer_of_extraction(found))
    print_gaps(terminal, found, time.monotonic() - began)
    _strict(strict, len(found.extraction.gaps))


@command
def sources(
    terminal: Terminal,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE…]", help="Only these, by the end of path.")
    ] = None,
    gaps: Annotated[bool, typer.Option("--gaps", help="List every gap with its line of code.")] = False,
) -> None:
    """List the code that was read: how much of each file was understood, and what was not."""
    from forge.cli.lineage.ingest_view import answer_of_gaps, answer_of_sources

    with open_lineage(terminal) as view:
        found = view.sources()
    wanted: Sequence[str] = names or ()
    chosen = [one for one in found if not wanted or any(one.id.endswith(name) for name in wanted)]
    terminal.answer(answer_of_gaps(chosen) if gaps else answer_of_sources(chosen))
    if not found:
        terminal.say("No code was read yet. Read some: forge ingest PATH")


@contextmanager
def progress_of(terminal: Terminal, word: str) -> Iterator[OnProgress]:
    """A bar on a terminal, nothing elsewhere."""
    if not terminal.is_live:
        yield lambda progress: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[path]}"),
        console=terminal.talk(),
        transient=True,
    )
    with bar:
        task = bar.add_task(word, total=None, path="")
        yield lambda progress: bar.update(task, completed=progress.done, total=progress.total, path=progress.path)
