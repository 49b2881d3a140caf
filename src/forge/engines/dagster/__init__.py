"""Dagster: reads its instance and its code. Only this package imports dagster, and only when it is needed."""

from forge.engines.dagster.read import read_code, read_dagster, read_instance

__all__ = ["read_code", "read_dagster", "read_instance"]
