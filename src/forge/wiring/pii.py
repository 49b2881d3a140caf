"""The parts of personal data: findings, scans and reviews."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from forge.engines.spark.pii.sampler import SparkSampler
    from forge.flows.catalog.pii.reviewed_columns import FoundPersonalData
    from forge.flows.catalog.pii.reviews import ReviewPorts
    from forge.flows.catalog.pii.scan import ScanPorts, TableScan
    from forge.flows.catalog.pii.unscanned_versions import UnscannedVersions
    from forge.model.classification import ClassificationLevel
    from forge.model.names import TableName
    from forge.stores.sql.catalog.pii_findings import SqlPiiFindings
    from forge.wiring import Wiring


UNTYPED = "personal"
"""Of personal data whose type nobody has said."""


@dataclass(frozen=True)
class PiiParts:
    wiring: Wiring

    @cached_property
    def findings(self) -> SqlPiiFindings:
        from forge.stores.sql.catalog.pii_findings import SqlPiiFindings

        return SqlPiiFindings(self.wiring.database)

    @cached_property
    def found(self) -> FoundPersonalData:
        """What findings say about columns."""
        from forge.flows.catalog.pii.reviewed_columns import FoundPersonalData

        return FoundPersonalData(self.findings, self.wiring.settings.pii.threshold)

    @cached_property
    def unscanned_versions(self) -> UnscannedVersions:
        """What is known of versions that no scan stands for."""
        from forge.flows.catalog.pii.unscanned_versions import UnscannedVersions

        settings = self.wiring.settings
        return UnscannedVersions(self.wiring.lake, self.wiring.metadata, settings.pii.threshold, settings.pii_types)

    @cached_property
    def levels(self) -> Mapping[str, ClassificationLevel]:
        """How confidential types of the project are."""
        from forge.catalog.pii.own_types import levels_of

        return levels_of(self.wiring.settings.pii_types)

    def scan_ports(self, actor: str | None = None, begin: Callable[[], None] = lambda: None) -> ScanPorts:
        """`begin` is called before Spark is, where a table needs it."""
        from forge.flows.catalog.pii.scan import ScanPorts
        from forge.stores.lake.sampler import LakeSampler

        def large() -> SparkSampler:
            from forge.engines.spark.pii.sampler import SparkSampler

            begin()
            return SparkSampler(self.wiring.engine)

        keys = self.wiring.settings.pii
        return ScanPorts(
            findings=self.findings,
            metadata=self.wiring.metadata,
            lake=self.wiring.lake,
            small=LakeSampler(self.wiring.lake),
            large=large,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            default_branch=self.wiring.default_branch,
            threshold=keys.threshold,
            rows=keys.rows,
            types=self.wiring.settings.pii_types,
            on_change=self._take_values_out,
        )

    def _take_values_out(self, tables: Iterable[TableName]) -> None:
        """Of stored profiles: those of columns that are personal now."""
        from forge.flows.catalog.profiling.profile_table import forget_personal

        forget_personal(tables, self.wiring.catalog.profile_ports())

    def types_of(self, names: Sequence[str]) -> dict[str, dict[str, str]]:
        """Types of personal data, by table and column in lower case; a struct is of its most confidential field's."""
        from forge.catalog.classification import most_confidential

        threshold = self.wiring.settings.pii.threshold
        found: dict[str, dict[str, str]] = {}
        for record in self.findings.findings(tables=names):
            if record.type and record.is_personal(threshold):
                types, column = found.setdefault(record.table, {}), record.key.partition(".")[0]
                types[column] = most_confidential((types.get(column, record.type), record.type), self.levels)
        return found

    def shown_types(self, names: Sequence[str], types: Mapping[str, Mapping[str, str]]) -> dict[str, Mapping[str, str]]:
        """`types`, with columns that are personal without a finding of their own, by a contract or by lineage: of the
        type that their name says, or `personal`."""
        from forge.catalog.pii import find_pii

        by_table, own = self._personal_by_table(), self.wiring.settings.pii_types
        return {
            name: {column: find_pii([column], own)[0].type or UNTYPED for column in by_table.get(name, ())}
            | dict(types.get(name, {}))
            for name in names
        }

    def _personal_by_table(self) -> Mapping[str, Sequence[str]]:
        """Of the default branch; arranged again when it is read again."""
        keys = self.wiring.catalog.personal_at().keys
        kept: tuple[object, dict[str, list[str]]] | None = self.__dict__.get("_by_table")
        if kept is None or kept[0] is not keys:
            by_table: dict[str, list[str]] = {}
            for table, column in keys:
                by_table.setdefault(table, []).append(column)
            kept = self.__dict__["_by_table"] = (keys, by_table)
        return kept[1]

    def known_tables(self) -> frozenset[TableName]:
        """Of the lake, and those that only findings know."""
        from forge.flows.catalog.pii.scan import known_to_findings

        return self.wiring.catalog.known_tables() | known_to_findings(self.findings)

    def scan_tables(self, names: Iterable[TableName], actor: str | None = None) -> tuple[TableScan, ...]:
        """After a run: what was published is scanned where it changed."""
        from forge.flows.catalog.pii.scan import scan_tables

        return scan_tables(names, self.scan_ports(actor))

    def review_ports(self, actor: str | None = None) -> ReviewPorts:
        from forge.flows.catalog.pii.reviews import ReviewPorts
        from forge.flows.catalog.pii.scan import follow_lineage

        by = actor or self.wiring.author.email
        return ReviewPorts(
            findings=self.findings,
            clock=self.wiring.clock,
            actor=by,
            follow=lambda: follow_lineage(self.scan_ports(by)),
            on_change=self._take_values_out,
        )
