"""Lineage of Python code: PySpark, pandas, polars, and SQL in strings.

An abstract interpreter over `ast`; library models define what calls do with rows and columns. Nothing is executed. May
import `forge.model` and `forge.lineage` only, and none of the libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.program import Program


def read_python(
    files: Mapping[str, str], catalog: TableCatalog, *, dialect: str = "spark", only: Sequence[str] | None = None
) -> tuple[Program, ...]:
    """One program per file, as if it were started. Effects of functions in other files are reported at the call,
    with the file and line of the function. `only`: files to read, all of them Python; the others can be imported,
    or opened (SQL read from a file). Without it, notebooks are converted to Python first."""
    from forge.lineage.extract.notebook import is_notebook, read_notebook
    from forge.lineage.extract.python.interpreter.program import read_program

    if only is not None:
        return tuple(read_program(path, files, catalog, dialect) for path in only)
    books = {path: read_notebook(text, path) for path, text in files.items() if is_notebook(path, text)}
    texts = {path: books[path].text if path in books else text for path, text in files.items()}
    wanted = [path for path in files if path in books or path.endswith(".py")]
    found = (read_program(path, texts, catalog, dialect) for path in wanted)
    return tuple(books[one.file].placed(one) if one.file in books else one for one in found)
