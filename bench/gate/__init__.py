"""Attacks on the gate for SQL from outside the project."""
