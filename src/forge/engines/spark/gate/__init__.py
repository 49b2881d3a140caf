"""The gate for SQL that does not come from a file of the project: Spark parses a text once, the tree is judged by an
explicit list, and that tree is what runs, in a session of its own. It imports pyspark and the flows' ports."""

from forge.engines.spark.gate.session import Gate, gate_of, judged_column

__all__ = ["Gate", "gate_of", "judged_column"]
