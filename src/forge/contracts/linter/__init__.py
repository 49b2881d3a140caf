"""The linter of contracts."""
