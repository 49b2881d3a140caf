"""JSON of branches, commits, merges and diffs."""
