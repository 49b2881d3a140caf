"""Shared nouns: names, schema, types, time, errors. Frozen data, no I/O. Imports nothing of Forge."""
