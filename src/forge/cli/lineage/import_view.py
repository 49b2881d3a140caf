"""Import results as data and as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.failure import end_after_answer
from forge.cli.formatting import count, plural
from forge.cli.terminal import Terminal
from forge.connection.lineage.results import DeclaredFile, EventFile, ImportedAssets, ImportedFile

MOST = 20  # printed besides the result


def print_import(terminal: Terminal, done: ImportedFile | DeclaredFile | EventFile | ImportedAssets) -> None:
    item = done.to_dict()
    numbers = [name for name, value in item.items() if isinstance(value, int) and name != "revision"]
    columns = [AnswerColumn(name.replace("_", " "), _count_of(name), right=True) for name in numbers]
    terminal.answer(CommandAnswer(name="imported", items=[item], columns=columns))
    match done:
        case ImportedFile() if done.left:
            skipped = plural(done.left, "fact")
            terminal.say(f"{skipped} left out: of these this record has a word of the same producer, which stays.")
        case DeclaredFile():
            for gap in done.unknown[:MOST]:
                terminal.say(f"{gap.place}:{gap.line}  {gap.reason}")
            _more(terminal, len(done.unknown))
        case EventFile():
            if done.statuses.get("held"):
                terminal.say("What is held is recorded when an event says that its run is complete.")
            end_after_answer(*done.faults)
        case ImportedAssets() if done.older:
            names = ", ".join(done.older[:MOST])
            terminal.say(f"Left as they are, for something newer is known: {names}")
            _more(terminal, len(done.older))


def _more(terminal: Terminal, total: int) -> None:
    if total > MOST:
        terminal.say(f"… and {total - MOST:,} more: --json has them all")


def _count_of(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda item: count(item[name])
