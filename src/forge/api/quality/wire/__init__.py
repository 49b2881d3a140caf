"""JSON of quality."""
