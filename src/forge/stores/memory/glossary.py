"""The glossary in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from forge.catalog.glossary.term import GlossaryTerm, TermRevision, name_key
from forge.flows.catalog.glossary.ports import TermWrite
from forge.flows.runs.records import AuditRecord


class MemoryGlossary:
    """`changed`: called with the ids of each write, as the log of the catalog's changes is."""

    def __init__(self, changed: Callable[[Sequence[str]], None] = lambda ids: None) -> None:
        self.audit: list[AuditRecord] = []
        self._terms: dict[str, GlossaryTerm] = {}
        self._revisions: list[TermRevision] = []
        self._changed = changed
        self._lock = threading.Lock()

    def terms(self, *, domain: str | None = None) -> tuple[GlossaryTerm, ...]:
        found = (term for term in tuple(self._terms.values()) if domain in (None, term.domain))
        return tuple(sorted(found, key=lambda term: (term.domain, term.name, term.id)))

    def term(self, term_id: str) -> GlossaryTerm | None:
        return self._terms.get(term_id)

    def apply(self, writes: Sequence[TermWrite], audit: AuditRecord) -> bool:
        with self._lock:
            after = {**self._terms}
            for write in writes:
                known = after.pop(write.id, None)
                if (known.version if known else None) != (write.before.version if write.before else None):
                    return False
            after |= {write.id: write.after for write in writes if write.after is not None}
            if len({(term.domain, name_key(term.name)) for term in after.values()}) < len(after):
                return False
            self._terms = after
            self._revisions += [_revision(write, audit) for write in writes]
            self.audit.append(audit)
        self._changed([write.id for write in writes])
        return True

    def last_versions(self, term_ids: Iterable[str]) -> Mapping[str, int]:
        wanted = set(term_ids)
        found: dict[str, int] = {}
        for one in tuple(self._revisions):
            if one.term in wanted:
                found[one.term] = max(one.version, found.get(one.term, 0))
        return found

    def history(self, term_id: str, limit: int = 100) -> tuple[TermRevision, ...]:
        found = [one for one in reversed(tuple(self._revisions)) if one.term == term_id]
        return tuple(found[:limit])


def _revision(write: TermWrite, audit: AuditRecord) -> TermRevision:
    before, after = write.before, write.after
    return TermRevision(
        term=write.id,
        version=after.version if after else (before.version + 1 if before else 1),
        at=audit.time,
        by=audit.actor,
        before=before.content if before else None,
        after=after.content if after else None,
    )
