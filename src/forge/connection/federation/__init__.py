"""Sources, virtual tables, saved queries and kept results from Python."""
