"""Detects notebooks by file name and first line."""

from __future__ import annotations

import re

HEAD = re.compile(r"(?:#|--|//)\s*(?:Databricks|Fabric) notebook source\s*$")


def is_notebook(path: str, text: str) -> bool:
    name = path.lower()
    if name.endswith(".ipynb"):
        return True
    return name.endswith((".py", ".sql")) and HEAD.match(text.lstrip("\ufeff").partition("\n")[0].rstrip()) is not None
