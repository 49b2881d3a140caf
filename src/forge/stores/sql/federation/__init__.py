"""Declared sources in SQL."""
