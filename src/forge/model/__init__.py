"""Nouns everyone shares: names, schema, time, errors. Frozen data, no I/O. Imports nothing of Forge."""
