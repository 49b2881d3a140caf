"""JSON schemas of lineage."""
