"""Federation: one SQL over the lake, databases and files. Sources and their relations, and the plan of a query: what
each source is asked, and what is left for an engine. Pure data and rules; may import forge.model and sqlglot only."""
