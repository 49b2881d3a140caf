"""What every store of findings of personal data does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from logged_changes import logged
from migrated import open_migrated
from sqlalchemy import Engine

from forge.catalog.pii.review import FindingOrigin, PiiRecord, ReviewState, ScannedTable, review
from forge.flows.catalog.pii.ports import PiiFindings
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.pii_findings import MemoryPiiFindings
from forge.stores.sql.catalog.pii_findings import SqlPiiFindings
from forge.stores.sql.catalog.pii_tables import findings, scans
from forge.stores.sql.tables import pii_revisions as revisions

NOW = datetime(2026, 11, 15, 12, 30, 15, 123456, tzinfo=UTC)
NOTE = AuditRecord(NOW, "ada", "pii.scan", "core.people")
CONFIRMED, REJECTED = ReviewState.CONFIRMED, ReviewState.REJECTED


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PiiFindings]:
    match request.param:
        case "memory":
            yield MemoryPiiFindings()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlPiiFindings(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                for table in (findings, scans, revisions):
                    connection.execute(table.delete())
            yield SqlPiiFindings(engine)


def record(name: str = "a", **fields: object) -> PiiRecord:
    given: dict[str, object] = {"table": "core.people", "table_key": "u1", "column": name, "type": "email"}
    given |= {"score": 0.99, "evidence": ("9 of 9 values look like it",), "first_seen": NOW, "last_seen": NOW}
    return PiiRecord(id=f"pii_{name}", **(given | fields))  # type: ignore[arg-type]


FULL = record(
    "Élan",
    quasi=True,
    state=CONFIRMED,
    origin=FindingOrigin.LINEAGE,
    source="core.people.mail",
    path=("core.people.mail", "mart.x.Élan"),
    reviewed_by="ada",
    reviewed_at=NOW,
    note="ja ✓",
    reason="why",
    snapshot_id=9_223_372_036_854_775_807,
    closed_at=NOW,
)
SCAN = ScannedTable(
    table="core.people",
    table_key="u1",
    version="77",
    snapshot_id=77,
    rows=10_000,
    complete=False,
    scanned_at=NOW,
    settings="1",
)


def test_a_finding_is_kept_as_it_is(store: PiiFindings) -> None:
    assert store.finding(FULL.id) is None
    assert store.save([FULL], None, NOTE)
    assert store.finding(FULL.id) == FULL
    assert store.findings(closed=True) == (FULL,)


def test_findings_come_by_table_and_column_and_closed_ones_only_on_request(store: PiiFindings) -> None:
    made = [
        record("z"),
        record("b", type="ssn", state=REJECTED),
        record("c", table="core.a", table_key="u2", type=None),
        record("d", closed_at=NOW),
    ]
    assert store.save(made, None, NOTE)
    assert [one.column for one in store.findings()] == ["c", "b", "z"]
    assert [one.column for one in store.findings(closed=True)] == ["c", "b", "d", "z"]
    assert [one.column for one in store.findings(tables=["core.people"])] == ["b", "z"]
    assert [one.column for one in store.findings(tables=["core.people", "core.a"])] == ["c", "b", "z"]
    assert store.findings(tables=[]) == ()
    assert [one.column for one in store.findings(table_key="u2")] == ["c"]
    assert [one.column for one in store.findings(states=[REJECTED, CONFIRMED])] == ["b"]
    assert [one.column for one in store.findings(types=["ssn", "phone"])] == ["b"]
    assert [one.column for one in store.findings(offset=1, limit=1)] == ["b"]


def test_every_change_of_a_finding_is_in_the_log_of_changes(store: PiiFindings) -> None:
    told: list[tuple[str, str]] = []
    if isinstance(store, MemoryPiiFindings):
        store = MemoryPiiFindings(lambda names: told.extend(("asset", name) for name in names))

    def write() -> None:
        assert store.save([record("b"), record("a"), record("c", table="core.a", table_key="u2")], SCAN, NOTE)
        assert store.save([], SCAN, NOTE)
        assert not store.save([record("z", table="core.z"), record("a")], None, NOTE)  # refused whole
        assert store.save([review(record("a"), REJECTED, None, "ada", NOW)], None, NOTE)

    if isinstance(store, SqlPiiFindings):
        assert logged(store._engine, write) == [("asset", "core.a"), ("asset", "core.people")]
    else:
        write()
        assert told == [("asset", "core.a"), ("asset", "core.people"), ("asset", "core.people")]


def test_a_column_has_one_finding_whatever_the_case_of_its_name(store: PiiFindings) -> None:
    assert store.save([record("Mail")], None, NOTE)
    assert not store.save([replace(record("mail"), id="other"), record("b")], SCAN, NOTE)
    assert [one.column for one in store.findings()] == ["Mail"]
    assert store.scan("core.people") is None


def test_a_stale_version_writes_nothing(store: PiiFindings) -> None:
    first = record()
    assert store.save([first], None, NOTE)
    second = review(first, CONFIRMED, "yes", "ada", NOW)
    assert store.save([second], None, NOTE)
    assert not store.save([record("b"), review(first, REJECTED, "no", "bob", NOW)], SCAN, NOTE)
    assert store.findings() == (second,)
    assert store.scan("core.people") is None


@pytest.mark.slow
def test_of_two_reviewers_at_once_one_wins(store: PiiFindings) -> None:
    first = record()
    assert store.save([first], None, NOTE)
    decided = [review(first, state, "", by, NOW) for state, by in ((CONFIRMED, "ada"), (REJECTED, "bob"))] * 4
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda one: store.save([one], None, NOTE), decided))
    assert won.count(True) == 1
    assert store.finding(first.id) == decided[won.index(True)]


def test_a_finding_moves_with_its_table_but_not_over_another(store: PiiFindings) -> None:
    first, other = record("a"), record("b", table="core.persons", table_key="u2")
    assert store.save([first, other], None, NOTE)
    moved = replace(first, table="core.persons", version=2)
    assert store.save([moved], None, NOTE)
    assert store.findings(tables=["core.people"]) == ()
    assert not store.save([replace(moved, column="B", version=3)], None, NOTE)
    assert store.findings(tables=["core.persons"]) == (moved, other)


def test_the_last_scan_of_a_table_is_known(store: PiiFindings) -> None:
    assert store.scan("core.people") is None
    assert store.save([], SCAN, NOTE)
    newer = replace(SCAN, version="78", snapshot_id=None, scanned_at=NOW + timedelta(days=1), complete=True)
    assert store.save([], newer, NOTE)
    assert store.scan("core.people") == newer
    assert store.scan("core.other") is None
    assert store.scanned() == {"core.people": "78"}


def test_the_revision_grows_with_every_change_and_only_then(store: PiiFindings) -> None:
    before = store.revision()
    assert store.save([record()], None, NOTE)
    between = store.revision()
    assert between > before
    assert not store.save([record()], None, NOTE)
    assert store.revision() == between
    assert store.save([], SCAN, NOTE)
    assert store.revision() > between
