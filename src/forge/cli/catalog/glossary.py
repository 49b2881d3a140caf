"""`forge catalog glossary list|show|add|edit|remove|import|export|suggest`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.catalog.glossary.term import GlossaryTerm, TermState
from forge.cli.answer import AnswerColumn, CommandAnswer, Line
from forge.cli.command import command, command_group
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.flows.catalog.glossary.exchange import TermFormat
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forge.catalog.glossary.term import TermLink, TermRevision
    from forge.wiring.discovery import DiscoveryParts

Identity = Annotated[str, typer.Argument(metavar="TERM", help="Its id, or a name that only it has.")]
InDomain = Annotated[str | None, typer.Option("--domain", metavar="DOMAIN", help="Of one domain only.")]
NewDomain = Annotated[str | None, typer.Option("--domain", metavar="DOMAIN", help="In which glossary.")]
Definition = Annotated[
    str | None, typer.Option("--definition", "-d", metavar="TEXT", help="What it means; Markdown, - reads stdin.")
]
Synonyms = Annotated[list[str] | None, typer.Option("--synonym", metavar="WORD", help="Another name; repeated.")]
RelatedOption = Annotated[list[str] | None, typer.Option("--related", metavar="TERM", help="A related term; repeated.")]
Examples = Annotated[list[str] | None, typer.Option("--example", metavar="TEXT", help="An example; repeated.")]
Owner = Annotated[str | None, typer.Option("--owner", metavar="NAME", help="Who answers for it.")]
State = Annotated[TermState | None, typer.Option("--state", help="draft or approved.")]
Format = Annotated[TermFormat | None, typer.Option("--as", help="Default: what the ending of the file says.")]
Version = Annotated[
    int | None, typer.Option("--expected-version", metavar="N", help="Refuse where it is no longer at this version.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change; write nothing.")]


@command
def list_(
    terminal: Terminal,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="Words of a name, synonym or definition.")] = "",
    domain: InDomain = None,
    state: State = None,
) -> None:
    """List terms by domain and name."""
    from forge.flows.catalog.glossary.terms import find_terms

    with _open(terminal) as parts:
        found = find_terms(parts.glossary, text=text, domain=domain, state=state)
        terminal.answer(_terms(found))
    if not found:
        terminal.say("No terms. Add one: forge catalog glossary add NAME --definition TEXT")


@command
def show(terminal: Terminal, term: Identity) -> None:
    """Show a term, what it describes, and its history."""
    from forge.flows.catalog.glossary.terms import find_term

    with _open(terminal) as parts:
        found = find_term(parts.glossary, term)
        links, history = parts.glossary_ports().links(found.id), parts.glossary.history(found.id, 20)
        terminal.answer(_one_term(found, links, history))


@command
def add(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the term is called.")],
    domain: NewDomain = None,
    definition: Definition = None,
    synonym: Synonyms = None,
    related: RelatedOption = None,
    example: Examples = None,
    owner: Owner = None,
    state: State = None,
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="Default: made of domain and name.")] = None,
) -> None:
    """Add a term to the glossary."""
    from forge.flows.catalog.glossary.terms import create_term

    fields = _fields(domain, definition, synonym, related, example, owner, state)
    with _open(terminal) as parts:
        made = create_term({"name": name, "id": id, **fields}, parts.glossary_ports())
        terminal.answer(_terms([made]))
    terminal.say(f"Added {made.id}.")


@command
def edit(
    terminal: Terminal,
    term: Identity,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="What to call it; its id stays.")] = None,
    domain: NewDomain = None,
    definition: Definition = None,
    synonym: Synonyms = None,
    related: RelatedOption = None,
    example: Examples = None,
    owner: Owner = None,
    state: State = None,
    expected_version: Version = None,
) -> None:
    """Change a term. What is not named stays; of lists, what is named replaces all ('' empties one)."""
    from forge.flows.catalog.glossary.terms import change_term, find_term

    fields = _fields(domain, definition, synonym, related, example, owner, state)
    fields |= {"name": name} if name is not None else {}
    with _open(terminal) as parts:
        before = find_term(parts.glossary, term)
        changed = change_term(before.id, fields, parts.glossary_ports(), version=expected_version)
        terminal.answer(_terms([changed]))
    terminal.say(f"Changed, version {changed.version}." if changed != before else "Nothing to change.")


@command
def remove(
    terminal: Terminal,
    term: Identity,
    force: Annotated[bool, typer.Option("--force", help="Also where assets or columns are linked to it.")] = False,
    expected_version: Version = None,
) -> None:
    """Delete a term. Its history stays."""
    from forge.flows.catalog.glossary.terms import remove_term

    with _open(terminal) as parts:
        gone = remove_term(term, parts.glossary_ports(), force=force, version=expected_version)
        terminal.answer(_terms([gone]))
    terminal.say(f"Deleted {gone.id}.")


@command
def import_(
    terminal: Terminal,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV or YAML; - reads stdin.")],
    as_: Format = None,
    dry_run: DryRun = False,
) -> None:
    """Import terms: all of a file, or nothing. Known terms are changed, by id or by domain and name."""
    from forge.flows.catalog.glossary.exchange import import_terms

    format = as_ or TermFormat.of_file(file)
    if format is None:
        raise ForgeError("E105", f"It cannot be told what {file} is", fix="Say --as csv, or --as yaml.")
    text = _read(file)
    with _open(terminal) as parts:
        done = import_terms(text, file, format, parts.glossary_ports(), dry_run=dry_run)
    rows = [{"term": term.id, "name": term.name, "change": "added"} for term in done.added]
    rows += [{"term": after.id, "name": after.name, "change": "changed"} for _, after in done.changed]
    columns = [_text(key) for key in ("change", "term", "name")]
    facts = {"dry_run": dry_run, "unchanged": len(done.unchanged)}
    terminal.answer(CommandAnswer(name="terms", items=rows, columns=columns, facts=facts))
    counts = f"{len(done.added)} added, {len(done.changed)} changed, {len(done.unchanged)} as they were"
    terminal.say(f"{counts}. Nothing was written." if dry_run else f"{counts}.")


@command
def export(
    terminal: Terminal,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Default: stdout.")] = None,
    as_: Format = None,
    domain: InDomain = None,
) -> None:
    """Export terms as CSV or YAML, which can be imported again."""
    from forge.flows.catalog.glossary.exchange import export_terms

    format = as_ or (TermFormat.of_file(out.name) if out else None) or TermFormat.YAML
    with _open(terminal) as parts:
        terms = parts.glossary.terms(domain=domain)
    text = export_terms(terms, format)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        why = f"{error.strerror or error}."
        raise ForgeError("E105", f"{out} cannot be written", why=why, fix="Name a folder that exists.") from error
    terminal.say(f"{out}: {plural(len(terms), 'term')}")


@command
def suggest(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="An asset of the catalog.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=20, help="At most so many a column.")] = 3,
) -> None:
    """Suggest terms for the columns of an asset that have none."""
    from forge.flows.catalog.edit import find_asset
    from forge.flows.catalog.glossary.links import suggest_for

    with _open(terminal) as parts:
        asset = find_asset(parts.wiring.catalog.assets, table)
        found = suggest_for(asset, parts.glossary.terms(), limit=limit)
    columns = (
        _text("column"),
        AnswerColumn("score", lambda item: f"{item['score']:.2f}", right=True),
        _text("term"),
        _text("name"),
        AnswerColumn("why", lambda item: str(item["reason"]), style="dim"),
    )
    items = [one.to_dict() for one in found]
    terminal.answer(CommandAnswer(name="suggestions", items=items, columns=columns, facts={"asset": table}))
    if not found:
        terminal.say("No term fits a column that has none.")


@contextmanager
def _open(terminal: Terminal) -> Iterator[DiscoveryParts]:
    """With what glossary/*.yaml say now; errors of the files are reported, and their terms are as they were."""
    with terminal.open() as wiring:
        parts = wiring.catalog.discovery
        for error in parts.glossary_files.look().errors:
            terminal.say(str(error))
        yield parts


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ForgeError("E865", f"{file} cannot be read", why=f"{error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ForgeError("E865", f"{file} is not UTF-8", fix="Save it as UTF-8 CSV.") from error


def _fields(
    domain: str | None,
    definition: str | None,
    synonyms: list[str] | None,
    related: list[str] | None,
    examples: list[str] | None,
    owner: str | None,
    state: TermState | None,
) -> dict[str, object]:
    """Those that were given."""
    given = {
        "domain": domain,
        "definition": sys.stdin.read() if definition == "-" else definition,
        "synonyms": synonyms or None,
        "related": related or None,
        "examples": examples or None,
        "owner": owner,
        "state": state.value if state else None,
    }
    return {key: value for key, value in given.items() if value is not None}


def _text(key: str) -> AnswerColumn:
    return AnswerColumn(key, lambda item: str(item[key] or ""))


def _terms(terms: Sequence[GlossaryTerm]) -> CommandAnswer:
    columns = (
        _text("id"),
        _text("name"),
        _text("domain"),
        _text("state"),
        AnswerColumn("definition", _first_line, style="dim"),
        _text("owner"),
    )
    return CommandAnswer(name="terms", items=[term.to_dict() for term in terms], columns=columns)


def _first_line(item: Mapping[str, object]) -> str:
    first = str(item["definition"]).partition("\n")[0]
    return first if len(first) <= 60 else f"{first[:59]}…"


def _one_term(term: GlossaryTerm, links: Sequence[TermLink], history: Sequence[TermRevision]) -> CommandAnswer:
    item = {
        **term.to_dict(),
        "links": [link.to_dict() for link in links],
        "history": [one.to_dict() for one in history],
    }
    lines: list[Line] = [(f"{term.name}  ({term.domain or 'no domain'}, {term.state})", "bold")]
    lines += [(f"  {text}", "") for text in term.definition.splitlines()]
    words = (("synonyms", term.synonyms), ("related", term.related), ("examples", term.examples))
    lines += [(f"{name}: {', '.join(values)}", "") for name, values in words if values]
    lines += [(f"owner: {term.owner}", "")] if term.owner else []
    lines += [(f"file: {term.file}", "")] if term.file else []
    lines += [(f"describes {link.asset}{f'.{link.column}' if link.column else ''}", "") for link in links]
    for one in history:
        what = "made" if one.before is None else "deleted" if one.after is None else ", ".join(one.changed) or "file"
        lines.append((f"version {one.version}  {one.at:%Y-%m-%d %H:%M}  {one.by}: {what}", "dim"))
    return CommandAnswer(name="terms", items=[item]).with_lines(lines)


app = command_group(
    "Terms of the business: what they mean, and which columns they describe.",
    (list_, show, add, edit, remove, import_, export, suggest),
)
