"""Reads one Python file as a program."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import cast

from forge.lineage.edge import Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.program import Program
from forge.lineage.extract.python.forge_transform import name_transforms
from forge.lineage.extract.python.interpreter.entry_points import read_entry_points
from forge.lineage.extract.python.interpreter.interpreter import ExhaustedError, Interpreter
from forge.lineage.extract.python.interpreter.modules import Modules
from forge.lineage.extract.python.libraries import LIBRARIES
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.source import UnparsedSource, parse
from forge.lineage.extract.python.values import NONE, AbstractValue, NativeFunction, known_text, text
from forge.lineage.extract.python.world import World
from forge.lineage.extract.sql.session import SqlSession


def read_program(path: str, files: Mapping[str, str], catalog: TableCatalog, dialect: str) -> Program:
    tree = parse(files[path])
    if isinstance(tree, UnparsedSource):
        return Program(file=path, language="python", gaps=(Gap(path, tree.line, tree.reason),), statements=1)
    session = SqlSession(catalog, dialect, path)
    world = World(session=session, libraries=LIBRARIES, file=path, files=files)
    reader = Interpreter(world=world, modules=Modules(files), called=set())
    try:
        scope = read_module(reader, tree)
        read_entry_points(reader, tree, scope, files)
    except ExhaustedError:
        world.file = path
        world.gap(1, "the file takes too long to follow; what comes after is not read")
    world.file = path
    world.here()
    return _counted(name_transforms(_plainly(session.finish("python"), world), world), tree)


_ID = re.compile(r"[^\s,;]+@\d+(?::\d+)?")


def _plainly(program: Program, world: World) -> Program:
    """Gaps speak of tables, not of the variables their rows are in."""

    def shown(found: re.Match[str]) -> str:
        return " and ".join(world.behind(found[0])) or found[0]

    return replace(program, gaps=tuple(replace(one, reason=_ID.sub(shown, one.reason)) for one in program.gaps))


def read_module(reader: Interpreter, tree: ast.Module) -> NameScope:
    path = reader.world.file
    scope = NameScope(names={"__name__": text("__main__"), "__file__": text(path)})
    scope.names["__forge_run__"] = NativeFunction("__forge_run__", _run_other(reader, scope))
    reader.run(tree.body, scope)
    for finish in pending(reader.world):
        finish()
    return scope


def pending(world: World) -> Iterable[Callable[[], None]]:
    """What decorators left to do until all names of the module are there."""
    waiting = cast("list[Callable[[], None]]", world.settings.get("pending", []))
    while waiting:
        yield waiting.pop(0)


def _run_other(reader: Interpreter, scope: NameScope) -> Callable[[Call, World], AbstractValue]:
    def run(call: Call, world: World) -> AbstractValue:
        path = known_text(call.arg(0))
        if path is None or not reader.modules.run_here(reader, path, scope):
            world.gap(call, f"%run {path or ''}: there is no such notebook in the codebase")
        return NONE

    return run


def _counted(program: Program, tree: ast.Module) -> Program:
    """Statements are those of Python here; understood are those without a gap."""
    spans = sorted(_simple(tree))
    lines = {gap.line for gap in program.gaps if gap.place == program.file}
    bad = sum(1 for start, end in spans if any(start <= line <= end for line in lines))
    return replace(program, statements=len(spans), understood=len(spans) - bad)


_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")


def _simple(tree: ast.Module) -> Iterable[tuple[int, int]]:
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        inner = [one for part in _PARTS for one in getattr(node, part, ()) if isinstance(part, str)]
        if inner and not isinstance(node, ast.Expr):
            waiting.extend(inner)
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            yield node.lineno, node.end_lineno or node.lineno
