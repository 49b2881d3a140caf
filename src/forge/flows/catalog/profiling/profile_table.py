"""Profiling a table or view at a revision. The same rows are never profiled twice.

A table that grew is profiled as a whole: distinct values, duplicate rows, frequent values and the bins of a histogram
do not add up from parts, and a profile mixed from old and new parts would be neither exact nor labelled. What adds up
(counts, moments, quantile sketches) is kept by the checks, see `flows/quality/measure.py`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forge.catalog.profile import (
    ProfileDiff,
    ProfileMeasurement,
    TableProfile,
    diff_profiles,
    mask_columns,
    mask_profile,
)
from forge.flows.catalog.profiling.ports import ProfileRequest, ProfileStore, TableProfiler
from forge.flows.catalog.small_tables import is_small_size
from forge.flows.runs.input_pins import key_of
from forge.flows.runs.pin import Pin
from forge.flows.versioning.read import RevisionReader, commit_at
from forge.flows.versioning.revisions import find_branch
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import BranchName, CommitId, TableName

if TYPE_CHECKING:
    from forge.flows.catalog.personal_data import PersonalAt, PersonalColumns
    from forge.flows.ports import Lake
    from forge.flows.versioning.read import AuditedHistory
    from forge.model.time import Clock

_log = logging.getLogger("forge.catalog")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePorts:
    """`small` profiles on the driver, without an engine; None where it cannot read the lake. `personal` says which
    columns are, by contracts, scans and lineage."""

    metadata: AuditedHistory
    lake: Lake
    store: ProfileStore
    small: TableProfiler | None
    large: Callable[[], TableProfiler]
    personal: PersonalAt
    clock: Clock
    default_branch: BranchName


@dataclass(frozen=True, slots=True)
class ProfileTarget:
    """Rows to profile, and the commit that has them; None: another engine wrote them since."""

    table: TableName
    pin: Pin
    commit_id: CommitId | None

    @property
    def state(self) -> str:
        return key_of(self.pin)


def find_rows(dataset: str, ports: ProfilePorts, at: str | None = None) -> ProfileTarget:
    """`core.orders` or `core.orders@REF`: a branch, tag, commit, HEAD~2, time or v12."""
    name, _, ref = dataset.partition("@")
    table, revision = TableName.parse(name), ref or at
    default = ports.default_branch
    reader = RevisionReader(ports.metadata, ports.lake, default, default)
    pin = reader.pin(table, revision)
    if revision is not None:
        return ProfileTarget(table, pin, commit_at(ports.metadata, revision, default, table).id)
    head = find_branch(ports.metadata, default).head
    version = ports.metadata.tree(head).get(table)
    known = version is not None and (version.kind == "view" or version.snapshot_id == pin.snapshot_id)
    return ProfileTarget(table, pin, head if known else None)


def profile_table(
    dataset: str, ports: ProfilePorts, *, at: str | None = None, sample: float | None = None, exact: bool = False
) -> TableProfile:
    """From the store where the same rows were profiled as well or better before; else measured and stored. Values of
    personal columns are never stored, and taken out where a column became personal later."""
    request = _request(sample, exact)
    target = find_rows(dataset, ports, at)
    personal = ports.personal(target.commit_id)
    known = _known(target, request, ports)
    if known is None:
        known = _measured(target, replace(request, hidden=personal.of_pin(target.pin)), ports)
        known = mask_profile(known, _hidden(known, target, personal))
        ports.store.add(known)
        personal = ports.personal(target.commit_id)  # also what a scan found meanwhile
    hidden = _hidden(known, target, personal)
    shown = mask_profile(known, hidden)
    if shown != known:
        ports.store.mask(target.table, hidden)
    return shown


def _hidden(profile: TableProfile, target: ProfileTarget, personal: PersonalColumns) -> frozenset[str]:
    return personal.of_pin(target.pin, (column.name for column in profile.columns))


def _hidden_now(profile: TableProfile, personal: PersonalColumns) -> frozenset[str]:
    return personal.of(profile.table, (column.name for column in profile.columns))


def forget_personal(tables: Iterable[TableName], ports: ProfilePorts) -> int:
    """Takes values of columns that became personal out of stored profiles, as after a scan; how many had any."""
    personal = ports.personal()
    return sum(ports.store.mask(table, personal.of(table)) for table in dict.fromkeys(tables))


def profile_tables(
    tables: Iterable[TableName], ports: ProfilePorts, *, branch: BranchName | None = None
) -> dict[TableName, TableProfile | ForgeError]:
    """Each of them, as after a run. What cannot be profiled is logged and says why; the others are profiled."""
    found: dict[TableName, TableProfile | ForgeError] = {}
    for table in tables:
        try:
            found[table] = profile_table(str(table), ports, at=str(branch) if branch is not None else None)
        except ForgeError as error:
            _log.warning("%s was not profiled: %s", table, error.line)
            found[table] = error
    return found


def find_profile(dataset: str, ports: ProfilePorts, at: str | None = None) -> TableProfile | None:
    """The best profile of these rows that is stored; nothing is measured."""
    target = find_rows(dataset, ports, at)
    found = ports.store.of_state(target.table, target.state)
    return mask_profile(found[0], _hidden(found[0], target, ports.personal(target.commit_id))) if found else None


def stored_profile(dataset: str, ports: ProfilePorts, at: str | None = None) -> TableProfile:
    """The same; without a revision the newest one of the table, where its rows are not profiled yet."""
    target = find_rows(dataset, ports, at)
    found = find_profile(dataset, ports, at)
    if found is None and at is None and "@" not in dataset:
        found = next(iter(profile_history(target.table, ports, limit=1)), None)
    if found is None:
        raise UnknownNameError(
            f"{dataset} has no profile" + (f" at {at}" if at else ""),
            why="Its rows were not profiled yet.",
            fix=f"forge catalog profile {dataset.partition('@')[0]}{f'@{at}' if at else ''}",
        )
    return found


def profile_history(
    table: TableName, ports: ProfilePorts, *, limit: int = 100, offset: int = 0
) -> tuple[TableProfile, ...]:
    """Newest first. What is personal now is masked in all of them."""
    personal, found = ports.personal(), ports.store.history(table, limit=limit, offset=offset)
    return tuple(mask_profile(one, _hidden_now(one, personal)) for one in found)


def compare_profiles(
    dataset: str, before: str, after: str | None, ports: ProfilePorts, *, measure: bool = True
) -> ProfileDiff:
    """Between two revisions. `measure`: what is not stored is measured now."""
    table = dataset.partition("@")[0]

    def profile(at: str | None) -> TableProfile:
        return profile_table(table, ports, at=at) if measure else stored_profile(table, ports, at)

    one, two = profile(before), profile(after)
    personal = ports.personal(one.commit_id, two.commit_id)  # personal in one is personal
    return diff_profiles(*(mask_profile(each, _hidden_now(each, personal)) for each in (one, two)))


def _request(sample: float | None, exact: bool) -> ProfileRequest:
    if sample is not None and not 0 < sample <= 1:
        raise ForgeError("E105", f"A sample of {sample:g} is no share of the rows", fix="Give one from 0 to 1: 0.1")
    return ProfileRequest(sample if sample != 1 else None, exact)


def _known(target: ProfileTarget, request: ProfileRequest, ports: ProfilePorts) -> TableProfile | None:
    found = next((one for one in ports.store.of_state(target.table, target.state) if _serves(one, request)), None)
    return found or _unchanged(target, request, ports)


def _serves(profile: TableProfile, request: ProfileRequest) -> bool:
    """A profile of all rows serves who asks for a sample of them."""
    if profile.sample_fraction is not None:
        return request.sample is not None and not request.exact and profile.sample_fraction >= request.sample
    return profile.exact or not request.exact


def _unchanged(target: ProfileTarget, request: ProfileRequest, ports: ProfilePorts) -> TableProfile | None:
    """Compacted or otherwise rewritten without a change of rows: the profile of the snapshot before is taken over."""
    pin = target.pin
    last = ports.store.newest([target.table]).get(target.table)
    if last is None or last.snapshot_id is None or pin.snapshot_id is None or not _serves(last, request):
        return None
    grown = ports.lake.growth(pin.catalog, last.snapshot_id, pin.snapshot_id)
    if grown is None or grown.kind != "none" or not grown.all_the_same:
        return None
    same = replace(last, state=target.state, snapshot_id=pin.snapshot_id, commit_id=target.commit_id)
    ports.store.add(same)
    return same


def _measured(target: ProfileTarget, request: ProfileRequest, ports: ProfilePorts) -> TableProfile:
    measured = _on_driver(target.pin, request, ports) or ports.large().profile(target.pin, request)
    return TableProfile(
        table=target.table,
        state=target.state,
        snapshot_id=target.pin.snapshot_id,
        commit_id=target.commit_id,
        profiled_at=ports.clock(),
        measured=replace(measured, columns=mask_columns(measured.columns, request.hidden)),
        sample_fraction=request.sample,
    )


def is_small(table: TableName, ports: ProfilePorts) -> bool:
    """Whether the driver would profile it, without an engine."""
    try:
        return _is_small(find_rows(str(table), ports).pin, ports)
    except ForgeError:
        return False


def _is_small(pin: Pin, ports: ProfilePorts) -> bool:
    if ports.small is None or pin.snapshot_id is None:
        return False
    state = ports.lake.snapshot(pin.catalog, pin.snapshot_id)
    counted = state.statistics if state else None
    return counted is not None and is_small_size(counted)


def _on_driver(pin: Pin, request: ProfileRequest, ports: ProfilePorts) -> ProfileMeasurement | None:
    """None: it is not small, or only an engine can read it."""
    if ports.small is None or not _is_small(pin, ports):
        return None
    try:
        return ports.small.profile(pin, request)
    except NeedsEngine:
        return None
