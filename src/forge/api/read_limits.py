"""Limits on reads that need Spark, and the errors beyond them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from forge.flows.runs.jobs import ReadKind
from forge.model.errors import ForgeError
from forge.settings import Settings

KINDS: frozenset[str] = frozenset(get_args(ReadKind))
"""What requests do that changes nothing."""
SHOWN = 200  # characters of a query's text


@dataclass(frozen=True, slots=True)
class ReadLimits:
    seconds: float = 120.0
    rows: int = 1000
    at_once: int = 4
    per_token: int = 2
    waiting: int = 8

    @classmethod
    def of(cls, settings: Settings) -> ReadLimits:
        keys = settings.server.reads
        return cls(keys.seconds, keys.rows, keys.at_once, keys.per_token, keys.waiting)

    def too_many(self) -> ForgeError:
        return ForgeError(
            "E915",
            f"{self.per_token + self.waiting} queries of this token are at work or wait",
            why=f"{self.per_token} of a token are worked on at once, and {self.waiting} may wait. Nothing was begun.",
            fix="Try again when one has ended, or cancel one: DELETE /api/v1/runs/ID. server.reads has the limits.",
        )

    def too_long(self) -> ForgeError:
        return ForgeError(
            "E916",
            f"The query was stopped after {self.seconds:g} seconds",
            why="That is how long one may take here (server.reads.seconds).",
            fix="Ask for less: fewer rows or columns, a filter by partition; or make the result a table by a run.",
        )

    def gave_way(self, to: Literal["write", "read"]) -> ForgeError:
        if to == "read":
            return ForgeError(
                "E916",
                "The query gave way to one of another token",
                why="Queries of this token had all of Spark's cores for a while, and others wait for one.",
                fix="Try again later, or ask for less: fewer rows or columns, a filter by partition.",
            )
        return ForgeError(
            "E916",
            "The query gave way to a run",
            why="It had all of Spark's cores, and work that publishes data does not wait for readers.",
            fix="Try again later.",
        )


def shortened(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 1]}…"
