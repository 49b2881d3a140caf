"""Metrics: values by table version, their history and anomalies."""
