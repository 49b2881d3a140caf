"""The order of a log: newest first, and no commit before one of its children."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from forge.model.names import CommitId


def newest_first(
    head: CommitId, times: Mapping[CommitId, datetime], parents: Mapping[CommitId, Sequence[CommitId]]
) -> Iterator[CommitId]:
    """Of the commits whose children have all been returned, the newest is next: by time where possible, and by
    ancestry where clocks disagree. `times` and `parents` cover exactly the ancestors of head."""
    children = dict.fromkeys(times, 0)
    for ancestors in parents.values():
        for parent in ancestors:
            children[parent] += 1
    ready = [(-times[head].timestamp(), head)]
    while ready:
        _, commit = heapq.heappop(ready)
        yield commit
        for parent in parents.get(commit, ()):
            children[parent] -= 1
            if children[parent] == 0:
                heapq.heappush(ready, (-times[parent].timestamp(), parent))
