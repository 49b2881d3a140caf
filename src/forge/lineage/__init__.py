"""Lineage: column edges, traversal, extraction. Pure: may import `forge.model` only."""
