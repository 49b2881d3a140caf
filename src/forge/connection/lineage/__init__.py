"""Lineage from Python."""
