"""Quality in SQL: stored readings, monitors, alerts and incidents, metrics, remediations."""
