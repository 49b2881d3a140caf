"""Lineage of SQL: sqlglot parses, name resolution and lineage are our own."""
