"""Drift of a table from its contract."""
