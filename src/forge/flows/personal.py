"""Which columns of a table hold personal data: those its contract calls so, and those that stand in lineage with such.
A quarantine table and a table without a contract hold the same data as what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from forge.contracts.contract import pii_columns
from forge.flows.ports import Metadata
from forge.flows.project import Project, looked_up
from forge.lineage.edge import Edge
from forge.model.names import TableName
from forge.quality.check import Check
from forge.quality.checks import Function, Query
from forge.versioning.commit import Tree


@dataclass(slots=True)
class Personal:
    """As of some trees, of which is read once what there is to know. `made`: where the columns of tables come from that
    a run has made and not yet published."""

    project: Project
    metadata: Metadata
    trees: Callable[[], Iterable[Tree]]
    made: dict[TableName, tuple[Edge, ...]] = field(default_factory=dict)
    _edges: tuple[Edge, ...] | None = None
    _flagged: frozenset[tuple[str, str]] | None = None

    def of(self, table: TableName) -> frozenset[str]:
        from forge.flows.sample import find_personal  # it stands on runs, which stand on this

        contract = self.project.contracts.get(table)
        own = pii_columns(contract) if contract else frozenset()
        flagged = self._called_so()
        if not flagged:
            return own
        made = (edge for edges in self.made.values() for edge in edges)
        hidden = find_personal((), (*self._known_edges(), *made), flagged)
        return own | {column for name, column in hidden if name == str(table)}

    def _called_so(self) -> frozenset[tuple[str, str]]:
        """By the catalog, or by a contract of a table that is not published yet."""
        from forge.flows.sample import find_flagged

        if self._flagged is None:
            contracts = self.project.contracts.items()
            named = frozenset((str(table), name.lower()) for table, one in contracts for name in pii_columns(one))
            self._flagged = named | find_flagged(self.metadata.assets())
        return self._flagged

    def _known_edges(self) -> tuple[Edge, ...]:
        from forge.flows.impact import edges_at

        if self._edges is None:
            found = (edge for tree in self.trees() for edge in edges_at(self.metadata, tree))
            self._edges = tuple(dict.fromkeys(found))
        return self._edges


def find_private(personal: Personal, table: TableName, checks: Iterable[Check]) -> frozenset[TableName]:
    """Of the table and those that queries and functions read beside it, the ones that hold personal data."""
    free = [check for check in checks if isinstance(check, Query | Function)]
    asked = {table, *(other for check in free for other in looked_up(check))} if free else set()
    return frozenset(one for one in asked if personal.of(one))
