"""Schemas and types in contracts and schema files."""
