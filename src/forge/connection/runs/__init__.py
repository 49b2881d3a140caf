"""Runs, tables and queries from Python."""
