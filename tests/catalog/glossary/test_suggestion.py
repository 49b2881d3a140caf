"""Which terms are suggested for which columns."""

from __future__ import annotations

from typing import Any

import pytest

from forge.catalog.glossary import suggestion
from forge.catalog.glossary.suggestion import ColumnToDescribe, TermMatcher, TermSuggestion
from forge.catalog.glossary.term import GlossaryTerm, TermState

TERMS = (
    GlossaryTerm(id="customer", name="Customer", synonyms=("client",), state=TermState.APPROVED),
    GlossaryTerm(id="customer-id", name="Customer ID"),
    GlossaryTerm(id="quantity", name="Quantity"),
    GlossaryTerm(id="net", name="Net revenue", synonyms=("net sales", "turnover"), domain="sales"),
    GlossaryTerm(id="order-date", name="Order date"),
    GlossaryTerm(id="order", name="Order"),
    GlossaryTerm(id="birth", name="Date of birth"),
    GlossaryTerm(id="product", name="Product"),
    GlossaryTerm(id="umsatz", name="Umsatz", synonyms=("Umsätze",)),
)
MATCHER = TermMatcher(TERMS)


def best(column: str, type_: str = "", table: str = "core.t", domain: str | None = None) -> TermSuggestion | None:
    found = MATCHER.suggest([ColumnToDescribe(column, type_)], table, domain=domain)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("column", "term"),
    [
        ("customer_id", "customer-id"),
        ("cust_id", "customer-id"),
        ("custId", "customer-id"),
        ("CUSTOMER-ID", "customer-id"),
        ("qty", "quantity"),
        ("ord_dt", "order-date"),
        ("orderDate", "order-date"),
        ("net_rev", "net"),
        ("net_sales", "net"),
        ("turnover_eur", "net"),
        ("date_of_birth", "birth"),
        ("birth_date", "birth"),
        ("clients", "customer"),
        ("prod", "product"),
        ("UMSÄTZE", "umsatz"),
    ],
)
def test_the_best_term_of_a_column(column: str, term: str) -> None:
    found = best(column)
    assert found is not None
    assert found.term == term


@pytest.mark.parametrize("column", ["", "_", "x", "123", "order", "orders_shipped_by", "date", "net", "日付"])
def test_a_part_of_a_term_is_no_match_unless_it_is_a_term(column: str) -> None:
    found = best(column)
    assert found is None or (column == "order" and found.term == "order")


def test_what_a_column_is_stands_last_in_its_name() -> None:
    found = MATCHER.suggest([ColumnToDescribe("order_date", "date")])
    assert [one.term for one in found] == ["order-date"]


def test_a_key_refers_to_what_it_identifies() -> None:
    found = best("order_id", "bigint")
    assert found is not None
    assert (found.term, "refers to it by a key" in found.reason) == ("order", True)


def test_the_name_of_the_table_completes_a_bare_column_only() -> None:
    found = best("id", "bigint", "core.customers")
    assert found is not None
    assert found.term == "customer-id"
    assert "name of the table" in found.reason
    other = best("order_id", "bigint", "core.customers")
    assert other is not None
    assert other.term == "order"


def test_a_type_that_cannot_hold_it_makes_it_less_sure_and_is_said() -> None:
    likely, odd = best("net_revenue", "decimal(12,2)"), best("net_revenue", "boolean")
    assert likely is not None
    assert odd is not None
    assert likely.score > odd.score
    assert "boolean is unusual for revenue" in odd.reason
    assert "decimal(12,2) suits it" in likely.reason


def test_a_reason_names_the_abbreviation_and_the_synonym() -> None:
    short, other = best("qty"), best("client")
    assert short is not None
    assert other is not None
    assert "“qty” stands for quantity" in short.reason
    assert "synonym “client”" in other.reason


def test_terms_of_the_assets_own_domain_are_surer() -> None:
    same, foreign = best("turnover", domain="sales"), best("turnover", domain="logistics")
    assert same is not None
    assert foreign is not None
    assert same.score > foreign.score


def test_the_order_of_terms_and_columns_does_not_matter() -> None:
    columns = [ColumnToDescribe(name, "int") for name in ("cust_id", "qty", "ord_dt", "net")]
    turned = TermMatcher(TERMS[::-1]).suggest(columns[::-1], "core.customers")
    assert sorted(turned, key=str) == sorted(MATCHER.suggest(columns, "core.customers"), key=str)


def test_no_terms_suggest_nothing() -> None:
    assert TermMatcher(()).suggest([ColumnToDescribe("customer_id")]) == ()


@pytest.mark.slow
def test_of_ten_thousand_terms_few_are_looked_at_for_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    plain = suggestion._match

    def counted(*given: Any) -> Any:
        looked.append(given[2])
        return plain(*given)

    monkeypatch.setattr(suggestion, "_match", counted)
    terms = [GlossaryTerm(id=f"t{n}", name=f"Thing{n % 100} measure{n} amount") for n in range(10_000)]
    columns = [ColumnToDescribe(f"thing{n}_measure{n}_amt", "double") for n in range(300)]
    found = TermMatcher(terms).suggest(columns)
    assert len(looked) <= 10 * len(columns)
    assert len(found) >= 100
