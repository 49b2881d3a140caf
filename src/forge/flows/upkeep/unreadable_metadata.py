"""Unreadable table metadata affects that table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from forge.model.errors import ForgeError
from forge.model.names import CatalogName

if TYPE_CHECKING:
    from forge.flows.ports import Lake, TableState

UNREADABLE: Literal["unreadable"] = "unreadable"  # how a diff calls such a table


class UnreadableMetadata(ForgeError):
    """E406 of one metadata file. Loops over all tables skip that table; a request for the table itself raises it."""

    def __init__(
        self, location: str, why: str, *, is_missing: bool = False, catalog: CatalogName | None = None
    ) -> None:
        self.location = location
        self.is_missing = is_missing
        self.catalog = catalog
        wrong = "is not there" if is_missing else "cannot be read"
        what = f"{catalog} is out of order: its metadata file {wrong}" if catalog else f"A metadata file {wrong}"
        super().__init__(
            "E406",
            what,
            where=location,
            why=f"{why} All other tables are as they were.",
            fix="Bring the file back from a copy, or go back to the version before: forge repair",
        )

    def of(self, catalog: CatalogName) -> UnreadableMetadata:
        """The same, with the name of the table."""
        why = (self.why or "").removesuffix(" All other tables are as they were.")
        return UnreadableMetadata(self.location, why, is_missing=self.is_missing, catalog=catalog)


def readable_state(lake: Lake, catalog: CatalogName) -> TableState | UnreadableMetadata | None:
    """The state of a table, or its error."""
    try:
        return lake.state(catalog)
    except UnreadableMetadata as error:
        return error
