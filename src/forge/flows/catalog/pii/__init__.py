"""Findings of personal data: scans of tables, what lineage carries on, and reviews by people."""
