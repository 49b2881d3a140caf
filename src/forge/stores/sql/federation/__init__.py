"""Sources, virtual tables and saved queries in SQL."""
