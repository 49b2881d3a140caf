"""Regular expressions of contracts: syntax and inclusion."""
