"""Lineage of SQL: sqlglot parses, everything else is our own."""
