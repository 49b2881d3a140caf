"""Whether a file must be read again: a digest of its text and of everything that affects how it is read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from forge.flows.lineage.code.files import Codebase
from forge.flows.lineage.code.ports import IngestOptions

_IMPORTS = re.compile(r"^\s*(?:from\s+([.\w]+)\s+import\s+(.+)|import\s+(.+)|%run\s+(\S+)|# MAGIC %run\s+(\S+))", re.M)


def digests_of(code: Codebase, options: IngestOptions) -> dict[str, str]:
    """Of each file, with all that decides how it is read."""
    mark = options.mark()
    modules = {path: _hash(text) for path, text in code.modules.items()}
    found: dict[str, str] = {}
    for unit in code.units:
        together = "".join(_hash(text) for _, text in sorted(unit.texts.items())) if unit.language == "dbt" else ""
        for path in code.files_of(unit):
            imported = _imported(path, code.modules, modules) if unit.language == "python" else ""
            found[path] = _hash(f"{mark}\n{unit.result}\n{together}\n{imported}\n{unit.texts.get(path, '')}")
    found.update(
        {path: _hash(text) for some in (code.declared, code.events, code.exports) for path, text in some.items()}
    )
    for path, program in code.refused.items():
        found[path] = _hash(f"{mark}\n{code.marks.get(path, '')}\n{program.gaps}")
    return found


def _imported(path: str, texts: Mapping[str, str], digests: Mapping[str, str]) -> str:
    """The modules that a file may import, directly or through others."""
    by_stem: dict[str, list[str]] = {}
    for other in texts:
        pure = PurePosixPath(other)
        by_stem.setdefault(pure.parent.name if pure.stem == "__init__" else pure.stem, []).append(other)
    seen, waiting = {path}, [path]
    while waiting:
        for match in _IMPORTS.finditer(texts.get(waiting.pop(), "")):
            words = re.findall(r"\w+", " ".join(filter(None, match.groups())))
            new = {other for word in words for other in by_stem.get(word, ())} - seen
            seen |= new
            waiting += new
    return "".join(digests[one] for one in sorted(seen - {path}) if one in digests)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
