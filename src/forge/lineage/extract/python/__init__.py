"""Lineage of Python code: PySpark, pandas, polars, and SQL in strings.

A small abstract interpreter over `ast` goes through a program without running it; models of the libraries say what
their calls do with rows and columns. May import `forge.model` and `forge.lineage` only, and none of the libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.lineage.extract.catalog import Catalog
from forge.lineage.extract.program import Program

__all__ = ["read_python"]


def read_python(
    files: Mapping[str, str], catalog: Catalog, *, dialect: str = "spark", only: Sequence[str] | None = None
) -> tuple[Program, ...]:
    """A program for each file, as if it were started. What a function of another file does is told where it is called,
    with the file and line at which it stands. `only`: the files that are asked for, all of them Python by now; the
    others can be imported, or opened (SQL that a program reads from a file). Without it, notebooks are turned into
    Python first."""
    from forge.lineage.extract.notebook import is_notebook, read_notebook
    from forge.lineage.extract.python.interpreter.program import read_program

    if only is not None:
        return tuple(read_program(path, files, catalog, dialect) for path in only)
    books = {path: read_notebook(text, path) for path, text in files.items() if is_notebook(path, text)}
    texts = {path: books[path].text if path in books else text for path, text in files.items()}
    wanted = [path for path in files if path in books or path.endswith(".py")]
    found = (read_program(path, texts, catalog, dialect) for path in wanted)
    return tuple(books[one.file].placed(one) if one.file in books else one for one in found)
