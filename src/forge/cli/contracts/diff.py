"""`forge contract diff OLD NEW`, and in a project `forge contract diff NAME`: changelog and required bump."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer, Line
from forge.cli.command import command
from forge.cli.contracts.findings import exit_on_errors, finding_lines
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.contracts.compare.versions import ContractComparison
    from forge.contracts.document.file import Document
    from forge.flows.contracts.tool import ToolChange
    from forge.flows.contracts.versions import AffectedReader

_STYLES = {"Breaking": "red", "Added": "green", "Changed": "yellow", "Documentation": "dim"}
_MOST_HIT = 20


@command
def diff(
    terminal: Terminal,
    old: Annotated[
        str, typer.Argument(metavar="OLD|NAME", help="A file; or a contract of the project: id, name, file or table.")
    ],
    new: Annotated[str | None, typer.Argument(metavar="[NEW]", help="The file to compare it with.")] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="VERSION|git:REF", help="What NAME is compared with; else the registered version before."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The changelog as Markdown.")] = False,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Of two files: also what datacontract-cli says has changed.")
    ] = False,
) -> None:
    """Tell what changed between two versions of a contract, which part of the version must grow for it and, in a
    project, who reads what breaks. Exits with 1 when readers break and the version does not say so."""
    from forge.contracts.compare.changelog import changelog_markdown
    from forge.contracts.document.file import ContractError

    other: tuple[ToolChange, ...] | None = None
    try:
        comparison, hit = _compared(terminal, old, new, against)
        other = _second_opinion(old, new) if second_opinion else None
    except ContractError as error:
        from forge.contracts.compare.versions import UNKNOWN, ContractComparison

        comparison, hit = (
            ContractComparison(changes=(), required_bump=UNKNOWN, actual_bump=UNKNOWN, violations=error.violations),
            None,
        )
    if markdown:
        typer.echo(changelog_markdown(comparison), nl=False)
    else:
        terminal.answer(_answer(comparison, hit, other))
    exit_on_errors(comparison.violations)


def _compared(
    terminal: Terminal, old: str, new: str | None, against: str | None
) -> tuple[ContractComparison, tuple[AffectedReader, ...] | None]:
    if new is None:
        return _in_project(terminal, old, against)
    if against is not None:
        fix = f"forge contract diff {old} {new}, or in a project: forge contract diff NAME --against {against}"
        raise ForgeError("E105", "Two files and --against are one too many", fix=fix)
    from forge.contracts.compare.versions import compare_documents

    return compare_documents(_document(old), _document(new)), None


def _second_opinion(old: str, new: str | None) -> tuple[ToolChange, ...]:
    """The tool gets our parsed text, so that our limits apply to it, too."""
    from forge.contracts.write import write_contract
    from forge.wiring.contracts import contract_tool

    if new is None:
        fix = "forge contract diff OLD NEW --second-opinion"
        raise ForgeError("E105", "A second opinion needs two files", fix=fix)
    before, after = (write_contract(_document(each).data) for each in (old, new))
    return contract_tool().find_changes(before, after)


def _document(file: str) -> Document:
    from forge.cli.contracts.file import bytes_of
    from forge.contracts.document.file import read_document

    return read_document(bytes_of(file), file)


def _in_project(
    terminal: Terminal, name: str, against: str | None
) -> tuple[ContractComparison, tuple[AffectedReader, ...]]:
    from forge.cli.contracts.standalone_file import refuse_without_project
    from forge.contracts.compare.versions import compare_documents
    from forge.contracts.document.file import ContractError
    from forge.flows.contracts.versions import find_affected, find_contract, old_document

    refuse_without_project(
        terminal, name, "What is the contract to be compared with?", f"forge contract diff {name} NEW"
    )
    with terminal.open() as wiring:
        found = find_contract(wiring.root, name)
        if found.contract is None or found.contract.document is None:
            raise ContractError(found.violations)
        ports = wiring.contracts.ports()
        before = old_document(found.contract, against, ports.store, wiring.contracts.commits())
        comparison = compare_documents(before, found.contract.document)
        lineage = ports.lineage() if comparison.breaking else None
        hit = find_affected(comparison, before, lineage, owner=ports.owner) if lineage is not None else ()
    return comparison, hit


def _answer(
    comparison: ContractComparison, hit: Sequence[AffectedReader] | None, other: Sequence[ToolChange] | None = None
) -> CommandAnswer:
    facts = {key: value for key, value in comparison.to_dict().items() if key != "changes"}
    if hit is not None:
        facts["consumers"] = [one.to_dict() for one in hit]
    if other is not None:
        facts["second_opinion"] = [one.to_dict() for one in other]
    items = [change.to_dict() for change in comparison.changes]
    lines = [*_lines(comparison, hit), *_other_lines(other)]
    return CommandAnswer(name="changes", items=items, facts=facts).with_lines(lines)


def _lines(comparison: ContractComparison, hit: Sequence[AffectedReader] | None) -> list[Line]:
    from forge.contracts.compare.changelog import MARKS, headline, sections_of, verdict

    if not comparison.is_known:
        return [(line, "") for line in finding_lines(comparison.violations)]
    lines: list[Line] = [(headline(comparison), "bold")]
    for section in sections_of(comparison):
        lines += [("", ""), (section.title, f"bold {_STYLES[section.title]}")]
        lines += [(f"  {MARKS[section.title]} {change.message}", "") for change in section.changes]
    lines += _hit_lines(hit or ())
    if comparison.violations:
        lines += [("", ""), *((line, "") for line in finding_lines(comparison.violations))]
    return [*lines, ("", ""), (verdict(comparison), "bold")]


def _other_lines(other: Sequence[ToolChange] | None) -> list[Line]:
    if other is None:
        return []
    lines: list[Line] = [("", ""), (f"datacontract-cli says: {plural(len(other), 'change')}", "bold")]
    for one in other:
        values = f": {one.old} → {one.new}" if one.old is not None and one.new is not None else ""
        lines.append((f"  {one.path} {one.kind}{values}", ""))
    return lines


def _hit_lines(hit: Sequence[AffectedReader]) -> list[Line]:
    if not hit:
        return []
    lines: list[Line] = [("", ""), (f"Hit: {plural(len(hit), 'consumer')}", "bold red")]
    for one in hit[:_MOST_HIT]:
        consumer = one.consumer
        owner = f" ({consumer.owner})" if consumer.owner else ""
        reads = ", ".join(consumer.columns or consumer.reads)
        lines.append((f"  {consumer.name}{owner} reads {reads}", ""))
    if len(hit) > _MOST_HIT:
        lines.append((f"  … and {plural(len(hit) - _MOST_HIT, 'more')}", "dim"))
    return lines
