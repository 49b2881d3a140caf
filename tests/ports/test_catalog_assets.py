"""What every store of the catalog's assets does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from migrated import open_migrated
from sqlalchemy import Engine

from forge.catalog.approval import EditProposal, ProposalState
from forge.catalog.asset import (
    AssetState,
    AssetType,
    CatalogAsset,
    ColumnDocumentation,
    CrawledAsset,
    CrawledColumn,
    Documentation,
    FieldOrigin,
    FileDocumentation,
)
from forge.catalog.crawl import BY_HAND, CrawlPlan, SeenAsset, Sighting, UnmovedAsset, UnreadAsset, plan_crawl
from forge.catalog.edit import AssetEdit, plan_edit
from forge.flows.catalog.asset_store import AssetFilter, AssetStore, LabelCount
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.asset_store import MemoryAssetStore
from forge.stores.sql.catalog import asset_tables
from forge.stores.sql.catalog.asset_store import SqlAssetStore
from forge.stores.sql.change_log import changes

NOW = datetime(2026, 11, 18, 15, 50, 1, 123456, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
NOTE = AuditRecord(NOW, "ada", "catalog.edit", "core.orders")
TABLES = ("assets", "labels", "former_names", "edits", "proposals")
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    """One database for all tests: it is emptied, which costs less than a new one."""
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AssetStore]:
    match request.param:
        case "memory":
            yield MemoryAssetStore()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlAssetStore(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                for table in (changes, *(getattr(asset_tables, name) for name in TABLES)):
                    connection.execute(table.delete())
            yield SqlAssetStore(engine)


def new_uid() -> str:
    return f"{next(_NUMBERS):032x}"


def crawled(name: str = "core.orders", **fields: object) -> CrawledAsset:
    given: dict[str, object] = {"type": AssetType.TABLE, "source": "lake", "key": f"key of {name}", **fields}
    return CrawledAsset(qualified_name=name, **given)  # type: ignore[arg-type]


FULL = crawled(
    "core.orders",
    system="iceberg",
    location="file:///lake/core/orders",
    description="Bestellungen – täglich",
    owner="ada@example.com",
    domain="sales",
    tags=("gold", "größe"),
    columns=(CrawledColumn("Id", "bigint", nullable=False), CrawledColumn("amount", "decimal(12,2)", True, "net")),
    primary_key=("Id",),
    backed_by=("raw.orders",),
    row_count=3,
    size_bytes=5_000_000_000,
    updated_at=NOW,
)


def crawl(store: AssetStore, *seen: CrawledAsset | Sighting, at: datetime = NOW, source: str = "lake") -> CrawlPlan:
    sightings = [SeenAsset(one) if isinstance(one, CrawledAsset) else one for one in seen]
    names = [one.asset.qualified_name for one in sightings if isinstance(one, SeenAsset)]
    marks = {mark.uid: mark for mark in (*store.marks(source), *store.marks_named(names))}
    plan = plan_crawl(source, marks.values(), sightings, new_uid, sources=("lake", "warehouse"))
    store.apply(plan, at)
    return plan


def known(store: AssetStore, name: str = "core.orders") -> CatalogAsset:
    found = store.asset(name)
    assert found is not None
    return found


def change(store: AssetStore, said: dict[str, object], name: str = "core.orders", by: str = "ada") -> AssetEdit:
    edit = plan_edit(known(store, name), said, LATER, by)
    assert edit is not None
    assert store.edit(edit, NOTE)
    return edit


# crawls


def test_an_asset_comes_back_as_it_was_crawled(store: AssetStore) -> None:
    crawl(store, FULL)
    found = known(store)
    assert found.crawled == FULL
    assert (found.state, found.version, found.former_names) == (AssetState.ACTIVE, 0, ())
    assert (found.created_at, found.updated_at) == (NOW, NOW)
    assert (found.domain, found.owner, found.tags) == ("sales", "ada@example.com", ("gold", "größe"))
    assert store.asset("core.unknown") is None


def test_a_crawl_that_sees_the_same_writes_nothing(store: AssetStore) -> None:
    crawl(store, FULL)
    before = store.changes()
    plan = crawl(store, FULL, at=LATER)
    assert plan.is_empty
    assert plan.unchanged == 1
    assert store.changes() == before
    assert known(store).updated_at == NOW


def test_a_pointer_that_moved_over_the_same_is_kept_without_a_change(store: AssetStore) -> None:
    crawl(store, SeenAsset(FULL, "1.json"))
    before = store.changes()
    crawl(store, SeenAsset(FULL, "2.json"))
    assert [mark.pointer for mark in store.marks("lake")] == ["2.json"]
    assert store.changes() == before


def test_what_changed_is_written_and_documentation_stays(store: AssetStore) -> None:
    crawl(store, FULL)
    change(store, {"description": "by a person", "columns.amount.tags": ["money"]})
    crawl(store, replace(FULL, row_count=4, description="crawled again"), at=LATER)
    found = known(store)
    assert found.crawled.row_count == 4
    assert found.description == "by a person"
    assert found.of_column("AMOUNT").tags == ("money",)
    assert found.version == 1


def test_what_vanished_is_marked_and_returns_with_its_documentation(store: AssetStore) -> None:
    crawl(store, FULL, crawled("core.customers"))
    change(store, {"owner": "grace"})
    plan = crawl(store, crawled("core.customers"), at=LATER)
    assert [mark.name for mark in plan.vanished] == ["core.orders"]
    assert known(store).state is AssetState.VANISHED
    assert crawl(store, crawled("core.customers")).is_empty  # marked once
    crawl(store, FULL, crawled("core.customers"))
    assert (known(store).state, known(store).owner) == (AssetState.ACTIVE, "grace")


def test_a_rename_keeps_identity_documentation_and_history(store: AssetStore) -> None:
    crawl(store, FULL)
    change(store, {"description": "kept"})
    before = known(store)
    last = store.changes()[-1].id
    crawl(store, replace(FULL, qualified_name="core.sales_orders"), at=LATER)
    found = known(store, "core.sales_orders")
    assert (found.uid, found.description, found.version) == (before.uid, "kept", 1)
    assert found.former_names == ("core.orders",)
    assert known(store, "core.orders").uid == before.uid  # the former name resolves
    assert [one.version for one in store.history(found.uid)] == [1]
    assert {one.name for one in store.changes(last)} == {"core.orders", "core.sales_orders"}


def test_a_new_asset_under_a_former_name_is_itself(store: AssetStore) -> None:
    crawl(store, FULL)
    crawl(store, replace(FULL, qualified_name="core.sales"))
    crawl(store, replace(FULL, qualified_name="core.sales"), crawled("core.orders", key="other"))
    assert known(store, "core.orders").crawled.key == "other"
    assert known(store, "core.sales").former_names == ()


def test_what_could_not_be_read_or_did_not_move_stays(store: AssetStore) -> None:
    crawl(store, FULL, crawled("core.customers"))
    plan = crawl(store, UnmovedAsset("core.orders"), UnreadAsset("core.customers", "metadata file is gone"))
    assert plan.is_empty
    assert plan.unread == (UnreadAsset("core.customers", "metadata file is gone"),)
    assert {one.state for one in store.assets()} == {AssetState.ACTIVE}


def test_sources_do_not_make_each_other_s_assets_vanish(store: AssetStore) -> None:
    crawl(store, FULL)
    crawl(store, crawled("postgresql:shop.public.orders", source="warehouse"), source="warehouse")
    assert {one.state for one in store.assets()} == {AssetState.ACTIVE}
    assert [mark.name for mark in store.marks("warehouse")] == ["postgresql:shop.public.orders"]


def test_two_declared_sources_do_not_take_an_asset_from_each_other(store: AssetStore) -> None:
    crawl(store, FULL)
    assert crawl(store, replace(FULL, source="warehouse"), source="warehouse").is_empty
    crawl(store, crawled("core.by_hand", source=BY_HAND), source=BY_HAND)
    crawl(store, FULL, crawled("core.by_hand"))
    assert known(store, "core.by_hand").crawled.source == "lake"  # a crawler takes over what was registered


def test_what_is_closed_is_in_no_read_until_it_is_crawled_again(store: AssetStore) -> None:
    names = ("postgresql:crm.public.users", "postgresql:crm.public.old", "postgresql:crm2.public.users")
    seen = {name: crawled(name, source="crm", tags=("gold",), domain="sales") for name in names}
    crawl(store, *seen.values(), source="crm")
    crawl(store, seen[names[0]], seen[names[2]], source="crm")
    proposed = proposal(store, name=names[0])
    both = (AssetState.ACTIVE, AssetState.VANISHED)
    assert store.put_state("postgresql:crm", both, AssetState.CLOSED, LATER, spared=["crm"]) == ()
    cursor = store.changes()[-1].id
    assert store.put_state("postgresql:crm", both, AssetState.CLOSED, LATER) == tuple(sorted(names[:2]))
    assert {one.name for one in store.changes(cursor)} == set(names[:2])
    assert [one.qualified_name for one in store.assets()] == [names[2]]
    assert (store.count(), set(store.assets_named(names)), store.asset(names[0])) == (1, {names[2]}, None)
    assert (store.domains(), store.tags(), store.proposals()) == (
        (LabelCount("sales", 1),),
        (LabelCount("gold", 1),),
        (),
    )
    other = crawled(names[0], source="warehouse")
    assert crawl(store, other, source="warehouse").is_empty  # it has the name, and is not given the words
    plan = crawl(store, seen[names[0]], seen[names[2]], source="crm")
    assert [write.change for write in plan.writes] == ["returned"]
    assert (known(store, names[0]).uid, store.proposals()) == (proposed.uid, (proposed,))
    assert store.put_state("postgresql:crm", (AssetState.CLOSED,), AssetState.VANISHED, LATER) == (names[1],)
    assert known(store, names[1]).state is AssetState.VANISHED


def test_two_crawls_at_once_bring_an_asset_once(store: AssetStore) -> None:
    plans = [plan_crawl("lake", (), [SeenAsset(FULL)], new_uid) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda plan: store.apply(plan, NOW), plans))
    assert store.count() == 1


# lists


def test_what_reads_an_asset_is_found_until_it_reads_something_else(store: AssetStore) -> None:
    def seen(name: str, kind: AssetType, *backed_by: str) -> CrawledAsset:
        return crawled(name, type=kind, backed_by=backed_by)

    def readers(*names: str) -> list[str]:
        return [one.qualified_name for one in store.assets(AssetFilter(backed_by=names))]

    dashboard, metric = AssetType.DASHBOARD, AssetType.METRIC
    fills = seen("forge:p", AssetType.PIPELINE, "core.orders")
    crawl(store, fills, seen("bi:a", dashboard, "core.orders", "core.orders", "x"), seen("m:b", metric, "core.orders"))
    assert readers("core.orders") == ["bi:a", "m:b"]
    assert readers("x", "nothing") == ["bi:a"]
    change(store, {"tags": ["gold"]}, "bi:a")
    assert readers("x") == ["bi:a"]
    crawl(store, fills, seen("bi:a", dashboard, "core.lines"), seen("m:b", metric, "core.orders"))
    assert readers("core.orders") == ["m:b"]
    assert store.tags() == (LabelCount("gold", 1),)


def test_assets_are_listed_by_name_and_filtered(store: AssetStore) -> None:
    crawl(
        store,
        FULL,
        crawled("core.customers", domain="sales", tags=("pii",)),
        crawled("marts.revenue", type=AssetType.VIEW, domain="finance", tags=("gold",)),
    )
    change(store, {"terms": ["net_revenue"], "owner": "grace"}, "marts.revenue")
    change(store, {"columns.amount.term": "net_revenue"})

    def names(**wanted: object) -> list[str]:
        found = store.assets(AssetFilter(**wanted))  # type: ignore[arg-type]
        assert store.count(AssetFilter(**wanted)) == len(found)  # type: ignore[arg-type]
        return [one.qualified_name for one in found]

    assert names() == ["core.customers", "core.orders", "marts.revenue"]
    assert names(domains=("sales",)) == ["core.customers", "core.orders"]
    assert names(domains=("sales", "finance"), tags=("gold",)) == ["core.orders", "marts.revenue"]
    assert names(owners=("grace",)) == ["marts.revenue"]
    assert names(terms=("net_revenue",)) == ["core.orders", "marts.revenue"]
    assert names(types=(AssetType.VIEW,)) == ["marts.revenue"]
    assert names(sources=("dbt",)) == []
    assert names(prefix="core.") == ["core.customers", "core.orders"]
    assert names(prefix="core_") == []  # no pattern
    assert names(states=(AssetState.VANISHED,)) == []
    assert [one.qualified_name for one in store.assets(after="core.customers", limit=1)] == ["core.orders"]


def test_domains_and_tags_are_counted_over_active_assets(store: AssetStore) -> None:
    crawl(store, FULL, crawled("core.customers", domain="sales"), crawled("marts.revenue", domain="finance"))
    change(store, {"tags": ["gold", "gone%"], "columns.x.tags": ["gold"]}, "marts.revenue")
    assert store.domains() == (LabelCount("finance", 1), LabelCount("sales", 2))
    assert store.tags()[0] == LabelCount("gold", 2)
    assert store.tags("go") == (LabelCount("gold", 2), LabelCount("gone%", 1))
    assert store.tags("go", limit=1) == (LabelCount("gold", 2),)
    assert store.tags("gone%") == (LabelCount("gone%", 1),)
    assert store.tags("g%") == ()
    crawl(store)
    assert (store.domains(), store.tags()) == ((), ())


def test_many_names_are_read_at_once(store: AssetStore) -> None:
    crawl(store, *(crawled(f"core.t{number:04}") for number in range(1200)))
    crawl(
        store,
        *(crawled(f"core.t{number:04}") for number in range(1, 1200)),
        crawled("core.new", key="key of core.t0000"),
    )
    found = store.assets_named([*(f"core.t{number:04}" for number in range(1200)), "core.unknown"])
    assert len(found) == 1200
    assert found["core.t0000"].qualified_name == "core.new"
    assert store.assets_named([]) == {}


# edits


def test_an_edit_is_kept_with_who_when_before_and_after(store: AssetStore) -> None:
    crawl(store, FULL)
    change(store, {"description": "first", "classification": "confidential"})
    last = change(store, {"description": "second", "primary_key": []}, by="grace")
    found = known(store)
    assert (found.description, found.version, found.updated_at) == ("second", 2, LATER)
    assert found.origin("description") is FieldOrigin.EDIT
    newest, oldest = store.history(found.uid)
    assert newest == last
    assert (newest.by, newest.before, newest.after) == ("grace", {"description": "first"}, {"description": "second"})
    assert oldest.before == {"description": None, "classification": None}
    assert store.history(found.uid, limit=1) == (newest,)
    assert store.history("unknown") == ()


def test_a_stale_edit_writes_nothing(store: AssetStore) -> None:
    crawl(store, FULL)
    stale = plan_edit(known(store), {"owner": "grace"}, LATER, "grace")
    change(store, {"owner": "ada"})
    before = store.changes()
    assert stale is not None
    assert not store.edit(stale, NOTE)
    assert not store.edit(replace(stale, uid="unknown"), NOTE)
    assert (known(store).owner, len(store.history(stale.uid)), store.changes()) == ("ada", 1, before)


@pytest.mark.slow
def test_concurrent_edits_lose_no_update(store: AssetStore) -> None:
    crawl(store, FULL)
    barrier = threading.Barrier(6)

    def work(number: int) -> None:
        barrier.wait()
        for turn in range(5):
            while True:
                asset = known(store)
                edit = plan_edit(asset, {"tags": [*asset.edited.tags, f"{number}.{turn}"]}, LATER, str(number))
                assert edit is not None
                if store.edit(edit, NOTE):
                    break

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    found = known(store)
    assert set(found.edited.tags) == {f"{number}.{turn}" for number in range(6) for turn in range(5)}
    assert found.version == 30
    assert [one.version for one in store.history(found.uid)] == list(range(30, 0, -1))


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "large": "é" * 500_000,
    "bidi": "abc\u202edef\u2066ghi",
    "control": "a\x1b[31mred\x07\r\n\tb",
    "quotes": "'; DROP TABLE forge_catalog_assets; --",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_description_is_stored_as_it_came(store: AssetStore, text: str) -> None:
    crawl(store, FULL)
    change(store, {"description": text, "tags": [text[:50]], "owner": text[:50]})
    found = known(store)
    assert (found.description, found.owner, found.edited.tags) == (text, text[:50], (text[:50],))
    assert store.count(AssetFilter(tags=(text[:50],), owners=(text[:50],))) == 1


# files


def filed(**places: str) -> FileDocumentation:
    said = Documentation(
        description="of the file", tags=("filed",), columns={"amount": ColumnDocumentation(description="net amount")}
    )
    return FileDocumentation(said, places)


def test_what_a_file_says_wins_and_goes_with_it(store: AssetStore) -> None:
    crawl(store, FULL)
    change(store, {"description": "edited", "owner": "grace", "columns.amount.term": "net"})
    said = FileDocumentation(
        filed().documentation,
        {
            "description": "catalog/a.yaml:3",
            "tags": "catalog/a.yaml:4",
            "columns.amount.description": "catalog/a.yaml:6",
        },
    )
    assert store.put_files({"core.orders": said, "core.unknown": said}, LATER) == ("core.orders",)
    found = known(store)
    assert (found.description, found.owner, found.documentation.tags) == ("of the file", "grace", ("filed",))
    assert found.of_column("amount") == ColumnDocumentation(description="net amount", term="net")
    assert found.places["description"] == "catalog/a.yaml:3"
    assert [found.origin(name) for name in ("description", "owner", "domain", "team")] == [
        FieldOrigin.FILE,
        FieldOrigin.EDIT,
        FieldOrigin.CRAWL,
        None,
    ]
    assert store.count(AssetFilter(tags=("filed",))) == 1
    before = store.changes()
    assert store.put_files({"core.orders": said}, LATER) == ()
    assert store.changes() == before
    assert store.put_files({}, LATER) == ("core.orders",)
    assert (known(store).description, known(store).places) == ("edited", {})
    assert store.count(AssetFilter(tags=("filed",))) == 0


# proposals


def proposal(store: AssetStore, number: int = 1, name: str = "core.orders") -> EditProposal:
    asset = known(store, name)
    made = EditProposal(
        id=f"p{number}",
        uid=asset.uid,
        asset=asset.qualified_name,
        changes={"owner": "grace"},
        base_version=asset.version,
        by="ada",
        at=NOW,
    )
    store.propose(made, NOTE)
    return made


def test_a_proposal_is_decided_once_with_its_edit(store: AssetStore) -> None:
    crawl(store, FULL)
    one, two = proposal(store, 1), proposal(store, 2)
    assert store.proposals() == (two, one)
    assert store.proposals(limit=1) == (two,)
    assert store.proposal("p1") == one
    assert store.proposal("unknown") is None
    edit = plan_edit(known(store), one.changes, LATER, one.by)
    assert edit is not None
    approved = replace(one, state=ProposalState.APPROVED, decided_by="grace", decided_at=LATER, comment="ok")
    assert store.decide(approved, replace(edit, approved_by="grace"), NOTE)
    assert not store.decide(replace(approved, state=ProposalState.REJECTED), None, NOTE)
    assert store.proposal("p1") == approved
    assert known(store).owner == "grace"
    assert store.history(one.uid)[0].approved_by == "grace"
    assert store.proposals(state=ProposalState.OPEN) == (two,)
    assert store.proposals(uid="unknown") == ()


def test_an_approval_of_a_stale_edit_decides_nothing(store: AssetStore) -> None:
    crawl(store, FULL)
    one = proposal(store)
    edit = plan_edit(known(store), one.changes, LATER, one.by)
    change(store, {"team": "sales"})
    assert not store.decide(replace(one, state=ProposalState.APPROVED), edit, NOTE)
    assert store.proposal("p1") == one
    assert known(store).owner == FULL.owner
    assert store.decide(replace(one, state=ProposalState.REJECTED, decided_by="b", decided_at=LATER), None, NOTE)


# changes


def test_the_log_of_changes_is_followed_by_a_cursor(store: AssetStore) -> None:
    crawl(store, FULL, crawled("core.customers"))
    first = store.changes()
    assert [(one.kind, one.name) for one in first] == [("asset", "core.orders"), ("asset", "core.customers")]
    assert store.changes(limit=1) == first[:1]
    cursor = first[-1].id
    assert store.changes(cursor) == ()
    store.touch("term", ["net_revenue"])
    change(store, {"owner": "grace"})
    change(store, {"owner": "ada"})  # the same name again: one row, with a new id
    after = store.changes(cursor)
    assert [(one.kind, one.name) for one in after] == [("term", "net_revenue"), ("asset", "core.orders")]
    assert min(one.id for one in after) > cursor
    last = after[-1].id
    change(store, {"owner": "eve"})  # the newest row itself is numbered anew
    assert [one.name for one in store.changes(last)] == ["core.orders"]
    store.touch("asset", [])
