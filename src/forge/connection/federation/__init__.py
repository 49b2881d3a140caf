"""Sources from Python."""
