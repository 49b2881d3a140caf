"""The PySpark model."""
