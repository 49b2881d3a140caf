"""Commands of lineage: `upstream`, `downstream`, `lineage`, `impact`, `erd`, `ingest`."""
