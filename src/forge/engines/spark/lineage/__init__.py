"""Lineage from Spark: plans, captured scripts, query logs."""
