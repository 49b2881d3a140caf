"""The graph of commits against git itself: many small random graphs, with crossings, octopus merges and several first
commits, all in one repository."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from forge.model.names import CommitId
from forge.versioning.graph import ahead_behind, commits_between, is_ancestor, merge_base, merge_bases

pytestmark = pytest.mark.slow

GRAPHS = 400
Graph = dict[CommitId, tuple[CommitId, ...]]


@dataclass(frozen=True)
class Repository:
    folder: Path
    graphs: tuple[Graph, ...]

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", str(self.folder), *words], capture_output=True, text=True)


def random_graph(seed: int) -> list[tuple[int, ...]]:
    """By place, the places of the parents; recent ones are the likelier."""
    chance = random.Random(seed)
    made: list[tuple[int, ...]] = [()]
    for place in range(1, chance.randint(4, 14)):
        number = chance.choices((0, 1, 2, 3), (1, 10, 9, 2))[0]
        recent = range(max(0, place - chance.choice((2, 3, 6, 20))), place)
        made.append(tuple(chance.sample(recent, min(number, len(recent)))))
    return made


def crossing_graph(seed: int) -> list[tuple[int, ...]]:
    """Lines that merge each other as they were before the round: they cross."""
    chance = random.Random(seed)
    lines = chance.choice((2, 2, 3))
    made: list[tuple[int, ...]] = [(), *(chance.choice(((0,), (0,), ())) for _ in range(lines))]
    heads = list(range(1, lines + 1))
    for _ in range(chance.randint(1, 4)):
        before = list(heads)
        for line in range(lines):
            others = [head for head in before if head != before[line] and chance.random() < 0.7]
            heads[line] = len(made)
            made.append((before[line], *others))
    return made


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("graphs")
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    shapes = [(random_graph, crossing_graph)[seed % 2](seed) for seed in range(GRAPHS)]
    lines = [line for number, shape in enumerate(shapes) for line in commands(number, shape)]
    marks = folder / "marks"
    words = ["git", "-C", str(folder), "fast-import", "--quiet", "--force", f"--export-marks={marks}"]
    subprocess.run(words, input="\n".join(lines) + "\n", text=True, check=True)
    pairs = (line.split() for line in marks.read_text().splitlines())
    ids = {int(mark[1:]): CommitId(commit) for mark, commit in pairs}
    graphs: list[Graph] = []
    for number, shape in enumerate(shapes):
        commits = [ids[mark(number, place)] for place in range(len(shape))]
        graphs.append({commits[at]: tuple(commits[p] for p in parents) for at, parents in enumerate(shape)})
    return Repository(folder, tuple(graphs))


def mark(number: int, place: int) -> int:
    return 1 + 20 * number + place


def commands(number: int, shape: list[tuple[int, ...]]) -> list[str]:
    """Of `git fast-import`. In every third graph the clocks run backwards: descent alone decides."""
    lines = []
    for place, parents in enumerate(shape):
        time = 1_000_000 + (place if number % 3 else -place)
        message = f"{number}-{place}"
        lines += ["reset refs/heads/g", "commit refs/heads/g", f"mark :{mark(number, place)}"]
        lines += [f"committer A <a@x> {time} +0000", f"data {len(message)}", message]
        words = ["from", "merge"]
        lines += [f"{words[min(at, 1)]} :{mark(number, parent)}" for at, parent in enumerate(parents)]
        lines += [""]
    return lines


def pairs_of(repository: Repository) -> list[tuple[Graph, CommitId, CommitId]]:
    """The two newest commits of each graph, where lines cross, and in every fourth any two."""
    found = []
    for number, graph in enumerate(repository.graphs):
        commits = list(graph)
        found.append((graph, commits[-1], commits[-2]))
        if number % 4 == 0:
            one, other = random.Random(number).sample(commits, 2)
            found.append((graph, one, other))
    return found


def test_merge_bases_are_those_of_git(repository: Repository) -> None:
    counts = []
    for graph, a, b in pairs_of(repository):
        said = repository.git("merge-base", "--all", a, b)
        assert said.returncode in (0, 1), said.stderr
        best = merge_bases(a, b, graph)
        assert set(best) == set(said.stdout.split())
        taken = merge_base(a, b, graph)
        assert {taken.commit, *taken.others} - {None} == set(best)
        counts.append(len(best))
    assert counts.count(0) > 5, "lines that never met"
    assert sum(count > 1 for count in counts) > 40, "lines that crossed"


def test_ahead_and_behind_are_those_of_git(repository: Repository) -> None:
    for graph, a, b in pairs_of(repository):
        said = repository.git("rev-list", "--left-right", "--count", f"{a}...{b}")
        assert list(ahead_behind(a, b, graph)) == [int(word) for word in said.stdout.split()]


def test_ancestors_are_those_of_git(repository: Repository) -> None:
    answers = []
    for graph, new, old in pairs_of(repository):
        status = repository.git("merge-base", "--is-ancestor", old, new).returncode
        assert is_ancestor(old, new, graph) == (status == 0)
        answers.append(status)
    assert set(answers) == {0, 1}


def test_a_rebase_replays_the_commits_that_git_replays(repository: Repository) -> None:
    for graph, head, base in pairs_of(repository)[::2]:
        said = repository.git("rev-list", "--no-merges", "--topo-order", "--reverse", f"{base}..{head}").stdout.split()
        replayed = commits_between(base, head, graph)
        assert sorted(replayed) == sorted(said)
        for place, commit in enumerate(replayed):
            assert not any(is_ancestor(commit, earlier, graph) for earlier in replayed[:place]), "parents come first"
