"""JSON of lineage."""
