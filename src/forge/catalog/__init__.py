"""Catalog: search over assets, and detection of personal data. May import `forge.model` only."""

from forge.catalog.pii import PiiFinding as PiiFinding
from forge.catalog.pii import find_pii as find_pii
