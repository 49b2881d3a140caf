"""Tokens in SQL, and the state of the database itself."""
