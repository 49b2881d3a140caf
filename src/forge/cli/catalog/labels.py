"""`forge catalog domains|tags`, and registering what no crawler sees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal

_COLUMNS = (
    AnswerColumn("NAME", lambda item: str(item["name"]), style="bold"),
    AnswerColumn("ASSETS", lambda item: f"{item['assets']:,}", right=True),
)


@command
def domains(terminal: Terminal) -> None:
    """List domains, with the number of their assets."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        found = CatalogView(wiring).domains().rows()
    terminal.answer(CommandAnswer(name="items", items=found, columns=_COLUMNS))


@command
def tags(
    terminal: Terminal,
    prefix: Annotated[str, typer.Argument(metavar="[PREFIX]", help="How a tag begins.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="At most so many.")] = 50,
) -> None:
    """List tags of assets and columns, the most used first."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        found = CatalogView(wiring).tags(prefix, limit).rows()
    terminal.answer(CommandAnswer(name="items", items=found, columns=_COLUMNS))


@command
def register(
    terminal: Terminal,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="YAML or JSON: assets, like POST /catalog/assets/batch.")
    ],
) -> None:
    """Register assets that no crawler sees, like dashboards and models; one that is known is changed. All or none."""
    from forge.connection.catalog.assets import CatalogView

    given = _assets_of(file)
    with terminal.open() as wiring:
        found = CatalogView(wiring).register(*given).rows()
    columns = (
        AnswerColumn("NAME", lambda item: str(item["qualified_name"]), style="bold"),
        AnswerColumn("TYPE", lambda item: str(item["type"])),
        AnswerColumn("OWNER", lambda item: str(item["owner"] or "")),
    )
    terminal.answer(CommandAnswer(name="assets", items=found, columns=columns))
    terminal.say(f"{plural(len(found), 'asset')} registered")


def _assets_of(file: Path) -> list[Mapping[str, Any]]:
    from forge.model.errors import ForgeError
    from forge.model.yaml_file import load_yaml

    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ForgeError("E105", f"{file} cannot be read", why=str(error)) from error
    data = load_yaml(text, str(file)).data
    items = data.get("assets") if isinstance(data, dict) else data
    if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
        raise ForgeError(
            "E851", "There is no list of assets", where=str(file), fix="assets: [{qualified_name: bi:weekly, …}]"
        )
    return items
