"""What routes made from the records, kept while it holds. One per server; `response_cache` stands before it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from starlette.responses import Response

from forge.api.wire import Wire
from forge.flows.quality.health import CurrentChecksOf
from forge.flows.quality.incidents.impact import graph_of, lineage_at
from forge.flows.runs.ports import Runs
from forge.flows.upkeep.ports import Audit
from forge.lineage.graph.graph import Graph
from forge.model.lru_cache import LruCache
from forge.model.names import CommitId
from forge.versioning.commit import Tree

_GRAPHS, _ANSWERS = 8, 256
_FILES_LIFE = 1.0  # seconds: for so long the files of the project are not read again


class RecordCache:
    """`life`: the maximum age of an entry, in seconds. Two writers on PostgreSQL can leave one change mark between
    them."""

    def __init__(self, life: float = 5) -> None:
        self._life = life
        self._graphs: LruCache[CommitId, Graph] = LruCache(_GRAPHS)
        self._answers: LruCache[str, tuple[str, float, bytes]] = LruCache(_ANSWERS)
        self._making = threading.Lock()
        self._checks: tuple[str, float, CurrentChecksOf] | None = None

    def current_checks(self, metadata: Audit, read: Callable[[], CurrentChecksOf]) -> CurrentChecksOf:
        """The checks in force, from the project's files and the monitors."""
        mark, kept = metadata.mark(), self._checks
        if kept is None or kept[0] != mark or time.monotonic() - kept[1] > _FILES_LIFE:
            kept = self._checks = (mark, time.monotonic(), read())
        return kept[2]

    def graph(self, metadata: Runs, commit_id: CommitId, tree: Tree) -> Graph:
        """The lineage behind a commit, which never changes."""
        known = self._graphs.get(commit_id)
        if known is not None:
            return known
        graph = graph_of(lineage_at(metadata, tree))
        self._graphs.keep({commit_id: graph})
        return graph

    def respond(self, metadata: Audit, key: tuple[object, ...], make: Callable[[], Wire]) -> Response:
        """The response to a request, computed once per change of the records, however many ask for it."""
        body = self._answer(metadata, repr(key), lambda: make().model_dump_json(by_alias=True).encode())
        return Response(body, media_type="application/json")

    def _answer(self, metadata: Audit, key: str, make: Callable[[], bytes]) -> bytes:
        """Of many concurrent callers, one computes it."""
        kept = self._kept(metadata.mark(), key)
        if kept is not None:
            return kept
        with self._making:
            mark = metadata.mark()  # before the records are read: what is written meanwhile makes the answer old
            kept = self._kept(mark, key)
            if kept is not None:
                return kept
            body = make()
            self._answers.keep({key: (mark, time.monotonic(), body)})
            return body

    def _kept(self, mark: str, key: str) -> bytes | None:
        kept = self._answers.get(key)
        if kept is None or kept[0] != mark or time.monotonic() - kept[1] >= self._life:
            return None
        return kept[2]
