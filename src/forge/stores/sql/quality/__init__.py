"""Quality in the database: states, monitors, alerts and incidents, metrics, remediations."""
