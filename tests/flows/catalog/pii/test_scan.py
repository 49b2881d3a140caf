"""Scans of tables: what is looked at, when, and what stays of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pytest
from version_world import MAIN, VersionWorld, make_world

from forge.catalog.pii import PiiType
from forge.catalog.pii.review import NO_EVIDENCE, VANISHED, PiiRecord, ReviewState, review
from forge.flows.catalog.pii.ports import TableSample, ValueSampler
from forge.flows.catalog.pii.reviewed_columns import FoundPersonalData
from forge.flows.catalog.pii.reviews import ReviewPorts, review_finding
from forge.flows.catalog.pii.scan import ScanPorts, scan_table, scan_tables
from forge.flows.runs.pin import Pin
from forge.flows.runs.records import AuditRecord
from forge.model.classification import ClassificationLevel
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.stores.lake.sampler import LakeSampler
from forge.stores.sql.catalog.pii_findings import SqlPiiFindings

PEOPLE = TableName("core", "people")
MAILS = ["ada@secret.example", "bob@secret.example", "cy@secret.example", "di@secret.example", "ed@secret.example"]
ROWS = [{"id": number, "mail": mail, "amount": 1.5} for number, mail in enumerate(MAILS)]
REJECTED, CONFIRMED, OPEN = ReviewState.REJECTED, ReviewState.CONFIRMED, ReviewState.OPEN


def no_engine() -> ValueSampler:
    raise AssertionError("a small table needs no engine")


@dataclass
class Watched:
    """A sampler that counts what it is asked."""

    inner: ValueSampler
    asked: list[str] = field(default_factory=list)

    def sample(self, pin: Pin, rows: int) -> TableSample | None:
        self.asked.append(str(pin.table))
        return self.inner.sample(pin, rows)


@dataclass
class Scanned:
    world: VersionWorld
    ports: ScanPorts
    sampler: Watched

    def scan(self, table: TableName = PEOPLE, **given: bool) -> tuple[PiiRecord, ...]:
        scan_table(table, self.ports, **given)
        return self.ports.findings.findings(closed=True)

    def decide(self, record: PiiRecord, state: ReviewState, **given: int | str) -> PiiRecord:
        ports = ReviewPorts(self.ports.findings, self.ports.clock, "ada@example.com", lambda: None)
        return review_finding(record.id, state, ports, **given)  # type: ignore[arg-type]


@pytest.fixture
def scanned(tmp_path: Path) -> Iterator[Scanned]:
    world = make_world(tmp_path)
    world.commit_rows("core.people", ROWS)
    sampler = Watched(LakeSampler(world.lake))
    yield Scanned(
        world,
        ScanPorts(
            findings=SqlPiiFindings(world.database),
            metadata=world.metadata,
            lake=world.lake,
            small=sampler,
            large=no_engine,
            clock=world.ports.clock,
            actor="ada@example.com",
            default_branch=MAIN,
        ),
        sampler,
    )
    world.database.dispose()


pytestmark = pytest.mark.slow


def test_a_scan_finds_personal_columns_and_reads_a_table_once_per_change(scanned: Scanned) -> None:
    (record,) = scanned.scan()
    assert (record.table, record.column, record.type, record.state) == ("core.people", "mail", "email", OPEN)
    assert scan_table(PEOPLE, scanned.ports).outcome == "unchanged"
    assert len(scanned.sampler.asked) == 1
    scanned.world.commit_rows("core.people", [{"id": 9, "mail": "x@secret.example", "amount": 2.0}])
    again = scan_table(PEOPLE, scanned.ports)
    assert (again.outcome, again.rows, again.complete, again.found) == ("scanned", 6, True, 1)
    assert len(scanned.sampler.asked) == 2
    assert scan_table(PEOPLE, scanned.ports, force=True).outcome == "scanned"


@pytest.mark.parametrize("state", [CONFIRMED, REJECTED])
def test_a_decision_outlives_the_next_scan(scanned: Scanned, state: ReviewState) -> None:
    (record,) = scanned.scan()
    scanned.decide(record, state, note="I asked", expected=record.version)
    scanned.world.commit_rows("core.people", [{"id": 9, "mail": "x@secret.example", "amount": 2.0}])
    (again,) = scanned.scan()
    assert (again.id, again.state, again.note, again.reviewed_by) == (record.id, state, "I asked", "ada@example.com")


def test_other_data_closes_a_finding_and_another_type_opens_a_rejected_one(scanned: Scanned) -> None:
    (record,) = scanned.scan()
    scanned.decide(record, REJECTED)
    words = [{"id": n, "mail": word, "amount": 1.0} for n, word in enumerate(["wood", "stone", "iron", "clay", "tin"])]
    scanned.world.commit_rows("core.people", words, mode="overwrite")
    (closed,) = scanned.scan()
    assert (closed.state, closed.reason, closed.closed_at is not None) == (REJECTED, NO_EVIDENCE, True)
    cards = ["4111111111111111", "5500005555555559", "340000000000009", "6011000990139424", "4012888888881881"]
    scanned.world.commit_rows(
        "core.people", [{"id": n, "mail": card, "amount": 1.0} for n, card in enumerate(cards)], mode="overwrite"
    )
    (again,) = scanned.scan()
    assert (again.state, again.type, again.closed_at) == (OPEN, "credit_card", None)
    assert "since ada@example.com rejected it" in again.reason


def test_types_of_the_project_are_looked_for_in_what_was_scanned_before(scanned: Scanned) -> None:
    scanned.scan()
    number = PiiType("amount_due", ("amount",))
    again = replace(scanned.ports, types=(number,))
    assert scan_table(PEOPLE, again).outcome == "scanned"
    assert {one.column: one.type for one in again.findings.findings()} == {"mail": "email", "amount": "amount_due"}
    assert scan_table(PEOPLE, again).outcome == "unchanged"
    stricter = replace(again, types=(replace(number, level=ClassificationLevel.RESTRICTED),))
    assert scan_table(PEOPLE, stricter).outcome == "scanned"


def test_a_vanished_column_is_closed(scanned: Scanned) -> None:
    scanned.scan()
    fields = tuple(one for one in scanned.world.fields("core.people") if one.name != "mail")
    scanned.world.set_fields("core.people", fields)
    (closed,) = scanned.scan()
    assert closed.reason == VANISHED


def test_findings_follow_a_renamed_table(scanned: Scanned) -> None:
    (record,) = scanned.scan()
    scanned.decide(record, REJECTED, note="test data")
    findings = scanned.ports.findings
    # as if it had been scanned under the name that it had before
    old = replace(record, table="core.persons", state=REJECTED, note="test data", version=3)
    assert findings.save([old], None, AuditRecord(record.last_seen, "x", "pii.scan", "core.persons"))
    moved = scanned.scan(force=True)
    assert [(one.id, one.table, one.state, one.note) for one in moved] == [
        (record.id, "core.people", REJECTED, "test data")
    ]


def test_fields_of_structs_and_lists_are_findings_of_their_own(scanned: Scanned) -> None:
    person = pa.struct([("mail", pa.string()), ("card", pa.string()), ("age", pa.int64())])
    schema = pa.schema([("id", pa.int64()), ("who", person), ("others", pa.list_(person))])
    cards = ["4111111111111111", "5500005555555559", "340000000000009", "6011000990139424", "4012888888881881"]
    people = [{"mail": mail, "card": card, "age": 30} for mail, card in zip(MAILS, cards, strict=True)]
    rows = [{"id": n, "who": one, "others": [one]} for n, one in enumerate(people)]
    scanned.world.commit_rows("core.nested", pa.Table.from_pylist(rows, schema=schema))
    found = scanned.scan(TableName("core", "nested"))
    types = {one.column: one.type for one in found if one.type}
    assert types == {
        "who.mail": "email",
        "who.card": "credit_card",
        "others.mail": "email",
        "others.card": "credit_card",
    }
    personal = FoundPersonalData(scanned.ports.findings, 0.8)().personal
    assert ("core.nested", "who") in personal
    assert ("core.nested", "others") in personal


def test_keys_of_maps_are_values_and_never_part_of_evidence(scanned: Scanned) -> None:
    schema = pa.schema([("id", pa.int64()), ("scores", pa.map_(pa.string(), pa.int64()))])
    rows = [{"id": n, "scores": [(mail, n)]} for n, mail in enumerate(MAILS)]
    scanned.world.commit_rows("core.maps", pa.Table.from_pylist(rows, schema=schema))
    (found,) = scanned.scan(TableName("core", "maps"))
    assert (found.column, found.type) == ("scores.key", "email")
    assert "secret.example" not in repr(found)


def test_text_that_is_written_as_bytes_is_read(scanned: Scanned) -> None:
    schema = pa.schema([("id", pa.int64()), ("reach", pa.binary()), ("hash", pa.binary())])
    rows = [{"id": n, "reach": mail.encode(), "hash": bytes([n, 255, 0])} for n, mail in enumerate(MAILS)]
    scanned.world.commit_rows("core.bytes", pa.Table.from_pylist(rows, schema=schema))
    (found,) = scanned.scan(TableName("core", "bytes"))
    assert (found.column, found.type) == ("reach", "email")


def test_no_value_is_kept_logged_or_told(scanned: Scanned, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    import json

    objects = [{"id": n, "mail": json.dumps({mail: {"x": n}}), "amount": 0.0} for n, mail in enumerate(MAILS)]
    scanned.world.commit_rows("core.people", objects)
    scanned.scan()
    assert "secret.example" not in repr(scanned.ports.findings.findings(closed=True))
    assert "secret.example" not in repr(scanned.ports.findings.scan("core.people"))
    assert "secret.example" not in repr(scanned.world.metadata.audit(limit=1000))
    assert "secret.example" not in caplog.text
    sample = LakeSampler(scanned.world.lake).sample(_pin(scanned), 10)
    assert "secret.example" not in repr(sample)


def _pin(scanned: Scanned) -> Pin:
    version = scanned.world.metadata.tree(scanned.world.head())[PEOPLE]
    return Pin(PEOPLE, version.catalog, version.snapshot_id)


def test_a_table_that_cannot_be_read_holds_up_no_other(scanned: Scanned) -> None:
    missing, people = scan_tables([TableName("core", "gone"), PEOPLE], scanned.ports)
    assert (missing.outcome, people.outcome) == ("failed", "scanned")
    assert missing.error is not None
    assert "FORGE-E108" in missing.error
    assert people.to_dict()["found"] == 1


def test_findings_of_a_table_that_is_gone_are_closed_and_come_back_with_their_decisions(scanned: Scanned) -> None:
    (record,) = scanned.scan()
    scanned.decide(record, REJECTED)
    known = scanned.ports.findings.findings()[0]
    old = replace(known, table="core.persons", version=known.version + 1)
    assert scanned.ports.findings.save([old], None, AuditRecord(record.last_seen, "x", "pii.scan", "core.persons"))
    (gone,) = scan_tables([TableName("core", "persons")], scanned.ports)
    assert (gone.outcome, gone.changed) == ("vanished", 1)
    (closed,) = scanned.ports.findings.findings(closed=True)
    assert (closed.reason, closed.state) == ("the table is gone", REJECTED)
    (back,) = scanned.scan(force=True)
    assert (back.id, back.table, back.state, back.closed_at) == (record.id, "core.people", REJECTED, None)


def test_of_two_reviewers_the_second_sees_the_first(scanned: Scanned) -> None:
    (record,) = scanned.scan()
    scanned.decide(record, CONFIRMED, expected=record.version)
    with pytest.raises(ForgeError) as refused:
        scanned.decide(record, REJECTED, expected=record.version)
    assert refused.value.code == "E871"
    assert scanned.ports.findings.findings()[0].state is CONFIRMED


def test_a_decision_during_a_scan_is_not_lost(scanned: Scanned) -> None:
    (record,) = scanned.scan()

    class Meanwhile:
        """Somebody decides while values are read and findings are written."""

        def __init__(self, store: SqlPiiFindings) -> None:
            self.store, self.done = store, False

        def __getattr__(self, name: str) -> object:
            return getattr(self.store, name)

        def save(self, records: list[PiiRecord], scan: object, audit: AuditRecord) -> bool:
            if not self.done:
                self.done = True
                known = self.store.finding(record.id)
                assert known is not None
                assert self.store.save([review(known, REJECTED, "no", "bob", audit.time)], None, audit)
            return self.store.save(records, scan, audit)  # type: ignore[arg-type]

    store = scanned.ports.findings
    assert isinstance(store, SqlPiiFindings)
    scan_table(PEOPLE, replace(scanned.ports, findings=Meanwhile(store)), force=True)  # type: ignore[arg-type]
    (after,) = store.findings()
    assert (after.state, after.reviewed_by) == (REJECTED, "bob")


def test_large_tables_are_for_an_engine(scanned: Scanned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forge.flows.catalog.small_tables.SMALL_ROWS", 3)
    with pytest.raises(AssertionError, match="no engine"):
        scanned.scan()


def test_a_sample_is_spread_over_a_table(scanned: Scanned) -> None:
    sample = LakeSampler(scanned.world.lake).sample(_pin(scanned), 2)
    assert sample is not None
    assert (list(sample.values["id"]), sample.rows, sample.complete) == ([0, 3], 2, False)
