"""Routes of lineage."""
