"""Notebooks as Python source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.lineage.extract.notebook.detection import is_notebook as is_notebook
from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.lineage.extract.notebook.script import NotebookCode as NotebookCode
    from forge.lineage.extract.notebook.script import read_notebook as read_notebook

# Every file is asked whether it is a notebook; few are.
_BOOK = "forge.lineage.extract.notebook.script"
__getattr__, __dir__ = lazy_names(__name__, {"NotebookCode": _BOOK, "is_notebook": __name__, "read_notebook": _BOOK})
