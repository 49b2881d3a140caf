"""User functions that pandas (and polars) apply to each value or row.

The function is evaluated with a symbolic argument; what it returns and what it reads become the sources of the new
column."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from forge.lineage.edge import Transformation
from forge.lineage.extract.program import RESOLVED
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import column, has_all, values
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import FIELDS, frames_in, scalar_of, value_in
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Const,
    DictOf,
    Frame,
    FunctionValue,
    LibraryValue,
    ListOf,
    Text,
    UnknownValue,
    known_text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, add, opaque, stronger
from forge.model.names import ColumnName
from forge.model.word_list import words

ROW = "pandas.row"
_MASKS = frozenset(
    words("md5 sha1 sha224 sha256 sha384 sha512 sha3_256 sha3_512 blake2b blake2s pbkdf2_hmac scrypt hmac mask encrypt")
)


@dataclass(slots=True, eq=False)
class PandasRow(LibraryValue):
    """One row of a frame, inside a function. `seen`: columns the function accessed; `whole`: the row was passed on."""

    frame: Frame
    seen: dict[str, ColumnValue] = field(default_factory=dict)
    whole: bool = False
    kind: str = ROW


def row_item(call: Call, world: World) -> AbstractValue:
    row = call.receiver(PandasRow)
    name = known_text(call.args[0])
    if name is None:
        row.whole = True
        world.gap(call, f"which column of a row is taken is not known: {call.written}")
        return UnknownValue(call.written)
    return _taken(row, name, call, world)


def row_attribute(call: Call, world: World) -> AbstractValue | None:
    row = call.receiver(PandasRow)
    known = row.frame.relation.find(call.name)
    return _taken(row, call.name, call, world) if known or not has_all(row.frame) else None


def row_get(call: Call, world: World) -> AbstractValue:
    return row_item(call, world)


def row_otherwise(call: Call, world: World) -> AbstractValue:
    call.receiver(PandasRow).whole = True
    return UnknownValue(call.written)


def _taken(row: PandasRow, name: str, call: Call, world: World) -> Frame:
    value = row.seen.get(name)
    if value is None:
        value = row.seen[name] = column(row.frame, name, call, world)
    return scalar_of(value, row.frame, name=name)


def by_value(function: AbstractValue, value: ColumnValue, call: Call, world: World) -> ColumnValue:
    """`series.apply(f)`: what f makes of each value. Code that is not in the program may do anything with it."""
    code = _code_of(function)
    if code is None:
        return opaque((value,), call.written)
    result = world.call(function, (scalar_of(value),), call)
    return _made(result, (value,), code, call)


def by_row(function: AbstractValue, frame: Frame, call: Call, world: World) -> ColumnValue:
    """`frame.apply(f, axis=1)`."""
    code = _code_of(function)
    row = PandasRow(frame)
    if code is not None:
        result = world.call(function, (row,), call, _extra(call))
        handed = not row.seen and not isinstance(result, Const | Text)
        if not row.whole and not handed:
            return _made(result, tuple(row.seen.values()), code, call)
    name = _name_of(function, call)
    world.gap(call, f"what {name} does with a row cannot be read: all columns may arrive in the result")
    return opaque(values(frame.relation), call.written)


def fields_of(result: AbstractValue | None) -> dict[str, ColumnValue]:
    """What `pd.Series({"a": …, "b": …})` holds under its names."""
    found = result.extra.get(FIELDS) if isinstance(result, Frame) else None
    return found if isinstance(found, dict) else {}


def fields_by_row(function: AbstractValue, frame: Frame, call: Call, world: World) -> dict[str, ColumnValue]:
    """`frame.apply(f, axis=1)` where f gives a Series with names: a column for each."""
    code = _code_of(function)
    if code is None or not any(isinstance(one, ast.Dict) for one in ast.walk(code)):
        return {}
    result = world.call(function, (PandasRow(frame),), call, _extra(call))
    found = fields_of(result).items()
    return {name: combined((value,), Transformation.TRANSFORMATION, call.written) for name, value in found}


def _extra(call: Call) -> dict[str, AbstractValue]:
    known = {"axis", "func", "raw", "result_type", "args", "by_row", "engine", "engine_kwargs", "meta"}
    return {name: thing for name, thing in call.named.items() if name not in known}


def _name_of(function: AbstractValue, call: Call) -> str:
    if isinstance(function, FunctionValue):
        return function.name
    return function.what if isinstance(function, UnknownValue) and function.what else call.written


def _code_of(function: AbstractValue) -> ast.AST | None:
    if isinstance(function, BoundFunction):
        return _code_of(function.function)
    return function.node if isinstance(function, FunctionValue) else None


def _made(result: AbstractValue, seen: Iterable[ColumnValue], code: ast.AST, call: Call) -> ColumnValue:
    """All the function looked at, masked where the result says so. A branch in it is a condition, not a doubt."""
    arrived = _arrived(result)
    chooses = any(isinstance(one, ast.If | ast.IfExp | ast.Match) for one in ast.walk(code))
    step = Transformation.CONDITIONAL if chooses else Transformation.TRANSFORMATION
    hides = not arrived.sources and _only_masked(code)
    found: dict[ColumnName, SourceTrace] = {}
    for value in seen:
        for source, trace in value.sources.items():
            after = arrived.sources.get(source)
            masked = trace.masking or hides or (after is not None and after.masking)
            add(
                found, source, SourceTrace(stronger(trace.transformation, step), call.written, masked, trace.confidence)
            )
    for source, trace in arrived.sources.items():
        if source not in found:
            add(
                found,
                source,
                SourceTrace(trace.transformation, call.written, trace.masking, max(trace.confidence, RESOLVED)),
            )
    return ColumnValue(found)


def _arrived(result: AbstractValue) -> ColumnValue:
    frames = frames_in((result,)) if isinstance(result, Frame | ListOf | DictOf) else ()
    if len(frames) == 1:
        return value_in(frames[0])
    return combined((value_in(one) for one in frames), Transformation.TRANSFORMATION, "") if frames else NOTHING


def _only_masked(code: ast.AST) -> bool:
    """Whether the parameters of a function are used nowhere but in what is hashed."""
    if not isinstance(code, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return False
    names = {one.arg for one in code.args.args}
    body: list[ast.AST] = [code.body] if isinstance(code, ast.Lambda) else list(code.body)
    bare, inside = False, False
    waiting = [(one, False) for one in body]
    while waiting:
        node, masked = waiting.pop()
        if isinstance(node, ast.Name) and node.id in names:
            bare, inside = bare or not masked, inside or masked
        masks = masked or (isinstance(node, ast.Call) and _called(node) in _MASKS)
        waiting.extend((one, masks) for one in ast.iter_child_nodes(node))
    return inside and not bare


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        inner = node.func.value
        return "hmac" if isinstance(inner, ast.Name) and inner.id == "hmac" else node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def hashed(call: Call, world: World) -> AbstractValue:
    """`hashlib.sha256(value)`: masks what goes in."""
    frames = frames_in((*call.args, *call.named.values()))
    if not frames:
        return UnknownValue(call.written)
    value = combined((value_in(one) for one in frames), Transformation.TRANSFORMATION, call.written, masking=True)
    return scalar_of(value, *frames)
