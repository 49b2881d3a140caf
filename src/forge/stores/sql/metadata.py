"""Forge's records in SQL, on SQLite and PostgreSQL."""

from __future__ import annotations

from forge.stores.sql.catalog.assets import SqlAssets
from forge.stores.sql.quality.verdicts import SqlVerdicts
from forge.stores.sql.runs.publications import SqlPublications
from forge.stores.sql.runs.records import SqlRuns
from forge.stores.sql.upkeep.audit import SqlAudit
from forge.stores.sql.versioning.commits import SqlCommits
from forge.stores.sql.versioning.hashes import SqlContentHashes
from forge.stores.sql.versioning.merges import SqlMerges
from forge.stores.sql.versioning.refs import SqlRefs


class SqlMetadata(
    SqlRefs,
    SqlCommits,
    SqlMerges,
    SqlContentHashes,
    SqlRuns,
    SqlPublications,
    SqlVerdicts,
    SqlAssets,
    SqlAudit,
):
    """All ports on one database."""
