"""Contracts: ODCS files, the schema gate, the rules they carry. May import `forge.model` only."""
