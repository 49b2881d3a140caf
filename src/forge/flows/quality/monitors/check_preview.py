"""Preview of checks: errors, and the cost of judging them. Nothing is executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, replace

from forge.flows.ports import Lake
from forge.flows.quality.monitors.store import check_faults
from forge.flows.versioning.record_ports import CommitHistory
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.model.schema import Schema
from forge.quality.check import Check
from forge.quality.measure import Cost, Measure, MeasureTier
from forge.quality.monitors.schedule import FieldFault
from forge.quality.plan import check_ids, cost_of
from forge.quality.spec import load_check
from forge.quality.verdict import Severity
from forge.versioning.commit import TableVersion

_TIERS: dict[Cost, MeasureTier] = {
    Cost.METADATA: "manifests",
    Cost.PLAIN: "scan",
    Cost.STRING: "sketches",
    Cost.NARROW: "narrow",
}
_SOME = TableName("some", "table")  # checks do not read differently for it
_COMMON = {field.name for field in fields(Check)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    """`tiers`: where its readings would come from; `problem`: why it cannot be measured on the dataset."""

    path: str
    check_id: str | None
    type: str
    columns: tuple[str, ...]
    severity: Severity
    words: str
    measures: tuple[str, ...] = ()
    tiers: tuple[MeasureTier, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ChecksPreview:
    faults: tuple[FieldFault, ...]
    checks: tuple[CheckPlan, ...]


@dataclass(frozen=True, slots=True)
class PreviewTarget:
    """The dataset of the checks. The columns of a view are known only to an engine."""

    table: TableName
    version: TableVersion
    schema: Schema | None


def find_target(dataset: str, metadata: CommitHistory, lake: Lake, default: BranchName) -> PreviewTarget:
    """E602 or E108 where there is no such branch or table."""
    name, _, branch_name = dataset.partition("@")
    table = TableName.parse(name)
    branch = find_branch(metadata, BranchName(branch_name or default))
    tree = metadata.tree(branch.head)
    version = tree.get(table)
    if version is None:
        raise UnknownNameError(
            f"There is no table {table} on '{branch.name}'",
            why=did_you_mean(str(table), map(str, tree)),
            fix="`forge show` lists the tables of the newest commit.",
        )
    state = lake.snapshot(version.catalog, version.snapshot_id) if version.snapshot_id is not None else None
    return PreviewTarget(table, version, state.schema if state else None)


def preview_checks(items: Sequence[object], seen: PreviewTarget | None, unseen: str | None = None) -> ChecksPreview:
    """`unseen`: why the dataset cannot be read."""
    good = [(number, _try(item)) for number, item in enumerate(items)]
    checks = [(number, check) for number, check in good if check is not None]
    ids = check_ids([check for _, check in checks], seen.table) if seen else [None] * len(checks)
    planned = (
        _planned(f"checks[{number}]", check, check_id, seen, unseen)
        for (number, check), check_id in zip(checks, ids, strict=True)
    )
    return ChecksPreview(check_faults(items), tuple(planned))


def preview_loaded(checks: Sequence[Check], seen: PreviewTarget) -> tuple[CheckPlan, ...]:
    """Preview of the project's own checks."""
    ids = check_ids(checks, seen.table)
    return tuple(
        _planned(f"project[{number}]", check, check_id, seen, None)
        for number, (check, check_id) in enumerate(zip(checks, ids, strict=True))
    )


def _try(item: object) -> Check | None:
    try:
        return load_check(item, table=_SOME, where="")
    except ForgeError:  # `check_faults` has reported it
        return None


def _planned(
    path: str, check: Check, check_id: str | None, seen: PreviewTarget | None, unseen: str | None
) -> CheckPlan:
    plain = CheckPlan(
        path=path,
        check_id=check_id,
        type=check.type,
        columns=check.targets(),
        severity=check.severity,
        words=words_of(check),
    )
    if seen is None:
        return replace(plain, problem=unseen)
    if seen.schema is None:
        return replace(plain, tiers=("scan",), problem=unseen)
    fault = check.fault(seen.schema)
    if fault is not None:
        return replace(plain, problem=fault)
    measures = sorted(check.measures(seen.schema), key=measure_words)
    costs = {cost_of(measure, seen.schema) for measure in measures}
    tiers = tuple(_TIERS[cost] for cost in Cost if cost in costs)
    return replace(plain, measures=tuple(measure_words(measure) for measure in measures), tiers=tiers)


def measure_words(measure: Measure) -> str:
    """nulls(amount) where country = 'DE'"""
    parts = [f"{measure.kind}({', '.join(measure.columns)})" if measure.columns else measure.kind]
    parts += [f"where {measure.where}"] if measure.where else []
    parts += [f"by {', '.join(measure.by)}"] if measure.by else []
    parts += [f"since {measure.since}"] if measure.since else []
    parts += [f"at {measure.at}"] if measure.at else []
    return " ".join(parts)


def words_of(check: Check) -> str:
    """range of amount: min 0, max 5000 where country = 'DE'"""
    settings = [
        f"{field.name.replace('_', ' ')} {_shown(value)}"
        for field in fields(check)
        if field.name not in _COMMON and not field.name.startswith("column")
        if (value := getattr(check, field.name)) not in (None, ())
        if field.default is MISSING or value != field.default
    ]
    targets = ", ".join(check.targets())
    text = f"{check.type.replace('_', ' ')}{f' of {targets}' if targets else ''}"
    text += f": {', '.join(settings)}" if settings else ""
    text += f" where {check.where}" if check.where else ""
    return text + (f", for each {', '.join(check.partition_by)}" if check.partition_by else "")


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        shown = ", ".join(_shown(item) for item in value[:5])
        return f"{shown}, …" if len(value) > 5 else shown
    return str(value)
