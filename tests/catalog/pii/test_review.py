"""What scans, lineage and people do to findings."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from forge.catalog.pii import PiiFinding
from forge.catalog.pii.review import (
    NO_EVIDENCE,
    NO_LINEAGE,
    VANISHED,
    DerivedFinding,
    FindingOrigin,
    PiiRecord,
    ReviewState,
    ScannedTable,
    apply_lineage,
    apply_scan,
    review,
)

NOW = datetime(2026, 11, 15, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
OPEN, CONFIRMED, REJECTED = ReviewState.OPEN, ReviewState.CONFIRMED, ReviewState.REJECTED
SCAN = ScannedTable(
    table="core.people",
    table_key="u1",
    version="1",
    snapshot_id=1,
    rows=9,
    complete=True,
    scanned_at=NOW,
    settings="1",
)
NEXT = replace(SCAN, version="2", snapshot_id=2, scanned_at=LATER)
EMAIL = PiiFinding("mail", "email", 0.99, ("the name says mail",))


def ids() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"pii_{next(numbers)}"


def one(*found: PiiFinding) -> PiiRecord:
    (record,) = apply_scan((), found, [f.column for f in found], SCAN, ids())
    return record


def after(record: PiiRecord, *found: PiiFinding, columns: tuple[str, ...] = ("mail",)) -> PiiRecord:
    changed = apply_scan([record], found, columns, NEXT, ids())
    assert len(changed) == 1
    assert changed[0].version == record.version + 1
    return changed[0]


def test_a_scan_keeps_what_it_found_and_nothing_about_other_columns() -> None:
    quasi = PiiFinding("city", None, 0.75, ("the name says city",), quasi=True)
    made = apply_scan((), [EMAIL, quasi, PiiFinding("amount")], ["mail", "city", "amount"], SCAN, ids())
    assert [(r.column, r.type, r.quasi, r.state, r.version) for r in made] == [
        ("mail", "email", False, OPEN, 1),
        ("city", None, True, OPEN, 1),
    ]
    assert not made[1].is_personal()


@pytest.mark.parametrize("state", [CONFIRMED, REJECTED])
def test_a_decision_is_kept_by_the_next_scan(state: ReviewState) -> None:
    decided = review(one(EMAIL), state, "I know", "ada", NOW)
    again = after(decided, replace(EMAIL, score=0.9))
    assert (again.state, again.reviewed_by, again.note, again.score) == (state, "ada", "I know", 0.9)
    assert (again.first_seen, again.last_seen, again.snapshot_id) == (NOW, LATER, 2)


def test_a_rejected_finding_of_another_type_is_open_again_and_says_why() -> None:
    rejected = review(one(EMAIL), REJECTED, "test data", "ada", NOW)
    again = after(rejected, replace(EMAIL, type="phone"))
    assert (again.state, again.type, again.reviewed_by) == (OPEN, "phone", None)
    assert again.reason == "the detected type was email and is phone, since ada rejected it"
    assert again.note == "test data"


def test_a_rejected_finding_that_is_a_quasi_identifier_now_stays_rejected() -> None:
    rejected = review(one(EMAIL), REJECTED, None, "ada", NOW)
    assert after(rejected, PiiFinding("mail", None, 0.75, ("hashed",), quasi=True)).state is REJECTED


def test_a_confirmed_finding_of_another_type_stays_confirmed_and_says_it() -> None:
    again = after(review(one(EMAIL), CONFIRMED, None, "ada", NOW), replace(EMAIL, type="phone"))
    assert (again.state, again.type) == (CONFIRMED, "phone")
    assert "was email and is phone" in again.reason


@pytest.mark.parametrize(("columns", "why"), [((), VANISHED), (("mail",), NO_EVIDENCE)])
def test_a_finding_without_evidence_is_closed_and_opened_again_with_its_decision(
    columns: tuple[str, ...], why: str
) -> None:
    rejected = review(one(EMAIL), REJECTED, None, "ada", NOW)
    closed = after(rejected, columns=columns)
    assert (closed.closed_at, closed.reason, closed.state) == (LATER, why, REJECTED)
    assert apply_scan([closed], (), columns, NEXT, ids()) == ()
    back = after(closed, EMAIL)
    assert (back.closed_at, back.state) == (None, REJECTED)


def test_what_a_person_confirmed_needs_no_evidence_but_a_column() -> None:
    confirmed = review(one(EMAIL), CONFIRMED, None, "ada", NOW)
    unseen = after(confirmed)
    assert (unseen.closed_at, unseen.reason) == (None, NO_EVIDENCE)
    assert unseen.is_personal()
    assert after(confirmed, columns=()).closed_at == LATER


def test_a_scan_under_a_new_name_moves_findings() -> None:
    (moved,) = apply_scan([one(EMAIL)], [EMAIL], ["mail"], replace(NEXT, table="core.persons"), ids())
    assert (moved.table, moved.id) == ("core.persons", "pii_1")


@pytest.mark.parametrize(
    ("state", "score", "kind", "hidden"),
    [
        (OPEN, 0.8, "email", True),
        (OPEN, 0.79, "email", False),
        (OPEN, 0.99, None, False),
        (CONFIRMED, 0.1, "email", True),
        (CONFIRMED, 0.75, None, True),
        (REJECTED, 0.99, "email", False),
    ],
)
def test_what_hides_a_column(state: ReviewState, score: float, kind: str | None, hidden: bool) -> None:
    record = replace(one(EMAIL), state=state, score=score, type=kind)
    assert record.is_personal(0.8) is hidden
    assert not replace(record, closed_at=NOW).is_personal(0.8)


def test_opening_a_finding_again_forgets_who_decided() -> None:
    again = review(review(one(EMAIL), REJECTED, "no", "ada", NOW), OPEN, None, "bob", LATER)
    assert (again.state, again.reviewed_by, again.reviewed_at, again.note, again.version) == (OPEN, None, None, "no", 3)


DERIVED = DerivedFinding(
    table="mart.people",
    column="contact",
    type="email",
    score=0.99,
    evidence=("it comes from core.people.mail",),
    source="core.people.mail",
    path=("core.people.mail", "mart.people.contact"),
)


def lineage(known: list[PiiRecord], *derived: DerivedFinding, at: datetime = LATER) -> tuple[PiiRecord, ...]:
    return apply_lineage(known, derived, {"mart.people": "u9"}, at, ids())


def test_lineage_makes_findings_that_are_closed_with_it() -> None:
    (made,) = lineage([], DERIVED)
    assert (made.origin, made.source, made.table_key) == (FindingOrigin.LINEAGE, "core.people.mail", "u9")
    assert lineage([made], DERIVED) == ()
    (closed,) = lineage([made])
    assert (closed.closed_at, closed.reason) == (LATER, NO_LINEAGE)
    assert lineage([closed]) == ()
    (back,) = lineage([closed], DERIVED)
    assert back.closed_at is None


def test_a_decision_about_a_derived_finding_is_kept() -> None:
    (made,) = lineage([], DERIVED)
    rejected = review(made, REJECTED, None, "ada", NOW)
    (again,) = lineage([rejected], replace(DERIVED, score=0.8))
    assert again.state is REJECTED
    assert lineage([review(made, CONFIRMED, None, "ada", NOW)]) == ()


def test_what_a_scan_saw_itself_is_not_repeated_by_lineage() -> None:
    seen = replace(one(EMAIL), table="mart.people", column="contact")
    assert lineage([seen], DERIVED) == ()
    (taken,) = lineage([replace(seen, closed_at=NOW)], DERIVED)
    assert (taken.origin, taken.closed_at) == (FindingOrigin.LINEAGE, None)


def test_a_scan_without_evidence_does_not_close_what_lineage_tells() -> None:
    (made,) = lineage([], DERIVED)
    scan = replace(NEXT, table="mart.people", table_key="u9")
    assert apply_scan([made], (), ["contact"], scan, ids()) == ()
    (gone,) = apply_scan([made], (), [], scan, ids())
    assert gone.reason == VANISHED


def test_the_id_of_a_snapshot_is_told_as_text() -> None:
    """JSON numbers of that size are rounded by JavaScript."""
    large = replace(one(EMAIL), snapshot_id=2**63 - 1)
    assert large.to_dict()["snapshot_id"] == "9223372036854775807"
    assert replace(large, snapshot_id=None).to_dict()["snapshot_id"] is None
