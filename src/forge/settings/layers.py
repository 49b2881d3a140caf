"""Layers of settings: flags, the environment, files. A higher layer overrides a lower one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from forge.model.errors import ForgeError
from forge.model.yaml_file import load_yaml
from forge.settings.keys import Keys

# FORGE_ variables that are not settings. Everything else with that prefix must be a key.
OTHER_VARIABLES = ("FORGE_FAULT", "FORGE_TOKEN")
OTHER_PREFIXES = ("FORGE_SOURCE_", "FORGE_TEST_", "FORGE_FAULT_", "FORGE_DEMO_", "FORGE_BENCH_")

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Layer:
    """Settings of one origin. `place` is where a key was given, `spell` how a key is written there."""

    data: dict[str, object]
    place: Callable[[KeyPath], str]
    spell: Callable[[KeyPath], str] = lambda path: str(path[-1])
    is_file: bool = False

    def holds(self, path: KeyPath) -> bool:
        value: object = self.data
        for step in path:
            if not isinstance(value, Mapping) or step not in value:
                return False
            value = value[step]
        return True


def file_layer(path: Path, shown: str) -> Layer:
    if not _is_there(path):
        return Layer({}, lambda _: shown, is_file=True)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ForgeError(
            "E103", "the settings cannot be read as text", where=shown, why=str(error), fix="Save the file as UTF-8."
        ) from error
    yaml = load_yaml(text, shown)
    if yaml.data is not None and not isinstance(yaml.data, dict):
        raise ForgeError("E103", "settings are a mapping", where=f"{shown}:1", fix="Write them as key: value.")
    # A section whose lines are all commented out is left as a key without a value.
    data = {key: value for key, value in (yaml.data or {}).items() if value is not None or key not in Keys.model_fields}
    return Layer(data, lambda keys: yaml.where(*keys), is_file=True)


def flag_layer(overrides: Mapping[str, object]) -> Layer:
    data: dict[str, object] = {}
    for key, value in overrides.items():
        if value is not None:
            data = merge(data, _nest(key.split("."), value))
    return Layer(data, lambda path: f"flag {'.'.join(map(str, path))}")


def variable_layer(environ: Mapping[str, str]) -> Layer:
    data: dict[str, object] = {}
    names: dict[KeyPath, str] = {}
    for name in sorted(n for n in environ if n.startswith("FORGE_")):
        if name in OTHER_VARIABLES or name.startswith(OTHER_PREFIXES):
            continue
        steps = [_lower(part) for part in name.removeprefix("FORGE_").split("__")]
        found = {"database": environ[name]} if name == "FORGE_DATABASE_URL" else _nest(steps, environ[name])
        data = merge(data, found)
        names |= {path: name for path, _ in leaves(found)}
    return Layer(data, lambda path: f"environment {names.get(path) or _variable(path)}", _variable)


def _lower(part: str) -> str:
    """FORGE_SPARK__DRIVER__maxResultSize: a part with lower-case letters is kept as written."""
    return part.lower() if part.isupper() else part


def _variable(path: KeyPath) -> str:
    return "FORGE_" + "__".join(str(step).removeprefix("spark.").replace(".", "__").upper() for step in path)


def _nest(steps: list[str], value: object) -> dict[str, object]:
    """Spark's own keys have dots in them: spark, driver, memory is the key spark.driver.memory of the section spark."""
    if steps[0] == "spark" and len(steps) > 1 and steps[1:] != ["master"]:
        steps = ["spark", ".".join(steps if steps[1] != "spark" else steps[1:])]
    for step in reversed(steps):
        value = {step: value}
    return dict(value) if isinstance(value, Mapping) else {}


def leaves(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    """The values that are no mapping, with the keys that lead to them."""
    if isinstance(value, Mapping) and len(path) < 10:  # YAML aliases can form a circle
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def merge(low: Mapping[str, object], high: Mapping[str, object]) -> dict[str, object]:
    """The keys of `high` come first, because among owners the first match wins."""
    merged = dict(high)
    for key, value in low.items():
        over = merged.get(key)
        if key not in merged:
            merged[key] = value
        elif isinstance(value, Mapping) and isinstance(over, Mapping):
            merged[key] = merge(value, over)
    return merged


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except PermissionError:
        return True  # reading it says what is wrong
