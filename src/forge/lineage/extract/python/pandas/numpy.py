"""numpy as pandas programs use it: functions over columns."""

from __future__ import annotations

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.library import Call, Library
from forge.lineage.extract.python.pandas.series import FRAME, arguments, changed, is_series, scalar_of, value_in
from forge.lineage.extract.python.pandas.values import each
from forge.lineage.extract.python.values import AbstractValue, Frame, UnknownValue
from forge.lineage.extract.python.world import World
from forge.model.word_list import words

_AGGREGATES = frozenset(
    words("sum mean min max median std var nansum nanmean nanmin nanmax percentile quantile average prod amin amax")
)


def chosen(call: Call, world: World) -> AbstractValue:
    """`np.where(condition, a, b)`, `np.select(conditions, choices)`."""
    return _over(call, Transformation.CONDITIONAL)


def otherwise(call: Call, world: World) -> AbstractValue:
    name = call.name.rpartition(".")[2]
    if name in _AGGREGATES and len(arguments(call)) == 1 and is_series(arguments(call)[0]):
        series = arguments(call)[0]
        return scalar_of(combined((value_in(series),), Transformation.AGGREGATION, call.written), series)
    if name in {"array", "asarray"} and arguments(call):
        return arguments(call)[0]
    return _over(call, Transformation.TRANSFORMATION)


def _over(call: Call, step: Transformation) -> AbstractValue:
    frames = arguments(call)
    if not frames:
        return UnknownValue(call.written)
    whole = next((one for one in frames if not one.extra.get("scalar")), frames[0])
    if whole.kind == FRAME and len(frames) == 1:
        return each(whole, lambda one: combined((one.value,), step, call.written))
    made = changed(whole, step, call.written, [one for one in frames if one is not whole])
    return made if isinstance(made, Frame) else whole


NUMPY = Library(
    modules=("numpy",),
    functions={"numpy.where": chosen, "numpy.select": chosen},
    otherwise=otherwise,
)
