"""Diff and three-way merge of rows."""
