"""Lineage out of code: files of a codebase read into the graph."""
