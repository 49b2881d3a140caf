"""The model of PySpark."""
