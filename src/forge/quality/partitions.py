"""Judges a check with `partition_by` for each partition and combines the findings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from forge.quality.finding import Context, Finding, shown_readings
from forge.quality.kinds import reading_of_no_rows
from forge.quality.measure import MAX_PARTITIONS, Measure, NotMeasured, Reading, Readings
from forge.quality.values import plain, show
from forge.quality.verdict import Outcome

Partition = tuple[object, ...]
SHOWN = 100  # partitions in the details
_NAMED = 3  # in the message
_MASK = "***"


class PartitionedCheck(Protocol):
    """The part of a check's interface used here."""

    @property
    def partition_by(self) -> tuple[str, ...]: ...
    def targets(self) -> tuple[str, ...]: ...
    def subject(self) -> str: ...
    def decide(self, readings: Readings, context: Context) -> Finding | NotMeasured: ...


def find_in_partitions(check: PartitionedCheck, own: Readings, context: Context) -> Finding | NotMeasured:
    """Fails where one partition fails; not measured where none fails and one cannot be measured. A table without
    partitions, that is without rows, is judged as a whole."""
    split = split_readings(own)
    if len(split) > MAX_PARTITIONS:
        return NotMeasured(f"there are {show(len(split))} partitions, more than {show(MAX_PARTITIONS)}")
    if not split:
        return check.decide(_of_partition(own, (), split), context)
    found = {partition: check.decide(_of_partition(own, partition, split), context) for partition in split}
    failed = [p for p, finding in found.items() if isinstance(finding, Finding) and finding.failed]
    unknown = [p for p, finding in found.items() if isinstance(finding, NotMeasured)]
    if unknown and not failed:
        first = found[unknown[0]]
        reason = first.reason if isinstance(first, NotMeasured) else ""
        return NotMeasured(f"{_counted(len(unknown), len(found))}: {_title(check, unknown[0], context)}: {reason}")
    order = [*failed, *unknown, *(p for p in found if p not in {*failed, *unknown})]
    counts = {"total": len(found), "failed": len(failed), "not_measured": len(unknown)}
    listed = [_entry(check, p, found[p], _of_partition(own, p, split), context) for p in order[:SHOWN]]
    example = next((finding for finding in found.values() if isinstance(finding, Finding)), None)
    return Finding(
        failed=bool(failed),
        message=_message(check, failed, found, context),
        thresholds=example.thresholds if example else {},
        note=example.note if example else None,
        more={"partitions": {**counts, "listed": listed}},
    )


def split_readings(own: Readings) -> dict[Partition, dict[Measure, Reading]]:
    """Partition → its readings, in a stable order. All NaNs are one partition."""
    split: dict[Partition, dict[Measure, Reading]] = {}
    for measure, reading in own.items():
        if measure.by and isinstance(reading, Mapping):
            for partition, value in reading.items():
                key = tuple(math.nan if value != value else value for value in partition)
                split.setdefault(key, {})[measure] = value
    return dict(sorted(split.items(), key=lambda item: [(part is None, str(part)) for part in item[0]]))


def _of_partition(
    own: Readings, partition: Partition, split: Mapping[Partition, Mapping[Measure, Reading]]
) -> dict[Measure, Reading]:
    """The readings of a table with these rows alone. A partition missing in the other version has nothing to compare
    with."""
    read = split.get(partition, {})
    readings: dict[Measure, Reading] = {}
    for measure, reading in own.items():
        if not measure.by:
            readings[measure] = reading
        elif measure in read:
            readings[measure] = read[measure]
        else:
            readings[measure] = None if measure.at else reading_of_no_rows(measure)
    return readings


def _message(
    check: PartitionedCheck,
    failed: list[Partition],
    found: Mapping[Partition, Finding | NotMeasured],
    context: Context,
) -> str:
    by = ", ".join(check.partition_by)
    if not failed:
        return f"{check.subject()}: {show(len(found))} partition{'s' if len(found) > 1 else ''} by {by}, none fails"
    parts = [f"{_title(check, p, context)}: {_text_of(found[p])}" for p in failed[:_NAMED]]
    if len(failed) > _NAMED:
        parts.append(f"and {show(len(failed) - _NAMED)} more")
    fails = "fails" if len(failed) == 1 else "fail"
    return f"{check.subject()}: {_counted(len(failed), len(found))} by {by} {fails}: {'; '.join(parts)}"


def _counted(some: int, all_: int) -> str:
    return f"{show(some)} of {show(all_)} partition{'s' if all_ > 1 else ''}"


def _text_of(finding: Finding | NotMeasured) -> str:
    return finding.reason if isinstance(finding, NotMeasured) else finding.message


def _title(check: PartitionedCheck, partition: Partition, context: Context) -> str:
    return ", ".join(f"{name} = {show(value)}" for name, value in _shown(check, partition, context).items())


def _shown(check: PartitionedCheck, partition: Partition, context: Context) -> dict[str, object]:
    named = zip(check.partition_by, partition, strict=True)
    return {name: _MASK if context.hides(name) else value for name, value in named}


def _entry(
    check: PartitionedCheck, partition: Partition, finding: Finding | NotMeasured, own: Readings, context: Context
) -> dict[str, object]:
    outcome = Outcome.PASSED
    readings: dict[str, object] = {}
    if isinstance(finding, NotMeasured):
        outcome = Outcome.NOT_MEASURED
    else:
        outcome = Outcome.FAILED if finding.failed else Outcome.PASSED
        readings = shown_readings(check.targets(), own, finding.hidden)
    shown = plain(_shown(check, partition, context))
    return {"partition": shown, "outcome": outcome.value, "message": _text_of(finding), "readings": readings}
