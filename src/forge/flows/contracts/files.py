"""Contract files of a project, read leniently: the errors of one file do not hide the others."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from forge.contracts.contract import Contract, Violation
from forge.contracts.document.file import ContractError, parse_document
from forge.contracts.load import contract_files, read_bounded, read_contract

_MOST = 2_000
_kept: dict[tuple[str, str], tuple[tuple[int, int], ContractFile]] = {}
_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class ContractFile:
    """`contract` is None where the file is no YAML, or has no id. `violations`: of its form alone."""

    file: str
    text: str
    contract: Contract | None = None
    violations: tuple[Violation, ...] = ()


def project_files(root: Path) -> tuple[ContractFile, ...]:
    """By file. Unchanged files are cached."""
    return tuple(_read(root, path) for path in contract_files(root))


def by_id(files: Iterable[ContractFile]) -> Mapping[str, ContractFile]:
    """The first of each id."""
    found: dict[str, ContractFile] = {}
    for file in files:
        if file.contract is not None:
            found.setdefault(file.contract.id, file)
    return found


def read_text(text: str, file: str) -> ContractFile:
    """A contract from outside the project's files."""
    document, violations = parse_document(text, file)
    if document is None:
        return ContractFile(file, text, None, violations)
    contract, more = read_contract(document)
    return ContractFile(file, text, contract if contract.id else None, (*violations, *more))


def virtual_file(contract_id: str) -> str:
    """The name, in messages, of a contract without a file."""
    name = "".join(c if c.isalnum() or c in "._-" else "_" for c in contract_id)
    return f"{name[:200] or 'contract'}.odcs.yaml"


def _read(root: Path, path: Path) -> ContractFile:
    file = path.relative_to(root).as_posix()
    key = (str(root), file)
    try:
        stat = path.stat()
        mark = (stat.st_mtime_ns, stat.st_size)
    except OSError:
        mark = (0, -1)
    with _guard:
        known = _kept.get(key)
    if known is not None and known[0] == mark:
        return known[1]
    try:
        data = read_bounded(path, file)
    except ContractError as error:
        return ContractFile(file, "", None, error.violations)
    found = _parsed(data, file)
    with _guard:
        if len(_kept) >= _MOST:
            _kept.clear()
        _kept[key] = (mark, found)
    return found


def _parsed(data: bytes, file: str) -> ContractFile:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        _, violations = parse_document(data, file)
        return ContractFile(file, "", None, violations)
    return replace(read_text(text, file), text=text)
