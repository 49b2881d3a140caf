"""Routes, one module per noun. An endpoint translates and delegates: the work is in `forge.flows`."""
