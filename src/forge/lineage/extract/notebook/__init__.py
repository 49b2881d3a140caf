"""Notebooks as the Python text they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.lineage.extract.notebook.head import is_notebook as is_notebook
from forge.model.lazy import lazy_names

if TYPE_CHECKING:
    from forge.lineage.extract.notebook.book import Code as Code
    from forge.lineage.extract.notebook.book import read_notebook as read_notebook

# Every file is asked whether it is a notebook; few are.
_BOOK = "forge.lineage.extract.notebook.book"
__getattr__, __dir__ = lazy_names(__name__, {"Code": _BOOK, "is_notebook": __name__, "read_notebook": _BOOK})
