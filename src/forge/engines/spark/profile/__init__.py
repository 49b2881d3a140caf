"""Profiles of tables on Spark: one pass per cost class for all columns."""
