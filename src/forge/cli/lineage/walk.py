"""`forge upstream`, `forge downstream` and `forge lineage TABLE`: lineage of tables and columns."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.connection import ProjectLineage
    from forge.lineage.graph.request import WalkDirection
    from forge.lineage.graph.traversal import Traversal

At = Annotated[
    str | None, typer.Option("--at", metavar="REF", help="A time, snapshot of lineage, branch, tag, commit or HEAD~2.")
]
Least = Annotated[
    float | None, typer.Option("--min-confidence", metavar="0…1", help="Follow edges that are at least so sure.")
]
WithIndirect = Annotated[bool, typer.Option("--indirect", help="Follow joins, filters, groups and sorts of rows, too.")]
Texts = list[str] | None


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """A request. `rest`: options of the traversal, as in Python."""

    name: str
    level: str | None
    explain: bool
    rest: dict[str, Any]


def _options(
    subject: Annotated[
        str | None,
        typer.Argument(metavar="TABLE[.COLUMN]", help="core.orders, core.orders.amount or its end; @REF may follow."),
    ] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="TABLE", help="The same, as an option.")] = None,
    column: Annotated[str | None, typer.Option("--column", metavar="NAME", help="A column of the table.")] = None,
    depth: Annotated[str, typer.Option(metavar="N|all", help="How many steps.")] = "10",
    min_confidence: Least = None,
    indirect: WithIndirect = False,
    at: At = None,
    level: Annotated[
        str | None, typer.Option("--level", metavar="LEVEL", help="field, column, table, schema, database or system.")
    ] = None,
    types: Annotated[
        Texts, typer.Option("--type", metavar="TYPE", help="Show only columns, tables, dashboards…; repeatable.")
    ] = None,
    edge_types: Annotated[
        Texts, typer.Option("--edge-type", metavar="TYPE", help="Follow only these, like consumes; repeatable.")
    ] = None,
    schemas: Annotated[
        Texts, typer.Option("--schema", metavar="SCHEMA", help="Show only what is in it; repeatable.")
    ] = None,
    files: Annotated[
        Texts, typer.Option("--file", metavar="FILE", help="Show only what this file makes; repeatable.")
    ] = None,
    paths: Annotated[
        int, typer.Option("--paths", metavar="K", min=0, help="The K most confident paths to each end.")
    ] = 0,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many entities.")] = None,
    intermediate: Annotated[
        bool, typer.Option("--intermediate", help="Show what exists only inside a statement, too.")
    ] = False,
    transforms: Annotated[
        bool, typer.Option("--transforms", help="Show the transforms, pipelines and jobs that make it, too.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell sources, commits, checks and owners in sentences.")
    ] = False,
) -> WalkRequest:
    """What was given; the signature is the definition of the options."""
    from forge.cli.values import read_number

    rest = {
        "depth": read_number(depth, "--depth"),
        "min_confidence": min_confidence,
        "indirect": indirect,
        "at": at,
        "node_types": types or (),
        "edge_types": edge_types or (),
        "schemas": schemas or (),
        "files": files or (),
        "paths": paths,
        "limit": limit,
        "intermediate": intermediate,
        "transforms": transforms,
    }
    return WalkRequest(_name(subject, table, column), level, explain, rest)


def _name(subject: str | None, table: str | None, column: str | None) -> str:
    if (subject is None) == (table is None):
        raise ForgeError("E105", "Name one table or column", fix="forge upstream core.orders.amount")
    name, mark, at = (subject or table or "").partition("@") if column else (subject or table or "", "", "")
    return f"{name}.{column}{mark}{at}" if column else name


@functools.cache
def _parameters() -> tuple[inspect.Parameter, ...]:
    found = inspect.signature(_options, eval_str=True).parameters.values()
    return tuple(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in found)


def walk_command(
    direction: WalkDirection, words: str, unknown: Callable[[ForgeError, str], ForgeError] = lambda error, name: error
) -> Callable[..., None]:
    """The command of one direction. `unknown` says what else a name could be that the graph does not have."""

    def walk(terminal: Terminal, /, **given: Any) -> None:
        _answer(terminal, direction, _options(**given), unknown)

    first = inspect.Parameter("terminal", inspect.Parameter.POSITIONAL_ONLY)
    walk.__signature__ = inspect.Signature([first, *_parameters()])  # type: ignore[attr-defined]
    walk.__doc__ = words
    return command(walk)


upstream = walk_command("upstream", "Show what a table or column comes from.")
downstream = walk_command("downstream", "Show what comes from a table or column.")


@contextmanager
def open_lineage(terminal: Terminal) -> Iterator[ProjectLineage]:
    """The lineage of the project."""
    from forge.connection import ProjectLineage

    with terminal.open() as wiring:
        yield ProjectLineage(wiring, wiring.default_branch)


def import_numpy() -> None:
    """OpenBLAS starts a thread per core when numpy is imported, a third of the CPU time of a short command. Graph
    questions do no linear algebra; the environment is left as it was for processes that come later."""
    name = "OPENBLAS_NUM_THREADS"
    given = os.environ.get(name)
    os.environ.setdefault(name, "1")
    import numpy as np  # noqa: F401

    if given is None:
        del os.environ[name]


def _answer(
    terminal: Terminal, direction: WalkDirection, asked: WalkRequest, unknown: Callable[[ForgeError, str], ForgeError]
) -> None:
    import_numpy()
    from forge.cli.lineage.tree import answer_of_walk

    level = asked.level or "column"
    with open_lineage(terminal) as view:
        try:
            found = _walk(view, direction, asked, level)
        except ForgeError as error:
            raise unknown(error, asked.name) from None
        drawn = _as_drawn(view, direction, asked, found)
        explanation = view.explain(asked.name, direction=direction, level=level, **asked.rest) if asked.explain else ()
    terminal.answer(answer_of_walk(found, drawn, explanation))


def _walk(view: ProjectLineage, direction: WalkDirection, asked: WalkRequest, level: str) -> Traversal:
    ask = {"upstream": view.upstream, "downstream": view.downstream, "both": view.both}[direction]
    return ask(asked.name, level=level, **asked.rest)


def _as_drawn(view: ProjectLineage, direction: WalkDirection, asked: WalkRequest, found: Traversal) -> Traversal:
    """The tree of a table is one of tables, unless another level or other entities were asked for."""
    from forge.lineage.node import TABLE_LIKE

    start = next((node for node in found.starts if node.id == found.start), None)
    if asked.level or asked.rest["node_types"] or start is None or start.type not in TABLE_LIKE:
        return found
    return _walk(view, direction, asked, "table")
