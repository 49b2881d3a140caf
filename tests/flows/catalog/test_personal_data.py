"""Which columns are kept out of samples, messages and metrics of checks."""

from __future__ import annotations

from forge.contracts.contract import ContractProperty, TableContract
from forge.flows.catalog.personal_data import PersonalData, find_private, named_by
from forge.flows.quality.remediation.quarantine import plan_side, side_lineage
from forge.lineage.edge import Edge, Transformation
from forge.model.names import ColumnName, TableName
from forge.quality.checks import NotNullCheck, QueryCheck
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.metadata import MemoryMetadata
from forge.versioning.field import TableField

PEOPLE, SIDE = TableName("core", "people"), TableName("core", "people_quarantine")
ORDERS, LIST = TableName("core", "orders"), TableName("marts", "list")


def personal(*contracts: TableContract) -> PersonalData:
    return PersonalData(MemoryMetadata(MemoryCatalog()), lambda: named_by(contracts), lambda: ())


def with_email() -> PersonalData:
    return personal(
        TableContract(table="core.people", properties=(ContractProperty(name="Email", classification="pii"),))
    )


def test_a_quarantine_table_hides_what_its_table_hides() -> None:
    found = with_email()
    fields = tuple(TableField(name, name, "string") for name in ("id", "Email"))
    found.made[SIDE] = side_lineage(PEOPLE, plan_side(PEOPLE, fields, ())).edges
    assert {name.lower() for name in found.of(PEOPLE)} == {"email"}
    assert found.of(SIDE) == {"email"}


def test_a_table_without_a_contract_hides_what_is_made_of_personal_data() -> None:
    found = with_email()
    source = ColumnName(str(PEOPLE), "Email")
    found.made[LIST] = (
        Edge(
            source=source,
            target=ColumnName(str(LIST), "contact"),
            transformation=Transformation.TRANSFORMATION,
            expression="lower(email)",
        ),
        Edge(
            source=source,
            target=ColumnName(str(LIST), "hashed"),
            transformation=Transformation.TRANSFORMATION,
            masking=True,
        ),
    )
    assert found.of(LIST) == {"contact"}


def test_where_nothing_is_called_personal_nothing_is_hidden() -> None:
    assert personal().of(PEOPLE) == frozenset()


def test_a_table_is_private_where_a_query_reads_personal_data_of_it() -> None:
    found = with_email()
    query = QueryCheck("SELECT o.id, p.email AS status FROM core.orders o JOIN core.people p ON o.person = p.id")
    assert find_private(found, ORDERS, (query,)) == {PEOPLE}
    assert find_private(found, ORDERS, (QueryCheck("SELECT id FROM core.orders"),)) == frozenset()
    assert find_private(found, PEOPLE, (NotNullCheck(("id",)),)) == frozenset()  # its rows are masked by column
