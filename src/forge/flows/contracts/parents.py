"""Parent contracts: those of the levels above the project, and those named by `forge.extends`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from forge.contracts.contract import PARENT_NOT_FOUND, Contract, FilePlace, Violation
from forge.contracts.document.file import ContractError
from forge.contracts.inherit.contract import EffectiveContract, effective_of
from forge.contracts.load import SUFFIXES, contract_files, load_contract, read_bounded
from forge.contracts.policy.governance import PlatformLevel
from forge.model.name_suggestions import did_you_mean

_EXTENDS = "forge.extends"
_LONGEST_NAME = 100  # of a parent, in messages
MOST_LEVELS = 50


@dataclass(frozen=True, slots=True)
class ParentChain:
    """Outermost first, the contract itself last. `sets`: files of those that apply to their level."""

    contracts: tuple[Contract, ...]
    sets: frozenset[str] = frozenset()

    @property
    def contract(self) -> Contract:
        return self.contracts[-1]

    def effective(self, mode: str = "strict") -> EffectiveContract:
        """Only the contract itself is judged: its parents have chains of their own."""
        return effective_of(self.contracts, mode, sets=self.sets, judge_all=False)


@dataclass(frozen=True, slots=True)
class ParentChains:
    """By the contract's file. `violations`: E511, and errors in contracts of the levels above."""

    by_file: Mapping[str, ParentChain] = field(default_factory=dict)
    violations: tuple[Violation, ...] = ()


def chains_of(
    contracts: Sequence[Contract], levels: Sequence[PlatformLevel], root: Path, folder: Path | None = None
) -> ParentChains:
    """The parent chains of a project's contracts; an unresolved parent gives a shorter chain and an E511. Named files
    are read only in the project, in the folders of its levels, and in `folder`."""
    found: list[Violation] = []
    sets = _sets_of(levels, root, {_real(root, c.file): c for c in contracts}, found)
    folders = [root, *(level.folder for level in levels), *([folder] if folder else [])]
    pool = _Pool([*contracts, *(each for _, each in sets)], root, folders, found)
    chains = {contract.file: _chain(contract, sets, pool) for contract in contracts}
    return ParentChains(chains, tuple(dict.fromkeys(found)))


def chain_of(
    contract: Contract,
    others: Sequence[Contract],
    levels: Sequence[PlatformLevel],
    root: Path,
    folder: Path | None = None,
) -> ParentChains:
    """The chain of one contract, also from outside the project."""
    known = [other for other in others if other.file != contract.file]
    chains = chains_of([contract, *known], levels, root, folder)
    own = {contract.file: chains.by_file[contract.file]}
    files = {each.file for each in own[contract.file].contracts}
    return ParentChains(own, tuple(v for v in chains.violations if v.file in files or v.code != PARENT_NOT_FOUND))


def _real(root: Path, file: str) -> str:
    return os.path.realpath(root / file)


def _sets_of(
    levels: Sequence[PlatformLevel], root: Path, own: Mapping[str, Contract], found: list[Violation]
) -> list[tuple[int, Contract]]:
    """Each with the number of its level. A contract of the project is a parent of the others only where a level names
    its file."""
    sets: list[tuple[int, Contract]] = []
    seen: set[str] = set()
    for depth, level in enumerate(levels):
        for path in [level.folder / file for file in level.set] or contract_files(level.folder):
            real = os.path.realpath(path)
            if real in seen or (real in own and not level.set):
                continue
            seen.add(real)
            contract = own.get(real) or _read(path, root, found)
            if contract is not None:
                sets.append((depth, contract))
    return sets


def _read(path: Path, root: Path, found: list[Violation]) -> Contract | None:
    file = Path(os.path.relpath(path, root)).as_posix()
    try:
        return load_contract(read_bounded(path, file), file)
    except ContractError as error:
        found.extend(error.violations)
        return None


