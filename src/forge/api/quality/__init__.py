"""Checks, monitors, incidents and remediations over HTTP."""
