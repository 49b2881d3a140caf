"""Quality in memory, for tests of the flows."""
