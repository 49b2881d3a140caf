"""The log as lines, with or without a graph. As data it is the plain log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from forge.cli.formatting import moment, short
from forge.cli.versioning.commit_view import answer_of_log

if TYPE_CHECKING:
    from rich.console import RenderableType

    from forge.cli.answer import CommandAnswer
    from forge.flows.versioning.record_ports import CommitHistory, Commits, Refs
    from forge.model.names import CommitId
    from forge.versioning.commit import Commit


def answer_as_lines(metadata: CommitHistory, commits: Sequence[Commit], *, graph: bool, oneline: bool) -> CommandAnswer:
    names = _names(metadata)
    texts = {commit.id: _text(commit, names.get(commit.id, ()), oneline) for commit in commits}
    drawn = _drawn(metadata, commits) if graph else [("", commit.id) for commit in commits]

    def lines() -> list[str]:
        return [" ".join(part for part in (before, texts[at] if at else "") if part) for before, at in drawn]

    def picture() -> RenderableType:
        from rich.text import Text

        whole = Text(no_wrap=True, overflow="ellipsis")
        for before, at in drawn:
            head, _, rest = (texts[at] if at else "").partition(" ")
            parts = [(before + " " * bool(before and at), "cyan"), (head, "yellow"), (f" {rest}" if rest else "", "")]
            whole.append_text(Text.assemble(*parts)).append("\n")
        whole.right_crop(1)
        return whole

    return replace(answer_of_log(commits), picture=picture, lines=lines)


def _drawn(metadata: Commits, commits: Sequence[Commit]) -> list[tuple[str, CommitId | None]]:
    """Hidden commits do not break the graph: edges lead to the next one that is shown."""
    from forge.versioning.graph import simplify
    from forge.versioning.log_graph import draw

    shown = [commit.id for commit in commits]
    parents = simplify(shown, metadata.ancestry(shown[:1]))
    return [(line.text, line.commit) for line in draw([(commit, parents[commit]) for commit in shown])]


def _text(commit: Commit, names: Sequence[str], oneline: bool) -> str:
    title = next(iter(commit.message.splitlines()), "")
    details = [] if oneline else [moment(commit.time), commit.author.name]
    return " ".join([short(commit.id), *details, *([f"({', '.join(names)})"] if names else []), title])


def _names(metadata: Refs) -> Mapping[CommitId, list[str]]:
    """Branches, then tags, by commit."""
    found: dict[CommitId, list[str]] = {}
    for branch in metadata.branches():
        if branch.head is not None and branch.status != "archived":
            found.setdefault(branch.head, []).append(str(branch.name))
    for tag in metadata.tags():
        found.setdefault(tag.target, []).append(f"tag: {tag.name}")
    return found
