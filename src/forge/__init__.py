"""Forge: a governed Spark lakehouse. `forge.connect()` opens a project; `@forge.transform` marks a transform.

Functions that need no project: `forge.lineage.extract_sql`, `forge.contracts.lint`, `forge.versioning.merge_tables`,
`forge.catalog.find_pii`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge import catalog as catalog
    from forge import contracts as contracts
    from forge import datalineage as datalineage
    from forge import lineage as lineage
    from forge import versioning as versioning
    from forge.connection import Connection as Connection
    from forge.connection import connect as connect
    from forge.model.errors import ForgeError as ForgeError
    from forge.transforms.decorator import transform as transform

# Loaded when asked for, so that `forge --help` does not pay for it.
_HOMES = {
    "Connection": "forge.connection",
    "ForgeError": "forge.model.errors",
    "catalog": "forge.catalog",
    "connect": "forge.connection",
    "contracts": "forge.contracts",
    "datalineage": "forge.datalineage",
    "lineage": "forge.lineage",
    "transform": "forge.transforms.decorator",
    "versioning": "forge.versioning",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605  the names above
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
