"""Checks and contract gates on a merged preview, before anything moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from forge.flows.catalog.personal_data import PersonalData, declared_with, trees_at
from forge.flows.contracts.gate import contract_verdicts
from forge.flows.ports import Lake
from forge.flows.quality.judge import judge_table
from forge.flows.runs.engine import Pin
from forge.flows.runs.input_pins import at_commit
from forge.flows.runs.project import Project
from forge.flows.runs.records import OutputRecord, OutputStatus
from forge.flows.versioning.ports import Operation
from forge.flows.versioning.read import RevisionReader
from forge.model.errors import UnknownNameError
from forge.model.names import TableName
from forge.quality.measure import PREVIOUS
from forge.quality.verdict import Outcome, Verdict
from forge.versioning.commit import Tree
from forge.versioning.conflict import Conflict, ConflictKind

CONSTRAINTS = ("not_null", "unique", "foreign_key", "expression")
"""Checks that say what rows may be together: where a merge breaks one, the two sides are in conflict."""


def judge_preview(work: Operation, project: Project, tree: Tree, changed: Iterable[TableName]) -> tuple[Verdict, ...]:
    """Of the changed tables, and of those with foreign keys to a changed one."""
    touched = frozenset(changed)
    project.refuse_faulty(*touched)
    declared = declared_with(project.contracts.values(), work.ports.declared)
    personal = PersonalData(work.ports.metadata, declared, partial(_trees, work, tree))
    hit = [t for t in sorted(tree) if t in touched or project.references(t) & touched]
    verdicts: list[Verdict] = []
    for table in hit:
        if project.checks.get(table) or project.contracts.get(table) or project.judged().get(table):
            work.report("checking", table)
            verdicts += _judge(work, project, personal, tree, table)
    return tuple(verdicts)


def _trees(work: Operation, tree: Tree) -> tuple[Tree, ...]:
    """The preview and the branch: the lineage of the new versions is not recorded yet."""
    branch = work.ports.metadata.branch(work.record.branch)
    head = branch.head if branch else None
    return tree, *trees_at(work.ports.metadata, work.ports.default_branch, (head,))


def _judge(
    work: Operation, project: Project, personal: PersonalData, tree: Tree, table: TableName
) -> tuple[Verdict, ...]:
    ports = work.ports
    pin = at_commit(table, tree, ports.lake)
    snapshot = ports.lake.snapshot(pin.catalog, pin.snapshot_id) if pin and pin.snapshot_id is not None else None
    if pin is None or snapshot is None:
        return ()  # the tables of a view are judged themselves
    gate = judge_contract(ports.lake, project, tree, table)
    if any(verdict.blocks for verdict in gate) or not project.checks.get(table):
        return gate
    others: dict[TableName, Pin] = {}
    for other in project.references(table):
        found = at_commit(other, tree, ports.lake)
        if found is not None:
            others[other] = found
    engine = ports.engine()
    engine.begin(work.run_id, table)
    history = partial(ports.history, table, work.record.branch, None)
    versions = partial(_version, work, table)
    verdicts, _ = judge_table(
        *(table, snapshot.schema, pin, others, project, personal, ports.lake, engine, ports.clock()),
        history=history,
        versions=versions,
    )
    return gate + verdicts


def judge_contract(lake: Lake, project: Project, tree: Tree, table: TableName) -> tuple[Verdict, ...]:
    """The contract gate for a table of a tree, from metadata alone; of a view, nothing."""
    version = tree.get(table)
    snapshot = lake.snapshot(version.catalog, version.snapshot_id) if version and version.kind != "view" else None
    return contract_verdicts(project, table, snapshot.schema) if snapshot is not None else ()


def _version(work: Operation, table: TableName, revision: str) -> Pin | None:
    """The previous version of a merge is the one that the branch has."""
    ports = work.ports
    reader = RevisionReader(ports.metadata, ports.lake, work.record.branch, ports.default_branch)
    try:
        return reader.pin(table, None if revision == PREVIOUS else revision)
    except UnknownNameError:
        if revision != PREVIOUS:
            raise
        return None


def constraint_conflicts(verdicts: Iterable[Verdict]) -> tuple[Conflict, ...]:
    return tuple(
        Conflict(
            kind=ConflictKind.CONSTRAINT,
            column=verdict.columns[0] if verdict.columns else None,
            theirs=verdict.message,
            table=verdict.table,
            location=verdict.check_id,
        )
        for verdict in verdicts
        if verdict.blocks and verdict.outcome is Outcome.FAILED and verdict.check_type in CONSTRAINTS
    )


def outputs_of(
    tree: Tree, changed: Iterable[TableName], verdicts: Sequence[Verdict], kind: str
) -> tuple[OutputRecord, ...]:
    """The status of each table of the preview, as in a run record."""
    blocked = {verdict.table: verdict.message for verdict in verdicts if verdict.blocks}
    names = [*changed, *(TableName.parse(name) for name in blocked if TableName.parse(name) not in set(changed))]
    return tuple(
        OutputRecord(
            table=table,
            status=OutputStatus.BLOCKED if str(table) in blocked else OutputStatus.PASSED,
            reason=blocked.get(str(table), ""),
            kind=kind,
            snapshot_id=tree[table].snapshot_id if table in tree else None,
        )
        for table in names
    )
