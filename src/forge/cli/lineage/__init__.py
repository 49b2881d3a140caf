"""Lineage commands: `upstream`, `downstream`, `lineage`, `impact`, `erd`, `ingest`."""
