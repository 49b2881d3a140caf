"""OpenLineage events: ingestion and emission."""
