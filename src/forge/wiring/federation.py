"""The parts of federation: declared sources, and their connectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlparse

from forge.federation.source import Source, SourceOrigin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.federation.limits import SourceLimits
    from forge.flows.federation.ports import SourceConnector
    from forge.flows.federation.sources import SourcePorts
    from forge.stores.sql.federation.declared_sources import SqlDeclaredSources
    from forge.wiring import Wiring


@dataclass(frozen=True)
class FederationParts:
    wiring: Wiring

    @cached_property
    def declared(self) -> SqlDeclaredSources:
        """Sources created by a command or over HTTP."""
        from forge.stores.sql.federation.declared_sources import SqlDeclaredSources

        return SqlDeclaredSources(self.wiring.database)

    def sources(self) -> tuple[Source, ...]:
        """All that queries can read, by name: those of files, then those of the store. Whose name is taken is left
        out."""
        from forge.flows.federation.sources import list_sources

        return tuple(one.source for one in list_sources(self.source_ports()).sources)

    def connector(self, source: Source) -> SourceConnector:
        """Its connector; nothing is connected yet. E886 for what a source created over HTTP may not reach. Who may
        read it is the caller's to ask (`forge.federation.rights`)."""
        self._refuse_out_of_reach(source)
        return self._open(source)

    def source_ports(self, actor: str | None = None, origin: SourceOrigin = SourceOrigin.COMMAND) -> SourcePorts:
        from forge.flows.federation.source_files import read_file_sources
        from forge.flows.federation.sources import SourcePorts

        return SourcePorts(
            declared=self.declared,
            files=lambda: read_file_sources(self.wiring.root, self._schemas()),
            schemas=self._schemas,
            open_connector=self.connector,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            origin=origin,
            limits=self.limits,
        )

    @cached_property
    def limits(self) -> SourceLimits:
        """What sources that were created over HTTP may reach."""
        from forge.federation.limits import SourceLimits

        keys = self.wiring.settings.federation
        return SourceLimits(tuple(keys.hosts), tuple(keys.secrets), tuple(keys.folders))

    def _schemas(self) -> Mapping[str, str]:
        from forge.flows.federation.source_files import schemas_of

        return schemas_of((), self.wiring.catalog.known_tables())

    def _refuse_out_of_reach(self, source: Source) -> None:
        """Looked at each time: settings, links and files change."""
        if source.origin is not SourceOrigin.HTTP:
            return
        from forge.federation.limits import find_breaches
        from forge.flows.federation.source_paths import refuse_outside
        from forge.model.errors import raise_errors

        raise_errors(find_breaches(source, self.limits))
        if source.path:
            refuse_outside(source, self.wiring.root, self.limits, self._kept_apart())

    def _kept_apart(self) -> tuple[Path, ...]:
        """Forge's own files, and those of the lake, which have masks."""
        warehouse = str(self.wiring.settings.warehouse_path())
        own = self.wiring.root / ".forge"
        return (own, Path(warehouse)) if not urlparse(warehouse).scheme else (own,)

    def _open(self, source: Source) -> SourceConnector:
        from forge.model.secret import resolve_secret

        open_connector = import_module("forge.stores.connectors").open_connector
        where = source.where or f"source {source.name}"

        def secret(reference: str) -> str:
            return resolve_secret(reference, self.wiring.environ, where)

        opened: SourceConnector = open_connector(source, self.wiring.root, secret)
        return opened
