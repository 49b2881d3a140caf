"""`forge contract lint FILE…`: works on any files, also outside a project."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from forge.cli.command import command
from forge.cli.contracts.findings import exit_on_errors, findings_answer, summary_line
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.contracts.contract import Violation


Source: TypeAlias = "bytes | tuple[Violation, ...]"  # or why it has none


class LintProfile(StrEnum):
    STANDARD = "standard"
    STRICT = "strict"


@command
def lint(
    terminal: Terminal,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE|DIR]...", help="Contracts, or folders of them; - is stdin. Default: contracts."),
    ] = None,
    profile: Annotated[
        LintProfile, typer.Option("--profile", help="strict also wants name, owner, schema and descriptions.")
    ] = LintProfile.STANDARD,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Ask datacontract-cli as well; takes some seconds.")
    ] = False,
) -> None:
    """Hold contracts against the version of the standard that they declare."""
    from forge.contracts.linter.lint import lint as find

    found: list[Violation] = []
    sources = _sources(files, terminal.project or Path())
    for name, source in sources:
        if isinstance(source, tuple):
            found.extend(source)
            continue
        found.extend(find(source, name, profile))
        if second_opinion:
            found.extend(_asked(name, source))
    summary = f"{summary_line(found)} in {plural(len(sources), 'contract')}"
    terminal.answer(findings_answer(found, [summary]))
    exit_on_errors(found)


def _asked(name: str, source: bytes) -> tuple[Violation, ...]:
    """Findings of the other tool, as warnings: they do not affect the verdict."""
    from dataclasses import replace

    from forge.contracts.document.file import parse_document
    from forge.wiring.contracts import contract_tool

    if parse_document(source, name)[0] is None:  # what is rejected here would be read there without limits
        return ()
    tool = contract_tool()
    problems = tool.find_problems(source.decode("utf-8-sig", errors="replace"), name)
    return tuple(
        replace(each, code="", severity="warning", message=f"{tool.name}: {each.message}") for each in problems
    )


def _sources(files: list[Path] | None, root: Path) -> list[tuple[str, Source]]:
    """Each file by the name given by the user, and its bytes up to the limit. An unreadable file found in a folder is a
    finding, and hides no other."""
    from forge.cli.contracts.file import bytes_of
    from forge.contracts.load import contract_files

    if not files:
        found = contract_files(root)
        if not found:
            raise ForgeError(
                "E105", "There is no contract to lint here", fix="Name a file: forge contract lint orders.odcs.yaml"
            )
        return [(name, _found(path, name)) for path in found for name in [path.relative_to(root).as_posix()]]
    sources: list[tuple[str, Source]] = []
    for path in files:
        if path.is_dir():
            sources += [(inner.as_posix(), _found(inner, inner.as_posix())) for inner in _below(path)]
        else:
            sources.append((path.as_posix(), bytes_of(path)))
    return sources


def _found(path: Path, name: str) -> Source:
    from forge.contracts.document.file import ContractError
    from forge.contracts.load import read_bounded

    try:
        return read_bounded(path, name)
    except ContractError as error:
        return error.violations


def _below(folder: Path) -> list[Path]:
    from forge.contracts.load import SUFFIXES

    found = sorted(path for path in folder.rglob("*") if path.name.endswith(SUFFIXES) and not path.is_dir())
    if not found:
        fix = "Contracts are called *.odcs.yaml; name the file itself if it is called otherwise."
        raise ForgeError("E105", f"There is no contract in {folder}", fix=fix)
    return found
