"""What begins so: assets, schemas, terms and columns of the catalog, and branches and runs.

One answer for a search box, the terminal and Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from forge.catalog.search.document import DocumentType
from forge.catalog.search.page import CatalogHit
from forge.catalog.search.plan import MatchStage
from forge.catalog.search.text import fold
from forge.flows.catalog.search.documents import TERM
from forge.flows.runs.ports import Runs
from forge.flows.versioning.record_ports import Refs

_RUN = re.compile(r"r\d*(_[0-9a-f]*)*")
_RUNS = 200  # the newest, looked through for one that begins so


class SuggestionRecords(Refs, Runs, Protocol): ...


@dataclass(frozen=True, slots=True)
class SearchSuggestion:
    """`marks`: the letters of the text that match. `type`: of the asset, column, schema, database or term, else branch
    or run. `id`: of a term, whose name may be that of a term of another domain, too."""

    text: str
    type: str
    qualified_name: str
    marks: tuple[tuple[int, int], ...] = ()
    id: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "text": self.text,
            "type": self.type,
            "qualified_name": self.qualified_name,
            "marks": [list(mark) for mark in self.marks],
            "id": self.id,
        }


def find_suggestions(
    suggest: Callable[[str, int], tuple[CatalogHit, ...]], records: SuggestionRecords, prefix: str, limit: int
) -> tuple[SearchSuggestion, ...]:
    """The best first. `suggest`: of the search index."""
    found = [(-_stage(hit), 1 if hit.column else 0, _of_hit(hit)) for hit in suggest(prefix, limit)]
    others = [("branch", name) for name in _branches(records, prefix)]
    others += [("run", name) for name in _runs(records, prefix)]
    for kind, name in others:
        stage = MatchStage.EXACT if fold(name) == fold(prefix.strip()) else MatchStage.PREFIX
        found.append((-stage, 2 if kind == "branch" else 3, SearchSuggestion(name, kind, name)))
    found.sort(key=lambda one: one[:2])  # stable: what came first stays first
    return tuple(suggestion for *_, suggestion in found[:limit])


def _stage(hit: CatalogHit) -> MatchStage:
    """Whole words of a name and their beginnings are the same to who is still typing."""
    return MatchStage.PREFIX if hit.stage is MatchStage.PHRASE else hit.stage


def _of_hit(hit: CatalogHit) -> SearchSuggestion:
    text = hit.qualified_name
    own = len(text) - len(hit.name.text)
    marks = tuple((a + own, b + own) for a, b in hit.name.marks) if text.endswith(hit.name.text) else ()
    id_ = hit.document.id.removeprefix(TERM) if hit.type == DocumentType.TERM else None
    return SearchSuggestion(text, str(hit.type), text, marks, id_)


def _branches(records: Refs, prefix: str) -> Iterable[str]:
    return [branch.name for branch in records.branches() if fold(branch.name).startswith(fold(prefix.strip()))]


def _runs(records: Runs, prefix: str) -> Iterable[str]:
    """Newest first; only for what looks like the beginning of a run's id."""
    begin = prefix.strip().lower()
    if len(begin) < 2 or not _RUN.fullmatch(begin):
        return []
    return [run.id for run in records.runs(limit=_RUNS) if run.id.startswith(begin)]
