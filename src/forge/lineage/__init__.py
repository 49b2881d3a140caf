"""Lineage: edges, the temporal graph and its questions, impact, and extraction from code. May import `forge.model`
only.

`extract_sql(text, schemas, dialect)` and `extract_python(files, schemas)` read code and need nothing else."""

from typing import TYPE_CHECKING

from forge.model.lazy import lazy_names

if TYPE_CHECKING:
    from forge.lineage.reading import extract_python as extract_python
    from forge.lineage.reading import extract_sql as extract_sql

# They bring the readers of code with them: only when they are asked for.
__getattr__, __dir__ = lazy_names(
    __name__, {"extract_python": "forge.lineage.reading", "extract_sql": "forge.lineage.reading"}
)
