"""Results of queries in Redis, shared by the servers of a project. Its client is imported when one is opened."""
