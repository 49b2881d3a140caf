"""`forge contract check FILE --parent P…`: the effective contract, and where the child weakens its parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.contracts.findings import exit_on_errors, findings_answer, summary_line
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.contracts.contract import Contract, Violation
    from forge.contracts.inherit.contract import EffectiveContract
    from forge.flows.contracts.parents import ParentChains

_LONGEST_VALUE = 60


class Mode(StrEnum):
    STRICT = "strict"
    PERMISSIVE = "permissive"


@command
def check(
    terminal: Terminal,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The contract.")],
    parent: Annotated[
        list[Path] | None,
        typer.Option("--parent", metavar="FILE", help="A contract above it; several make a chain, outermost first."),
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option("--mode", help="permissive: weakening is a warning. Default: the project's, else strict."),
    ] = None,
) -> None:
    """Compute what holds for a contract below its parents, and find where it weakens them (E510).

    Without --parent they are those that the contract names in forge.extends and, in a project, those of its level.
    Exits with 1 when it weakens one."""
    if parent:
        effective, violations = _of_files([*parent, file], mode or Mode.STRICT)
    else:
        effective, violations = _of_project(terminal, file, mode)
    terminal.answer(_answer(effective, violations))
    exit_on_errors(violations)


def _of_files(files: Sequence[Path], mode: str) -> tuple[EffectiveContract | None, tuple[Violation, ...]]:
    from forge.contracts.inherit.contract import effective_of
    from forge.contracts.inherit.lint import without_inherited

    read = [_read(path, path.as_posix()) for path in files]
    contracts = [contract for contract, _ in read if contract is not None]
    found = [problem for _, problems in read[:-1] for problem in problems]
    own, problems = read[-1]
    if len(contracts) < len(files) or own is None or own.document is None:
        return None, tuple(dict.fromkeys([*found, *problems]))
    effective = effective_of(contracts, mode)
    found += without_inherited(problems, own.document, effective)
    return effective, tuple(dict.fromkeys([*found, *effective.violations]))


def _of_project(
    terminal: Terminal, file: Path, mode: Mode | None
) -> tuple[EffectiveContract | None, tuple[Violation, ...]]:
    """In a project its contracts and levels count; elsewhere the contracts in the file's folder."""
    from forge.flows.contracts.parents import chain_of

    if not _is_project(terminal.project or Path()):
        contract, problems = _read(file, file.as_posix())
        if contract is None:
            return None, problems
        chains = chain_of(contract, _siblings(file), (), Path(), file.parent)
        return _effective_of(chains, problems, mode or Mode.STRICT)
    with terminal.open() as wiring:
        governance = wiring.contracts.governance
        name = _relative(file, wiring.root)
        contract, problems = _read(file, name)
        if contract is None:
            return None, problems
        chains = chain_of(contract, _of_root(wiring.root), governance.levels, wiring.root, file.parent)
    return _effective_of(chains, problems, mode or governance.inheritance)


def _is_project(folder: Path) -> bool:
    from forge.settings.load import find_root

    try:
        return find_root(folder).is_dir()
    except ForgeError:
        return False


def _effective_of(
    chains: ParentChains, problems: Sequence[Violation], mode: str
) -> tuple[EffectiveContract | None, tuple[Violation, ...]]:
    from forge.contracts.inherit.lint import without_inherited

    chain = next(iter(chains.by_file.values()))
    effective = chain.effective(mode)
    document = chain.contract.document
    own = without_inherited(problems, document, effective) if document else problems
    return effective, tuple(dict.fromkeys([*own, *chains.violations, *effective.violations]))


def _relative(file: Path, root: Path) -> str:
    whole = file.resolve()
    return whole.relative_to(root.resolve()).as_posix() if whole.is_relative_to(root.resolve()) else whole.as_posix()


def _of_root(root: Path) -> list[Contract]:
    from forge.contracts.load import contract_files

    return _readable((path, path.relative_to(root).as_posix()) for path in contract_files(root))


def _siblings(file: Path) -> list[Contract]:
    from forge.contracts.load import SUFFIXES

    paths = sorted(path for path in file.parent.iterdir() if path.name.endswith(SUFFIXES) and path.is_file())
    return _readable((path, path.as_posix()) for path in paths)


def _readable(files: Iterable[tuple[Path, str]]) -> list[Contract]:
    """Each with its name. Invalid ones are left to `lint`."""
    from forge.contracts.document.file import ContractError
    from forge.contracts.load import load_contract, read_bounded

    found = []
    for path, name in files:
        try:
            found.append(load_contract(read_bounded(path, name), name))
        except ContractError:
            continue
    return found


def _read(path: Path, name: str) -> tuple[Contract | None, tuple[Violation, ...]]:
    """The contract as far as readable, and its lint errors."""
    from forge.cli.contracts.file import bytes_of
    from forge.contracts.document.file import parse_document
    from forge.contracts.linter.lint import lint
    from forge.contracts.load import contract_of

    text = bytes_of(path)
    document, _ = parse_document(text, name)
    errors = tuple(violation for violation in lint(text, name) if violation.severity == "error")
    return (contract_of(document) if document else None), errors


def _answer(effective: EffectiveContract | None, violations: Sequence[Violation]) -> CommandAnswer:
    facts: dict[str, object] = {
        "effective": effective.document.data if effective else None,
        "origins": dict(effective.origins) if effective else {},
    }
    foot = [*(_inherited(effective) if effective else []), summary_line(violations)]
    return findings_answer(violations, foot, facts)


def _inherited(effective: EffectiveContract) -> list[str]:
    """Inherited terms, each with value and contract; nested parts of one are not repeated."""
    own = effective.origins.get("id", "")
    lines: list[str] = []
    listed: list[str] = []
    for path, origin in effective.origins.items():
        if origin == own or any(path.startswith((f"{each}.", f"{each}[")) for each in listed):
            continue
        listed.append(path)
        lines.append(f"  {path}: {_short(effective, path)}  (from {origin})")
    return ["Inherited:", *lines, ""] if lines else []


def _short(effective: EffectiveContract, path: str) -> str:
    import json

    value: object = effective.document.data
    for step in path.replace("]", "").replace("[", ".").split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal():
            value = value[int(step)]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
