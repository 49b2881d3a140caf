"""Deferred imports: files that use pyspark inside their functions only are read without it, because importing it takes
longer than planning a project. It is imported when a function is called.

An import is deferred only where that makes no difference: it would succeed, and no code that runs when the file is
imported uses it, nor calls a function that does. Any other file is imported as it is."""

from __future__ import annotations
import __future__

import ast
import importlib.util
import os
from collections.abc import Iterable, Iterator
from functools import cache
from types import CodeType

PUT_OFF = "pyspark"
_LOOKING = frozenset({"globals", "locals", "vars", "dir", "eval", "exec", "__import__"})  # these see all names at once
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def deferred_code(text: str, path: str) -> CodeType | None:
    """The file without its imports of pyspark; None where it has none, or has to be imported as it is."""
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError):
        return None  # importing it says what is wrong
    late = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) and _is_put_off(node)]
    if not late or not all(_would_succeed(node) for node in late):
        return None
    missing = {(alias.asname or alias.name).partition(".")[0] for node in late for alias in node.names}
    rest = [node for node in tree.body if node not in late]
    if _used_at_once(rest) & (_reaching(rest, missing) | missing | _LOOKING):
        return None
    flags = __future__.annotations.compiler_flag  # so that annotations are not evaluated
    code: CodeType = compile(ast.Module(rest, tree.type_ignores), path, "exec", flags, dont_inherit=True)
    return code


def _is_put_off(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] == PUT_OFF for alias in node.names)
    return node.level == 0 and (node.module or "").partition(".")[0] == PUT_OFF


def _would_succeed(node: ast.Import | ast.ImportFrom) -> bool:
    """By the files of the package: the module exists, or its package lists the name."""
    if isinstance(node, ast.Import):
        return all(_place_of(alias.name) is not None for alias in node.names)
    module = node.module or ""
    return all(_place_of(f"{module}.{alias.name}") or alias.name in _listed(module) for alias in node.names)


@cache
def _place_of(module: str) -> str | None:
    """The file of a module, without importing anything."""
    spec = importlib.util.find_spec(PUT_OFF)
    if spec is None or not spec.submodule_search_locations:
        return None
    base = os.path.join(spec.submodule_search_locations[0], *module.split(".")[1:])
    return next((place for place in (os.path.join(base, "__init__.py"), f"{base}.py") if os.path.isfile(place)), None)


@cache
def _listed(package: str) -> frozenset[str]:
    """The names that the `__init__.py` of a package imports."""
    place = _place_of(package)
    if place is None or os.path.basename(place) != "__init__.py":
        return frozenset()
    with open(place, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = (alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names)
    return frozenset(alias.asname or alias.name for alias in found) - {"*"}


def _reaching(body: Iterable[ast.stmt], missing: set[str]) -> set[str]:
    """The functions and classes of the file whose code uses one of the names, directly or through each other."""
    inside = {node.name: _names(node) for node in body if isinstance(node, (*_FUNCTIONS, ast.ClassDef))}
    found: set[str] = set()
    while more := {name for name, names in inside.items() if name not in found and names & (missing | found)}:
        found |= more
    return found


def _used_at_once(body: Iterable[ast.stmt]) -> set[str]:
    """The names that are looked up when the file is imported."""
    return {name for node in body for part in _run_at_once(node) for name in _names(part)}


def _run_at_once(node: ast.stmt) -> Iterator[ast.AST]:
    """Of a function its decorators and defaults; its annotations count if another decorator than ours may inspect
    them."""
    if not isinstance(node, _FUNCTIONS):
        yield node
        return
    yield from node.decorator_list
    yield from (*node.args.defaults, *(default for default in node.args.kw_defaults if default is not None))
    if not all(_is_transform(decorator) for decorator in node.decorator_list):
        yield node


def _is_transform(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called) in ("transform", "forge.transform")


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
