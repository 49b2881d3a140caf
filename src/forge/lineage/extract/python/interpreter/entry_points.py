"""Entry points: functions without a caller that read and write tables, started from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from forge.lineage.extract.python import settings
from forge.lineage.extract.python.interpreter import members
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.source import words_of
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Class,
    Frame,
    FunctionValue,
    Instance,
    StaticMethod,
    UnknownValue,
)
from forge.model.word_list import words

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

_SQL = frozenset({"sql", "execute", "executemany", "executescript", "read_sql", "read_sql_query"})
_READS = frozenset(
    words(
        "table read readStream load forPath forName createDataFrame read_csv read_parquet read_json read_excel "
        "read_sql_table read_delta read_database scan_csv scan_parquet scan_delta scan_ndjson scan_ipc read_table "
        "read_feather read_orc"
    )
)


def read_entry_points(reader: Interpreter, tree: ast.Module, scope: NameScope, files: Mapping[str, str]) -> None:
    """Those that nothing mentions first: they may call the others."""
    own = reader.world.file
    waiting = [one for one in _functions(tree) if id(one[0]) not in reader.called]
    found = [one for one in waiting if _works_alone(one[0], reader)]
    if not found:
        return
    inside = _used_names(tree)
    for node, owner in sorted(found, key=lambda one: one[0].name in inside):
        if id(node) in reader.called or (not node.name.startswith("main") and _is_elsewhere(node.name, files, own)):
            continue
        function = _function(reader, node, owner, scope)
        if function is not None:
            reader.call(
                function,
                Call(name=node.name, line=node.lineno, args=(), named=_given(reader, node, owner, scope), node=node),
            )


def _is_elsewhere(name: str, files: Mapping[str, str], own: str) -> bool:
    return any(name in words_of(text) for path, text in files.items() if path != own)


def _used_names(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    return found


def _functions(tree: ast.Module) -> Iterable[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, ""
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and inner.name != "__init__":
                    yield inner, node.name


def _works_alone(node: ast.FunctionDef | ast.AsyncFunctionDef, reader: Interpreter) -> bool:
    names = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    if names & _SQL:
        return True
    writes = names & reader.world.libraries.sinks
    return bool(writes) and bool(names & _READS or _calls_own(node, reader))


def _calls_own(node: ast.AST, reader: Interpreter) -> bool:
    """It gets its rows from other functions of the codebase."""
    return any(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) for one in ast.walk(node))


def _function(
    reader: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, scope: NameScope
) -> AbstractValue | None:
    if not owner:
        found = scope.names.get(node.name)
        return found if isinstance(found, FunctionValue) and found.node is node else None
    of = scope.names.get(owner)
    if not isinstance(of, Class):
        return None
    member = of.members.get(node.name)
    if isinstance(member, StaticMethod):
        return BoundFunction(member.function, (of,)) if member.of_class else member.function
    if not isinstance(member, FunctionValue):
        return None
    return BoundFunction(member, (_alone(reader, of, scope),))


def _alone(reader: Interpreter, of: Class, scope: NameScope) -> Instance:
    """An object made with arguments that are not known."""
    instance = Instance(of)
    start = members.find_member(of, "__init__")
    if isinstance(start, FunctionValue) and isinstance(start.node, ast.FunctionDef):
        given = _given(reader, start.node, "self", scope)
        reader.call(
            start, Call(name="__init__", line=start.node.lineno, args=(instance,), named=given, node=start.node)
        )
    return instance


def _given(
    reader: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, scope: NameScope
) -> dict[str, AbstractValue]:
    """What parameters may be: a Spark session, rows of which nothing is known, or not known at all."""
    found: dict[str, AbstractValue] = {}
    places = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    with_default = {one.arg for one in places[len(places) - len(node.args.defaults) :]}
    for parameter in places[1 if owner else 0 :]:
        thing = _of_annotation(reader, parameter, node, scope)
        if thing is not None:
            found[parameter.arg] = thing
        elif parameter.arg not in with_default:
            found[parameter.arg] = UnknownValue(f"the argument {parameter.arg}", settings.holder(parameter.arg))
    return found


def _of_annotation(reader: Interpreter, parameter: ast.arg, node: ast.AST, scope: NameScope) -> AbstractValue | None:
    world = reader.world
    given = world.libraries.constants.get(f"parameter.{parameter.arg}")
    name = ast.unparse(parameter.annotation).strip("'\"") if parameter.annotation is not None else ""
    if given is not None and (not name or name.rpartition(".")[2] in {"SparkSession", "Any"}):
        return given
    if not name:
        return None
    head, _, rest = name.partition(".")
    thing = scope.find(head)
    path = getattr(thing, "path", head) + (f".{rest}" if rest else "")
    constant = world.libraries.constants.get(f"annotation.{path.rpartition('.')[2]}")
    if constant is not None:
        return constant
    kind = world.libraries.annotations.get(path)
    if kind is None:
        return None
    call = Call(name=parameter.arg, line=parameter.lineno, node=node)
    reason = f"the rows of the argument {parameter.arg} are not known, for nothing in the codebase calls the function"
    return Frame(kind, world.lost(call, parameter.arg, reason=reason))
