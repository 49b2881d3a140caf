"""The catalog in SQL."""
