"""Notebooks as the Python text they hold."""

from forge.lineage.extract.notebook.book import Code as Code
from forge.lineage.extract.notebook.book import is_notebook as is_notebook
from forge.lineage.extract.notebook.book import read_notebook as read_notebook
