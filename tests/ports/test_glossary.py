"""What every store of the glossary does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from migrated import open_migrated
from sqlalchemy import Engine

from forge.catalog.glossary.term import GlossaryTerm, TermState
from forge.flows.catalog.glossary.ports import GlossaryStore, TermWrite
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.glossary import MemoryGlossary
from forge.stores.sql.catalog.asset_store import SqlAssetStore
from forge.stores.sql.catalog.glossary import SqlGlossary
from forge.stores.sql.catalog.glossary_tables import revisions, terms
from forge.stores.sql.change_log import changes

NOW = datetime(2026, 11, 18, 12, 30, 15, 123456, tzinfo=UTC)
NOTE = AuditRecord(NOW, "eve", "term.write", "x")


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GlossaryStore]:
    match request.param:
        case "memory":
            yield MemoryGlossary()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlGlossary(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                for table in (terms, revisions, changes):
                    connection.execute(table.delete())
            yield SqlGlossary(engine)


FULL = GlossaryTerm(
    id="sales.net",
    name="Net revenue – 純売上",
    domain="sales",
    definition="What was *billed*.\n\n<script>alert(1)</script> \u202e",
    synonyms=("net sales", "turn|over"),
    related=("sales.gross",),
    examples=("12.50 €",),
    owner="fin@example.com",
    state=TermState.APPROVED,
    version=1,
    created_at=NOW,
    updated_at=NOW,
    updated_by="eve",
    file="glossary/sales.yaml",
)
GROSS = GlossaryTerm(id="sales.gross", name="Gross", domain="sales", version=1, created_at=NOW, updated_at=NOW)


def made(*new: GlossaryTerm) -> list[TermWrite]:
    return [TermWrite(None, term) for term in new]


def test_what_was_written_is_read(store: GlossaryStore) -> None:
    assert store.apply(made(FULL, GROSS), NOTE)
    assert store.term("sales.net") == FULL
    assert store.terms() == (GROSS, FULL)
    assert store.terms(domain="hr") == ()
    assert store.terms(domain="sales") == (GROSS, FULL)
    assert store.term("nope") is None


def test_terms_come_by_domain_and_name(store: GlossaryStore) -> None:
    given = [
        GlossaryTerm(id=str(n), name=name, domain=d) for n, (d, name) in enumerate([("b", "A"), ("", "Z"), ("b", "0")])
    ]
    assert store.apply(made(*given), NOTE)
    assert [term.id for term in store.terms()] == ["1", "2", "0"]


def test_a_change_of_another_version_is_refused_whole(store: GlossaryStore) -> None:
    store.apply(made(FULL, GROSS), NOTE)
    newer = replace(GROSS, version=2, owner="x")
    assert store.apply([TermWrite(GROSS, newer)], NOTE)
    stale = [TermWrite(FULL, replace(FULL, version=2)), TermWrite(GROSS, replace(GROSS, version=2, owner="y"))]
    assert not store.apply(stale, NOTE)
    assert store.term("sales.gross") == newer
    assert store.term("sales.net") == FULL


def test_an_id_is_made_once(store: GlossaryStore) -> None:
    assert store.apply(made(GROSS), NOTE)
    assert not store.apply(made(replace(GROSS, name="Other")), NOTE)
    assert not store.apply([TermWrite(FULL, None)], NOTE)


def test_a_name_is_there_once_in_a_domain(store: GlossaryStore) -> None:
    store.apply(made(FULL, GROSS), NOTE)
    assert not store.apply(made(GlossaryTerm(id="x", name="GROSS", domain="sales")), NOTE)
    assert not store.apply(made(*(GlossaryTerm(id=i, name="New") for i in "ab")), NOTE)
    assert store.apply(made(GlossaryTerm(id="x", name="GROSS", domain="hr")), NOTE)


def test_two_terms_swap_their_names_at_once(store: GlossaryStore) -> None:
    a, b = GlossaryTerm(id="a", name="A", version=1), GlossaryTerm(id="b", name="B", version=1)
    store.apply(made(a, b), NOTE)
    swap = [TermWrite(a, replace(a, name="B", version=2)), TermWrite(b, replace(b, name="A", version=2))]
    assert store.apply(swap, NOTE)
    assert [(term.id, term.name) for term in store.terms()] == [("b", "A"), ("a", "B")]


def test_the_history_has_every_change_and_outlives_the_term(store: GlossaryStore) -> None:
    store.apply(made(GROSS), NOTE)
    newer = replace(GROSS, version=2, owner="x")
    store.apply([TermWrite(GROSS, newer)], AuditRecord(NOW, "bob", "term.change", "x"))
    store.apply([TermWrite(newer, None)], NOTE)
    assert store.term("sales.gross") is None
    history = store.history("sales.gross")
    assert [(one.version, one.by) for one in history] == [(3, "eve"), (2, "bob"), (1, "eve")]
    assert history[1].changed == ("owner",)
    assert (history[0].after, history[1].after, history[2].before) == (None, newer.content, None)
    assert len(store.history("sales.gross", limit=2)) == 2
    assert store.history("nope") == ()
    assert store.last_versions(["sales.gross", "nope"]) == {"sales.gross": 3}


def test_of_many_who_change_the_same_version_one_wins(store: GlossaryStore) -> None:
    store.apply(made(GROSS), NOTE)

    def change(number: int) -> bool:
        return store.apply([TermWrite(GROSS, replace(GROSS, version=2, owner=str(number)))], NOTE)

    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(change, range(8)))
    assert won.count(True) == 1
    assert len(store.history("sales.gross")) == 2


def test_every_write_is_in_the_log_of_changes(store: GlossaryStore) -> None:
    told: list[str] = []
    if isinstance(store, MemoryGlossary):
        store = MemoryGlossary(told.extend)
    store.apply(made(GROSS, FULL), NOTE)
    store.apply([TermWrite(GROSS, None)], NOTE)
    store.apply([TermWrite(GROSS, None)], NOTE)  # refused
    if isinstance(store, SqlGlossary):
        told = [one.name for one in SqlAssetStore(store._engine).changes() if one.kind == "term"]
        assert told == ["sales.net", "sales.gross"]
    else:
        assert told == ["sales.gross", "sales.net", "sales.gross"]


def test_thousands_are_written_at_once(store: GlossaryStore) -> None:
    many = [GlossaryTerm(id=f"t{n}", name=f"Term {n}", version=1) for n in range(1200)]
    assert store.apply(made(*many), NOTE)
    assert len(store.terms()) == 1200
    assert store.apply([TermWrite(term, None) for term in many], NOTE)
    assert store.terms() == ()
