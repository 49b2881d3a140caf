"""Commands of versioning: branches, commits, merges, conflicts, history, queries at a revision."""
