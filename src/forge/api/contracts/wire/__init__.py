"""JSON of contracts."""
