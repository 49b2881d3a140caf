"""`forge explain CODE` and `forge version`."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.codes import CODES, ErrorCode
from forge.model.errors import UnknownNameError


def installed_version() -> str:
    from importlib.metadata import version as version_of

    return version_of("forge")


@command
def version(terminal: Terminal) -> None:
    """Print the version of Forge and of what it runs on."""
    import platform
    from importlib.metadata import version as version_of

    names = ("pyspark", "pyiceberg", "sqlalchemy", "sqlglot")
    items = [
        {"name": "forge", "version": installed_version()},
        {"name": "python", "version": platform.python_version()},
    ]
    items += [{"name": name, "version": version_of(name)} for name in names]
    columns = (AnswerColumn("name", lambda i: str(i["name"])), AnswerColumn("version", lambda i: str(i["version"])))
    terminal.answer(
        CommandAnswer(name="versions", items=items, columns=columns, facts={"version": installed_version()})
    )


@command
def explain(
    terminal: Terminal,
    code: Annotated[str | None, typer.Argument(help="Like E702 or FORGE-E702; without it, all are listed.")] = None,
) -> None:
    """Say what an error code means."""
    chosen = [_find(code)] if code else list(CODES.values())
    items = [
        {
            "code": f"FORGE-{c.code}",
            "title": c.title,
            "kind": str(c.kind),
            "meaning": c.meaning,
            "why": c.why or None,
            "exit": c.exit,
            "exit_as_finding": c.found,
        }
        for c in chosen
    ]
    if code:
        one = items[0]
        lines = [f"{one['code']}  {one['title']}", f"  {one['meaning']}"]
        lines += [f"  why: {one['why']}"] if one["why"] else []
        found = f"; as a finding of a check or of compile {one['exit_as_finding']}" if one["exit_as_finding"] else ""
        lines.append(f"  kind: {one['kind']} · exit {one['exit']}{found}")
        terminal.answer(CommandAnswer(name="codes", items=items, facts={"code": one}, head=lines))
        return
    columns = (
        AnswerColumn("code", lambda i: str(i["code"]), style="bold"),
        AnswerColumn("title", lambda i: str(i["title"])),
        AnswerColumn("exit", lambda i: str(i["exit"]), right=True),
    )
    terminal.answer(CommandAnswer(name="codes", items=items, columns=columns))


def _find(text: str) -> ErrorCode:
    from forge.model.name_suggestions import did_you_mean

    wanted = text.strip().upper().removeprefix("FORGE-")
    wanted = wanted if wanted.startswith("E") else f"E{wanted}"
    if wanted not in CODES:
        raise UnknownNameError(
            f"There is no code '{text}'",
            why=did_you_mean(wanted, CODES),
            fix="`forge explain` lists all codes.",
        )
    return CODES[wanted]
