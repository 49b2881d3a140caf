"""Spark's analysed plans, as JSON, walked by expression id."""
