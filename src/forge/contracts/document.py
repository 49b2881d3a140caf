"""A contract's file as data with the place of everything in it, read within bounds and without the network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from forge.contracts.contract import Place, Violation
from forge.contracts.reader import ContractError
from forge.model.errors import ForgeError
from forge.model.yaml_file import load_yaml

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """`data` is what the file says: texts, numbers, booleans, None, lists and mappings; dates are texts, as the
    standard's JSON schemas want them."""

    data: Mapping[str, object]
    file: str
    place_of: Callable[[Path], Place] = field(repr=False, compare=False)


def read_document(source: str | bytes, file: str) -> Document:
    """Raises ContractError with E502 for what is no mapping, no YAML or out of bounds."""
    text = source.decode() if isinstance(source, bytes) else source
    try:
        yaml = load_yaml(text, file)
    except ForgeError as error:
        raise ContractError((Violation("E502", "error", file, 1, 1, "", error.what, error.fix or ""),)) from error
    if not isinstance(yaml.data, Mapping):
        raise ContractError((Violation("E502", "error", file, 1, 1, "", "a contract is a mapping", ""),))
    return Document(yaml.data, file, lambda path: Place(file, yaml.line_of(*path), yaml.column_of(*path)))
