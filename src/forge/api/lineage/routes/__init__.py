"""Lineage routes."""
