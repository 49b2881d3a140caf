"""Finds the project and reads its settings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from forge.model.errors import NoProjectError, raise_errors
from forge.settings.extends import find_platform_files
from forge.settings.governance import find_loosened, levels_of
from forge.settings.keys import Keys
from forge.settings.layers import Layer, file_layer, flag_layer, merge, variable_layer
from forge.settings.problems import plain_secrets, problem_of, problems_beyond_types, spark_problems
from forge.settings.settings import Settings

FILE_NAME = "forge.yaml"


def load_settings(
    start: Path | None = None, environ: Mapping[str, str] = os.environ, overrides: Mapping[str, object] | None = None
) -> Settings:
    """The settings of the project that contains `start` (default: the working directory).

    `overrides` are flags: {"run.publish": "all"} or nested; None means that the flag was not given."""
    root = find_root(start or Path.cwd())
    own = (flag_layer(overrides or {}), variable_layer(environ), file_layer(root / FILE_NAME, FILE_NAME))
    user = file_layer(user_file(environ), str(user_file(environ)))
    above = tuple(each for layer in own for each in find_platform_files(layer, root, root))
    layers = (*own, *(each.layer for each in reversed(above)), user)
    merged = _merged(layers)
    problems = [problem for layer in layers if layer.is_file for problem in plain_secrets(layer)]
    keys = None
    try:
        keys = Keys.model_validate(merged)
    except ValidationError as error:
        problems += [problem_of(details, layers) for details in error.errors(include_url=False)]
    problems += spark_problems(merged.get("spark"), layers)
    problems += problems_beyond_types(keys, layers) if keys else ()
    steps = [(each.name, each.folder, each.layer) for each in above]
    # The user's own file is covered by all others, so it can loosen nothing.
    problems += find_loosened([*steps, *((FILE_NAME, root, layer) for layer in reversed(own))])
    raise_errors(problems)
    if keys is None:
        raise AssertionError("pydantic refused the settings without a reason")
    project = Layer(_merged(own), own[-1].place)
    return Settings(root, keys, environ, levels_of([*steps, (FILE_NAME, root, project)], user))


def _merged(layers: Sequence[Layer]) -> dict[str, object]:
    """The first layer overrides the others."""
    merged: dict[str, object] = {}
    for layer in reversed(layers):
        merged = merge(merged, layer.data)
    return merged


def find_root(start: Path) -> Path:
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise NoProjectError(
        "this is not a Forge project",
        where=str(start),
        why=f"Neither this folder nor any above it has a {FILE_NAME}.",
        fix="Run: forge init",
    )


def user_file(environ: Mapping[str, str]) -> Path:
    home = environ.get("XDG_CONFIG_HOME") or str(Path(environ.get("HOME") or Path.home()) / ".config")
    return Path(home) / "forge" / "config.yaml"
