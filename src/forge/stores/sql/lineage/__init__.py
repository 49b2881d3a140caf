"""The lineage graph in SQL."""
