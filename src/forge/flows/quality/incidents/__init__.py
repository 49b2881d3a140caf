"""Alerts and incidents: opened by verdicts, delivered to channels, tracked by people."""
