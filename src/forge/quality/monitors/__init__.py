"""Monitors, schedules and service levels as data."""
