"""Who may read a source."""

from __future__ import annotations

import pytest

from forge.federation.lake_rules import LakeRules
from forge.federation.policy import ColumnMask, MaskKind, PolicySubject, RowFilter
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.rights import has_rules, hidden_columns, is_restricted, may_read, refuse_reader, restricted
from forge.federation.row_filter import parse_filter
from forge.federation.source import ConnectorKind, Source
from forge.federation.statistics import NOTHING_KNOWN, ColumnStatistics
from forge.model.codes import CODES, NOT_ALLOWED
from forge.model.errors import ForgeError
from forge.model.types import parse_type

OPEN = Source("crm", ConnectorKind.SQLITE, path="crm.db")
OF_ADA = Source("crm", ConnectorKind.SQLITE, path="crm.db", readers=("ada@example.com",))


def test_without_readers_everyone_may_read_it() -> None:
    assert may_read(OPEN, "anyone")
    assert may_read(OPEN, "")


@pytest.mark.parametrize("user", ["", "ada", "ADA@example.com", "ada@example.com ", "ada@example.com.evil.example"])
def test_only_its_readers_may_read_it_as_they_are_written(user: str) -> None:
    assert may_read(OF_ADA, "ada@example.com")
    assert not may_read(OF_ADA, user)


def test_a_refusal_tells_nothing_of_what_the_source_is() -> None:
    with pytest.raises(ForgeError) as refused:
        refuse_reader(OF_ADA, "eve")
    assert (refused.value.code, CODES["E885"].exit) == ("E885", NOT_ALLOWED)
    for word in ("crm.db", "ada", "sqlite"):
        assert word not in str(refused.value)
    refuse_reader(OF_ADA, "ada@example.com")


@pytest.mark.parametrize(
    ("said", "path", "hidden"),
    [
        ("customers.email", ("public", "Customers"), {"email"}),
        ("customers.email", ("customers",), {"email"}),
        ("public.customers.email", ("public", "customers"), {"email"}),
        ("public.customers.email", ("customers",), {"email"}),
        ("public.customers.email", ("other", "customers"), set()),
        ("customers.email", ("old_customers",), set()),
        ("customers.phone", ("customers",), set()),
        ("customers.my.col", ("customers",), {"my.col"}),
        ("a.customers.email", ("a.customers",), {"email"}),
        ("customers.email.domain", ("public", "customers"), {"email"}),
        ("public.customers.email.domain.top", ("public", "customers"), {"email"}),
        ("data.crm.json.email.domain", (), {"email"}),
        ("crm.email", (), {"email"}),
        ("data.crm.csv.my.col", (), {"my.col"}),
        ("crm.phone", (), set()),
        ("crm.email_2", (), set()),
    ],
)
def test_columns_are_hidden_by_table_or_schema(said: str, path: tuple[str, ...], hidden: set[str]) -> None:
    columns = tuple(SourceColumn(name, parse_type("string")) for name in ("id", "Email", "my.col"))
    source = Source("crm", ConnectorKind.SQLITE, hidden=frozenset({said}))
    assert hidden_columns(source, SourceRelation(RelationName("crm", path), columns)) == hidden


@pytest.mark.parametrize("text", ["true", "TRUE", "True"])
def test_a_filter_that_is_true_keeps_nothing_back(text: str) -> None:
    rows, eve = (RowFilter("core.orders", text),), PolicySubject("eve@example.com")
    relation = SourceRelation(RelationName("crm", ("core", "orders")), ())
    assert restricted(relation, (), rows, eve) == relation
    assert not is_restricted(Source("crm", ConnectorKind.SQLITE, rows=rows), eve)
    assert not has_rules(("core", "orders"), (), rows, eve)
    assert LakeRules(rows=rows).kept_back(None).closed == frozenset()


@pytest.mark.parametrize("text", ["false", "true or a = 1", "(true)", "not false", "1 = 1", "1", "'true'"])
def test_true_is_the_only_filter_without_a_column(text: str) -> None:
    with pytest.raises(ForgeError) as refused:
        parse_filter(text)
    assert refused.value.code == "E880"


def test_estimates_tell_nothing_of_what_is_kept_back() -> None:
    known = ColumnStatistics(70, 0.5, (1.0, 2.0))
    columns = tuple(SourceColumn(name, parse_type("date"), statistics=known) for name in ("seen", "born", "died"))
    relation = SourceRelation(
        RelationName("crm", ("people",)), columns, rows=700, bytes=70_000, hidden=frozenset({"died"})
    )
    eve, born = PolicySubject("eve@example.com"), ColumnMask("people.born", MaskKind.YEAR)
    masked = restricted(relation, (born,), (), eve)
    assert [one.statistics for one in masked.columns] == [known, NOTHING_KNOWN, NOTHING_KNOWN]
    assert (masked.rows, masked.bytes) == (700, 70_000)
    filtered = restricted(relation, (), (RowFilter("people", "seen IS NULL"),), eve)
    assert [one.statistics for one in filtered.columns] == [NOTHING_KNOWN] * 3
    assert (filtered.rows, filtered.bytes) == (1_000, None)
