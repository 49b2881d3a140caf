"""Lineage read from code beside lineage that Spark tells: where they agree, and where not.

An edge is its two ends; how a value was transformed is compared too, but told apart, for it is a matter of words more
often than of fact. Case does not matter in names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from forge.lineage.edge import Edge, Extraction, IndirectEdge


class Side(StrEnum):
    """Who says it."""

    STATIC = "static"
    RUN_TIME = "run time"


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """An edge as both sides would write it; `way` is `direct`, or the subtype of an indirect one."""

    source: str
    target: str
    way: str = "direct"

    @property
    def is_direct(self) -> bool:
        return self.way == "direct"

    def __str__(self) -> str:
        return f"{self.source} → {self.target}" + ("" if self.is_direct else f" ({self.way})")


@dataclass(frozen=True, slots=True)
class Disagreement:
    file: str
    line: int
    link: Link
    said_by: Side

    def to_dict(self) -> dict[str, object]:
        return {
            "file": self.file,
            "line": self.line,
            "source": self.link.source,
            "target": self.link.target,
            "way": self.link.way,
            "said_by": str(self.said_by),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One statement. `reason`: why it cannot be compared; empty if it was. `otherwise`: links both know, with
    different words for what happened (static, run time)."""

    file: str
    line: int
    agreed: frozenset[Link] = frozenset()
    only_static: frozenset[Link] = frozenset()
    only_run: frozenset[Link] = frozenset()
    otherwise: tuple[tuple[Link, str, str], ...] = ()
    reason: str = ""

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        return (
            *(Disagreement(self.file, self.line, link, Side.STATIC) for link in sorted(self.only_static)),
            *(Disagreement(self.file, self.line, link, Side.RUN_TIME) for link in sorted(self.only_run)),
        )


@dataclass(frozen=True, slots=True)
class Score:
    """`precision`: how much of what code told is true; `recall`: how much of what is true code told."""

    agreed: int
    only_static: int
    only_run: int

    @property
    def precision(self) -> float:
        told = self.agreed + self.only_static
        return self.agreed / told if told else 1.0

    @property
    def recall(self) -> float:
        true = self.agreed + self.only_run
        return self.agreed / true if true else 1.0

    @property
    def equal(self) -> float:
        """Of all edges that either side tells, those that both tell."""
        total = self.agreed + self.only_static + self.only_run
        return self.agreed / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Agreement:
    statements: tuple[Compared, ...] = field(default=())

    @property
    def compared(self) -> tuple[Compared, ...]:
        return tuple(one for one in self.statements if not one.reason)

    @property
    def not_comparable(self) -> tuple[Compared, ...]:
        return tuple(one for one in self.statements if one.reason)

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        return tuple(found for one in self.statements for found in one.disagreements)

    def score(self, *, direct: bool = True) -> Score:
        def count(links: Iterable[Link]) -> int:
            return sum(link.is_direct is direct for link in links)

        return Score(
            sum(count(one.agreed) for one in self.statements),
            sum(count(one.only_static) for one in self.statements),
            sum(count(one.only_run) for one in self.statements),
        )

    def to_dict(self) -> dict[str, object]:
        direct, indirect = self.score(), self.score(direct=False)
        return {
            "statements": len(self.statements),
            "compared": len(self.compared),
            "agreed": direct.agreed,
            "indirect_agreed": indirect.agreed,
            "disagreements": [found.to_dict() for found in self.disagreements],
            "otherwise": [
                {"file": one.file, "line": one.line, "edge": str(link), "static": static, "run time": run}
                for one in self.statements
                for link, static, run in one.otherwise
            ],
            "not_comparable": [
                {"file": one.file, "line": one.line, "reason": one.reason} for one in self.not_comparable
            ],
        }


def compare(file: str, line: int, static: Extraction, run: Extraction) -> Compared:
    """One statement, as both sides tell it."""
    told, true = _links(static), _links(run)
    both = told.keys() & true.keys()
    otherwise = tuple((link, told[link], true[link]) for link in sorted(both) if told[link] != true[link])
    return Compared(
        file=file,
        line=line,
        agreed=frozenset(both),
        only_static=frozenset(told.keys() - both),
        only_run=frozenset(true.keys() - both),
        otherwise=otherwise,
    )


def _links(extraction: Extraction) -> dict[Link, str]:
    direct = {_link(edge): _words(edge) for edge in extraction.edges}
    return direct | {_link(edge): "" for edge in extraction.indirect}


def _link(edge: Edge | IndirectEdge) -> Link:
    way = "direct" if isinstance(edge, Edge) else str(edge.subtype)
    return Link(str(edge.source).lower(), str(edge.target).lower(), way)


def _words(edge: Edge) -> str:
    return f"{edge.transformation}{', masked' if edge.masking else ''}"
