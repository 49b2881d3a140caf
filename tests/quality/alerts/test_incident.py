"""One incident per check while it lasts: opened, seen again, acknowledged, resolved, reopened."""

from __future__ import annotations

from datetime import timedelta

from alert_world import FAILED, HOURLY, NOON, PASSED, verdict

from forge.quality.alerts import incident as incidents
from forge.quality.alerts.alert import AlertPolicy, AlertState, Sighting, move
from forge.quality.alerts.incident import (
    EntryKind,
    FailureContext,
    IncidentEntry,
    IncidentStatus,
    IncidentUpdate,
    TrackedIncident,
    follow,
    join,
)
from forge.quality.alerts.json import entry_dict, entry_of, incident_dict, incident_of
from forge.quality.alerts.notice import AffectedColumn, Cause
from forge.quality.verdict import Outcome, Severity

POLICY = AlertPolicy(("ops",))
CAUSE = Cause(
    table="raw.orders",
    check_id="raw.orders.amount.not_null",
    message="14% nulls",
    since=NOON,
    severity=Severity.ERROR,
    commit_id="c0",
    run_id="r0",
)
AROUND = FailureContext(
    columns=("amount",),
    cause=CAUSE,
    hit=(AffectedColumn("marts.revenue.total", "@fin"),),
    upstream=("raw.orders",),
    monitor_name="Hourly",
    result_id="run-1.1",
)


def story(*steps: tuple[float, Outcome], around: FailureContext = AROUND) -> list[IncidentUpdate | None]:
    """What verdicts at these hours make of the incident."""
    state: AlertState | None = None
    known: TrackedIncident | None = None
    found = []
    for hours, outcome in steps:
        at = NOON + timedelta(hours=hours)
        one = move(state, verdict(outcome), POLICY, Sighting(HOURLY, "main", at, f"c{hours:g}", None, f"r{hours:g}"))
        change = follow(known, one, around, worth=True) if one else None
        state = one.after if one else state
        known = change.incident if change else known
        found.append(change)
    return found


def last(*steps: tuple[float, Outcome]) -> TrackedIncident:
    change = [one for one in story(*steps) if one][-1]
    return change.incident


def test_the_first_failure_opens_one_with_all_that_is_known() -> None:
    (change,) = story((0, FAILED))
    assert change
    assert change.is_new
    one = change.incident
    assert (one.status, one.opened_at, one.seen) == (IncidentStatus.OPEN, NOON, 1)
    assert (one.cause, one.hit, one.columns) == (CAUSE, AROUND.hit, ("amount",))
    assert (one.commit_id, one.monitor_run_id, one.result_id) == ("c0", "r0", "run-1.1")
    assert [entry.kind for entry in change.entries] == [EntryKind.OPENED]


def test_more_failures_are_the_same_incident_with_the_newest_commit() -> None:
    first, second = story((0, FAILED), (1, FAILED))
    assert first
    assert second
    assert second.incident.id == first.incident.id
    assert (second.incident.seen, second.incident.commit_id) == (2, "c1")
    assert second.entries[0].kind is EntryKind.SEEN


def test_a_pass_resolves_it_and_a_second_pass_says_nothing_more() -> None:
    found = story((0, FAILED), (1, PASSED), (2, PASSED))
    assert found[1]
    assert (found[1].incident.status, found[1].incident.resolved_by) == (IncidentStatus.RESOLVED, "forge")
    assert found[2] is None


def test_a_failure_soon_after_reopens_it_and_a_late_one_opens_another() -> None:
    opened = last((0, FAILED))
    soon = last((0, FAILED), (1, PASSED), (24.9, FAILED))
    assert (soon.id, soon.status, soon.reopened, soon.resolved_at) == (opened.id, IncidentStatus.OPEN, 1, None)
    late = last((0, FAILED), (1, PASSED), (25.1, FAILED))
    assert late.id != opened.id
    assert (late.reopened, late.seen) == (0, 1)


def test_what_is_not_worth_it_opens_none_but_goes_on_with_one_that_is_open() -> None:
    at = Sighting(HOURLY, "main", NOON)
    one = move(None, verdict(), POLICY, at)
    assert one
    assert follow(None, one, AROUND, worth=False) is None
    assert follow(last((0, FAILED)), one, AROUND, worth=False) is not None


def test_what_was_known_stays_where_a_later_failure_knows_less() -> None:
    one = move(None, verdict(), POLICY, Sighting(HOURLY, "main", NOON + timedelta(hours=1)))
    assert one
    change = follow(last((0, FAILED)), one, FailureContext(), worth=True)
    assert change
    assert (change.incident.cause, change.incident.hit, change.incident.upstream) == (
        CAUSE,
        AROUND.hit,
        ("raw.orders",),
    )


def test_who_acknowledges_looks_after_it_unless_someone_else_does() -> None:
    opened = last((0, FAILED))
    change = incidents.acknowledge(opened, "ada", NOON)
    assert change
    assert (change.incident.status, change.incident.assignee, change.incident.acknowledged_by) == (
        IncidentStatus.ACKNOWLEDGED,
        "ada",
        "ada",
    )
    assert incidents.acknowledge(change.incident, "bob", NOON) is None
    assigned = incidents.assign(opened, "eve", "ada", NOON)
    assert assigned
    again = incidents.acknowledge(assigned.incident, "ada", NOON)
    assert again
    assert again.incident.assignee == "eve"


def test_a_person_resolves_and_reopens_it() -> None:
    resolved = incidents.resolve(last((0, FAILED)), "ada", NOON)
    assert resolved
    assert (resolved.incident.is_open, resolved.incident.resolved_by) == (False, "ada")
    assert incidents.resolve(resolved.incident, "ada", NOON) is None
    opened = incidents.reopen(resolved.incident, "bob", NOON)
    assert opened
    assert (opened.incident.status, opened.incident.reopened) == (IncidentStatus.OPEN, 1)
    assert incidents.reopen(opened.incident, "bob", NOON) is None


def test_failures_that_follow_one_another_are_one_line() -> None:
    entries = [IncidentEntry(at=NOON + timedelta(hours=n), kind=EntryKind.SEEN, text=f"seen {n}") for n in range(3)]
    line = join(join(entries[0], entries[1]), entries[2])
    assert (line.at, line.until, line.count, line.text) == (NOON, NOON + timedelta(hours=2), 3, "seen 2")


def test_records_come_back_from_json_as_they_were() -> None:
    resolved = incidents.resolve(last((0, FAILED), (1, FAILED)), "ada", NOON)
    assert resolved
    assert incident_of(incident_dict(resolved.incident)) == resolved.incident
    entry = IncidentEntry(
        at=NOON,
        kind=EntryKind.NOTE,
        text="ü",
        by="ada",
        commit_id="c",
        run_id="r",
        result_id="x.1",
        count=2,
        until=NOON,
        details={"a": [1]},
    )
    assert entry_of(entry_dict(entry)) == entry
