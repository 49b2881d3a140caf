"""Compares lineage read from code with lineage from Spark's plans.

Edges are compared by source and target; transformations are compared separately, as they differ in wording more often
than in substance. Names are case-insensitive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from forge.lineage.edge import Edge, Extraction, IndirectEdge


class LineageSide(StrEnum):
    """The origin of an edge."""

    STATIC = "static"
    RUN_TIME = "run time"


@dataclass(frozen=True, slots=True, order=True)
class ComparedEdge:
    """An edge in comparable form; `kind` is `direct`, or the subtype of an indirect one."""

    source: str
    target: str
    kind: str = "direct"

    @property
    def is_direct(self) -> bool:
        return self.kind == "direct"

    def __str__(self) -> str:
        return f"{self.source} → {self.target}" + ("" if self.is_direct else f" ({self.kind})")


@dataclass(frozen=True, slots=True)
class StatementDisagreement:
    file: str
    line: int
    link: ComparedEdge
    side: LineageSide

    def to_dict(self) -> dict[str, object]:
        return {
            "file": self.file,
            "line": self.line,
            "source": self.link.source,
            "target": self.link.target,
            "way": self.link.kind,
            "said_by": str(self.side),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementComparison:
    """One statement. `reason`: why it cannot be compared, else empty. `otherwise`: common edges with different
    transformations (static, run time)."""

    file: str
    line: int
    agreed: frozenset[ComparedEdge] = frozenset()
    only_static: frozenset[ComparedEdge] = frozenset()
    only_run: frozenset[ComparedEdge] = frozenset()
    otherwise: tuple[tuple[ComparedEdge, str, str], ...] = ()
    reason: str = ""

    @property
    def disagreements(self) -> tuple[StatementDisagreement, ...]:
        return (
            *(
                StatementDisagreement(self.file, self.line, link, LineageSide.STATIC)
                for link in sorted(self.only_static)
            ),
            *(
                StatementDisagreement(self.file, self.line, link, LineageSide.RUN_TIME)
                for link in sorted(self.only_run)
            ),
        )


@dataclass(frozen=True, slots=True)
class AgreementScore:
    """Precision and recall of static lineage against that of runs."""

    agreed: int
    only_static: int
    only_run: int

    @property
    def precision(self) -> float:
        extracted = self.agreed + self.only_static
        return self.agreed / extracted if extracted else 1.0

    @property
    def recall(self) -> float:
        true = self.agreed + self.only_run
        return self.agreed / true if true else 1.0

    @property
    def equal(self) -> float:
        """The share of common edges among all edges."""
        total = self.agreed + self.only_static + self.only_run
        return self.agreed / total if total else 1.0


@dataclass(frozen=True, slots=True)
class SparkAgreement:
    statements: tuple[StatementComparison, ...] = field(default=())

    @property
    def compared(self) -> tuple[StatementComparison, ...]:
        return tuple(one for one in self.statements if not one.reason)

    @property
    def not_comparable(self) -> tuple[StatementComparison, ...]:
        return tuple(one for one in self.statements if one.reason)

    @property
    def disagreements(self) -> tuple[StatementDisagreement, ...]:
        return tuple(found for one in self.statements for found in one.disagreements)

    def score(self, *, direct: bool = True) -> AgreementScore:
        def count(links: Iterable[ComparedEdge]) -> int:
            return sum(link.is_direct is direct for link in links)

        return AgreementScore(
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


def compare(file: str, line: int, static: Extraction, run: Extraction) -> StatementComparison:
    """Compares one statement."""
    extracted, observed = _links(static), _links(run)
    both = extracted.keys() & observed.keys()
    otherwise = tuple(
        (link, extracted[link], observed[link]) for link in sorted(both) if extracted[link] != observed[link]
    )
    return StatementComparison(
        file=file,
        line=line,
        agreed=frozenset(both),
        only_static=frozenset(extracted.keys() - both),
        only_run=frozenset(observed.keys() - both),
        otherwise=otherwise,
    )


def _links(extraction: Extraction) -> dict[ComparedEdge, str]:
    direct = {_link(edge): _words(edge) for edge in extraction.edges}
    return direct | {_link(edge): "" for edge in extraction.indirect}


def _link(edge: Edge | IndirectEdge) -> ComparedEdge:
    kind = "direct" if isinstance(edge, Edge) else str(edge.subtype)
    return ComparedEdge(str(edge.source).lower(), str(edge.target).lower(), kind)


def _words(edge: Edge) -> str:
    return f"{edge.transformation}{', masked' if edge.masking else ''}"
