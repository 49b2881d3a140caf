"""The port of the glossary, and the parts that its flows need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from forge.catalog.glossary.term import GlossaryTerm, TermLink, TermRevision
from forge.flows.runs.records import AuditRecord
from forge.model.time import Clock


@dataclass(frozen=True, slots=True)
class TermWrite:
    """`before` is None for a new term, `after` for one that is deleted."""

    before: GlossaryTerm | None
    after: GlossaryTerm | None

    @property
    def id(self) -> str:
        term = self.after or self.before
        assert term is not None, "a write has a term"
        return term.id


class GlossaryStore(Protocol):
    """Every method is one transaction. Every write is in the log of the catalog's changes."""

    def terms(self, *, domain: str | None = None) -> tuple[GlossaryTerm, ...]:
        """By domain and name."""

    def term(self, term_id: str) -> GlossaryTerm | None: ...
    def apply(self, writes: Sequence[TermWrite], audit: AuditRecord) -> bool:
        """All, with their history, or nothing. False, and nothing written, where a term is not as `before` any more, a
        new id is there already, or a name of a domain would be there twice."""

    def last_versions(self, term_ids: Iterable[str]) -> Mapping[str, int]:
        """Of terms that are there or were; unknown ids are left out."""

    def history(self, term_id: str, limit: int = 100) -> tuple[TermRevision, ...]:
        """Newest first; of a deleted term too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryPorts:
    store: GlossaryStore
    clock: Clock
    actor: str
    links: Callable[[str], tuple[TermLink, ...]] = lambda term_id: ()
    """The assets and columns that a term describes."""
