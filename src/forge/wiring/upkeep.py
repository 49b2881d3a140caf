"""The parts of access, doctor and setup."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.flows.upkeep.access import Access
    from forge.wiring import Wiring


@dataclass(frozen=True)
class UpkeepParts:
    wiring: Wiring

    @cached_property
    def access(self) -> Access:
        """Tokens and the sessions of browsers."""
        from forge.flows.upkeep.access import Access
        from forge.stores.sql.upkeep.tokens import SqlTokens

        return Access(SqlTokens(self.wiring.database), self.wiring.clock)

    def is_migrated(self) -> bool:
        """Whether the database is reachable and at this version. E402, E404."""
        from forge.stores.sql.database import is_migrated

        return is_migrated(self.wiring.database)

    def examine_database(self) -> None:
        """Raises what prevents writing to it."""
        from forge.stores.sql.upkeep.health import examine_database

        examine_database(self.wiring.database)

    def examine_warehouse(self) -> str:
        """Its location, with the free space if it is a local folder."""
        from forge.stores.lake.storage import examine_warehouse

        folder = self._warehouse_folder
        return str(self.wiring.settings.warehouse_path()) if folder is None else examine_warehouse(folder)

    def holds_forgotten_tables(self) -> bool:
        """Whether the warehouse holds tables that neither the catalog nor any branch knows."""
        from forge.stores.lake.storage import holds_tables

        folder, metadata = self._warehouse_folder, self.wiring.metadata
        if self.wiring.settings.catalog.type != "embedded" or folder is None or self.wiring.lake.tables():
            return False
        return not any(metadata.tree(branch.head) for branch in metadata.branches()) and holds_tables(folder)

    @property
    def _warehouse_folder(self) -> Path | None:
        """None: an object store."""
        from urllib.parse import urlparse

        warehouse = str(self.wiring.settings.warehouse_path())
        return None if urlparse(warehouse).scheme else Path(warehouse)

    def spark_master(self) -> str:
        """Refuses one that cannot be used; starts nothing."""
        from forge.engines.spark.session.session import refuse_connect

        refuse_connect(self.wiring.session.settings)
        return self.wiring.session.settings.master


def find_java() -> str:
    """The path of a Java that Spark can use. E301."""
    from forge.engines.spark.session.session import find_java

    return find_java()


def spark_jars() -> tuple[Path, ...]:
    """Spark's packages in Ivy's cache; empty unless all are there."""
    from forge.engines.spark.session.session import cached_jars

    return cached_jars()


def spark_jar_folder() -> Path:
    """Where Ivy puts what it fetches."""
    from forge.engines.spark.session.session import ivy_folder

    return ivy_folder()


def fetch_spark_jars(log: Path) -> None:
    """Spark resolves its packages when it starts; `log` shows the progress."""
    from forge.engines.spark.session.session import SparkSettings, start_session

    start_session(SparkSettings("local[1]", {"spark.driver.memory": "1g"}, {}, log, "forge setup")).stop()
