"""polars functions that build expressions: `pl.when`, `pl.concat_str`, `pl.sum` …"""

from __future__ import annotations

from dataclasses import dataclass, replace

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.cells import combined, one_cell, values_of
from forge.lineage.extract.python.frame_columns import unexplained
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.polars.expr import (
    EXPR,
    called,
    expr,
    given,
    joined,
    listed,
    literal,
    of,
    stepped,
)
from forge.lineage.extract.python.values import AbstractValue, Cells, Expr, Frame, LibraryValue, Text, UnknownValue
from forge.lineage.extract.python.world import World
from forge.lineage.extract.value import ColumnValue
from forge.model.word_list import words

WHEN = "polars.when"
AGGREGATES = frozenset(
    words(
        "sum mean min max count n_unique median std var quantile first last any all product mode implode "
        "arg_max arg_min null_count approx_n_unique agg_groups nan_max nan_min len head tail kurtosis "
        "skew entropy bitwise_and bitwise_or avg"
    )
)
_CHOOSING = frozenset({"coalesce"})


def aggregated(call: Call, world: World) -> AbstractValue:
    """`pl.sum("amount")`, `pl.mean("a", "b")`."""
    parts = listed(call.args, call, world)
    if len(parts) == 1:
        return stepped(parts[0], Transformation.AGGREGATION, call.written)

    def make(frame: Frame) -> Cells:
        cells = [one.make(frame) for one in parts]
        columns = tuple(column for one in cells for column in one.columns)
        return Cells(columns)

    return stepped(expr(make, call.written), Transformation.AGGREGATION, call.written)


def rows(call: Call, world: World) -> AbstractValue:
    """`pl.len()`: no column arrives; `pl.count("a")` is an aggregate of a."""
    return aggregated(call, world) if call.args else literal("len" if call.name.endswith("len") else "count")


def lit(call: Call, world: World) -> AbstractValue:
    thing = call.arg(0, "value")
    return thing if isinstance(thing, Expr) else literal()


def combined_expr(call: Call, world: World) -> AbstractValue:
    """Any function over expressions: `concat_str`, `sum_horizontal`, `date` …; texts are columns."""
    name = call.name.rpartition(".")[2]
    start = 1 if name == "format" else 0
    parts = listed(call.args[start:], call, world)
    parts += [one for one in call.named.values() if isinstance(one, Expr)]
    if name == "exprs" or not parts:
        parts += listed([call.named["exprs"]], call, world) if "exprs" in call.named else []
    step = Transformation.CONDITIONAL if name in _CHOOSING else Transformation.TRANSFORMATION
    return joined(parts, step, call.written) if parts else literal()


def otherwise(call: Call, world: World) -> AbstractValue:
    """Functions that have no entry: with expressions they make one of them."""
    if any(isinstance(one, Expr) for one in (*call.args, *call.named.values())) or call.name.endswith("_horizontal"):
        return combined_expr(call, world)
    return UnknownValue(call.written)


def struct(call: Call, world: World) -> AbstractValue:
    """Its fields keep their own sources."""
    parts = given(call, world, but=("schema", "eager"))

    def make(frame: Frame) -> Cells:
        cells = [one.make(frame) for one in parts]
        members = {column.name: column.value for one in cells for column in one.columns}
        whole = combined(members.values(), Transformation.TRANSFORMATION, call.written)
        name = next(iter(members), "struct")
        return one_cell(name, ColumnValue(whole.sources, members), *cells)

    return expr(make, call.written)


# Conditions


@dataclass(frozen=True, slots=True, eq=False)
class WhenExpr(LibraryValue):
    """`pl.when(…)`, before its `then`. `parts`: all conditions and values so far."""

    parts: tuple[Expr, ...]
    first: Expr | None = None  # the first value: it gives the name
    kind: str = WHEN


def when(call: Call, world: World) -> AbstractValue:
    return WhenExpr(tuple(conditions(call, world)))


def conditions(call: Call, world: World) -> list[Expr]:
    """Expressions, and `name=value` for equality."""
    found = listed(call.args, call, world)
    for name, value in call.named.items():
        part = of(Text((name,)), call, world)
        found.append(stepped(part, Transformation.TRANSFORMATION, call.written, [of(value, call, world, texts=False)]))
    return found


def then(call: Call, world: World) -> AbstractValue:
    before = call.receiver(WhenExpr)
    unexplained(call.arg(0, "statement"), "a value", call, world)
    value = of(call.arg(0, "statement"), call, world)
    return _chosen(WhenExpr((*before.parts, value), before.first or value), call)


def _chosen(chain: WhenExpr, call: Call) -> Expr:
    name = chain.first

    def make(frame: Frame) -> Cells:
        cells = [one.make(frame) for one in chain.parts]
        first = name.make(frame).columns if name is not None else ()
        shown = first[0].name if first else "literal"
        return one_cell(shown, combined(values_of(cells), Transformation.CONDITIONAL, call.written), *cells)

    return expr(make, call.written, chain=chain)


def expr_when(call: Call, world: World) -> AbstractValue:
    """`….then(x).when(y)`."""
    chain = _chain(call)
    return replace(chain, parts=(*chain.parts, *conditions(call, world)))


def expr_otherwise(call: Call, world: World) -> AbstractValue:
    chain = _chain(call)
    unexplained(call.arg(0, "statement"), "a value", call, world)
    value = of(call.arg(0, "statement"), call, world)
    return _chosen(replace(chain, parts=(*chain.parts, value)), call)


def _chain(call: Call) -> WhenExpr:
    inner = call.receiver(Expr)
    found = inner.extra.get("chain")
    return found if isinstance(found, WhenExpr) else WhenExpr((inner,), inner)


def element(call: Call, world: World) -> AbstractValue:
    """`pl.element()`: inside a list, whose column is the source already."""
    return literal("")


def series(call: Call, world: World) -> AbstractValue:
    """`pl.Series("name", values)`."""
    name = call.text(0, "name")
    values = call.arg(1, "values") if name is not None else call.arg(0, "values")
    made = of(values, call, world, texts=False)
    return replace(called(made, name or ""), kind=EXPR, extra={"eager": True})
