"""Changed service levels, compared by meaning: 24 h equals 1 d, `ly` is `latency`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from forge.contracts.compare.change import (
    Bump,
    ContractChange,
    ContractChangeKind,
    ContractPart,
    PartPair,
    added,
    canonical,
    pairs_of,
)
from forge.contracts.contract import SlaProperty
from forge.contracts.sla import Direction, Promise, elements_of, promise_of, service_of, strength
from forge.model.duration import number_of

SLA = "slaProperties"
_OF_TABLES = ("latency", "freshness", "retention", "frequency", "timeOfAvailability")
_VALUE = ("property", "value", "valueExt", "unit", "element", "driver", "id")


def sla_changes(both: PartPair) -> Iterator[ContractChange]:
    old, new = both.old.parts(SLA), both.new.parts(SLA)

    def elements(sla: ContractPart) -> frozenset[str]:
        root = both.old if sla.document is both.old.document else both.new
        default = root.text("slaDefaultElement") if _service(sla) in _OF_TABLES else ""
        return elements_of(sla.text("element") or default)

    keys = (
        lambda sla: f"{_service(sla)} {sorted(elements(sla))} {sla.text('driver')}" if sla.text("property") else "",
        lambda sla: f"{_service(sla)} {sorted(elements(sla))}" if sla.text("property") else "",
        lambda sla: sla.text("id"),
        _service,
    )
    for before, after in pairs_of(old, new, keys):
        if before is None and after is not None:
            yield added(after, "sla", _subject(after), f"service level {_subject(after)}: {_shown(after)}")
        elif after is None and before is not None:
            yield _removed(both, before)
        elif before is not None and after is not None:
            yield from _changes(PartPair(before, after, _subject(after)), elements(before), elements(after))


def _service(sla: ContractPart) -> str:
    known = service_of(sla.text("property"))
    return known.name if known else "".join(sla.text("property").lower().split())


def _subject(sla: ContractPart) -> str:
    element = sla.text("element")
    return f"{_service(sla)} of {element}" if element else _service(sla)


def _shown(sla: ContractPart) -> str:
    top = sla.text("valueExt")
    value = sla.text("value") + (f"–{top}" if top else "")
    return f"{value} {sla.text('unit')}".strip() or "nothing"


def _removed(both: PartPair, sla: ContractPart) -> ContractChange:
    message = f"the service level {_subject(sla)} ({_shown(sla)}) is gone"
    fix = "Keep the promise, or tell readers with a new MAJOR version."
    return both.removed("sla", _subject(sla), message, dict(sla.data), key=SLA, fix=fix)


def _changes(both: PartPair, before: frozenset[str], after: frozenset[str]) -> Iterator[ContractChange]:
    old, new = both.old, both.new
    if _service(old) != _service(new):
        message = f"the service level {_subject(old)} became {_subject(new)}"
        yield both.change(ContractChangeKind.CHANGED, "sla", Bump.MAJOR, message, key="property")
        return
    if before != after:
        yield _covers(both, before, after)
    order = _order(old, new)
    arrow = f"{_subject(new)}: {_shown(old)} → {_shown(new)}"
    if order is None:
        message = f"{arrow} (not known to be as strong)"
        yield _with_units(both.change(ContractChangeKind.CHANGED, "sla", Bump.MAJOR, message, key="value"), both)
    elif order > 0:
        yield _with_units(
            both.change(ContractChangeKind.TIGHTENED, "sla", Bump.MINOR, f"{arrow} (stronger)", key="value"), both
        )
    elif order < 0:
        fix = f"Keep {_shown(old)}, or raise the MAJOR version."
        yield _with_units(
            both.change(ContractChangeKind.LOOSENED, "sla", Bump.MAJOR, f"{arrow} (weaker)", key="value", fix=fix), both
        )
    if old.text("driver").lower() != new.text("driver").lower():
        message = f"{_subject(new)}: driver {old.text('driver') or 'none'} → {new.text('driver') or 'none'}"
        yield both.change(ContractChangeKind.CHANGED, "sla", Bump.PATCH, message, key="driver")
    for key in sorted(str(key) for key in old.data.keys() | new.data.keys()):
        if key not in _VALUE and both.differ(key):
            bump = Bump.MINOR if key in ("schedule", "scheduler") else Bump.PATCH
            yield both.change(ContractChangeKind.CHANGED, "sla", bump, f"{_subject(new)}: {key}", key=key)


def _with_units(change: ContractChange, both: PartPair) -> ContractChange:
    """With units, as a value alone says little."""
    return replace(change, old=_shown(both.old), new=_shown(both.new))


def _covers(both: PartPair, before: frozenset[str], after: frozenset[str]) -> ContractChange:
    """Without elements it covers all."""
    message = f"{_service(both.new)}: promised of {_listed(before)} → of {_listed(after)}"
    if _service(both.new) in _OF_TABLES and _tables(both.old, before) == _tables(both.new, after):
        return _clock(both, before, after)
    if not after or (before and after > before):
        return both.change(ContractChangeKind.TIGHTENED, "sla", Bump.MINOR, f"{message} (more)", key="element")
    kind = ContractChangeKind.LOOSENED if not before or after < before else ContractChangeKind.CHANGED
    return both.change(kind, "sla", Bump.MAJOR, f"{message} (no longer of all it was)", key="element")


def _clock(both: PartPair, before: frozenset[str], after: frozenset[str]) -> ContractChange:
    """The same tables; the column only defines the clock of the promise."""
    old, new = _columns(both.old, before), _columns(both.new, after)
    message = f"{_service(both.new)}: measured by {old or 'nothing said'} → {new or 'nothing said'}"
    if old == new:
        return both.change(
            ContractChangeKind.CHANGED, "sla", Bump.PATCH, f"{_service(both.new)}: element", key="element"
        )
    return both.change(
        ContractChangeKind.CHANGED, "sla", Bump.MAJOR if old and new else Bump.MINOR, message, key="element"
    )


def _names(sla: ContractPart) -> tuple[str, ...]:
    return tuple(table.text("name").lower() for table in ContractPart.root(sla.document).parts("schema"))


def _tables(sla: ContractPart, elements: frozenset[str]) -> frozenset[str]:
    """The tables of elements; a bare column belongs to the only table."""
    names = _names(sla)
    if not elements:
        return frozenset(names)
    found = set()
    for element in elements:
        lies_in = next((name for name in names if f"{element}.".startswith(f"{name}.")), "")
        found.add(lies_in or (names[0] if len(names) == 1 and "." not in element else element))
    return frozenset(found)


def _columns(sla: ContractPart, elements: frozenset[str]) -> str:
    return ", ".join(sorted(elements - set(_names(sla))))


def _listed(elements: frozenset[str]) -> str:
    return ", ".join(sorted(elements)) or "everything"


def _order(old: ContractPart, new: ContractPart) -> int | None:
    """1 where the new promise is stricter, -1 where it is weaker, 0 where they are equal."""
    if canonical([old.data.get(k) for k in ("value", "unit")]) == canonical(
        [new.data.get(k) for k in ("value", "unit")]
    ):
        return 0 if canonical(old.data.get("valueExt")) == canonical(new.data.get("valueExt")) else None
    before, after = _promise(old), _promise(new)
    if before is None or after is None:
        return _by_number(old, new) if before is after is None else None
    order = strength(after, before)
    if order == 0 and canonical(old.data.get("valueExt")) != canonical(new.data.get("valueExt")):
        return None
    return order


def _promise(sla: ContractPart) -> Promise | None:
    unit = sla.text("unit") or None
    return promise_of(SlaProperty(property=sla.text("property"), value=sla.data.get("value"), unit=unit))


def _by_number(old: ContractPart, new: ContractPart) -> int | None:
    """Compares two unitless numbers of a service with a known direction."""
    service = service_of(new.text("property"))
    before, after = number_of(old.data.get("value")), number_of(new.data.get("value"))
    has_direction = service is not None and service.direction is not Direction.NONE
    if not has_direction or service is None or before is None or after is None or old.text("unit") != new.text("unit"):
        return None
    order = (after > before) - (after < before)
    return order if service.direction is Direction.HIGHER else -order
