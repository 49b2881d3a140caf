"""Lineage: edges, the temporal graph and its queries, impact analysis, and extraction from code. May import
`forge.model` only.

`extract_sql(text, schemas, dialect)` and `extract_python(files, schemas)` are pure functions over code."""

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.lineage.code_reader import extract_python as extract_python
    from forge.lineage.code_reader import extract_sql as extract_sql

# They bring the readers of code with them: only when they are asked for.
__getattr__, __dir__ = lazy_names(
    __name__, {"extract_python": "forge.lineage.code_reader", "extract_sql": "forge.lineage.code_reader"}
)
