"""Uploaded files: CSV, JSON lines and Parquet as rows of a table."""
