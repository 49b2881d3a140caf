"""Search of the catalog: the index and how it follows the records, searching, suggesting, context for assistants."""
