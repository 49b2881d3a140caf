"""Tantivy adapters: the search index in a folder of the project, for one machine."""
