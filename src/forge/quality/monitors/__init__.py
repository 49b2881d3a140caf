"""Monitors, schedules and SLAs as data."""
