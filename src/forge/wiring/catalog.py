"""The parts of the catalog: assets, profiles and personal data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from forge.model.names import CommitId, RunId, TableName

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from forge.catalog.classification import EffectiveClassification
    from forge.catalog.crawl import CrawlPlan
    from forge.engines.spark.profile.profiler import SparkProfiler
    from forge.flows.catalog.asset_files import AssetFileWatch
    from forge.flows.catalog.classification import ClassificationFlow
    from forge.flows.catalog.crawl import CrawlPorts
    from forge.flows.catalog.declared_personal_data import DeclaredPersonalData
    from forge.flows.catalog.edit import EditPorts
    from forge.flows.catalog.follow_up import CatalogFollower, FollowStep
    from forge.flows.catalog.personal_data import KnownPersonalData, PersonalAt, PersonalColumns, PersonalDataCache
    from forge.flows.catalog.profiling.profile_table import ProfilePorts
    from forge.flows.catalog.scan_schedule import ScanSchedule
    from forge.flows.runs.pin import Pin
    from forge.model.classification import ClassificationLevel
    from forge.stores.lake.arrow.profile import ArrowProfiler
    from forge.stores.sql.catalog.asset_store import SqlAssetStore
    from forge.stores.sql.catalog.profiles import SqlProfiles
    from forge.versioning.commit import Tree
    from forge.wiring import Wiring
    from forge.wiring.database_crawlers import DatabaseCrawlers
    from forge.wiring.discovery import DiscoveryParts
    from forge.wiring.pii import PiiParts
    from forge.wiring.search import SearchParts


@dataclass(frozen=True)
class CatalogParts:
    wiring: Wiring

    @cached_property
    def assets(self) -> SqlAssetStore:
        """What was crawled, and what people say of it."""
        from forge.stores.sql.catalog.asset_store import SqlAssetStore

        return SqlAssetStore(self.wiring.database)

    @cached_property
    def asset_files(self) -> AssetFileWatch:
        """Documentation in catalog/*.yaml."""
        from forge.flows.catalog.asset_files import AssetFileWatch

        return AssetFileWatch(self.wiring.root, self.assets, self.wiring.clock)

    def crawl_ports(self) -> CrawlPorts:
        """With a crawler of each source of the project, which is read once."""
        from forge.flows.catalog.crawl import CrawlPorts
        from forge.wiring.crawlers import find_crawlers

        found = find_crawlers(self.wiring)

        return CrawlPorts(
            store=self.assets,
            clock=self.wiring.clock,
            crawlers=found.every,
            begin=lambda: self.close_databases(found.databases),
            file_sync=self.asset_files.sync,
            on_change=self._crawled,
        )

    def close_databases(self, databases: DatabaseCrawlers | None = None) -> None:
        """What was crawled before its source named readers is told to nobody from then on. Where it is for everyone
        again, its next crawl brings it back."""
        from forge.catalog.asset import AssetState
        from forge.catalog.crawl import BY_HAND
        from forge.wiring.database_crawlers import find_database_crawlers

        found = databases or find_database_crawlers(self.wiring, {})
        now, spared = self.wiring.clock(), (BY_HAND, *(one.source for one in found.crawlers))
        for name in found.closed:
            self.assets.put_state(name, (AssetState.ACTIVE, AssetState.VANISHED), AssetState.CLOSED, now, spared=spared)
        for name in found.opened:
            self.assets.put_state(name, (AssetState.CLOSED,), AssetState.VANISHED, now)

    def _crawled(self, plans: Sequence[CrawlPlan]) -> None:
        """Tables that another engine wrote are scanned and profiled, too."""
        from forge.flows.catalog.follow_up import changed_tables
        from forge.stores.crawlers.lake import LAKE

        tables = changed_tables([plan for plan in plans if plan.source == LAKE])
        if tables and self.wiring.settings.catalog.follow:
            self.follower.mark(tables)

    @cached_property
    def scan_schedule(self) -> ScanSchedule:
        """Crawls of a server."""
        from forge.flows.catalog.crawl import crawl
        from forge.flows.catalog.scan_schedule import ScanSchedule

        return ScanSchedule(lambda: crawl(self.crawl_ports()), 60 * self.wiring.settings.catalog.scan_minutes)

    def register_ports(self) -> CrawlPorts:
        """For assets that people and programs register: nothing is crawled."""
        from forge.flows.catalog.crawl import CrawlPorts

        sync = self.asset_files.sync
        return CrawlPorts(store=self.assets, clock=self.wiring.clock, crawlers=(), file_sync=sync)

    @cached_property
    def follower(self) -> CatalogFollower:
        """What follows each publication. Spark is not started for it: large tables wait for a process that has it."""
        from forge.flows.catalog.crawl import crawl
        from forge.flows.catalog.follow_up import CatalogFollower, FollowStep, changed_tables

        def changed() -> tuple[TableName, ...]:
            return changed_tables([one.plan for one in crawl(self._lake_ports(), dry_run=True)])

        return CatalogFollower(
            changed,
            (
                FollowStep("The scan for personal data", self._scan),
                FollowStep("The profile", self._profile),
                FollowStep("The crawl", self._crawl_after),
                FollowStep("The search index", self.search.refresh_tables),
            ),
        )

    def _lake_ports(self) -> CrawlPorts:
        from forge.wiring.crawlers import lake_crawler

        return replace(self.register_ports(), crawlers=(lake_crawler(self.wiring, self.wiring.project),))

    def _crawl_after(self, published: Sequence[TableName]) -> None:
        from forge.flows.catalog.crawl import crawl
        from forge.wiring.crawlers import find_crawlers

        found = find_crawlers(self.wiring)
        ports = replace(self.register_ports(), crawlers=found.every)
        crawl(replace(ports, begin=lambda: self.close_databases(found.databases)), found.after(published))

    def server_steps(self) -> tuple[FollowStep, ...]:
        """What only a server does after a publication. Its scans have a thread of their own, so that nothing else waits
        for a database that does not answer."""
        from forge.flows.catalog.follow_up import FollowStep

        def hasten(published: Sequence[TableName]) -> None:
            if published:
                self.scan_schedule.hasten()

        return (FollowStep("The scan of all sources", hasten),)

    def _scan(self, tables: Sequence[TableName]) -> None:
        """What changed, what was never scanned as it is, and what has findings and is gone."""
        from forge.flows.catalog.due_tables import find_unscanned, states_of
        from forge.flows.catalog.pii.scan import known_to_findings, version_of

        scanned = self.pii.findings.scanned()
        states = states_of(self._tree(), self._pin_of(), version_of)
        here = self.known_tables()
        never = [table for table in sorted(here - states.keys()) if str(table) not in scanned]
        due = dict.fromkeys((*tables, *find_unscanned(states, scanned), *never))
        gone = sorted(known_to_findings(self.pii.findings) - here)
        self.pii.scan_tables((*self._within_reach([table for table in due if table in here]), *gone))

    def _profile(self, tables: Sequence[TableName]) -> None:
        from forge.flows.catalog.due_tables import find_unprofiled, states_of
        from forge.flows.catalog.profiling.profile_table import profile_tables
        from forge.flows.runs.input_pins import key_of

        states = states_of(self._tree(), self._pin_of(), key_of)
        here = self.known_tables()
        due = dict.fromkeys((*tables, *find_unprofiled(states, self.profiles.profiled(set(states.values())))))
        profile_tables(self._within_reach([table for table in due if table in here]), self.profile_ports())

    def _tree(self) -> Tree:
        return self.wiring.metadata.tree(self.wiring.branch_head(self.wiring.default_branch))

    def _pin_of(self) -> Callable[[TableName], Pin | None] | None:
        """Of views, which only Spark can read: None where it does not run."""
        from forge.flows.runs.input_pins import at_commit

        tree = self._tree()
        return (lambda table: at_commit(table, tree, self.wiring.lake)) if self._has_spark else None

    @property
    def _has_spark(self) -> bool:
        wiring = self.wiring
        return "session" in wiring.__dict__ and wiring.session.peek() is not None

    def _within_reach(self, tables: Sequence[TableName]) -> tuple[TableName, ...]:
        """All of them where Spark runs already, else those that are read without it."""
        from forge.flows.catalog.profiling.profile_table import is_small

        if self._has_spark:
            return tuple(tables)
        ports = self.profile_ports()
        return tuple(table for table in tables if is_small(table, ports))

    def edit_ports(self, actor: str | None = None) -> EditPorts:
        from forge.catalog.approval import DomainPolicy
        from forge.flows.catalog.edit import EditPorts

        domains = self.wiring.settings.catalog.domains
        return EditPorts(
            store=self.assets,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            policies={
                name: DomainPolicy(tuple(keys.required), keys.approval, tuple(keys.approvers))
                for name, keys in domains.items()
            },
            file_sync=self.asset_files.look,
            term_id=self._term_id,
        )

    def _term_id(self, text: str) -> str:
        """Of a term by its id, or by a name that only it has; else the text."""
        from forge.flows.catalog.glossary.terms import find_term
        from forge.model.errors import ForgeError

        self.discovery.glossary_files.look()
        try:
            return find_term(self.discovery.glossary, text).id
        except ForgeError:
            return text

    @cached_property
    def discovery(self) -> DiscoveryParts:
        """Glossary, usage, and what is popular, similar or recommended."""
        from forge.wiring.discovery import DiscoveryParts

        return DiscoveryParts(self.wiring)

    @cached_property
    def search(self) -> SearchParts:
        """The search index, and what it is made of."""
        from forge.wiring.search import SearchParts

        return SearchParts(self.wiring)

    @cached_property
    def declared(self) -> DeclaredPersonalData:
        """Columns that contracts declare personal."""
        from forge.flows.catalog.declared_personal_data import DeclaredPersonalData

        return DeclaredPersonalData(
            self.wiring.root, self.wiring.contracts.governance, lambda: self.wiring.contracts.registry
        )

    @cached_property
    def pii(self) -> PiiParts:
        """Findings of personal data, scans and reviews."""
        from forge.wiring.pii import PiiParts

        return PiiParts(self.wiring)

    @cached_property
    def personal(self) -> KnownPersonalData:
        """Columns that contracts declare personal, and those that scans found so."""
        from forge.flows.catalog.personal_data import KnownPersonalData

        return KnownPersonalData(
            self.declared, lambda mark: self.pii.found(mark), ruled=self.wiring.federation.kept_back(None)
        )

    @cached_property
    def personal_at(self) -> PersonalDataCache:
        """The masked columns, now or at one of these commits."""
        from forge.flows.catalog.personal_data import PersonalDataCache

        return PersonalDataCache(
            self.wiring.metadata, self.personal, self.wiring.default_branch, self.pii.unscanned_versions
        )

    def hidden_at(self, *commits: CommitId | None) -> PersonalColumns:
        """What is not shown to everyone, for answers that are for all."""
        return self.hidden_from(None)(*commits)

    def hidden_from(self, user: str | None) -> PersonalAt:
        """What is not shown to this user, now or at one of these commits: personal data, and what rules of the lake
        keep back from him; without a user, from anybody, where an answer is for all."""
        from forge.flows.catalog.ruled_views import add_rules

        rules = self.wiring.federation.kept_back(user)
        if not rules.ruled:
            return self.personal_at
        metadata, default = self.wiring.metadata, self.wiring.default_branch
        return lambda *commits: add_rules(self.personal_at(*commits), rules, metadata, default, commits)

    @cached_property
    def profiles(self) -> SqlProfiles:
        """Stored profiles of tables and views."""
        from forge.stores.sql.catalog.profiles import SqlProfiles

        return SqlProfiles(self.wiring.database)

    def classifications(
        self, names: Sequence[str], types: Mapping[str, Mapping[str, str]] | None = None
    ) -> dict[str, EffectiveClassification]:
        """Which classification holds for each of these assets, and why. `types`: of personal data, where known."""
        from forge.flows.catalog.classification import ClassificationPorts, find_classifications

        known = self.pii.types_of(names) if types is None else types
        ports = ClassificationPorts(
            assets=self.assets,
            flow=self.classification_flow,
            column_level=lambda wanted: self._column_levels(wanted, known),
        )
        return find_classifications(names, ports)

    def classification_flow(self) -> ClassificationFlow:
        """Of the default branch; read again when it moves."""
        from forge.flows.catalog.classification import ClassificationFlow
        from forge.flows.quality.incidents.impact import edges_at

        metadata, head = self.wiring.metadata, self.wiring.branch_head(self.wiring.default_branch)
        kept: tuple[object, ClassificationFlow] | None = self.__dict__.get("_flow")
        if kept is None or kept[0] != head:
            kept = (head, ClassificationFlow.of(edges_at(metadata, metadata.tree(head)) if head else ()))
            self.__dict__["_flow"] = kept
        return kept[1]

    def _column_levels(
        self, names: Collection[str], types: Mapping[str, Mapping[str, str]]
    ) -> dict[str, ClassificationLevel]:
        """By the types of personal data; where none is known, like for what contracts declare personal: confidential.
        And by the levels that contracts give to columns."""
        from forge.catalog.classification import propose_level
        from forge.model.classification import ClassificationLevel, strictest

        personal, declared = {table for table, _ in self.personal_at().keys}, self.declared.levels()
        found: dict[str, ClassificationLevel] = {}
        for name in names:
            proposed = propose_level(types.get(name, {}).values(), self.pii.levels)
            if proposed is None and name in personal:
                proposed = ClassificationLevel.CONFIDENTIAL
            level = strictest((proposed, declared.get(name)))
            if level is not None:
                found[name] = level
        return found

    def profile_ports(self, run_id: RunId | None = None) -> ProfilePorts:
        """Ports of profiling; jobs of Spark belong to the run, where one is given."""
        from forge.flows.catalog.profiling.profile_table import ProfilePorts

        wiring = self.wiring

        def large() -> SparkProfiler:
            from forge.engines.spark.profile.profiler import SparkProfiler

            return SparkProfiler(wiring.engine, run_id)

        return ProfilePorts(
            metadata=wiring.metadata,
            lake=wiring.lake,
            store=self.profiles,
            small=self._driver_profiler,
            large=large,
            personal=self.hidden_at,
            clock=wiring.clock,
            default_branch=wiring.default_branch,
        )

    @cached_property
    def _driver_profiler(self) -> ArrowProfiler | None:
        tables = self.wiring.versioning.tables
        if tables is None:
            return None
        from forge.stores.lake.arrow.profile import ArrowProfiler

        return ArrowProfiler(tables)

    def known_tables(self) -> frozenset[TableName]:
        """Of the lake."""
        return frozenset({*self._tree(), *(TableName(c.namespace, c.name) for c in self.wiring.lake.tables())})
