"""A Neo4j server: opened lazily, queried in transactions, with a clear error when it does not answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

T = TypeVar("T")
_ADDRESS = re.compile(r"(bolt|neo4j)(\+s|\+ssc)?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/\S*)?")

CONNECT_SECONDS = 5.0
RETRY_SECONDS = 1.0
INSTEAD = "or set lineage.store to sql in forge.yaml: the record is there, and answers without Neo4j."


class Neo4jServer:
    """One database of a server. Thread-safe; connects at the first query."""

    def __init__(self, url: str, auth: tuple[str, str] | None, database: str) -> None:
        self.url, self.database = without_user(url), database
        self._driver = _driver_of(url, auth)

    def read(self, query: str, **parameters: Any) -> list[dict[str, Any]]:
        return self.reading(lambda transaction: rows_of(transaction, query, **parameters))

    def reading(self, work: Callable[[ManagedTransaction], T]) -> T:
        """All reads of one query in one transaction."""
        with self._words(), self._driver.session(database=self.database) as session:
            return session.execute_read(work)

    def writing(self, work: Callable[[ManagedTransaction], T]) -> T:
        """All or nothing. `work` may be called again if the server asks for a retry."""
        with self._words(), self._driver.session(database=self.database) as session:
            return session.execute_write(work)

    def run(self, statements: Sequence[str]) -> None:
        """Each in its own transaction: constraints cannot be changed together with data."""
        for statement in statements:
            self.writing(lambda transaction, query=statement: rows_of(transaction, query))  # type: ignore[misc]

    def close(self) -> None:
        self._driver.close()

    @contextmanager
    def _words(self) -> Iterator[None]:
        from neo4j import exceptions

        try:
            yield
        except exceptions.AuthError as error:
            raise ForgeError(
                "E811",
                f"Neo4j at {self.url} does not let Forge in",
                why=error.message or str(error),
                fix=f"Correct lineage.neo4j.user and lineage.neo4j.password, {INSTEAD}",
            ) from error
        except exceptions.Neo4jError as error:
            raise ForgeError(
                "E811",
                f"Neo4j at {self.url} answered with an error",
                where=f"database {self.database}",
                why=_reason(error.message or error),
                fix=f"Correct lineage.neo4j or the settings of the server, {INSTEAD}",
            ) from error
        except (exceptions.DriverError, OSError) as error:
            raise ForgeError(
                "E811",
                f"Neo4j at {self.url} did not answer",
                where=f"database {self.database}",
                why=_reason(error),
                fix=f"Start it or correct lineage.neo4j.url, {INSTEAD} Neo4j catches up when it is back.",
            ) from error


def rows_of(transaction: ManagedTransaction, query: str, **parameters: Any) -> list[dict[str, Any]]:
    # The texts are put together from the constants of this package; what comes from elsewhere is a parameter.
    return transaction.run(query, parameters).data()


def _driver_of(url: str, auth: tuple[str, str] | None) -> Driver:
    try:
        neo4j = import_module("neo4j")
    except ModuleNotFoundError as error:
        raise ForgeError(
            "E811",
            "The driver of Neo4j is not installed",
            why="lineage.store is neo4j.",
            fix=f"pip install 'forge[neo4j]', {INSTEAD}",
        ) from error
    if not _ADDRESS.fullmatch(url):
        raise ForgeError(
            "E811",
            f"{without_user(url)} is not the address of a Neo4j server",
            where="lineage.neo4j.url",
            fix="Write it like bolt://localhost:7687 or neo4j+s://graph.example.com; user and password apart from it.",
        )
    driver: Driver = neo4j.GraphDatabase.driver(
        url,
        auth=auth,
        connection_timeout=CONNECT_SECONDS,
        connection_acquisition_timeout=2 * CONNECT_SECONDS,
        max_transaction_retry_time=RETRY_SECONDS,
        notifications_min_severity="OFF",  # a young graph has not every relationship yet, which is no news
    )
    return driver


def without_user(url: str) -> str:
    """A password in the address must not be logged."""
    scheme, slashes, rest = url.partition("://")
    return f"{scheme}{slashes}{rest.rpartition('@')[2]}"


def _reason(error: object) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]
