"""The connector of a source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from forge.federation.source import ConnectorKind, Source

if TYPE_CHECKING:
    from forge.flows.federation.ports import SourceConnector


def open_connector(
    source: Source, root: Path, secret: Callable[[str], str], refuse: Callable[[Path], None] = lambda path: None
) -> SourceConnector:
    """Nothing is connected yet, and no secret is read. `secret`: the text of a reference. `refuse`: a file that the
    source may not read."""
    match source.connector:
        case ConnectorKind.POSTGRESQL:
            from forge.stores.connectors.postgresql import PostgresConnector

            return PostgresConnector(source, root, secret)
        case ConnectorKind.MYSQL:
            from forge.stores.connectors.mysql import MysqlConnector

            return MysqlConnector(source, root, secret)
        case ConnectorKind.SQLITE:
            from forge.stores.connectors.sqlite import SqliteConnector

            return SqliteConnector(source, root, secret)
        case ConnectorKind.FILES:
            from forge.stores.connectors.files import FilesConnector

            return FilesConnector(source, root, refuse, secret)
        case ConnectorKind.DELTA:
            from forge.stores.connectors.delta import DeltaConnector

            return DeltaConnector(source, root, refuse, secret)
        case ConnectorKind.REST:
            from forge.stores.connectors.rest import RestConnector

            return RestConnector(source, secret)
        case ConnectorKind.JDBC:
            raise AssertionError("Spark reads it: engines/spark/federation/jdbc.py")
