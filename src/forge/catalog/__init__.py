"""Catalog: assets, search over them, and detection of personal data. May import `forge.model` only."""

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.catalog.pii import PiiFinding as PiiFinding
    from forge.catalog.pii import PiiType as PiiType
    from forge.catalog.pii import find_pii as find_pii

# Records of assets are read by commands that look for no personal data.
__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(("PiiFinding", "PiiType", "find_pii"), "forge.catalog.pii"))
