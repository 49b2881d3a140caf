"""String expressions of pandas: `query`, `eval`."""

from __future__ import annotations

import ast
import re

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, with_column
from forge.lineage.extract.python.frame_columns import column, has_all
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import FRAME, series_of
from forge.lineage.extract.python.values import NONE, AbstractValue, Frame, truth_of, what_is
from forge.lineage.extract.python.world import World
from forge.lineage.extract.value import ColumnValue

_QUOTED = re.compile(r"`([^`]+)`")
_VARIABLE = re.compile(r"@(\w+)")
_AT = "_at_"


def _parsed(written: str) -> tuple[ast.AST | None, dict[str, str]]:
    """The expression as Python, and backticked columns by generated name."""
    quoted: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        new = f"_quoted_{len(quoted)}"
        quoted[new] = found.group(1)
        return new

    plain = _VARIABLE.sub(rf"{_AT}\1", _QUOTED.sub(name, written)).strip()
    try:
        return ast.parse(plain), quoted
    except (SyntaxError, ValueError, RecursionError):
        return None, quoted


def _columns(node: ast.AST, quoted: dict[str, str]) -> dict[str, None]:
    called = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    found: dict[str, None] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not one.id.startswith(_AT) and one.id not in called:
            found[quoted.get(one.id, one.id)] = None
    return found


def _values(frame: Frame, node: ast.AST, quoted: dict[str, str], call: Call, world: World) -> list[ColumnValue]:
    names = [name for name in _columns(node, quoted) if name not in {"index", "True", "False", "None"}]
    return [column(frame, name, call, world) for name in names if frame.relation.find(name) or not has_all(frame)]


def query(call: Call, world: World) -> AbstractValue:
    frame, written = call.frame, call.text(0, "expr")
    node, quoted = _parsed(" ".join(written.split())) if written is not None else (None, {})
    relation = frame.relation
    if node is None:
        world.gap(call, f"the condition of query is not known: it is {what_is(call.arg(0, 'expr'))}")
    else:
        for value in _values(frame, node, quoted, call, world):
            relation = relation.shaped_by(value.sources, IndirectType.FILTER)
    return done(call, world, Frame(FRAME, relation, extra=frame.extra))


def evaluate(call: Call, world: World) -> AbstractValue:
    """`df.eval("c = a + b")`, multiple lines too; without a target it gives a series."""
    frame, written = call.frame, call.text(0, "expr")
    if written is None:
        world.gap(call, f"what eval computes is not known: it is {what_is(call.arg(0, 'expr'))}")
        return frame
    made = Frame(FRAME, frame.relation, extra=frame.extra)
    for line in filter(None, (part.strip() for part in written.splitlines())):
        node, quoted = _parsed(line)
        if not isinstance(node, ast.Module) or not node.body:
            world.gap(call, f"what eval computes cannot be read: {line}")
            continue
        statement = node.body[0]
        value = combined(_values(made, _right(statement), quoted, call, world), _step(_right(statement)), line)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = quoted.get(statement.targets[0].id, statement.targets[0].id)
            made = Frame(FRAME, with_column(made.relation, name, value), extra=frame.extra)
        else:
            return series_of(made, "", value)
    return done(call, world, made)


def _right(statement: ast.stmt) -> ast.AST:
    return statement.value if isinstance(statement, ast.Assign | ast.Expr) else statement


def _step(node: ast.AST) -> Transformation:
    return Transformation.IDENTITY if isinstance(node, ast.Name) else Transformation.TRANSFORMATION


def done(call: Call, world: World, frame: Frame) -> AbstractValue:
    """The result, or with `inplace=True` the frame itself changed."""
    if truth_of(call.named.get("inplace")) and isinstance(call.on, Frame):
        world.update(call.on, frame.relation)
        call.on.extra = frame.extra
        return NONE
    return frame
