"""Statements: one handler for each kind."""
