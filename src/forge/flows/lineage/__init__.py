"""Lineage flows: feed the graph from commits, query it at any time, and ingest code, events and declarations."""
