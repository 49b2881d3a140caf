"""Lineage: edges, the temporal graph and its questions, impact, and extraction from code. May import `forge.model`
only.

`extract_sql(text, schemas, dialect)` and `extract_python(files, schemas)` read code and need nothing else."""

from forge.lineage.reading import extract_python as extract_python
from forge.lineage.reading import extract_sql as extract_sql
