"""Merging: three-way merge, rebase, cherry-pick, revert; conflicts and their resolution."""
