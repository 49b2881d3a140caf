"""Statements: one handler per kind."""
