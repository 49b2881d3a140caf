"""JSON of runs."""
