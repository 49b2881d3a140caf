"""Commands of quality: `check` and `quality`."""
