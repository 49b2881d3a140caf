"""Virtual tables: their keys, their expressions, and how a query over them becomes one over their sources."""