class _Pool:
    """The contracts that can be named as parents, and errors in the names."""

    def __init__(
        self, contracts: Sequence[Contract], root: Path, folders: Sequence[Path], found: list[Violation]
    ) -> None:
        self._contracts = list({each.file: each for each in contracts}.values())
        self._root = root
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        self._found = found
        self._parents: dict[str, tuple[Contract, ...]] = {}

    def parents_of(self, contract: Contract) -> tuple[Contract, ...]:
        if contract.file not in self._parents:
            named = [self._parent(contract, name) for name in contract.extends]
            self._parents[contract.file] = tuple(parent for parent in named if parent is not None)
        return self._parents[contract.file]

    def refuse(self, contract: Contract, message: str, fix: str) -> None:
        place, path = _extends_place(contract)
        found = Violation(
            code=PARENT_NOT_FOUND,
            severity="error",
            file=place.file,
            line=place.line,
            column=place.column,
            path=path,
            message=message,
            fix=fix,
        )
        if found not in self._found:
            self._found.append(found)

    def _parent(self, contract: Contract, name: str) -> Contract | None:
        others = [each for each in self._contracts if each.file != contract.file]
        for same in (_has_id, _has_name):
            matching = [each for each in others if same(each, name)]
            if len(matching) > 1:
                files = ", ".join(each.file for each in matching)
                self.refuse(contract, f"'{name}' could be any of {files}", "Name the file of the one that is meant.")
                return None
            if matching:
                return matching[0]
        by_file = self._by_file(contract, name, others)
        if by_file is None:
            if _has_id(contract, name) or _has_name(contract, name):
                self.refuse(contract, "the contract extends itself", "Name the contract above it, or take it out.")
                return None
            shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
            known = [text for each in others for text in (each.id, each.name) if text]
            hint = did_you_mean(shown, known) or "Write the id, the name or the file of another contract."
            self.refuse(contract, f"there is no contract '{shown}' to extend", hint)
        return by_file

    def _by_file(self, contract: Contract, name: str, others: Iterable[Contract]) -> Contract | None:
        """Relative to the contract or the project's folder, with or without suffix."""
        if "\0" in name:
            return None  # no file is called so
        folders = (PurePosixPath(contract.file).parent, PurePosixPath())
        paths = [self._root / folder / f"{name}{suffix}" for folder in folders for suffix in ("", *SUFFIXES)]
        known = {_real(self._root, each.file): each for each in others}
        for path in paths:
            real = os.path.realpath(path)
            if real == _real(self._root, contract.file):
                continue
            if real in known:
                return known[real]
            is_inside = any(Path(real).is_relative_to(folder) for folder in self._folders)
            if is_inside and path.suffix in (".yaml", ".yml") and _is_file(path):
                read = _read(path, self._root, self._found)
                if read is not None:
                    self._contracts.append(read)
                return read
        return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long
        return False


def _has_id(contract: Contract, name: str) -> bool:
    return contract.id.lower() == name.strip().lower()


def _has_name(contract: Contract, name: str) -> bool:
    return (contract.name or "").lower() == name.strip().lower()


def _chain(contract: Contract, sets: Sequence[tuple[int, Contract]], pool: _Pool) -> ParentChain:
    """Contracts of the levels come first. One that the contract also names is an ordinary parent: its tables are
    inherited. The parents of a contract of a level are those of the levels before."""
    named = _ancestors(contract, pool)
    files = {contract.file, *(each.file for each in named)}
    own = next((depth for depth, each in sets if each.file == contract.file), None)
    levels: dict[str, Contract] = {}
    for depth, each in sets:
        if own is None or depth < own:
            levels |= {one.file: one for one in (*_ancestors(each, pool), each) if one.file not in files}
    return ParentChain((*levels.values(), *named, contract), frozenset(levels))


def _ancestors(contract: Contract, pool: _Pool) -> list[Contract]:
    """Grandparents before parents, each once."""
    ordered: dict[str, Contract] = {}
    path = {contract.file: contract}
    todo = [iter(pool.parents_of(contract))]
    while todo:
        parent = next(todo[-1], None)
        if parent is None:
            todo.pop()
            file, done = path.popitem()
            ordered[file] = done
        elif parent.file in path:
            files = [*path]
            circle = " → ".join((*files[files.index(parent.file) :], parent.file))
            pool.refuse(path[files[-1]], f"the parents form a circle: {circle}", "Take one of the forge.extends out.")
        elif parent.file not in ordered and len(path) > MOST_LEVELS:
            message = f"more than {MOST_LEVELS} contracts stand above it, one above the other"
            pool.refuse(contract, message, "Extend a contract further up, and take some between them out.")
        elif parent.file not in ordered:
            path[parent.file] = parent
            todo.append(iter(pool.parents_of(parent)))
    del ordered[contract.file]
    return list(ordered.values())


def _extends_place(contract: Contract) -> tuple[FilePlace, str]:
    document = contract.document
    if document is None:
        return FilePlace(contract.file, 1), "customProperties"
    entries = document.data.get("customProperties")
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, Mapping) and entry.get("property") == _EXTENDS:
            return document.place_of(("customProperties", index, "value")), f"customProperties[{index}].value"
    return document.place_of(()), "customProperties"
