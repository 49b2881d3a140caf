"""Metrics: values by version of a table, their history and anomalies."""
