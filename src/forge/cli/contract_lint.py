"""`forge contract lint FILE…`: works on any files, outside a project too."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.contracts.contract import Violation


class Profile(StrEnum):
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
        Profile, typer.Option("--profile", help="strict also wants name, owner, schema and descriptions.")
    ] = Profile.STANDARD,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Ask datacontract-cli as well; takes some seconds.")
    ] = False,
) -> None:
    """Hold contracts against the version of the standard that they declare."""
    from forge.cli.answer import Answer
    from forge.cli.contract_findings import (
        exit_on_errors,
        finding_lines,
        finding_picture,
        summary_line,
        violation_items,
    )
    from forge.cli.words import plural
    from forge.contracts.lint import lint as find

    found: list[Violation] = []
    sources = _sources(files, terminal.project or Path())
    for name, source in sources:
        found.extend(find(source, name, profile))
        if second_opinion:
            found.extend(_asked(name, source))
    told = f"{summary_line(found)} in {plural(len(sources), 'contract')}"
    terminal.answer(
        Answer(
            "violations",
            violation_items(found),
            lines=lambda: finding_lines(found),
            picture=lambda: finding_picture(found),
            foot=[told],
        )
    )
    exit_on_errors(found)


def _asked(name: str, source: bytes) -> tuple[Violation, ...]:
    """What the other tool finds, as warnings: it has no say in the verdict."""
    from dataclasses import replace

    from forge.contracts.document import parse_document
    from forge.stores.contracts.datacontract_cli import DatacontractCli

    if parse_document(source, name)[0] is None:  # what is refused here would be read there without bounds
        return ()
    tool = DatacontractCli()
    problems = tool.find_problems(source.decode("utf-8-sig", errors="replace"), name)
    return tuple(
        replace(each, code="", severity="warning", message=f"{tool.name}: {each.message}") for each in problems
    )


def _sources(files: list[Path] | None, root: Path) -> list[tuple[str, bytes]]:
    """Each file by the name that the user gave it, and its bytes up to the limit."""
    from forge.contracts.load import contract_files
    from forge.model.errors import ForgeError

    if not files:
        found = contract_files(root)
        if not found:
            raise ForgeError(
                "E105", "There is no contract to lint here", fix="Name a file: forge contract lint orders.odcs.yaml"
            )
        return [(path.relative_to(root).as_posix(), _read(path)) for path in found]
    named = [inner for path in files for inner in (_below(path) if path.is_dir() else [path])]
    return [(path.as_posix(), _read(path)) for path in named]


def _below(folder: Path) -> list[Path]:
    from forge.contracts.load import SUFFIXES
    from forge.model.errors import ForgeError

    found = sorted(path for path in folder.rglob("*") if path.name.endswith(SUFFIXES) and path.is_file())
    if not found:
        fix = "Contracts are called *.odcs.yaml; name the file itself if it is called otherwise."
        raise ForgeError("E105", f"There is no contract in {folder}", fix=fix)
    return found


def _read(path: Path) -> bytes:
    """Its bytes, `-` for stdin; of a file that is too large only so many that it is seen."""
    from forge.contracts.document import MAX_BYTES
    from forge.model.errors import ForgeError

    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        why, fix = error.strerror or str(error), "Check the name and the permissions."
        raise ForgeError("E103", f"{path} cannot be read", where=str(path), why=why, fix=fix) from error
