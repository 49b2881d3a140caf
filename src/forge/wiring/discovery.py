"""The parts of the glossary, of usage, and of what is popular, similar or recommended."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from forge.flows.catalog.discovery.recommend import RecommendationPorts
    from forge.flows.catalog.discovery.record import UsageRecorder
    from forge.flows.catalog.discovery.similar import SimilarAssets
    from forge.flows.catalog.glossary.exchange import GlossaryFileWatch
    from forge.flows.catalog.glossary.ports import GlossaryPorts
    from forge.model.names import RunId
    from forge.stores.sql.catalog.glossary import SqlGlossary
    from forge.stores.sql.catalog.usage import SqlUsage
    from forge.wiring import Wiring


@dataclass(frozen=True)
class DiscoveryParts:
    wiring: Wiring

    @cached_property
    def glossary(self) -> SqlGlossary:
        from forge.stores.sql.catalog.glossary import SqlGlossary

        return SqlGlossary(self.wiring.database)

    def glossary_ports(self, actor: str | None = None) -> GlossaryPorts:
        from forge.flows.catalog.glossary.links import find_links
        from forge.flows.catalog.glossary.ports import GlossaryPorts

        return GlossaryPorts(
            store=self.glossary,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            links=lambda term_id: find_links(self.wiring.catalog.assets, term_id),
        )

    @cached_property
    def glossary_files(self) -> GlossaryFileWatch:
        """Terms in glossary/*.yaml."""
        from forge.flows.catalog.glossary.exchange import FOLDER, GlossaryFileWatch

        return GlossaryFileWatch(self.wiring.root, self.glossary_ports(f"{FOLDER}/*.yaml"))

    @cached_property
    def usage(self) -> SqlUsage:
        from forge.stores.sql.catalog.usage import SqlUsage

        return SqlUsage(self.wiring.database)

    @cached_property
    def recorder(self) -> UsageRecorder:
        """Counts who uses what."""
        from forge.catalog.discovery.usage import UsagePrivacy
        from forge.flows.catalog.discovery.record import UsageRecorder

        privacy = UsagePrivacy(self.wiring.settings.catalog.usage)
        return UsageRecorder(
            lambda: self.usage, self._now, privacy, lambda: secrets.token_bytes(32), assets_of=self._assets_of
        )

    def _assets_of(self, tables: Collection[str]) -> dict[str, str]:
        """What queries call crm.public.users is postgresql:shop.public.users in the catalog."""
        from forge.stores.crawlers.declared_source import asset_name

        sources = {one.name: one for one in self.wiring.federation.sources()}
        found: dict[str, str] = {}
        for table in tables:
            source, _, rest = table.partition(".")
            name = asset_name(sources[source], rest, self.wiring.root) if source in sources else None
            if name is not None:
                found[table] = name
        return found

    def _now(self) -> datetime:
        """By the clock that the wiring has then: the demo sets another one for each of its days."""
        return self.wiring.clock()

    def record_run(self, run_id: RunId) -> None:
        """What an ended run has read."""
        try:
            run = self.wiring.metadata.run(run_id)
        except Exception as error:  # the run is unaffected
            logging.getLogger("forge.usage").warning("The inputs of run %s were not counted: %s", run_id, error)
            return
        if run is not None:
            self.recorder.record_run(run)

    @cached_property
    def similar(self) -> SimilarAssets:
        from forge.flows.catalog.discovery.similar import SimilarAssets

        return SimilarAssets(self.wiring.catalog.assets)

    def recommendation_ports(self) -> RecommendationPorts:
        from forge.flows.catalog.discovery.recommend import RecommendationPorts

        return RecommendationPorts(
            usage=self.usage,
            assets=self.wiring.catalog.assets,
            clock=self.wiring.clock,
            actor_of=self.recorder.actor_of,
            neighbours=self._neighbours,
        )

    def _neighbours(self, name: str) -> Iterable[tuple[str, str]]:
        from forge.flows.catalog.discovery.lineage import find_neighbours

        return find_neighbours(self.wiring.lineage.graph, name)
