"""Routes of contracts."""
