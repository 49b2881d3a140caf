"""Routes of quality."""
