"""Lineage from code: source files read into the graph."""
