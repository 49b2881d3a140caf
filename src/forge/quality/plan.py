"""From checks to the distinct measures they need, and from readings to one verdict per check."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, Context, OnNotMeasured
from forge.quality.kinds import kind_of
from forge.quality.measure import Cost, Measure, NotMeasured, Readings
from forge.quality.paths import type_of
from forge.quality.values import Family, family_of
from forge.quality.verdict import Severity, Verdict


def plan_measures(checks: Iterable[Check], schema: Schema) -> tuple[Measure, ...]:
    """The distinct measures to compute, in a stable order. A check that cannot be planned on this schema adds none and
    is judged as not measured."""
    wanted: set[Measure] = set()
    for check in checks:
        try:
            wanted |= check.measures(schema)
        except Exception:  # noqa: S112  # `judge_all` meets the same error and reports it
            continue
    return tuple(sorted(wanted, key=_order))


def plan_second_round(checks: Iterable[Check], readings: Readings, schema: Schema) -> tuple[Measure, ...]:
    """The measures of a second round, derived from the readings of the first: bounds of outliers."""
    wanted: set[Measure] = set()
    for check in checks:
        try:
            if check.fault(schema) is None and all(_is_there(readings, m) for m in check.needs(schema)):
                wanted |= check.then(readings, schema)
        except Exception:  # noqa: S112  # `judge_all` meets the same error and reports it
            continue
    return tuple(sorted(wanted, key=_order))


def _is_there(readings: Readings, measure: Measure) -> bool:
    return measure in readings and not isinstance(readings[measure], NotMeasured)


def _order(measure: Measure) -> tuple[str, ...]:
    place = (measure.where or "", *measure.by, measure.since or "", measure.at or "")
    return (measure.kind, *measure.columns, str(measure.arguments), *place)


def cost_of(measure: Measure, schema: Schema) -> Cost:
    """METADATA may be answered without reading rows; an engine that cannot treats it as PLAIN."""
    family = family_of(type_of(schema, measure.columns[0])) if measure.columns else Family.OTHER
    kind = kind_of(measure)
    cost = kind.cost_of_text if family in (Family.STRING, Family.OTHER) and kind.cost_of_text else kind.cost
    is_part = measure.where is not None or bool(measure.by)
    return Cost.PLAIN if cost is Cost.METADATA and is_part else cost


def check_ids(checks: Sequence[Check], table: TableName) -> tuple[str, ...]:
    """One id per check, in order. Ids that would collide get a hash of the check's definition, so that they do not
    depend on the order; identical checks are numbered."""
    plain = [check.check_id(table) for check in checks]
    shared = {each for each, times in Counter(plain).items() if times > 1}
    ids = [f"{id_}.{_digest(check)}" if id_ in shared else id_ for check, id_ in zip(checks, plain, strict=True)]
    seen: Counter[str] = Counter()
    for at, id_ in enumerate(ids):
        seen[id_] += 1
        ids[at] = id_ if seen[id_] == 1 else f"{id_}.{seen[id_]}"
    return tuple(ids)


def _digest(check: Check) -> str:
    """Over its definition, without severity and actions."""
    asked = replace(check, severity=Severity.ERROR, on_not_measured=OnNotMeasured.BLOCK, on_failure=(), auto=False)
    return hashlib.sha256(repr(asked).encode()).hexdigest()[:6]


def judge_all(checks: Sequence[Check], readings: Readings, context: Context) -> tuple[Verdict, ...]:
    """One verdict per check, in order. A check that raises is not measured and affects no other."""
    ids = check_ids(checks, context.table)
    return tuple(
        replace(_judge(check, readings, context), check_id=id_) for check, id_ in zip(checks, ids, strict=True)
    )


def _judge(check: Check, readings: Readings, context: Context) -> Verdict:
    try:
        return check.judge(readings, context)
    except Exception as error:  # any error is this check's own and in its verdict
        return check.not_measured(f"the check itself broke ({type(error).__name__}: {error})", context)
