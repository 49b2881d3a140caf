"""OpenLineage events over time: runs that tell of themselves in parts, late, twice, or not at all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from migrated import lay_database
from openlineage_events import columns, dataset, dataset_event, event, field, job_event, schema

from forge.flows.lineage.openlineage.ingest import (
    EventOutcome,
    OpenLineagePorts,
    PendingEvent,
    ingest_event,
    ingest_events,
)
from forge.lineage.facts.fact import EdgeFact, holds
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.stores.sql.lineage.events import KEPT, MOST
from forge.wiring import Wiring

P = "postgres@db.example:"
A, B = ("0192f3a4-0000-7000-8000-00000000000" + digit for digit in "ab")
Json = dict[str, Any]


@pytest.fixture
def ports(tmp_path: Path) -> Any:
    (tmp_path / "forge.yaml").write_text("project: shop\nuser: {name: Ada}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    wiring = Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))
    yield wiring.lineage.openlineage
    wiring.close()


def facts(ports: OpenLineagePorts) -> list[EdgeFact]:
    """Between data; those of the job stand beside them."""
    return [fact for fact in ports.lineage.store.edge_facts() if not fact.kind.parallel]


def at(hour: int) -> str:
    return f"2026-11-16T{hour:02}:00:00Z"


def open_edges(ports: OpenLineagePorts, hour: int | None = None) -> set[str]:
    moment = datetime(2026, 11, 16, hour, 30, tzinfo=UTC) if hour is not None else None
    return {fact.key.id.replace(P, "") for fact in facts(ports) if holds(fact, moment)}


def take(ports: OpenLineagePorts, *told: Json) -> list[EventOutcome]:
    return [ingest_event(ports, one) for one in told]


def by_column(*sources: str) -> Json:
    return columns(n=[field(*source.split("."), "DIRECT/IDENTITY") for source in sources])


def complete(hour: int, run: str, *sources: str, target: str = "c") -> Json:
    tables = sorted({source.partition(".")[0] for source in sources})
    facets: Json = {"columnLineage": by_column(*sources)} if any("." in source for source in sources) else {}
    inputs = [dataset(table) for table in tables]
    return event(at=at(hour), run=run, inputs=inputs, outputs=[dataset(target, **facets)])


def test_what_a_run_says_in_parts_is_recorded_when_it_is_complete(ports: OpenLineagePorts) -> None:
    start = event("START", at=at(1), inputs=[dataset("a")])
    more = event("RUNNING", at=at(2), inputs=[dataset("b")])
    end = event("COMPLETE", at=at(3), outputs=[dataset("c", columnLineage=by_column("a.x"))])
    assert [taken.status for taken in take(ports, start, more)] == ["held", "held"]
    assert facts(ports) == []
    assert ingest_event(ports, end).status == "recorded"
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived", "b->c#derived"}
    assert {fact.valid_from for fact in facts(ports)} == {datetime(2026, 11, 16, 3, tzinfo=UTC)}


def test_the_order_in_which_the_events_of_a_run_arrive_does_not_matter(ports: OpenLineagePorts, tmp_path: Path) -> None:
    told = [
        event("START", at=at(1), inputs=[dataset("a")]),
        event("OTHER", at=at(4), inputs=[dataset("b")]),
        event("COMPLETE", at=at(3), outputs=[dataset("c", columnLineage=by_column("a.x"))]),
    ]
    seen = set()
    for number, order in enumerate(itertools.permutations(told)):
        run = f"0192f3a4-0000-7000-8000-{number:012}"
        for one in order:
            ingest_event(ports, {**one, "run": {"runId": run}, "job": {"namespace": "j", "name": run}})
        own = [fact for fact in facts(ports) if fact.producer == f"openlineage:j/{run}"]
        seen.add(frozenset((fact.key.id, fact.valid_from, fact.valid_to) for fact in own))
    assert [len(one) for one in seen] == [3]


def test_an_event_sent_again_changes_nothing(ports: OpenLineagePorts) -> None:
    told = [event("START", at=at(1), inputs=[dataset("a", schema=schema(x="int"))]), complete(2, A, "a.x", "b")]
    take(ports, *told)
    before, revision = facts(ports), ports.lineage.store.revision()
    assert [taken.status for taken in take(ports, *told, *reversed(told))] == ["unchanged"] * 4
    assert (facts(ports), ports.lineage.store.revision()) == (before, revision)


@pytest.mark.parametrize("end", ["FAIL", "ABORT"])
def test_a_run_that_fails_leaves_no_edge(ports: OpenLineagePorts, end: str) -> None:
    sides: Json = {"inputs": [dataset("a")], "outputs": [dataset("c")]}
    taken = take(ports, event("START", at=at(1), **sides), event(end, at=at(2), **sides))
    assert [one.status for one in taken] == ["held", "left out"]
    assert facts(ports) == []


def test_a_failed_run_does_not_take_back_what_an_earlier_one_said(ports: OpenLineagePorts) -> None:
    take(ports, complete(1, A, "a.x"))
    take(ports, event("FAIL", at=at(2), run=B, outputs=[dataset("c")]))
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived"}


def test_what_a_later_run_does_not_say_any_more_ends_with_it(ports: OpenLineagePorts) -> None:
    take(ports, complete(1, A, "a.x", "b.y"), complete(5, B, "a.x"))
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived"}
    assert open_edges(ports, 3) == {"a.x->c.n#copied", "a->c#derived", "b.y->c.n#copied", "b->c#derived"}


def test_an_older_run_that_arrives_late_does_not_undo_a_newer_one(ports: OpenLineagePorts) -> None:
    take(ports, complete(5, B, "a.x"), complete(1, A, "b.y"))
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived"}
    assert open_edges(ports, 3) == {"b.y->c.n#copied", "b->c#derived"}


def test_late_runs_give_the_same_history_as_runs_in_order(ports: OpenLineagePorts) -> None:
    take(ports, complete(9, B, "a.x", "b.y"), complete(1, A, "a.x"), complete(9, B, "a.x", "b.y"))
    assert open_edges(ports, 3) == {"a.x->c.n#copied", "a->c#derived"}
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived", "b.y->c.n#copied", "b->c#derived"}


def test_a_run_that_tells_of_tables_only_says_nothing_against_columns(ports: OpenLineagePorts) -> None:
    take(ports, complete(1, A, "a.x", "b.y"), complete(2, B, "a"))
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived"}


def test_a_job_that_writes_another_table_each_day_keeps_them_all(ports: OpenLineagePorts) -> None:
    take(ports, complete(1, A, "a.x", target="c1"), complete(2, B, "a.x", target="c2"))
    assert open_edges(ports) == {"a.x->c1.n#copied", "a->c1#derived", "a.x->c2.n#copied", "a->c2#derived"}


def test_a_job_that_gets_an_output_is_no_longer_where_data_goes(ports: OpenLineagePorts) -> None:
    take(ports, event(at=at(1), run=A, inputs=[dataset("a")]))
    assert open_edges(ports) == {"a->process:airflow/nightly.orders#consumes"}
    take(ports, complete(2, B, "a"))
    assert open_edges(ports) == {"a->c#derived"}


def test_the_evidence_is_the_last_run_that_showed_it(ports: OpenLineagePorts) -> None:
    take(ports, complete(1, A, "a.x"), complete(2, B, "a.x"))
    (fact,) = (fact for fact in facts(ports) if fact.kind.word == "copied")
    assert (fact.producer, fact.evidence[0].run_id, fact.evidence[0].times) == (
        "openlineage:airflow/nightly.orders",
        B,
        2,
    )


def test_a_stream_counts_as_soon_as_it_runs(ports: OpenLineagePorts) -> None:
    kind = {"processingType": "STREAMING", "integration": "FLINK"}
    sides: Json = {"inputs": [dataset("a")], "outputs": [dataset("c")], "jobType": kind}
    taken = take(ports, event("START", at=at(1), **sides), event("RUNNING", at=at(2), **sides))
    assert [one.status for one in taken] == ["held", "recorded"]
    assert open_edges(ports) == {"a->c#derived"}


def test_of_a_stream_that_tells_of_itself_for_ever_the_first_and_the_newest_are_kept(ports: OpenLineagePorts) -> None:
    now = datetime(2026, 11, 16, tzinfo=UTC)
    for number in range(MOST + 5):
        ports.inbox.keep(PendingEvent("p", A, str(number), now + timedelta(minutes=number), "{}"), now)
    kept = [int(one.digest) for one in ports.inbox.of_run("p", A)]
    assert kept == [0, *range(6, MOST + 5)]


def test_events_of_runs_that_never_ended_are_let_go_of(ports: OpenLineagePorts) -> None:
    now = datetime(2026, 11, 16, tzinfo=UTC)
    ports.inbox.keep(PendingEvent("p", A, "1", now, "{}"), now)
    ports.inbox.keep(PendingEvent("p", B, "2", now, "{}"), now + KEPT + timedelta(seconds=1))
    assert (ports.inbox.of_run("p", A), len(ports.inbox.of_run("p", B))) == ((), 1)


def test_the_definition_of_a_job_counts_without_a_run(ports: OpenLineagePorts) -> None:
    assert ingest_event(ports, job_event(inputs=[dataset("a")], outputs=[dataset("c")])).status == "recorded"
    assert open_edges(ports) == {"a->c#derived"}


def test_a_dataset_tells_of_its_columns_and_of_where_they_come_from(ports: OpenLineagePorts) -> None:
    told = dataset_event(dataset("c", schema=schema(n="int"), columnLineage=by_column("a.x")))
    assert [one.status for one in take(ports, told, told)] == ["recorded", "unchanged"]
    assert open_edges(ports) == {"a.x->c.n#copied", "a->c#derived"}
    store = ports.lineage.store
    (number,) = store.numbers([f"{P}c.n"]).values()
    assert store.nodes([number])[number].details == {"data_type": "int"}


def test_one_bad_event_keeps_back_no_other(ports: OpenLineagePorts) -> None:
    answers = ingest_events(ports, [complete(1, A, "a.x"), {"eventTime": 1}, complete(2, B, "b.y", target="d")])
    assert [answer.taken.status if answer.taken else "failed" for answer in answers] == [
        "recorded",
        "failed",
        "recorded",
    ]
    assert answers[1].error is not None
    assert answers[1].error.where == "/1/eventTime"


def test_a_bad_event_leaves_nothing(ports: OpenLineagePorts) -> None:
    bad = complete(1, A, "a.x")
    bad["outputs"].append({"name": "d"})
    with pytest.raises(ForgeError, match="missing"):
        ingest_event(ports, bad)
    assert (facts(ports), ports.inbox.of_run("openlineage:airflow/nightly.orders", A)) == ([], ())


@pytest.mark.slow
def test_many_runs_of_a_job_leave_one_fact_an_edge(ports: OpenLineagePorts) -> None:
    runs: Sequence[Json] = [complete(hour, f"0192f3a4-0000-7000-8000-{hour:012}", "a.x") for hour in range(20)]
    take(ports, *runs)
    assert len(facts(ports)) == 2


def started_by(parent: str, told: Json) -> Json:
    told["run"]["facets"]["parent"] = {"run": {"runId": A}, "job": {"namespace": "airflow", "name": parent}}
    return told


def test_the_pipeline_is_the_parent_that_was_named_last(ports: OpenLineagePorts) -> None:
    """Also where only the START names it; a run or definition that names none takes nothing back."""
    job = "process:airflow/nightly.orders"
    take(ports, started_by("nightly", event("START", at=at(1), run=A)), complete(2, A, "a"))
    take(ports, complete(3, B, "a"), job_event(at=at(4), inputs=[dataset("a")], outputs=[dataset("c")]))
    assert open_edges(ports) == {"a->c#derived", f"pipeline:airflow/nightly->{job}#executes"}
    other = "00000000-0000-4000-8000-000000000009"
    take(ports, started_by("weekly", complete(5, other, "a")))
    assert open_edges(ports) == {"a->c#derived", f"pipeline:airflow/weekly->{job}#executes"}
