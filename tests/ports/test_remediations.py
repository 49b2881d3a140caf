"""What every store of remediations does, alone and in the transaction of a publication."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from migrated import open_migrated
from store_records import DEV, MAIN, NOW, ORDERS, commit_of, note, quiet, run_record

from forge.flows.ports import Metadata
from forge.flows.quality.remediation.ports import RemedyStore
from forge.flows.runs.records import Publication, PublishedCommit
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.remediation import PreviewVerdict, Remediation, RemedyStatus, RemedyStep, TableCount
from forge.quality.remedy import ActionKind, RemedyResult, load_actions
from forge.quality.verdict import Outcome
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.sql.metadata import SqlMetadata
from forge.stores.sql.quality.remediations import SqlRemediations
from forge.versioning.branch import Branch


@dataclass(frozen=True)
class Kept:
    metadata: Metadata
    store: RemedyStore


@pytest.fixture(params=["memory", "sqlite"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    if request.param == "memory":
        memory = MemoryMetadata()
        memory.create_branch(
            Branch(name=MAIN, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=True),
            note("branch.create"),
        )
        yield Kept(memory, memory.remediations)
        return
    engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    metadata = SqlMetadata(engine)
    metadata.create_branch(
        Branch(name=MAIN, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=True),
        note("branch.create"),
    )
    yield Kept(metadata, SqlRemediations(engine))
    engine.dispose()


def remediation(number: int = 1, status: RemedyStatus = RemedyStatus.PROPOSED) -> Remediation:
    actions = load_actions([{"action": "impute", "method": "constant", "columns": "a", "value": 1.5}, "quarantine"])
    return Remediation(
        id=f"q{number}",
        table=ORDERS,
        branch=MAIN,
        steps=(RemedyStep(actions[0], ("core.orders.a.range", "ü")), RemedyStep(actions[1], ())),
        status=status,
        proposed_by="ada@example.com",
        proposed_at=NOW + timedelta(minutes=number),
        auto=True,
        note="It waits.",
        run_id=RunId("r1"),
        monitor_id="m1",
        base=CommitId("c0"),
        preview=CommitId("c1"),
        results=(RemedyResult(ActionKind.QUARANTINE, True, "moved", {"rows": 3, "by_check": {"x": 3}}),),
        counts=(TableCount("core.orders", 0, 2, 3),),
        verdicts=(PreviewVerdict("core.orders.a.range", Outcome.NOT_MEASURED, "no"),),
        decided_by="ben@example.com",
        decided_at=NOW + timedelta(hours=1),
        comment="fine",
    )


def test_what_is_put_is_found_again(kept: Kept) -> None:
    kept.store.put(remediation())
    assert kept.store.get("q1") == remediation()
    assert kept.store.get("q2") is None


def test_they_are_found_newest_first_by_table_branch_and_status(kept: Kept) -> None:
    other = replace(remediation(3), table=TableName.parse("core.other"), branch=DEV)
    for one in (remediation(1), remediation(2, RemedyStatus.NOTHING), other):
        kept.store.put(one)
    assert [one.id for one in kept.store.find()] == ["q3", "q2", "q1"]
    assert [one.id for one in kept.store.find(limit=2)] == ["q3", "q2"]
    assert [one.id for one in kept.store.find(table=ORDERS)] == ["q2", "q1"]
    assert [one.id for one in kept.store.find(branch=DEV)] == ["q3"]
    assert [one.id for one in kept.store.find(status=RemedyStatus.PROPOSED)] == ["q3", "q1"]


def test_what_was_decided_is_not_decided_again(kept: Kept) -> None:
    kept.store.put(remediation())
    kept.store.put(remediation(status=RemedyStatus.REJECTED))
    with pytest.raises(ForgeError) as caught:
        kept.store.put(remediation(status=RemedyStatus.APPLIED))
    assert caught.value.code == "E746"
    found = kept.store.get("q1")
    assert found is not None
    assert found.status is RemedyStatus.REJECTED


def publication(status: RemedyStatus) -> Publication:
    commit = commit_of(message="Mend")
    run = run_record("r9")
    return Publication(
        pointers=(),
        branch=MAIN,
        expected_head=None,
        commit=commit,
        tree={},
        run=run,
        remediation=remediation(status=status),
    )


def test_a_publication_writes_the_remediation_it_carries(kept: Kept) -> None:
    kept.store.put(remediation())
    assert isinstance(kept.metadata.publish(publication(RemedyStatus.APPLIED), quiet), PublishedCommit)
    found = kept.store.get("q1")
    assert found is not None
    assert found.status is RemedyStatus.APPLIED


def test_a_publication_of_what_was_decided_meanwhile_publishes_nothing(kept: Kept) -> None:
    kept.store.put(remediation(status=RemedyStatus.REJECTED))
    with pytest.raises(ForgeError) as caught:
        kept.metadata.publish(publication(RemedyStatus.APPLIED), quiet)
    assert caught.value.code == "E746"
    branch = kept.metadata.branch(MAIN)
    assert branch is not None
    assert branch.head is None
    assert kept.metadata.run(RunId("r9")) is None


def test_what_a_seam_kills_leaves_the_old_remediation(kept: Kept) -> None:
    kept.store.put(remediation())

    def die(step: str) -> None:
        if step == "publish.records":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.metadata.publish(publication(RemedyStatus.APPLIED), die)
    assert kept.store.get("q1") == remediation()


def test_it_follows_a_branch_that_gets_another_name(kept: Kept) -> None:
    kept.metadata.create_branch(
        Branch(name=DEV, head=None, created_at=NOW, created_by="Ada", updated_at=NOW), note("branch.create")
    )
    kept.store.put(replace(remediation(), branch=DEV))
    kept.metadata.rename_branch(DEV, BranchName("next"), note("branch.rename"))
    found = kept.store.get("q1")
    assert found is not None
    assert found.branch == "next"
