"""One catalog, two clients: the properties for PyIceberg and Spark. No client is started here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import URL, make_url

from forge.model.errors import ForgeError


def jdbc_properties(url: URL, warehouse: str) -> dict[str, str]:
    """Spark's, for a catalog in a SQL database: the same rows that PyIceberg opens."""
    shared = {"type": "jdbc", "jdbc.schema-version": "V1", "cache-enabled": "false", "warehouse": warehouse}
    match url.get_backend_name():
        case "sqlite":
            return {**shared, "uri": f"jdbc:sqlite:file:{url.database}?busy_timeout=30000&journal_mode=WAL"}
        case "postgresql":
            user = {"jdbc.user": url.username} if url.username else {}
            password = {"jdbc.password": url.password} if url.password else {}
            place = f"{url.host or 'localhost'}:{url.port or 5432}/{url.database}"
            return {**shared, "uri": f"jdbc:postgresql://{place}", **user, **password}
        case other:
            raise ForgeError(
                "E105",
                f"catalog: Forge knows no SQL catalog in {other}",
                fix="Use a sqlite:/// or postgresql+psycopg:// URL.",
            )


def catalog_url(uri: str, properties: Mapping[str, str], root: Path) -> URL:
    """The database of a SQL catalog. A relative SQLite path starts at the project; user and password are among the
    properties, where they may be secrets."""
    url = make_url(uri)
    if url.get_backend_name() == "sqlite" and url.database:
        return url.set(database=str(root / url.database))
    return url.set(username=properties.get("user", url.username), password=properties.get("password", url.password))


def pyiceberg_properties(
    kind: str, uri: str | None, properties: Mapping[str, str], warehouse: str, root: Path
) -> dict[str, str]:
    given = {"uri": uri, **properties} if uri else dict(properties)
    if kind == "sql":
        url = catalog_url(uri or "", properties, root)
        rest = {key: value for key, value in properties.items() if key not in ("user", "password")}
        return {"warehouse": warehouse, **rest, "uri": url.render_as_string(hide_password=False)}
    return _housed(kind, given, warehouse)


def spark_properties(
    kind: str, uri: str | None, properties: Mapping[str, str], warehouse: str, root: Path
) -> dict[str, str]:
    if kind == "sql":
        rest = {key: value for key, value in properties.items() if key not in ("user", "password")}
        return {**jdbc_properties(catalog_url(uri or "", properties, root), warehouse), **rest}
    given = {"uri": uri, **properties} if uri else dict(properties)
    return _housed(kind, {**given, "type": kind, "cache-enabled": "false"}, warehouse)


def _housed(kind: str, properties: dict[str, str], warehouse: str) -> dict[str, str]:
    """The warehouse of a REST catalog is an optional name; the others need a folder."""
    return properties if kind == "rest" else {"warehouse": warehouse, **properties}
