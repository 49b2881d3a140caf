"""Routes of branches, commits, merges and tags."""
