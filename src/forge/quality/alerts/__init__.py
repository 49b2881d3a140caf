"""Alerts, incidents, notices and deliveries as data."""
