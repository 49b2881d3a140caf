"""What a pointer names is on the disk before the pointer moves."""

from __future__ import annotations

from forge.flows.ports import Lake, Seam
from forge.flows.runs.ports import Publications
from forge.flows.runs.records import Advance, Moved, Publication, Published

_FILES = frozenset({"data", "delete", "manifest", "manifest list", "view"})  # the other blobs are of the records


def publish_durably(lake: Lake, metadata: Publications, change: Publication | Advance, seam: Seam) -> Published | Moved:
    """All files that are new with it, then the one transaction."""
    lake.sync(new_files(change))
    return metadata.publish(change, seam) if isinstance(change, Publication) else metadata.advance(change, seam)


def new_files(change: Publication | Advance) -> tuple[str, ...]:
    """Known without looking at the lake: what was hashed for this publish, and where its pointers go."""
    hashed = (
        [blob.path for blob in change.sealed.blobs if blob.kind in _FILES] if isinstance(change, Publication) else []
    )
    return (*hashed, *(pointer.location for pointer in change.pointers if not pointer.gone))
