"""What the catalog's log of changes gets from the transactions of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from logged_changes import logged
from migrated import open_migrated
from store_records import MAIN, NOW, commit_of, note, quiet, run_record

from forge.flows.runs.records import Publication, PublishedCommit
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch


@pytest.fixture
def metadata(tmp_path: Path) -> Iterator[SqlMetadata]:
    engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    made = SqlMetadata(engine)
    branch = Branch(name=MAIN, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=True)
    made.create_branch(branch, note("branch.create"))
    yield made
    engine.dispose()


def verdict(table: str, check: str = "k") -> Verdict:
    return Verdict(
        check_id=check,
        check_type="range",
        table=table,
        columns=(),
        outcome=Outcome.FAILED,
        severity=Severity.ERROR,
        message="bad",
        blocks=True,
    )


def test_a_run_that_is_held_back_leaves_its_verdicts_in_the_log(metadata: SqlMetadata) -> None:
    judged = [verdict("core.orders"), verdict("core.orders", "other"), verdict("core.lines")]
    found = logged(metadata._engine, lambda: metadata.finish_run(run_record("r-1"), judged, ()))
    assert found == [("facts", "core.lines"), ("facts", "core.orders")]
    assert logged(metadata._engine, lambda: metadata.finish_run(run_record("r-2"), (), ())) == []


def test_a_publication_leaves_its_verdicts_in_the_log_or_nothing(metadata: SqlMetadata) -> None:
    made = Publication(
        pointers=(),
        branch=MAIN,
        expected_head=None,
        commit=commit_of(),
        tree={},
        run=run_record("r-1"),
        verdicts=(verdict("core.orders"),),
    )

    def fail(step: str) -> None:
        if step == "publish.records":
            raise OSError("the disk is full")

    def refused() -> None:
        with pytest.raises(OSError, match="full"):
            metadata.publish(made, fail)

    assert logged(metadata._engine, refused) == []
    published = logged(metadata._engine, lambda: isinstance(metadata.publish(made, quiet), PublishedCommit))
    assert published == [("facts", "core.orders")]
