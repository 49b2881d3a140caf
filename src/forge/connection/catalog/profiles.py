"""`forge.connect().catalog.profile`: what the values of tables look like, and what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.catalog.profile import ProfileDiff, TableProfile
from forge.connection.tabular import TabularTuple
from forge.model.names import TableName

if TYPE_CHECKING:
    from forge.flows.catalog.profiling.profile_table import ProfilePorts
    from forge.wiring import Wiring


class PastProfiles(TabularTuple[TableProfile]):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ProfileBook:
    """A table or view is named like `core.orders`, or `core.orders@HEAD~2`: at a branch, tag, commit, time or version.
    Values of personal columns are neither stored nor shown."""

    wiring: Wiring

    @property
    def _ports(self) -> ProfilePorts:
        return self.wiring.catalog.profile_ports()

    def __call__(self, table: str, *, sample: float | None = None, exact: bool = False) -> TableProfile:
        """The same as `make`, by the word of the terminal."""
        return self.make(table, sample=sample, exact=exact)

    def make(self, table: str, *, sample: float | None = None, exact: bool = False) -> TableProfile:
        """Profile it; once for the same rows. `sample`: look at this share of the rows only. `exact`: count distinct
        values also beyond a million rows."""
        from forge.flows.catalog.profiling.profile_table import profile_table

        return profile_table(table, self._ports, sample=sample, exact=exact)

    def show(self, table: str) -> TableProfile:
        """What is stored, nothing is measured: of these rows; without a revision, else the newest there is. E108 where
        there is none."""
        from forge.flows.catalog.profiling.profile_table import stored_profile

        return stored_profile(table, self._ports)

    def diff(self, table: str, before: str, after: str | None = None) -> ProfileDiff:
        """What changed from one revision to another, or to now. What is not stored is measured."""
        from forge.flows.catalog.profiling.profile_table import compare_profiles

        name, _, ref = table.partition("@")
        return compare_profiles(name, before, after or ref or None, self._ports)

    def history(self, table: str, limit: int = 100) -> PastProfiles:
        """The profiles that are stored, newest first."""
        from forge.flows.catalog.profiling.profile_table import profile_history

        return PastProfiles(profile_history(TableName.parse(table), self._ports, limit=limit))
