"""Personal data along lineage, and what findings hide."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from forge.catalog.pii.review import FindingOrigin, PiiRecord, ReviewState, review
from forge.flows.catalog.personal_data import KnownPersonalData, ReviewedColumns, declared_with, find_personal
from forge.flows.catalog.pii.lineage import derive_findings
from forge.flows.catalog.pii.reviewed_columns import FoundPersonalData
from forge.flows.runs.records import AuditRecord
from forge.lineage.edge import Edge, Transformation
from forge.model.names import ColumnName
from forge.stores.memory.pii_findings import MemoryPiiFindings

NOW = datetime(2026, 11, 15, tzinfo=UTC)
T = Transformation
NOTE = AuditRecord(NOW, "ada", "pii.scan", "x")


def edge(source: str, target: str, kind: Transformation = T.IDENTITY, **more: object) -> Edge:
    left, right = source.rpartition("."), target.rpartition(".")
    return Edge(source=ColumnName(left[0], left[2]), target=ColumnName(right[0], right[2]), transformation=kind, **more)  # type: ignore[arg-type]


def record(name: str, kind: str | None = "email", **more: object) -> PiiRecord:
    table, _, column = name.rpartition(".")
    given: dict[str, object] = {"score": 0.9, "evidence": ("x",), "first_seen": NOW, "last_seen": NOW, **more}
    return PiiRecord(id=name, table=table, table_key="", column=column, type=kind, **given)  # type: ignore[arg-type]


MAIL = record("core.people.Mail")
BY_NAME = replace(MAIL, score=0.7, evidence=("the name says mail",))


def derived(*edges: Edge, known: tuple[PiiRecord, ...] = (MAIL,)) -> dict[str, tuple[str, ...]]:
    return {f"{one.table}.{one.column}": one.path for one in derive_findings(known, edges, 0.8)}


@pytest.mark.parametrize(
    ("kind", "expression"),
    [
        (T.IDENTITY, "mail"),
        (T.TRANSFORMATION, "cast(mail as string)"),
        (T.TRANSFORMATION, "concat(name, mail)"),
        (T.AGGREGATION, "max(mail)"),
        (T.CONDITIONAL, "coalesce(mail, other)"),
    ],
)
def test_copies_casts_and_concatenations_carry_it(kind: Transformation, expression: str) -> None:
    found = derived(edge("core.people.mail", "mart.a.contact", kind, expression=expression))
    assert found == {"mart.a.contact": ("core.people.Mail", "mart.a.contact")}


@pytest.mark.parametrize(
    "stop",
    [
        {"kind": T.TRANSFORMATION, "expression": "sha2(mail, 256)", "masking": True},
        {"kind": T.AGGREGATION, "expression": "count(mail)"},
        {"kind": T.AGGREGATION, "expression": "approx_count_distinct(mail)"},
    ],
)
def test_hashes_masks_and_counts_stop_it(stop: dict[str, object]) -> None:
    assert derived(edge("core.people.mail", "mart.a.x", **stop), edge("mart.a.x", "mart.b.x")) == {}  # type: ignore[arg-type]


def test_the_path_is_the_shortest_and_a_circle_ends() -> None:
    found = derived(
        edge("core.people.mail", "a.b.c"),
        edge("a.b.c", "d.e.f"),
        edge("core.people.mail", "d.e.f"),
        edge("d.e.f", "a.b.c"),
        edge("d.e.f", "g.h.i"),
    )
    assert found["d.e.f"] == ("core.people.Mail", "d.e.f")
    assert found["g.h.i"] == ("core.people.Mail", "d.e.f", "g.h.i")


def test_a_derived_finding_is_as_sure_as_its_source_and_its_path() -> None:
    (one,) = derive_findings([MAIL], [edge("core.people.mail", "a.b.c", confidence=0.5)], 0.8)
    assert (one.type, one.score, one.source) == ("email", 0.45, "core.people.Mail")
    assert one.evidence == ("its values come from core.people.Mail, directly",)


def test_what_is_not_personal_carries_nothing() -> None:
    way = edge("core.people.mail", "a.b.c")
    assert derived(way, known=(BY_NAME,)) == {}
    assert derived(way, known=(replace(MAIL, type=None, quasi=True),)) == {}
    assert derived(way, known=(replace(MAIL, state=ReviewState.REJECTED),)) == {}
    assert derived(way, known=(replace(MAIL, closed_at=NOW),)) == {}
    assert derived(way, known=(replace(MAIL, score=0.1, state=ReviewState.CONFIRMED),)) != {}


def test_a_rejected_column_neither_gets_nor_passes_on_anything() -> None:
    rejected = record("a.b.c", origin=FindingOrigin.LINEAGE, state=ReviewState.REJECTED)
    assert derived(edge("core.people.mail", "a.b.c"), edge("a.b.c", "d.e.f"), known=(MAIL, rejected)) == {}


def hidden(*known: PiiRecord, edges: tuple[Edge, ...] = (), contract: tuple[str, ...] = ()) -> set[str]:
    store = MemoryPiiFindings()
    assert store.save([*known], None, NOTE)
    declared = frozenset((name.rpartition(".")[0], name.rpartition(".")[2]) for name in contract)
    everything = KnownPersonalData(lambda: declared, FoundPersonalData(store, 0.8))
    flagged, reviewed = everything.parts()
    return {".".join(key) for key in find_personal(flagged, edges, reviewed)}


def test_found_and_confirmed_columns_are_hidden_with_what_is_made_of_them() -> None:
    assert hidden(MAIL, edges=(edge("core.people.mail", "a.b.c"),)) == {"core.people.mail", "a.b.c"}
    assert hidden(BY_NAME) == set()
    assert hidden(replace(BY_NAME, state=ReviewState.CONFIRMED)) == {"core.people.mail"}


def test_what_values_show_is_hidden_at_any_score() -> None:
    assert hidden(replace(BY_NAME, score=0.63, evidence=("7 of 10 texts hold one",))) == {"core.people.mail"}


def test_a_rejected_column_is_shown_unless_a_contract_declares_it() -> None:
    rejected = replace(MAIL, state=ReviewState.REJECTED)
    assert hidden(rejected) == set()
    assert hidden(rejected, contract=("core.people.mail",)) == {"core.people.mail"}


def test_a_rejected_copy_is_shown_though_its_source_is_hidden() -> None:
    copy = record("a.b.c", state=ReviewState.REJECTED)
    way = (edge("core.people.mail", "a.b.c"), edge("a.b.c", "d.e.f"))
    assert hidden(MAIL, copy, edges=way) == {"core.people.mail"}
    assert hidden(copy, edges=way, contract=("core.people.mail",)) == {"core.people.mail"}


def test_the_other_inputs_of_a_found_column_stay_visible() -> None:
    both = (
        edge("core.people.mail", "a.b.line", T.TRANSFORMATION, expression="concat(mail, city)"),
        edge("core.people.city", "a.b.line", T.TRANSFORMATION, expression="concat(mail, city)"),
    )
    assert hidden(MAIL, record("a.b.line"), edges=both) == {"core.people.mail", "a.b.line"}


def test_a_contract_of_a_run_counts_beside_findings() -> None:
    known = KnownPersonalData(frozenset, lambda mark: ReviewedColumns(frozenset({("a.b", "c")})))
    assert declared_with((), known)() == {("a.b", "c")}


def test_a_change_of_a_finding_is_seen_at_once() -> None:
    store = MemoryPiiFindings()
    found = FoundPersonalData(store, 0.8)
    assert found() == ReviewedColumns()
    assert store.save([MAIL], None, NOTE)
    assert found("mark 1").personal == {("core.people", "mail")}
    assert store.save([review(MAIL, ReviewState.REJECTED, None, "ada", NOW)], None, NOTE)
    assert found("mark 2") == ReviewedColumns(frozenset(), frozenset({("core.people", "mail")}))
    assert found() == found("mark 2")
