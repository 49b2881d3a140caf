"""Catalog: assets and who owns them, and which columns hold personal data. May import `forge.model` only."""

from forge.catalog.pii import PiiFinding as PiiFinding
from forge.catalog.pii import find_pii as find_pii
