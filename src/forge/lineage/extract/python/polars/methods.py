"""Methods of polars expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.flatten import field_of
from forge.lineage.extract.python.frame_columns import changed_name, unexplained
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pandas.apply import by_value
from forge.lineage.extract.python.polars.expr import called, expr, listed, of, renamed, stepped, windowed
from forge.lineage.extract.python.polars.functions import AGGREGATES, conditions, expr_otherwise, expr_when
from forge.lineage.extract.python.polars.selectors import expr_exclude
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Cells,
    DictOf,
    Expr,
    Frame,
    FunctionValue,
    LibraryValue,
    ListOf,
    NativeFunction,
    UnknownValue,
    items_of,
    known_text,
    text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.model.word_list import words

SPACE = "polars.namespace"
_WINDOWS = words(
    "shift diff cum_sum cum_prod cum_max cum_min cum_count pct_change rank forward_fill backward_fill "
    "interpolate rolling_mean rolling_sum rolling_min rolling_max rolling_std rolling_var "
    "rolling_median rolling_quantile rolling_map rolling_mean_by rolling_sum_by rolling_min_by "
    "rolling_max_by ewm_mean ewm_std rle_id rolling cumulative_eval cumsum cumprod cummax cummin "
    "cumcount"
)
_CONDITIONAL = ("fill_null", "fill_nan", "replace", "replace_strict")


@dataclass(frozen=True, slots=True, eq=False)
class ExprNamespace(LibraryValue):
    """`expr.str`, `expr.dt`, `expr.name` …"""

    expr: Expr
    name: str
    kind: str = SPACE


def _args(call: Call, world: World) -> list[Expr]:
    """Expressions among the arguments; texts are values here."""
    found: list[Expr] = []
    for thing in (*call.args, *call.named.values()):
        parts = items_of(thing) or () if isinstance(thing, ListOf) else (thing,)
        found.extend(of(one, call, world, texts=False) for one in parts if isinstance(one, Expr | Frame))
    return found


def step(transformation: Transformation, *, masking: bool = False) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        if transformation is Transformation.CONDITIONAL and call.args:
            unexplained(call.args[0], "a value", call, world)
        return _kept(
            call, stepped(call.receiver(Expr), transformation, call.written, _args(call, world), masking=masking)
        )

    return handler


def _kept(call: Call, made: Expr) -> Expr:
    """What is made of a column that was taken out of a frame is one too."""
    return replace(made, extra={**made.extra, "eager": True}) if call.receiver(Expr).extra.get("eager") else made


def alias(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "name")
    if name is None:
        world.gap(call, f"the name of a column is not known: {call.written}")
        return call.receiver(Expr)
    return _kept(call, called(call.receiver(Expr), name))


def same(call: Call, world: World) -> AbstractValue:
    return call.receiver(Expr)


def over(call: Call, world: World) -> AbstractValue:
    keys = listed([*call.args, *([call.named["partition_by"]] if "partition_by" in call.named else [])], call, world)
    order = listed([call.named["order_by"]] if "order_by" in call.named else [], call, world)
    return windowed(call.receiver(Expr), keys, order, call.written)


def filtered(call: Call, world: World) -> AbstractValue:
    """Inside an aggregate: the condition is part of the value."""
    return stepped(call.receiver(Expr), Transformation.TRANSFORMATION, call.written, conditions(call, world))


def sorted_by(call: Call, world: World) -> AbstractValue:
    by = listed([*call.args, *([call.named["by"]] if "by" in call.named else [])], call, world)
    return stepped(call.receiver(Expr), Transformation.TRANSFORMATION, call.written, by)


def ranked(call: Call, world: World) -> AbstractValue:
    """Its own value is the order."""
    inner = call.receiver(Expr)
    made = stepped(inner, Transformation.WINDOW, call.written)

    def make(frame: Frame) -> Cells:
        cells = made.make(frame)
        order = frozenset(
            (source, IndirectType.WINDOW) for one in inner.make(frame).columns for source in one.value.sources
        )
        return replace(cells, shaped=cells.shaped | order)

    return expr(make, call.written)


def mapped(call: Call, world: World) -> AbstractValue:
    """`map_elements(f)`: what f makes of each value."""
    inner, function = call.receiver(Expr), call.arg(0, "function")
    seen = isinstance(function, FunctionValue | BoundFunction | NativeFunction)

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        columns = tuple(
            RelationColumn(
                one.name, by_value(function if seen and function else UnknownValue(), one.value, call, world)
            )
            for one in cells.columns
        )
        return replace(cells, columns=columns)

    return _kept(call, expr(make, call.written))


def mapped_by(call: Call, world: World) -> AbstractValue:
    """`replace(mapping)`."""
    how = call.arg(0, "old")
    values = list(how.items.values()) if isinstance(how, DictOf) else []
    inside = [of(one, call, world, texts=False) for one in values if isinstance(one, Expr)]
    return stepped(call.receiver(Expr), Transformation.CONDITIONAL, call.written, [*_args(call, world), *inside])


def piped(call: Call, world: World) -> AbstractValue:
    function = call.arg(0, "function")
    if function is None:
        return UnknownValue(call.written)
    return world.call(function, (call.receiver(Expr), *call.args[1:]), call, call.named)


def attribute(call: Call, world: World) -> AbstractValue | None:
    if call.name in {"str", "dt", "list", "arr", "cat", "bin", "struct", "name", "meta"}:
        return ExprNamespace(call.receiver(Expr), call.name)
    return None


def item(call: Call, world: World) -> AbstractValue:
    """`series[0]`, `series[mask]`."""
    return call.receiver(Expr)


METHODS: dict[str, Handler] = {
    **methods(step(Transformation.AGGREGATION), sorted(AGGREGATES)),
    **methods(step(Transformation.WINDOW), _WINDOWS),
    **methods(step(Transformation.CONDITIONAL), _CONDITIONAL[:2]),
    **methods(mapped_by, _CONDITIONAL[2:]),
    **methods(step(Transformation.GENERATOR), ["explode", "flatten"]),
    **methods(step(Transformation.TRANSFORMATION, masking=True), ["hash"]),
    **methods(mapped, ["map_elements", "map_batches", "apply", "map"]),
    **methods(
        same,
        words(
            "sort reverse limit slice gather shuffle sample set_sorted shrink_dtype drop_nulls drop_nans "
            "to_frame to_list rechunk to_numpy item to_series inspect top_k bottom_k gather_every"
        ),
    ),
    "unique": same,
    "rank": ranked,
    "alias": alias,
    "rename": alias,
    "over": over,
    "filter": filtered,
    "sort_by": sorted_by,
    "exclude": expr_exclude,
    "when": expr_when,
    "otherwise": expr_otherwise,
    "pipe": piped,
}


def otherwise(call: Call, world: World) -> AbstractValue:
    return step(Transformation.TRANSFORMATION)(call, world)


# Behind `.str`, `.struct`, `.name` …


def space_otherwise(call: Call, world: World) -> AbstractValue:
    space = call.receiver(ExprNamespace)
    if space.name == "name":
        return _renamed(space, call, world)
    if space.name == "struct":
        return _struct(space, call, world)
    transformation = Transformation.GENERATOR if call.name == "explode" else Transformation.TRANSFORMATION
    made = stepped(space.expr, transformation, call.written, _args(call, world))
    return replace(made, extra={"eager": True}) if space.expr.extra.get("eager") else made


def _renamed(space: ExprNamespace, call: Call, world: World) -> AbstractValue:
    part = call.text(0)
    changes: dict[str, Callable[[str], str]] = {
        "suffix": lambda name: name + (part or ""),
        "prefix": lambda name: (part or "") + name,
        "to_lowercase": str.lower,
        "to_uppercase": str.upper,
        "keep": lambda name: name,
    }
    if call.name == "map" and call.args:
        function = call.args[0]
        return renamed(space.expr, lambda name: _new_name(function, name, call, world))
    change = changes.get(call.name)
    if call.args and part is None:
        world.gap(call, f"the name of a column is not known: {call.written}")
        return called(space.expr, "")
    return space.expr if change is None else renamed(space.expr, change)


def _new_name(function: AbstractValue, name: str, call: Call, world: World) -> str:
    plain = changed_name(function, name)
    new = plain if plain is not None else known_text(world.call(function, (text(name),), call))
    if new is None:
        world.gap(call, f"the new name of column {name} is not known: {call.written}")
    return new or ""


def _struct(space: ExprNamespace, call: Call, world: World) -> AbstractValue:
    names = [name for one in call.args if (name := known_text(one)) is not None]
    if call.name != "field" or len(names) < len(call.args):
        if call.name == "field":
            world.gap(call, f"which field is taken is not known: {call.written}")
        return stepped(space.expr, Transformation.TRANSFORMATION, call.written)

    def make(frame: Frame) -> Cells:
        cells = space.expr.make(frame)
        columns = tuple(RelationColumn(name, field_of(one.value, name)) for one in cells.columns for name in names)
        return replace(cells, columns=columns)

    return expr(make, call.written)


def space_item(call: Call, world: World) -> AbstractValue:
    """`expr.struct["field"]`, `expr.list[0]`."""
    space = call.receiver(ExprNamespace)
    if space.name == "struct":
        return _struct(space, replace(call, name="field"), world)
    return stepped(space.expr, Transformation.TRANSFORMATION, call.written)
