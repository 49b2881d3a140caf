"""Versioning: commits, trees, refs, revisions. Pure: may import `forge.model` only."""
