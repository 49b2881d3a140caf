"""The log drawn for people: piped as lines, on a terminal in colour."""

from __future__ import annotations

import io

import pytest
from branch_world import ADA, MAIN, BranchWorld
from rich.console import Console

from forge.cli.answer import CommandAnswer
from forge.cli.versioning.log_view import answer_as_lines
from forge.flows.versioning.branches import archive_branch
from forge.flows.versioning.log import find_log
from forge.model.errors import ForgeError


@pytest.fixture
def logged_branches() -> BranchWorld:
    """main and dev part after the first commit, and main takes dev in."""
    made = BranchWorld()
    made.commit("main", "core.orders")
    made.create("dev")
    made.commit("main", "raw.orders")
    made.commit("dev", "core.orders")
    made.commit("main", merged="dev")
    return made


def drawn(logged_branches: BranchWorld, *paths: str) -> CommandAnswer:
    commits = find_log(logged_branches.metadata, logged_branches.head("main"), paths=paths)
    return answer_as_lines(logged_branches.metadata, commits, graph=True, oneline=True)


def lines_of(answer: CommandAnswer) -> list[str]:
    assert answer.lines is not None
    return list(answer.lines())


def without_ids(lines: list[str]) -> list[str]:
    return [" ".join(word for word in line.split(" ") if len(word) != 12) for line in lines]


def test_a_merge_joins_two_lines(logged_branches: BranchWorld) -> None:
    assert without_ids(lines_of(drawn(logged_branches))) == [
        "* (main) Change",
        "|\\",
        "| * (dev) Change core.orders",
        "* | Change raw.orders",
        "|/",
        "* Change core.orders",
    ]


def test_what_is_not_shown_does_not_part_what_is(logged_branches: BranchWorld) -> None:
    lines = lines_of(drawn(logged_branches, "core"))
    assert without_ids(lines) == ["* (dev) Change core.orders", "* Change core.orders"]
    assert lines[0].split()[1] == logged_branches.head("dev")[:12]


def test_an_archived_branch_is_not_named(logged_branches: BranchWorld) -> None:
    archive_branch(logged_branches.metadata, "dev", default=MAIN, author=ADA, clock=logged_branches.clock)
    assert "(dev)" not in " ".join(lines_of(drawn(logged_branches)))


def test_on_a_terminal_the_same_lines_have_colour(logged_branches: BranchWorld) -> None:
    answer = drawn(logged_branches)
    assert answer.picture is not None
    plain, coloured = io.StringIO(), io.StringIO()
    Console(file=plain, width=100, color_system=None, force_terminal=True).print(answer.picture())
    Console(file=coloured, width=100, color_system="standard", force_terminal=True).print(answer.picture())
    assert plain.getvalue().splitlines() == lines_of(answer)
    assert "\x1b[33m" in coloured.getvalue()


def test_a_log_without_commits_is_empty(logged_branches: BranchWorld) -> None:
    assert lines_of(answer_as_lines(logged_branches.metadata, (), graph=True, oneline=False)) == []
    with pytest.raises(ForgeError):
        find_log(logged_branches.metadata, logged_branches.head("main"), paths=("nope",))
