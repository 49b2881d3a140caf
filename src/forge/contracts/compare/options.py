"""Changed bounds, patterns, formats and allowed values. Tightening them breaks no reader; loosening them can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from forge.contracts.compare.change import Bump, ContractChange, ContractChangeKind, PartPair, canonical, shown
from forge.contracts.compare.interval import Interval, compared, number_of, patterns_compared, range_of
from forge.contracts.document.file import path_text
from forge.contracts.formats import INTEGER_BOUNDS

OPTIONS = "logicalTypeOptions"
_RANGE = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_SIZES = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"))
_LISTED = {
    *_RANGE,
    *(key for pair in _SIZES for key in pair),
    "multipleOf",
    "uniqueItems",
    "required",
    "format",
    "pattern",
}
_ABOUT_VALUES = ("timezone", "defaultTimezone", "dimensions", "elementType", "normalized")
_MODEL = ("distanceMetric", "embeddingModel", "embeddingModelVersion")  # vectors of two models do not mix
_DEFAULTS: Mapping[str, object] = {
    "timezone": False,
    "defaultTimezone": "Etc/UTC",
    "elementType": "float32",
    "normalized": False,
    "uniqueItems": False,
    "minItems": 0,
    "minLength": 0,
    "minProperties": 0,
}
_BITS = {"f32": 32, "f64": 64}
_BUMPS = {
    ContractChangeKind.TIGHTENED: Bump.MINOR,
    ContractChangeKind.LOOSENED: Bump.MAJOR,
    ContractChangeKind.CHANGED: Bump.MAJOR,
    ContractChangeKind.PROMOTED: Bump.MINOR,
}


def option_changes(both: PartPair) -> Iterator[ContractChange]:
    old, new = (_options(part.data.get(OPTIONS)) for part in (both.old, both.new))
    if canonical(old) == canonical(new):
        return
    yield from _range(both, old, new)
    for least, most in _SIZES:
        for key in (least, most):
            yield from _size(both, key, old, new, more_is_tighter=key == least)
    yield from _multiple(both, old, new)
    yield from _unique_items(both, old, new)
    yield from _required_fields(both, old, new)
    yield from _format(both, old, new)
    yield from _pattern(both, old, new)
    for key in (*_ABOUT_VALUES, *_MODEL):
        yield from _plain_option(both, key, old, new)
    known = {*_LISTED, *_ABOUT_VALUES, *_MODEL}
    for key in sorted(old.keys() | new.keys()):
        if key not in known and canonical(old.get(key)) != canonical(new.get(key)):
            yield _change(both, key, ContractChangeKind.CHANGED, old, new, bump=Bump.PATCH)


def enum_changes(both: PartPair) -> Iterator[ContractChange]:
    """A new value reaches readers that do not expect it."""
    before, after = (_values(part.data.get("enum")) for part in (both.old, both.new))
    if before == after:
        if both.differ("enum"):
            message = f"{both.subject}: the words on its allowed values changed"
            yield both.change(ContractChangeKind.CHANGED, "enum", Bump.PATCH, message)
        return
    if not after:
        message = f"{both.subject}: any value is allowed now, before only {_listed(before)}"
        yield both.change(ContractChangeKind.LOOSENED, "enum", Bump.MAJOR, message)
    elif not before:
        message = f"{both.subject}: only {_listed(after)} allowed now"
        yield both.change(ContractChangeKind.TIGHTENED, "enum", Bump.MINOR, message)
    else:
        added, gone = after.keys() - before.keys(), before.keys() - after.keys()
        if added:
            new = {key: after[key] for key in after if key in added}
            message = f"{both.subject}: {_listed(new)} may come now, which readers do not know"
            yield both.change(ContractChangeKind.LOOSENED, "enum", Bump.MAJOR, message)
        if gone:
            old = {key: before[key] for key in before if key in gone}
            message = f"{both.subject}: {_listed(old)} no longer comes"
            yield both.change(ContractChangeKind.TIGHTENED, "enum", Bump.MINOR, message)


def _options(value: object) -> Mapping[str, object]:
    return {str(k): v for k, v in value.items() if v is not None} if isinstance(value, Mapping) else {}


def _values(value: object) -> dict[str, object]:
    """Allowed values by canonical text; v3.2 writes {value: …}, earlier versions plain values."""
    entries = value if isinstance(value, list) else []
    bare = [entry.get("value") if isinstance(entry, Mapping) else entry for entry in entries]
    return {f"{type(one).__name__} {one}" if isinstance(one, str) else canonical(one): one for one in bare}


def _listed(values: Mapping[str, object]) -> str:
    return shown(list(values.values()))


def _range(both: PartPair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[ContractChange]:
    is_whole = both.new.text("logicalType").lower() == "integer" == both.old.text("logicalType").lower()
    before, after = range_of(old, is_whole=is_whole), range_of(new, is_whole=is_whole)
    changed = [key for key in _RANGE if canonical(old.get(key)) != canonical(new.get(key))]
    if not changed:
        return
    if before is None or after is None:
        yield _change(both, changed[0], ContractChangeKind.CHANGED, old, new)
        return
    for keys, one, other in (
        (("minimum", "exclusiveMinimum"), _lower(before), _lower(after)),
        (("maximum", "exclusiveMaximum"), _upper(before), _upper(after)),
    ):
        kind = compared((one,), (other,))
        if kind:
            key = next((k for k in keys if k in changed and k in new), next((k for k in keys if k in changed), keys[0]))
            text = f"{_bound_text(old, *keys)} → {_bound_text(new, *keys)}"
            label = "lower bound" if keys[0] == "minimum" else "upper bound"
            yield _change(both, key, kind, old, new, label=label, text=text)


def _bound_text(options: Mapping[str, object], inclusive: str, exclusive: str) -> str:
    """`≥ 0`, `> 0`, `none`."""
    sign, open_sign = ("≥", ">") if inclusive == "minimum" else ("≤", "<")
    value, open_value = options.get(inclusive), options.get(exclusive)
    parts = []
    if value is not None:
        parts.append(f"{open_sign if open_value is True else sign} {shown(value)}")
    if open_value is not None and not isinstance(open_value, bool):
        parts.append(f"{open_sign} {shown(open_value)}")
    return " and ".join(parts) or "none"


def _lower(of: Interval) -> Interval:
    return Interval(low=of.low, low_open=of.low_open)


def _upper(of: Interval) -> Interval:
    return Interval(high=of.high, high_open=of.high_open)


def _size(
    both: PartPair, key: str, old: Mapping[str, object], new: Mapping[str, object], *, more_is_tighter: bool
) -> Iterator[ContractChange]:
    before, after = (number_of(side.get(key, _DEFAULTS.get(key))) for side in (old, new))
    if before == after:
        return
    is_tighter = before is None or (after is not None and (after > before) == more_is_tighter)
    yield _change(both, key, ContractChangeKind.TIGHTENED if is_tighter else ContractChangeKind.LOOSENED, old, new)


def _multiple(both: PartPair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[ContractChange]:
    before, after = number_of(old.get("multipleOf")), number_of(new.get("multipleOf"))
    if before == after:
        return
    if not before or not after:
        kind = ContractChangeKind.LOOSENED if not after else ContractChangeKind.TIGHTENED
    else:
        ratio = after / before
        is_tighter, is_looser = ratio.denominator == 1, ratio.numerator == 1
        kind = (
            ContractChangeKind.TIGHTENED
            if is_tighter
            else ContractChangeKind.LOOSENED
            if is_looser
            else ContractChangeKind.CHANGED
        )
    yield _change(both, "multipleOf", kind, old, new)


def _unique_items(both: PartPair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[ContractChange]:
    before, after = old.get("uniqueItems") is True, new.get("uniqueItems") is True
    if before != after:
        yield _change(
            both, "uniqueItems", ContractChangeKind.TIGHTENED if after else ContractChangeKind.LOOSENED, old, new
        )


def _required_fields(both: PartPair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[ContractChange]:
    before, after = (_names(side.get("required")) for side in (old, new))
    for names, kind in ((before - after, ContractChangeKind.LOOSENED), (after - before, ContractChangeKind.TIGHTENED)):
        if names:
            effect = "may be missing now" if kind is ContractChangeKind.LOOSENED else "always there now"
            yield _change(both, "required", kind, old, new, text=f"{shown(sorted(names))} {effect}")


def _names(value: object) -> frozenset[str]:
    return frozenset(str(name).lower() for name in value) if isinstance(value, list) else frozenset()


def _format(both: PartPair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[ContractChange]:
    """Of numbers a width, where a wider one is a promotion; otherwise a display format."""
    before, after = (str(side.get("format") or "") for side in (old, new))
    if before == after:
        return
    if not before or not after:
        yield _change(
            both, "format", ContractChangeKind.LOOSENED if not after else ContractChangeKind.TIGHTENED, old, new
        )
    else:
        yield _change(
            both,
            "format",
            ContractChangeKind.PROMOTED if _is_wider(before, after) else ContractChangeKind.CHANGED,
            old,
            new,
        )


def _pattern(both: PartPair, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[ContractChange]:
    before, after = old.get("pattern"), new.get("pattern")
    if not isinstance(before, str) or not isinstance(after, str):
        yield from _plain_option(both, "pattern", old, new)
        return
    kind, example = patterns_compared(before, after)
    if kind:
        text = f"{before} → {after}"
        text += f", '{example}' passes now" if example and kind is not ContractChangeKind.TIGHTENED else ""
        yield _change(both, "pattern", kind, old, new, text=text)


def _is_wider(before: str, after: str) -> bool:
    if before in _BITS and after in _BITS:
        return _BITS[after] > _BITS[before]
    if before not in INTEGER_BOUNDS or after not in INTEGER_BOUNDS:
        return False
    signed = (before[0] == "u", after[0] == "u")
    bits = int(after[1:]) - int(before[1:])
    return bits > 0 and signed != (False, True)


def _plain_option(
    both: PartPair, key: str, old: Mapping[str, object], new: Mapping[str, object]
) -> Iterator[ContractChange]:
    before, after = old.get(key, _DEFAULTS.get(key)), new.get(key, _DEFAULTS.get(key))
    if before == after:
        return
    kind = (
        ContractChangeKind.TIGHTENED
        if before is None
        else ContractChangeKind.LOOSENED
        if after is None
        else ContractChangeKind.CHANGED
    )
    yield _change(both, key, kind, old, new)


def _change(
    both: PartPair,
    key: str,
    kind: ContractChangeKind,
    old: Mapping[str, object],
    new: Mapping[str, object],
    *,
    bump: Bump | None = None,
    label: str = "",
    text: str = "",
) -> ContractChange:
    steps: Sequence[str] = (OPTIONS, key) if key in new else (OPTIONS,) if OPTIONS in both.new.data else ()
    before, after = (shown(side[key]) if key in side else "none" for side in (old, new))
    words = {
        ContractChangeKind.TIGHTENED: "tighter",
        ContractChangeKind.LOOSENED: "looser",
        ContractChangeKind.PROMOTED: "wider, safe",
    }.get(kind, "changed")
    return ContractChange(
        kind=kind,
        element=key,
        subject=both.subject,
        bump=bump or _BUMPS[kind],
        message=f"{both.subject}: {label or key} {text or f'{before} → {after}'} ({words})",
        old=old.get(key),
        new=new.get(key),
        path=path_text((*both.new.at, *steps)),
        place=both.new.place(*steps),
    )
