"""State transitions of a contract: consumers are notified, and a retired contract gets no new readers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from forge.contracts.lifecycle import ContractState, LifecycleStep, refuse_move
from forge.contracts.registry import ContractHead, RegisteredContract
from forge.flows.contracts.ports import ContractPorts, ContractStore, LifecycleWrite
from forge.flows.runs.ports import Runs
from forge.flows.runs.records import AuditRecord, TableLineage
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName
from forge.transforms.transform import Transform
from forge.versioning.commit import Tree

if TYPE_CHECKING:
    from forge.flows.contracts.consumers import Consumer
    from forge.quality.alerts.delivery import Delivery

_log = logging.getLogger("forge.contracts")


def change_state(
    contract_id: str,
    state: ContractState,
    ports: ContractPorts,
    *,
    reason: str = "",
    ends_at: datetime | None = None,
    replacement: str | None = None,
) -> ContractHead:
    """E504, E507. Notices to consumers are written in the same transaction; the server sends them."""
    now = ports.clock()
    if ends_at is not None and ends_at <= now and state is not ContractState.RETIRED:
        raise ForgeError(
            "E105",
            f"The end {ends_at:%Y-%m-%d %H:%M} UTC has passed",
            where="ends_at",
            fix="Give a time that is to come, or retire the contract.",
        )
    head = ports.store.head(contract_id)
    consumers = consumers_of(head.newest, ports) if head is not None else ()
    step = LifecycleStep(
        state=state,
        before=None,
        at=now,
        by=ports.actor,
        version="",
        reason=reason.strip(),
        ends_at=ends_at,
        replacement=replacement,
    )

    def decide(known: ContractHead) -> LifecycleWrite:
        refuse_move(contract_id, known.state, state)
        last = known.last
        change = replace(
            step,
            before=known.state,
            version=known.newest.version,
            ends_at=ends_at or (last.ends_at if last.is_notice else None),
            replacement=replacement or (last.replacement if last.is_notice else None),
        )
        return transition_of(known.newest, change, consumers, ports)

    return ports.store.move(contract_id, decide)


def transition_of(
    contract: RegisteredContract, change: LifecycleStep, consumers: Sequence[Consumer], ports: ContractPorts
) -> LifecycleWrite:
    """The step with its deliveries and audit record. Consumers are notified only where there is a channel."""
    deliveries: tuple[Delivery, ...] = ()
    if change.is_notice and consumers and notice_channels(ports):
        change = replace(change, told=tuple(one.name for one in consumers))
        deliveries = _deliveries(contract, change, consumers, ports)
    detail = {"version": change.version, "from": change.before, "to": change.state, "reason": change.reason}
    return LifecycleWrite(
        change, deliveries, (AuditRecord(change.at, change.by, "contract.state", contract.id, detail),)
    )


def consumers_of(contract: RegisteredContract, ports: ContractPorts) -> tuple[Consumer, ...]:
    """None where lineage is unavailable: it does not delay the step, and is logged."""
    from forge.flows.contracts.consumers import find_consumers

    lineage = ports.lineage()
    if lineage is None:
        return ()
    try:
        return find_consumers(lineage, dict.fromkeys(contract.tables, ()), owner=ports.owner)
    except ForgeError as error:
        _log.warning("The consumers of %s were not found: %s", contract.id, error)
        return ()


def notice_channels(ports: ContractPorts) -> tuple[str, ...]:
    """The channels of runs, else all; pagers are for failures only."""
    alerts = ports.alerts()
    if alerts is None:
        return ()
    named = [name for name in alerts.runs.channels if name in alerts.channels] or sorted(alerts.channels)
    return tuple(name for name in named if not alerts.is_pager(name))


def _deliveries(
    contract: RegisteredContract, change: LifecycleStep, consumers: Sequence[Consumer], ports: ContractPorts
) -> tuple[Delivery, ...]:
    """One per channel, with the affected tables and their owners."""
    from forge.flows.quality.incidents.alerts import new_delivery
    from forge.quality.alerts.alert import AlertOrigin, AlertScope
    from forge.quality.alerts.notice import MOST_HIT, AffectedColumn, Notice, NoticeKind

    alerts = ports.alerts()
    if alerts is None:
        return ()
    hit = tuple(AffectedColumn(one.name, one.owner) for one in consumers[:MOST_HIT])
    notice = Notice(
        kind=NoticeKind.NOTE,
        scope=AlertScope(AlertOrigin.HAND, str(ports.default_branch)),
        table=contract.tables[0] if contract.tables else contract.name,
        branch=str(ports.default_branch),
        at=change.at,
        hit=hit,
        hit_count=len(consumers),
        text=notice_text(contract, change),
    )
    return tuple(new_delivery(alerts, name, notice, change.at) for name in notice_channels(ports))


def notice_text(contract: RegisteredContract, change: LifecycleStep) -> str:
    words = [f"The contract {contract.name} {change.version} is {change.state}."]
    if change.ends_at is not None and change.state is not ContractState.RETIRED:
        words.append(f"It ends {change.ends_at:%Y-%m-%d}.")
    if change.state is ContractState.RETIRED:
        words.append("It promises nothing any more, and its tables get no new readers.")
    if change.replacement:
        words.append(f"Go to {change.replacement}.")
    if change.reason:
        words.append(change.reason)
    return " ".join(words)


# readers


def retired_tables(store: ContractStore) -> Mapping[str, ContractHead]:
    return {
        table.lower(): head
        for head in store.heads()
        if head.state is ContractState.RETIRED
        for table in head.newest.tables
    }


def find_new_readers(
    retired: Mapping[str, ContractHead], transforms: Iterable[Transform], tree: Tree, metadata: Runs
) -> tuple[ForgeError, ...]:
    """E506 for each transform that reads a table of a retired contract and did not when last published."""
    reading = [
        (transform, head)
        for transform in transforms
        for table in transform.inputs
        if (head := retired.get(str(table).lower())) is not None
    ]
    if not reading:
        return ()
    before = _read_before(tree, metadata, {transform.output for transform, _ in reading})
    return tuple(
        _refused(transform, head)
        for transform, head in reading
        if _is_new(before.get(transform.output, frozenset()), head)
    )


def _is_new(read: frozenset[str] | None, head: ContractHead) -> bool:
    """None: the output exists, but its inputs are unknown; then it is not new."""
    return read is not None and not {table.lower() for table in head.newest.tables} & read


def _read_before(tree: Tree, metadata: Runs, outputs: Iterable[TableName]) -> dict[TableName, frozenset[str] | None]:
    """Inputs of each existing output when its version was made, from the run that made it. Other writers (a merge, a
    revert, an edit of rows, a remediation, an adoption) read nothing: there the inherited lineage counts, and without
    it the inputs are unknown (None)."""
    makers = {table: RunId(tree[table].run_id or "") for table in outputs if table in tree}
    runs = metadata.find_runs(set(makers.values()))
    found: dict[TableName, frozenset[str] | None] = {}
    for table, run_id in makers.items():
        made = [one for one in (runs[run_id].outputs if run_id in runs else ()) if one.table == table]
        inputs = {name.lower() for one in made for name in one.inputs}
        is_known = inputs or (made and runs[run_id].kind == "run")
        found[table] = frozenset(inputs) if is_known else None
    unknown = {makers[table] for table, read in found.items() if read is None}
    for run_id, lineage in metadata.lineage(unknown) if unknown else ():
        if found.get(lineage.table, ()) is None and makers[lineage.table] == run_id:
            found[lineage.table] = _sources(lineage) or None
    return found


def _sources(lineage: TableLineage) -> frozenset[str]:
    found = [edge.source.table for edge in lineage.edges] + [edge.source.table for edge in lineage.indirect]
    found += [edge.source for edge in lineage.table_edges]
    return frozenset(map(str.lower, found))


def _refused(transform: Transform, head: ContractHead) -> ForgeError:
    step = head.last
    instead = f"Read what {step.replacement} promises instead." if step.replacement else "Read another table."
    return ForgeError(
        "E506",
        f"{transform.output} would be a new reader of {head.newest.name}, which is retired",
        where=transform.where,
        why=f"The contract {head.id} {head.newest.version} was retired {step.at:%Y-%m-%d} by {step.by}"
        + (f": {step.reason}" if step.reason else "."),
        fix=instead,
    )
