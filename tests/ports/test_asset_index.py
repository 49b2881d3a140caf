"""What every search index does."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forge.catalog.search.document import DocumentColumn, DocumentTerm, DocumentType, SearchDocument
from forge.catalog.search.page import CatalogHit, SearchPage
from forge.catalog.search.plan import MatchStage
from forge.catalog.search.query import SearchFacet, SearchFilter, SearchQuery, SearchSort
from forge.catalog.search.rank import PIPELINE
from forge.flows.catalog.search.ports import AssetIndex, IndexBatch
from forge.model.errors import ForgeError
from forge.stores.memory.asset_index import MemoryAssetIndex
from forge.stores.opensearch.asset_index import OpenSearchAssetIndex
from forge.stores.opensearch.server import SearchServer
from forge.stores.tantivy.asset_index import TantivyAssetIndex

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture(params=["memory", "tantivy", pytest.param("opensearch", marks=pytest.mark.services("opensearch"))])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AssetIndex]:
    made: AssetIndex
    match request.param:
        case "memory":
            made = MemoryAssetIndex()
        case "tantivy":
            made = TantivyAssetIndex(tmp_path / "search")
        case _:
            url = request.getfixturevalue("opensearch_server")
            made = OpenSearchAssetIndex(SearchServer(url), f"t{uuid.uuid4().hex[:8]}")
    yield made
    made.close()


def document(document_id: str, **fields: Any) -> SearchDocument:
    place, _, own = document_id.rpartition(".")
    columns = tuple(
        column if isinstance(column, DocumentColumn) else DocumentColumn(name=column)
        for column in fields.pop("columns", ())
    )
    given = {"type": DocumentType.TABLE, "name": own, "qualified_name": document_id, "container": place, **fields}
    return SearchDocument(id=document_id, columns=columns, **given)


def filled(index: AssetIndex, *documents: SearchDocument) -> AssetIndex:
    assert index.rebuild(documents, 1)
    return index


def ids(page: SearchPage | tuple[CatalogHit, ...]) -> list[str]:
    return [hit.id for hit in (page.hits if isinstance(page, SearchPage) else page)]


def found(index: AssetIndex, text: str = "", **fields: Any) -> list[str]:
    return ids(index.search(SearchQuery(text=text, **fields)))


def stages(index: AssetIndex, text: str) -> list[tuple[str, MatchStage]]:
    return [(hit.id, hit.stage) for hit in index.search(SearchQuery(text=text)).hits]


# following the records


def test_an_index_that_was_never_built_has_no_cursor_and_finds_nothing(index: AssetIndex) -> None:
    assert index.cursor() is None
    assert found(index, "orders") == []
    assert index.suggest("o", 5) == ()
    assert not index.apply(IndexBatch(0, 1, (document("a.b"),)))


def test_a_batch_is_applied_once_and_moves_the_cursor(index: AssetIndex) -> None:
    filled(index, document("core.orders"), document("core.old"))
    changed = replace(document("core.orders"), description="All orders")
    assert index.apply(IndexBatch(1, 7, (changed, document("core.new")), ("core.old", "core.never")))
    assert index.cursor() == 7
    assert found(index) == ["core.new", "core.orders"]
    assert index.search(SearchQuery(text="orders")).hits[0].document == changed
    assert not index.apply(IndexBatch(1, 9, (document("core.stale"),)))
    assert index.cursor() == 7
    assert found(index) == ["core.new", "core.orders"]


def test_the_commit_of_the_lake_is_kept_until_another_is_told(index: AssetIndex) -> None:
    assert index.head() == ""
    assert index.rebuild((), 1, "c1")
    assert index.apply(IndexBatch(1, 2))
    assert index.head() == "c1"
    assert index.apply(IndexBatch(2, 2, head="c2"))
    assert (index.cursor(), index.head()) == (2, "c2")


def test_a_rebuild_leaves_nothing_of_before(index: AssetIndex) -> None:
    filled(index, document("core.orders"), document("core.gone"))
    before = index.search(SearchQuery()).generation
    assert index.rebuild(iter([document("core.orders")]), 3)
    assert (index.cursor(), found(index)) == (3, ["core.orders"])
    assert index.search(SearchQuery()).generation > before
    assert index.rebuild((), 4)
    assert (index.cursor(), found(index)) == (4, [])


def test_a_rebuild_that_fails_leaves_what_was_there(index: AssetIndex) -> None:
    filled(index, document("core.orders"))

    def broken() -> Iterator[SearchDocument]:
        yield document("core.half")
        raise RuntimeError("the records cannot be read")

    with pytest.raises(RuntimeError):
        index.rebuild(broken(), 9)
    assert (index.cursor(), found(index)) == (1, ["core.orders"])
    assert index.apply(IndexBatch(1, 2, (document("core.next"),)))


def test_a_document_comes_back_whole(index: AssetIndex) -> None:
    whole = SearchDocument(
        id="core.orders",
        type=DocumentType.VIEW,
        name="orders",
        qualified_name="core.orders",
        container="core",
        description="Orders, „quoted“ <b>\u202etxt",
        columns=(
            DocumentColumn(
                name="mail", type="string", description="Where to", tags=("t",), terms=("E-mail",), pii="email"
            ),
        ),
        tags=("gold",),
        terms=(DocumentTerm("Order", ("purchase",)),),
        owner="ada@example.com",
        team="sales",
        domain="Sales",
        classification="confidential",
        pii=("email",),
        quality=87.5,
        popularity=12,
        fresh_at=NOW,
        deprecated=True,
        vanished=True,
        has_contract=True,
    )
    filled(index, whole)
    assert index.search(SearchQuery(text="orders")).hits[0].document == whole


# stages


def test_stages_go_before_every_boost(index: AssetIndex) -> None:
    loved = {"popularity": 10**6, "quality": 100.0, "owner": "ada", "has_contract": True}
    filled(
        index,
        document("a.order", deprecated=True),
        document("b.sales_order", **loved),
        document("c.ordering", **loved),
        document("d.baskets", columns=["order_id"], **loved),
        document("e.odrer", **loved),
        document("f.invoices", description="One for each order", **loved),
        document("g.orphans", **loved),
    )
    assert stages(index, "order") == [
        ("a.order", MatchStage.EXACT),
        ("b.sales_order", MatchStage.PHRASE),
        ("c.ordering", MatchStage.PREFIX),
        ("d.baskets", MatchStage.RELATED),
        ("e.odrer", MatchStage.FUZZY),
        ("f.invoices", MatchStage.DESCRIPTION),
    ]


def test_within_a_stage_boosts_decide_and_are_told(index: AssetIndex) -> None:
    filled(
        index,
        document("a.orders_x", deprecated=True, popularity=50_000),
        document("b.orders_y", popularity=50_000),
        document("c.orders_z", quality=90.0, owner="ada"),
        document("d.orders_w"),
    )
    page = index.search(SearchQuery(text="orders", explain=True))
    assert ids(page) == ["b.orders_y", "c.orders_z", "a.orders_x", "d.orders_w"]
    told = [hit.explanation.to_dict() for hit in page.hits if hit.explanation]
    assert [one["stage"] for one in told] == ["phrase"] * 4
    assert told[1]["boosts"] == [{"name": "quality", "points": 90}, {"name": "owner", "points": 40}]
    assert {"name": "deprecated", "points": -250} in told[2]["boosts"]  # type: ignore[operator]
    assert all(hit.explanation is None for hit in index.search(SearchQuery(text="orders")).hits)


def test_a_pipeline_stands_behind_the_table_it_makes(index: AssetIndex) -> None:
    known = {"owner": "ada", "description": "One row per order"}
    filled(
        index,
        document("forge:shop.core.orders", type=DocumentType.PIPELINE, popularity=20, **known),
        document("core.orders"),
        document("core.order_notes", popularity=10**6),
    )
    page = index.search(SearchQuery(text="orders", explain=True))
    assert ids(page)[:2] == ["core.orders", "forge:shop.core.orders"]
    told = page.hits[1].explanation
    assert told is not None
    assert {"name": "pipeline", "points": PIPELINE} in told.to_dict()["boosts"]  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    ["cust_order_id", "custOrderId", "CustOrderID", "cust order id", "custorderid", "CUST-ORDER-ID", "x.custOrderId"],
)
def test_a_name_is_found_however_it_is_written(index: AssetIndex, text: str) -> None:
    for name in ("x.custOrderId", "x.cust_order_id"):
        filled(index, document(name))
        assert stages(index, text)[0] == (name, MatchStage.EXACT)


def test_identifiers_are_split_at_capitals_digits_and_signs(index: AssetIndex) -> None:
    filled(index, document("x.HTTPCode2"), document("x.utf8_name"), document("x.plain"))
    for text in ("http", "code", "code2", "code 2", "http code", "HTTPC"):
        assert found(index, text) == ["x.HTTPCode2"], text
    assert found(index, "utf8") == ["x.utf8_name"]
    assert found(index, "utf 8") == ["x.utf8_name"]


def test_accents_case_width_and_scripts_are_folded(index: AssetIndex) -> None:
    filled(index, document("x.kundenübersicht"), document("x.Größe"), document("x.顧客情報"), document("x.заказы"))
    assert found(index, "kundenubersicht") == ["x.kundenübersicht"]
    assert found(index, "ＧＲÖSSE") == ["x.Größe"]
    assert found(index, "顧客") == ["x.顧客情報"]
    assert found(index, "情報") == ["x.顧客情報"]
    assert found(index, "ЗАКАЗЫ") == ["x.заказы"]


def test_one_typo_from_four_letters_two_from_eight(index: AssetIndex) -> None:
    filled(index, document("x.customers"), document("x.orders"), document("x.sku"))
    assert found(index, "ordrs") == found(index, "ordesr") == found(index, "ordders") == ["x.orders"]
    assert found(index, "cstmers") == []  # seven letters, two typos
    assert found(index, "costomres") == ["x.customers"]  # two, in nine
    assert found(index, "skk") == []
    assert found(index, "oxxers") == []


def test_typos_are_forgiven_only_where_hardly_anything_matches(index: AssetIndex) -> None:
    filled(index, document("x.form"), *(document(f"x.from_{number}") for number in range(12)))
    assert "x.form" not in found(index, "from")
    assert found(index, "form")[0] == "x.form"
    assert len(found(index, "form")) == 13


def test_every_word_must_match_and_the_worst_decides(index: AssetIndex) -> None:
    filled(
        index,
        document("finance.orders"),
        document("core.orders", description="Used by finance"),
        document("core.finance_orders"),
        document("core.orders_of_finance"),
        document("core.other"),
    )
    assert stages(index, "finance orders") == [
        ("core.finance_orders", MatchStage.EXACT),
        ("finance.orders", MatchStage.PREFIX),
        ("core.orders_of_finance", MatchStage.PREFIX),
        ("core.orders", MatchStage.DESCRIPTION),
    ]
    assert found(index, "finance orders nowhere") == []


def test_singular_and_plural_are_the_same_word(index: AssetIndex) -> None:
    filled(index, document("a.customer"), document("b.customers"), document("c.company_categories"))
    assert found(index, "customers") == ["b.customers", "a.customer"]
    assert found(index, "customer") == ["a.customer", "b.customers"]
    assert found(index, "category") == found(index, "categori") == ["c.company_categories"]


def test_shorter_names_go_first_where_nothing_else_decides(index: AssetIndex) -> None:
    filled(index, document("a.order_item_history"), document("b.order_items"), document("c.order_x"))
    assert found(index, "order") == ["c.order_x", "b.order_items", "a.order_item_history"]


@pytest.mark.parametrize("text", ["!!!", "---", "…", "\u202e"])
def test_words_without_letters_find_nothing(index: AssetIndex, text: str) -> None:
    filled(index, document("a.b"))
    assert found(index, text) == []


@pytest.mark.parametrize(
    "text", ['name:"x" OR 1', "a* AND (b", "order:>00", "{]}[", "a\\", "filter=x", "~2 ^5", "\x00"]
)
def test_the_language_of_the_index_is_not_spoken(index: AssetIndex, text: str) -> None:
    filled(index, document("a.b"))
    page = index.search(SearchQuery(text=text, facets=tuple(SearchFacet), explain=True))
    assert isinstance(page, SearchPage)
    assert isinstance(index.suggest(text, 3), tuple)


# what is searched, and what is told about it


def test_tags_terms_synonyms_owner_domain_and_personal_data_are_found(index: AssetIndex) -> None:
    column = DocumentColumn(name="c", terms=("Birthday",), tags=("hashed",), description="Day of arrival")
    filled(
        index,
        document("a.t", tags=("month-end",), terms=(DocumentTerm("Net revenue", ("turnover",)),), columns=[column]),
        document("b.u", owner="ada.lovelace@example.com", domain="Logistics", pii=("credit_card",)),
    )
    for text in ("month-end", "net revenue", "turnover", "birthday", "hashed", "arrival"):
        assert found(index, text) == ["a.t"], text
    for text in ("lovelace", "logistics", "credit card"):
        assert found(index, text) == ["b.u"], text


def test_the_column_that_matched_is_named_and_marked(index: AssetIndex) -> None:
    columns = ["id", "custOrderId", DocumentColumn(name="note", description="Text of the order")]
    filled(index, document("x.baskets", columns=columns))
    (hit,) = index.search(SearchQuery(text="order")).hits
    assert [(column.name, column.marks) for column in hit.columns] == [("custOrderId", ((4, 9),)), ("note", ())]


def test_a_column_is_found_however_its_name_is_joined(index: AssetIndex) -> None:
    filled(index, document("x.people", columns=["id", "email", "netAmount"]), document("x.mails", columns=["sent"]))
    for text, name in {
        "e-mail": "email",
        "E mail": "email",
        "NETAMOUNT": "netAmount",
        "net amount": "netAmount",
    }.items():
        (hit,) = index.search(SearchQuery(text=text)).hits
        assert (hit.document.id, hit.stage.name, hit.columns[0].name) == ("x.people", "RELATED", name), text
        assert hit.columns[0].marks == ((0, len(name)),)


def test_highlights_are_ranges_of_plain_text(index: AssetIndex) -> None:
    text = "<script>alert(1)</script> Net sales & sales tax. " + "filler " * 60 + "end of sales"
    filled(index, document("x.netSales", description=text))
    (hit,) = index.search(SearchQuery(text="sale")).hits
    assert (hit.name.text, hit.name.marks) == ("netSales", ((3, 8),))
    shown = hit.description
    assert [shown.text[a:b] for a, b in shown.marks] == ["sales", "sales"]
    assert "<script>" in shown.text  # as it came; whoever shows it escapes it
    assert len(shown.text) <= 202


def test_a_long_description_is_shown_around_its_match(index: AssetIndex) -> None:
    filled(index, document("x.t", description="word " * 300 + "needle " + "word " * 300))
    (hit,) = index.search(SearchQuery(text="needle")).hits
    assert [hit.description.text[a:b] for a, b in hit.description.marks] == ["needle"]
    assert hit.description.text.startswith("…")


def test_a_word_of_a_megabyte_and_a_text_of_a_megabyte_can_be_indexed(index: AssetIndex) -> None:
    filled(index, document("x.t", description="x" * 10**6), document("x.u", description="many words " * 90_000))
    assert found(index, "many") == ["x.u"]
    assert len(index.search(SearchQuery(text="many")).hits[0].document.description) <= 2000


# columns, databases, schemas, terms


def test_columns_are_results_of_their_own(index: AssetIndex) -> None:
    filled(
        index,
        document("core.orders", columns=["order_id", "customer_id", "amount"], owner="ada"),
        document("core.customers", columns=["id", "name", DocumentColumn(name="mail", description="Of the customer")]),
        document("raw.customer_id", columns=["x"]),
    )
    columns = {"types": (DocumentType.COLUMN,)}
    assert found(index, "customer_id", **columns) == ["core.orders.customer_id", "core.customers.id"]
    # The name of a table narrows a search for columns, but does not find them all.
    assert found(index, "customer", **columns) == ["core.orders.customer_id", "core.customers.mail"]
    assert found(index, "customers name", **columns) == ["core.customers.name"]
    assert found(index, "orders.amount", **columns) == ["core.orders.amount"]
    assert found(index, "core.orders.amount", **columns) == ["core.orders.amount"]
    assert found(index, "amuont", **columns) == ["core.orders.amount"]
    both = found(index, "customer_id", types=(DocumentType.TABLE, DocumentType.COLUMN))
    assert both == ["raw.customer_id", "core.orders.customer_id", "core.customers.id", "core.orders", "core.customers"]
    assert found(index, "customer", types=columns["types"], filters={SearchFilter.OWNER: ("Ada",)}) == [
        "core.orders.customer_id"
    ]
    assert found(index, types=columns["types"])[:3] == [
        "core.customers.id",
        "core.customers.mail",
        "core.customers.name",
    ]
    page = index.search(SearchQuery(text="customer_id", types=columns["types"]))
    assert (page.total, page.total_exact, page.hits[0].type) == (2, True, "column")


def test_pages_of_columns_neither_skip_nor_repeat(index: AssetIndex) -> None:
    filled(index, *(document(f"s.t{n}", columns=[f"amount_{c}" for c in range(7)]) for n in range(9)))
    for sort in SearchSort:
        query = SearchQuery(text="amount", types=(DocumentType.COLUMN, DocumentType.TABLE), limit=5, sort=sort)
        seen = list(walk(index, query))
        assert len(seen) == len(set(seen)) == 9 * 7 + 9, sort


def test_words_in_different_columns_find_no_column(index: AssetIndex) -> None:
    filled(index, document("s.t", columns=["first", "second"]))
    assert found(index, "first second", types=(DocumentType.COLUMN,)) == []
    assert found(index, "first second") == ["s.t"]


def test_databases_schemas_and_terms_are_found_when_asked_for(index: AssetIndex) -> None:
    term = document("term:t1", type=DocumentType.TERM, name="Net revenue", synonyms=("turnover",))
    schema = document("schema:core", type=DocumentType.SCHEMA, name="core")
    filled(
        index,
        document("core.revenue"),
        replace(term, qualified_name="Net revenue"),
        replace(schema, qualified_name="core"),
    )
    assert found(index, "core") == ["core.revenue"]
    assert found(index, "core", types=(DocumentType.SCHEMA, DocumentType.DATABASE)) == ["schema:core"]
    assert stages_of_types(index, "turnover", DocumentType.TERM) == [("term:t1", MatchStage.EXACT)]


def stages_of_types(index: AssetIndex, text: str, *types: DocumentType) -> list[tuple[str, MatchStage]]:
    return [(hit.id, hit.stage) for hit in index.search(SearchQuery(text=text, types=types)).hits]


# filters and facets


@pytest.fixture
def filled_index(index: AssetIndex) -> AssetIndex:
    return filled(
        index,
        document(
            "a.orders", domain="Sales", tags=("gold", "daily"), owner="ada", quality=97.0, classification="internal"
        ),
        document("a.refunds", domain="Sales", tags=("silver",), owner="bob", quality=85.0, pii=("name", "email")),
        document("b.salaries", domain="HR", tags=("gold",), owner="Ada", quality=10.0, classification="restricted"),
        document("b.view", type=DocumentType.VIEW, pii=("email",), quality=60.0),
    )


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"domain": ("sales",)}, ["a.orders", "a.refunds"]),
        ({"domain": ("Sales", "HR")}, ["a.orders", "a.refunds", "b.salaries"]),
        ({"domain": ("Sales",), "tag": ("GOLD",)}, ["a.orders"]),
        ({"tag": ("gold", "silver"), "owner": ("ada",)}, ["a.orders", "b.salaries"]),
        ({"classification": ("restricted",)}, ["b.salaries"]),
        ({"pii": ("email",)}, ["a.refunds", "b.view"]),
        ({"quality": ("excellent", "good")}, ["a.orders", "a.refunds"]),
        ({"container": ("b",)}, ["b.salaries", "b.view"]),
        ({"id": ("a.orders", "b.view", "x")}, ["a.orders", "b.view"]),
        ({"domain": ("nowhere",)}, []),
        ({"domain": ()}, ["a.orders", "a.refunds", "b.salaries", "b.view"]),
    ],
    ids=str,
)
def test_values_of_a_filter_are_or_and_filters_are_and(
    filled_index: AssetIndex, filters: dict[str, tuple[str, ...]], expected: list[str]
) -> None:
    page = filled_index.search(SearchQuery(filters={SearchFilter(name): values for name, values in filters.items()}))
    assert (ids(page), page.total) == (expected, len(expected))


def test_many_values_of_a_filter(filled_index: AssetIndex) -> None:
    many = ("a.orders", "b.view", *(f"x.t{number}" for number in range(500)))
    assert found(filled_index, filters={SearchFilter.ID: many}) == ["a.orders", "b.view"]


def counts(page: SearchPage, name: SearchFacet) -> dict[str, int]:
    return {one.value: one.count for one in page.facets[name]}


def test_facets_count_all_that_matches(filled_index: AssetIndex) -> None:
    page = filled_index.search(SearchQuery(facets=tuple(SearchFacet), limit=1))
    assert page.total == 4
    assert counts(page, SearchFacet.TYPE) == {"table": 3, "view": 1}
    assert counts(page, SearchFacet.DOMAIN) == {"Sales": 2, "HR": 1}
    assert counts(page, SearchFacet.TAG) == {"gold": 2, "daily": 1, "silver": 1}
    assert counts(page, SearchFacet.PII) == {"email": 2, "name": 1}
    assert counts(page, SearchFacet.QUALITY) == {"excellent": 1, "good": 1, "fair": 1, "poor": 1}
    assert counts(page, SearchFacet.CLASSIFICATION) == {"internal": 1, "restricted": 1}
    assert [one.count for one in page.facets[SearchFacet.TAG]] == [2, 1, 1]
    assert set(filled_index.search(SearchQuery(facets=(SearchFacet.TAG,))).facets) == {SearchFacet.TAG}


def test_a_facet_shows_what_else_could_be_chosen(filled_index: AssetIndex) -> None:
    wanted = (SearchFacet.DOMAIN, SearchFacet.TAG, SearchFacet.TYPE)
    page = filled_index.search(SearchQuery(filters={SearchFilter.DOMAIN: ("Sales",)}, facets=wanted))
    assert counts(page, SearchFacet.DOMAIN) == {"Sales": 2, "HR": 1}
    assert counts(page, SearchFacet.TAG) == {"gold": 1, "daily": 1, "silver": 1}
    assert (page.total, counts(page, SearchFacet.TYPE)) == (2, {"table": 2})
    page = filled_index.search(SearchQuery(types=(DocumentType.VIEW,), facets=wanted))
    assert (page.total, counts(page, SearchFacet.TYPE)) == (1, {"table": 3, "view": 1})


def test_totals_are_exact_on_every_page(index: AssetIndex) -> None:
    filled(index, *(document(f"s.orders_{number:02d}") for number in range(30)))
    query = SearchQuery(text="orders", limit=7)
    first = index.search(query)
    second = index.search(replace(query, cursor=first.next_cursor))
    counted = index.search(replace(query, facets=(SearchFacet.TYPE,)))
    assert first.total == second.total == counted.total == 30


# orders and pages


def test_sorted_by_popularity_freshness_and_name(index: AssetIndex) -> None:
    filled(
        index,
        document("a.x", popularity=3, fresh_at=NOW - timedelta(days=2)),
        document("b.X2", popularity=9),
        document("C.x3", popularity=3, fresh_at=NOW),
    )
    assert found(index, sort=SearchSort.POPULARITY) == ["b.X2", "a.x", "C.x3"]
    assert found(index, sort=SearchSort.FRESHNESS) == ["C.x3", "a.x", "b.X2"]
    assert found(index, sort=SearchSort.NAME) == found(index) == ["a.x", "b.X2", "C.x3"]
    assert found(index, "x", sort=SearchSort.POPULARITY) == ["b.X2", "a.x", "C.x3"]


def walk(index: AssetIndex, query: SearchQuery, between: Any = lambda: None) -> Iterator[str]:
    while True:
        page = index.search(query)
        assert len(page.hits) <= query.limit
        yield from ids(page)
        if page.next_cursor is None:
            return
        between()
        query = replace(query, cursor=page.next_cursor)


@pytest.mark.slow
@pytest.mark.parametrize("sort", list(SearchSort))
@pytest.mark.parametrize("text", ["", "orders"])
def test_pages_neither_skip_nor_repeat_while_documents_are_added(
    index: AssetIndex, sort: SearchSort, text: str
) -> None:
    old = [document(f"s.{'orders' if n % 3 else 'all_orders'}_{n % 5}x{n}", popularity=n % 4) for n in range(40)]
    filled(index, *old)
    added = iter(range(1000))

    def add() -> None:
        at = index.cursor()
        assert at is not None
        number = next(added)
        new = [document(f"{place}.orders_new{number}", popularity=2) for place in "az"]
        assert index.apply(IndexBatch(at, at + 1, tuple(new)))

    seen = list(walk(index, SearchQuery(text=text, sort=sort, limit=6), add))
    assert len(seen) == len(set(seen))
    assert {one.id for one in old} <= set(seen)


def test_pages_join_to_the_whole_list(index: AssetIndex) -> None:
    filled(index, *(document(f"s.orders{n % 7}_{n}", popularity=n % 3, quality=float(n % 2)) for n in range(60)))
    for sort in SearchSort:
        query = SearchQuery(text="orders", sort=sort, limit=500)
        assert list(walk(index, replace(query, limit=7))) == found(index, "orders", sort=sort, limit=500)


def test_pages_go_on_through_stages_and_typos(index: AssetIndex) -> None:
    filled(
        index, document("s.amount"), document("s.amounts_x"), document("s.amuont"), document("s.z", columns=["amount"])
    )
    assert list(walk(index, SearchQuery(text="amount", limit=1))) == ["s.amount", "s.amounts_x", "s.z", "s.amuont"]


@pytest.mark.parametrize(
    "cursor", ["x", "%%%", "eyJhIjoxfQ", "W10", "bnVsbA", "ü", "WzEsMl0", "WzEsICJhIiwgMCwgMCwgMCwgOSwgMCwgInp6IiwgMF0"]
)
def test_a_cursor_that_no_search_gave_is_refused(index: AssetIndex, cursor: str) -> None:
    filled(index, document("a.b"))
    with pytest.raises(ForgeError) as caught:
        index.search(SearchQuery(text="b", cursor=cursor))
    assert caught.value.code == "E105"


def test_a_cursor_belongs_to_its_search(index: AssetIndex) -> None:
    filled(index, document("a.x1"), document("a.x2"), document("a.x3"))
    cursor = index.search(SearchQuery(text="x", limit=1)).next_cursor
    assert found(index, "x", limit=2, cursor=cursor) == ["a.x2", "a.x3"]
    with pytest.raises(ForgeError, match="another search"):
        index.search(SearchQuery(text="y", cursor=cursor))


# suggesting


def test_names_are_suggested_before_columns(index: AssetIndex) -> None:
    filled(
        index,
        document("core.orders", columns=["order_id", "customer_id"], popularity=5),
        document("core.customers", columns=["id"]),
        document("core.customer_notes", columns=["text"]),
        document("schema:cust", type=DocumentType.SCHEMA, name="cust"),
    )
    assert ids(index.suggest("cust", 10)) == [
        "schema:cust",
        "core.customers",
        "core.customer_notes",
        "core.orders.customer_id",
    ]
    assert ids(index.suggest("cust", 2)) == ["schema:cust", "core.customers"]
    assert ids(index.suggest("core.ord", 1)) == ["core.orders"]
    assert ids(index.suggest("zzz", 5)) == []


def test_what_is_in_a_place_is_suggested_behind_names_and_before_columns(index: AssetIndex) -> None:
    filled(
        index,
        document("schema:core", type=DocumentType.SCHEMA, name="core"),
        document("core.orders", popularity=5),
        document("core.customers"),
        document("marts.score", columns=["core_score"]),
        document("files:data/orders.csv", type=DocumentType.DATASET, name="data/orders.csv", container="files:data"),
    )
    assert ids(index.suggest("core", 10)) == ["schema:core", "core.orders", "core.customers", "marts.score.core_score"]
    assert ids(index.suggest("core", 2)) == ["schema:core", "core.orders"]
    assert ids(index.suggest("files:data", 10)) == ["files:data/orders.csv"]
    assert len(index.suggest("", 3)) == 3


def test_behind_the_name_of_a_place_comes_what_is_in_it(index: AssetIndex) -> None:
    filled(
        index,
        document("core.orders", columns=["order_id", "note"]),
        document("core.customers", columns=["id"], popularity=9),
        document("marts.core_costs", columns=["core"], popularity=50),
        document("hr.staff", columns=["id"], popularity=50),
        document("schema:core", type=DocumentType.SCHEMA, name="core", qualified_name="core", container=""),
    )
    inside = ["schema:core", "core.customers", "core.orders", "marts.core_costs"]
    assert ids(index.suggest("core.", 4)) == inside
    assert ids(index.suggest(" Core: ", 3)) == inside[:3]
    assert ids(index.suggest("core.orders.", 9)) == ["core.orders", "core.orders.order_id", "core.orders.note"]
    assert ids(index.suggest("core.orders.no", 9)) == ["core.orders.note"]
    assert ids(index.suggest("nowhere.", 9)) == []


def test_suggestions_forgive_typos_only_where_no_name_begins_so(index: AssetIndex) -> None:
    filled(
        index,
        document("core.customers", columns=["customer_id", "city"], description="custoner"),
        document("core.orders", columns=["amount"], tags=("customs",)),
    )
    hit, *columns = index.suggest("core.customrs", 5)
    assert ids(tuple(columns)) == ["core.customers.customer_id"]
    assert (hit.id, hit.stage, hit.name.marks) == ("core.customers", MatchStage.FUZZY, ((0, 9),))
    assert ids(index.suggest("customr", 5)) == ["core.customers", "core.customers.customer_id"]
    assert ids(index.suggest("customr", 1)) == ["core.customers"]
    assert ids(index.suggest("amuont", 5)) == ["core.orders.amount"]
    assert ids(index.suggest("order", 5)) == ["core.orders"]
    filled(index, document("core.customers"), document("core.customrs"))
    assert ids(index.suggest("customr", 5)) == ["core.customrs"]
    assert ids(index.suggest("cxy", 5)) == []


def test_an_offset_gives_the_same_as_pages_by_cursor(index: AssetIndex) -> None:
    documents = [document(f"a.orders_{n:03}", columns=["order_id", "x"], popularity=n % 7) for n in range(130)]
    filled(index, *documents, document("b.other", description="orders"))
    table, column = (DocumentType.TABLE,), (DocumentType.COLUMN,)
    for text, types in (("", ()), ("orders", ()), ("orders_12", table), ("order", column)):
        every, cursor = list[str](), None
        while cursor is not None or not every:
            page = index.search(SearchQuery(text=text, types=types, limit=40, cursor=cursor))
            every, cursor = every + ids(page), page.next_cursor
        for offset in (0, 7, 95, len(every) - 1):
            asked = SearchQuery(text=text, types=types, limit=20, offset=offset)
            page = index.search(asked)
            assert ids(page) == every[offset : offset + 20], (text, offset)
            if page.next_cursor is None:
                assert page.total == len(every)
                continue
            behind = index.search(replace(asked, cursor=page.next_cursor))
            assert ids(behind) == every[offset + 20 : offset + 40], (text, offset)
    beyond = index.search(SearchQuery(text="orders", offset=10_000))
    assert (beyond.hits, beyond.total, beyond.next_cursor) == ((), 131, None)
    for offset in (-1, 10_001):
        with pytest.raises(ForgeError) as refused:
            SearchQuery(offset=offset)
        assert refused.value.code == "E105"
