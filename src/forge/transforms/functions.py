"""Functions of the project that its files refer to as `quality/rules.py:totals_match`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.transforms.imports import import_file, project_imports, user_place


def load_function(root: Path, place: str) -> Callable[..., Any]:
    """E207 where the file or the function does not exist, or importing it fails. Only files below the project's
    folder are accepted, after resolving links."""
    file, _, name = place.rpartition(":")
    path = root / file
    inside = path.resolve().is_relative_to(root.resolve())
    if not inside or not path.is_file():
        raise ForgeError("E207", f"There is no file {file} in the project", where=place, fix="Correct the path.")
    with project_imports(root) as package:
        try:
            module = import_file(path, root, package)
        except (Exception, SystemExit) as error:
            at = user_place(error, root)
            raise ForgeError(
                "E207",
                f"importing {file} raised {type(error).__name__}: {error}",
                where=f"{at[0]}:{at[1]}" if at else file,
                fix="Correct the line; work that needs Spark belongs inside the function.",
            ) from error
    found = getattr(module, name, None)
    if not callable(found):
        near = did_you_mean(name, [word for word, value in vars(module).items() if callable(value)])
        raise ForgeError("E207", f"{file} has no function {name}", where=file, why=near, fix="Correct the name.")
    return found  # type: ignore[no-any-return]
