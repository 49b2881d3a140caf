"""A view over a table with rules is closed at doors that are no queries, through any number of views."""

from __future__ import annotations

from typing import Literal

import pytest

from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.catalog.ruled_views import add_rules
from forge.flows.runs.pin import Pin
from forge.flows.runs.records import TableLineage
from forge.lineage.edge import IndirectEdge, IndirectType, TableEdge
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, ColumnName, CommitId, RunId, TableName
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.metadata import MemoryMetadata
from forge.versioning.commit import TableVersion, Tree

MAIN = BranchName("main")
RULES = PersonalColumns(frozenset({("core.people", "mail")}), ruled=frozenset({"core.people"}))


class Records(MemoryMetadata):
    """One commit, whose versions were written by one run."""

    def __init__(self, *made: TableLineage) -> None:
        super().__init__(MemoryCatalog())
        self.made = made

    def tree(self, commit: CommitId | None) -> Tree:
        tables = (one.table for one in self.made)
        kinds: dict[str, Literal["table"]] = {"list": "table"}
        return {
            table: TableVersion(
                catalog=CatalogName(table.schema, table.name),
                uuid="",
                snapshot_id=None,
                schema_id=0,
                kind=kinds.get(table.name, "view"),
                run_id="r",
            )
            for table in tables
        }

    def lineage(self, runs: object = ()) -> tuple[tuple[RunId, TableLineage], ...]:
        return tuple((RunId("r"), one) for one in self.made)


def table(name: str) -> TableName:
    return TableName("core", name)


def test_views_over_a_table_with_rules_are_closed_and_tables_made_of_it_are_not() -> None:
    filtered = IndirectEdge(ColumnName("core.people", "id"), "core.counts", IndirectType.FILTER)
    records = Records(
        *(
            TableLineage(table("seen"), table_edges=(TableEdge("core.people", "core.seen"),)),
            TableLineage(table("again"), table_edges=(TableEdge("core.seen", "core.again"),)),
            TableLineage(table("counts"), indirect=(filtered,)),
            TableLineage(table("list"), table_edges=(TableEdge("core.people", "core.list"),)),
            TableLineage(table("others"), table_edges=(TableEdge("core.orders", "core.others"),)),
        ),
    )
    found = add_rules(PersonalColumns(), RULES, records, MAIN, (CommitId("c"),))
    assert found.closed == {"core.seen", "core.again", "core.counts"}
    assert found.hides("core.people", "MAIL")
    assert not found.hides("core.people", "id")
    assert found.hides("core.again", "id")
    assert found.of("core.again", ("Id", "x")) == {"id", "x"}


def test_a_pinned_view_over_a_masked_table_is_refused_and_the_table_is_not() -> None:
    people = Pin(table("people"), CatalogName("core", "people"))
    view = Pin(table("seen"), CatalogName("core", "seen"), None, "SELECT mail FROM core.people", (people,))
    RULES.refuse_pinned(people)
    with pytest.raises(ForgeError) as refused:
        RULES.refuse_pinned(view)
    assert refused.value.code == "E879"
