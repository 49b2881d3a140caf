"""The key of a run's output: declared or recorded, stored with the new version, and enforced on appended rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.transforms.transform import Transform, TransformKind

if TYPE_CHECKING:
    from forge.flows.ports import SnapshotState, Stage
    from forge.flows.runs.build import BuildContext
    from forge.flows.runs.input_pins import BaseVersion


@dataclass(frozen=True, slots=True)
class RunKey:
    columns: tuple[str, ...] = ()
    is_unique: bool = False  # it is known that none is there twice


def enforce_key(
    job: BuildContext, transform: Transform, base: BaseVersion, stage: Stage, snapshot: SnapshotState
) -> RunKey:
    """E611 where a run appends a duplicate key, unless a check of the table reports that itself."""
    table, before = transform.output, base.version
    key = tuple(job.keys.get(table, ())) or (before.key if before else ())
    if not key or not set(snapshot.schema.names).issuperset(key):
        return RunKey()
    was = before is None or (before.is_unique and before.key == key and not base.is_foreign)
    if transform.kind is TransformKind.BY_UNIQUE_KEY:
        return RunKey(key, was and set(transform.unique_key) == set(key))
    if transform.kind is not TransformKind.APPEND or job.key_check is None:
        return RunKey(key)
    from forge.flows.versioning.keys import judges_key  # with the checks, which a plan does not need

    if not judges_key(job.project.checks.get(table, ()), key):
        _refuse_duplicate_keys(job, transform, base, stage, snapshot, key)
    return RunKey(key, was)


def _refuse_duplicate_keys(
    job: BuildContext,
    transform: Transform,
    base: BaseVersion,
    stage: Stage,
    snapshot: SnapshotState,
    key: tuple[str, ...],
) -> None:
    assert job.key_check is not None
    tables = job.key_check.tables
    after = tables.files(stage.catalog, snapshot.snapshot_id)
    new = after.files
    if base.catalog is not None and base.snapshot_id is not None:
        new = new - tables.files(base.catalog, base.snapshot_id).files
    job.key_check.refuse_twins(
        str(transform.output),
        after,
        new,
        key,
        whose=f"{transform.output} would be wrong: it",
        fix="Leave these rows out, or make the transform `kind: incremental_by_unique_key`.",
    )
