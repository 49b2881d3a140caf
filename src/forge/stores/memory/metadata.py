"""Forge's records in memory: they pass the suites of those in SQL."""

from __future__ import annotations

from forge.stores.memory.assets import MemoryAssets
from forge.stores.memory.audit import MemoryAudit
from forge.stores.memory.publications import MemoryPublications
from forge.stores.memory.runs import MemoryRuns
from forge.stores.memory.verdicts import MemoryVerdicts
from forge.stores.memory.versioning.commits import MemoryCommits
from forge.stores.memory.versioning.hashes import MemoryContentHashes
from forge.stores.memory.versioning.merges import MemoryMerges
from forge.stores.memory.versioning.refs import MemoryRefs


class MemoryMetadata(
    MemoryRefs,
    MemoryCommits,
    MemoryMerges,
    MemoryContentHashes,
    MemoryRuns,
    MemoryPublications,
    MemoryVerdicts,
    MemoryAssets,
    MemoryAudit,
):
    """All ports on one set of records."""
