"""Quality: checks, measures, verdicts, monitors and anomalies as data. Pure: may import `forge.model` only."""
