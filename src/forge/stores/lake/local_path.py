"""Local paths of files of the lake."""

from __future__ import annotations

import os
from urllib.parse import urlparse


def local_path(location: str) -> str:
    """The path of a local file, in whatever form its location is written; any other location unchanged."""
    if location.startswith("file:"):
        return os.path.normpath("/" + location[len("file:") :].lstrip("/"))
    return location if urlparse(location).scheme else os.path.normpath(location)
