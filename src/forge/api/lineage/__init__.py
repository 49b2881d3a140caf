"""Lineage over HTTP."""
