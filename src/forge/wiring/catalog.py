"""What is known of tables and of personal data in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from forge.model.names import TableName

if TYPE_CHECKING:
    from forge.flows.catalog.declared_personal import DeclaredPersonal
    from forge.flows.catalog.personal import PersonalMemo
    from forge.wiring import Wiring


@dataclass(frozen=True)
class CatalogParts:
    wiring: Wiring

    @cached_property
    def declared(self) -> DeclaredPersonal:
        """What contracts call personal."""
        from forge.flows.catalog.declared_personal import DeclaredPersonal

        return DeclaredPersonal(
            self.wiring.root, self.wiring.contracts.governance, lambda: self.wiring.contracts.registry
        )

    @cached_property
    def personal_at(self) -> PersonalMemo:
        """The columns whose values nobody is shown, now or at one of these commits."""
        from forge.flows.catalog.personal import PersonalMemo

        return PersonalMemo(self.wiring.metadata, self.declared, self.wiring.default_branch)

    def known_tables(self) -> frozenset[TableName]:
        """Of the lake."""
        tree = self.wiring.metadata.tree(self.wiring.branch_head(self.wiring.default_branch))
        return frozenset({*tree, *(TableName(c.namespace, c.name) for c in self.wiring.lake.tables())})
