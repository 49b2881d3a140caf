"""Catalog: assets and who owns them. May import `forge.model` only."""
