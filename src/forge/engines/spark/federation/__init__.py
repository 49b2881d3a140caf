"""Federated queries on Spark: rows of the sources beside tables of the lake, and the rest of the query over both."""
