"""The gate for untrusted SQL, which does not come from a file of the project: Spark parses a text once, the tree is
judged by an allow-list, and that tree is what runs, in an isolated session. Imports pyspark and the flows' ports."""

from forge.engines.spark.gate.session import SqlGate, gate_of, judged_column

__all__ = ["SqlGate", "gate_of", "judged_column"]
