"""Lineage from the JSON of Spark's analysed plans, resolved by expression id."""
