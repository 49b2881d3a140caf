"""Which contracts stand above one: levels, and `forge.extends` by id, name or file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge.contracts.contract import Contract
from forge.contracts.load import load_all
from forge.contracts.policy.governance import PlatformLevel
from forge.flows.contracts.parents import MOST_LEVELS, ParentChain, ParentChains, chain_of, chains_of

HEAD = "apiVersion: v3.1.0\nkind: DataContract\nversion: 1.0.0\nstatus: active\n"


class Project:
    """Contracts on disk, each with what it extends."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.levels: list[PlatformLevel] = []

    def write(self, file: str, name: str, *extends: str, more: str = "") -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        value = extends[0] if len(extends) == 1 else list(extends)
        custom = f"customProperties:\n  - property: forge.extends\n    value: {value}\n" if extends else ""
        path.write_text(f"{HEAD}id: {name}\nname: The {name}\n{custom}{more}")

    def level(self, folder: str, *files: str) -> None:
        self.levels.append(PlatformLevel(f"{folder}/forge.yaml", self.root / folder, files))

    def chains(self) -> ParentChains:
        home = self.root / "project"
        return chains_of(load_all(home), self.levels, home)

    def ids(self, file: str) -> list[str]:
        return [contract.id for contract in self.chain(file).contracts]

    def chain(self, file: str) -> ParentChain:
        return self.chains().by_file[f"contracts/{file}.odcs.yaml"]

    def problems(self) -> list[tuple[str, str, int]]:
        return [(v.code, v.file, v.line) for v in self.chains().violations]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_contract_that_names_nobody_stands_alone(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a")
    project.write("project/contracts/b.odcs.yaml", "b")
    assert project.ids("a") == ["a"]
    assert project.problems() == []


@pytest.mark.parametrize("name", ["b", "B", "The b", "b.odcs.yaml", "contracts/b.odcs.yaml", "contracts/b"])
def test_a_parent_is_named_by_id_name_or_file(project: Project, name: str) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", name)
    project.write("project/contracts/b.odcs.yaml", "b")
    assert project.ids("a") == ["b", "a"]


def test_a_file_that_is_no_contract_of_the_project_may_be_named(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "../shared/base.yaml")
    project.write("project/shared/base.yaml", "base", "base2.yaml")
    project.write("project/shared/base2.yaml", "base2")
    assert project.ids("a") == ["base2", "base", "a"]


def test_files_outside_the_project_and_its_levels_are_not_read(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "../../elsewhere/base.yaml")
    project.write("elsewhere/base.yaml", "base")
    assert project.ids("a") == ["a"]
    assert [code for code, _, _ in project.problems()] == ["E511"]
    project.level("elsewhere", "none.yaml")
    assert project.ids("a") == ["base", "a"]
    (project.root / "project" / "link.yaml").symlink_to(project.root / "outside.yaml")
    project.write("outside.yaml", "outside")
    project.write("project/contracts/a.odcs.yaml", "a", "../link.yaml")
    assert project.ids("a") == ["a"]


def test_parents_of_parents_come_first_and_each_once(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "b", "c")
    project.write("project/contracts/b.odcs.yaml", "b", "top")
    project.write("project/contracts/c.odcs.yaml", "c", "top")
    project.write("project/contracts/top.odcs.yaml", "top")
    assert project.ids("a") == ["top", "b", "c", "a"]


def test_a_parent_that_is_not_there_is_told_with_the_nearest_names(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "salse")
    project.write("project/contracts/b.odcs.yaml", "sales")
    (found,) = project.chains().violations
    assert (found.code, found.file, found.line, found.path) == (
        "E511",
        "contracts/a.odcs.yaml",
        9,
        "customProperties[0].value",
    )
    assert "sales" in found.fix
    assert project.ids("a") == ["a"], "the rest of the chain still counts"


def test_a_circle_is_told_and_ends(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "b")
    project.write("project/contracts/b.odcs.yaml", "b", "a")
    assert {code for code, _, _ in project.problems()} == {"E511"}
    assert "contracts/a.odcs.yaml → contracts/b.odcs.yaml" in project.chains().violations[0].message


@pytest.mark.parametrize("name", ["a", "The a", "contracts/a.odcs.yaml"])
def test_a_contract_does_not_extend_itself(project: Project, name: str) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", name)
    assert [code for code, _, _ in project.problems()] == ["E511"]


def test_two_contracts_of_one_id_are_not_guessed_between(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "twin")
    project.write("project/contracts/b.odcs.yaml", "twin")
    project.write("project/contracts/c.odcs.yaml", "twin")
    (found,) = project.chains().violations
    assert "could be any of contracts/b.odcs.yaml, contracts/c.odcs.yaml" in found.message


def test_the_contracts_of_the_levels_stand_above_all_without_being_named(project: Project) -> None:
    project.level("firm")
    project.level("sales", "base.yaml")
    project.write("firm/contracts/one.odcs.yaml", "firm")
    project.write("sales/base.yaml", "sales")
    project.write("sales/contracts/other.odcs.yaml", "other")
    project.write("project/contracts/a.odcs.yaml", "a", "b")
    project.write("project/contracts/b.odcs.yaml", "b")
    chain = project.chain("a")
    assert [c.id for c in chain.contracts] == ["firm", "sales", "b", "a"]
    assert chain.sets == {"../firm/contracts/one.odcs.yaml", "../sales/base.yaml"}
    assert chain.contract.id == "a"


def test_a_contract_of_a_level_that_is_also_named_gives_its_tables(project: Project) -> None:
    project.level("firm")
    table = "schema:\n  - {name: core.base, properties: [{name: id}]}\n"
    project.write("firm/contracts/one.odcs.yaml", "firm", more=table)
    project.write("project/contracts/a.odcs.yaml", "a", "firm")
    project.write("project/contracts/b.odcs.yaml", "b")
    assert _tables(project.chain("a").effective().document.data) == ["core.base"]
    assert _tables(project.chain("b").effective().document.data) == []


def test_above_a_contract_of_a_level_stand_only_the_levels_before(project: Project) -> None:
    project.level("firm")
    project.level("project", "contracts/one.odcs.yaml", "contracts/two.odcs.yaml")
    project.write("firm/contracts/firm.odcs.yaml", "firm")
    project.write("project/contracts/one.odcs.yaml", "one")
    project.write("project/contracts/two.odcs.yaml", "two")
    project.write("project/contracts/a.odcs.yaml", "a", "one")
    assert project.ids("one") == ["firm", "one"]
    assert project.ids("two") == ["firm", "two"]
    assert project.ids("a") == ["firm", "two", "one", "a"]
    assert project.problems() == []


def test_a_contract_of_a_level_that_cannot_be_read_is_told(project: Project) -> None:
    project.level("firm", "missing.yaml", "broken.yaml")
    (project.root / "firm").mkdir()
    (project.root / "firm" / "broken.yaml").write_text("a: [")
    project.write("project/contracts/a.odcs.yaml", "a")
    assert [(code, file) for code, file, _ in project.problems()] == [
        ("E502", "../firm/missing.yaml"),
        ("E502", "../firm/broken.yaml"),
    ]


def test_only_the_contract_itself_is_judged_in_its_chain(project: Project) -> None:
    def latency(hours: int) -> str:
        return f"slaProperties:\n  - {{property: latency, value: {hours}, unit: h}}\n"

    project.write("project/contracts/top.odcs.yaml", "top", more=latency(1))
    project.write("project/contracts/mid.odcs.yaml", "mid", "top", more=latency(2))
    project.write("project/contracts/low.odcs.yaml", "low", "mid")
    assert [v.file for v in project.chain("mid").effective().violations] == ["contracts/mid.odcs.yaml"]
    assert project.chain("low").effective().violations == ()
    assert [v.severity for v in project.chain("mid").effective("permissive").violations] == ["warning"]


def test_the_chain_of_one_contract_leaves_out_what_is_wrong_with_others(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", "b")
    project.write("project/contracts/b.odcs.yaml", "b")
    project.write("project/contracts/c.odcs.yaml", "c", "nobody")
    home = project.root / "project"
    contracts = load_all(home)
    found = chain_of(contracts[0], contracts, (), home)
    assert found.violations == ()
    assert [c.id for c in found.by_file["contracts/a.odcs.yaml"].contracts] == ["b", "a"]


def _tables(data: Any) -> list[str]:
    return [table["name"] for table in data.get("schema", [])]


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".yaml", "a/" * 3_000 + "b.yaml"])
def test_a_name_that_no_file_can_have_is_a_parent_that_is_not_there(project: Project, name: str) -> None:
    project.write("project/contracts/a.odcs.yaml", "a", name)
    (found,) = project.chains().violations
    assert found.code == "E511"
    assert len(found.message) < 200


def test_a_parent_s_name_with_a_nul_names_no_file(project: Project) -> None:
    project.write("project/contracts/a.odcs.yaml", "a")
    (contract,) = load_all(project.root / "project")
    named = replace(contract, custom={"forge.extends": "x\0y.yaml"})
    assert [each.code for each in chains_of([named], (), project.root / "project").violations] == ["E511"]


def _contracts(parents: dict[str, list[str]]) -> list[Contract]:
    """Without files: only names count."""
    return [
        Contract(
            id=f"id-{name}",
            version="1.0.0",
            api_version="v3.1.0",
            file=f"{name}.odcs.yaml",
            custom={"forge.extends": [f"id-{one}" for one in above]},
        )
        for name, above in parents.items()
    ]


def test_contracts_that_share_their_parents_are_gone_through_once(tmp_path: Path) -> None:
    last = 40  # two ways up from each of the two: 2^40 ways in all
    layers = {f"{side}{at}": [f"a{at + 1}", f"b{at + 1}"] for at in range(last) for side in "ab"}
    layers |= {f"a{last}": [], f"b{last}": []}
    found = chains_of(_contracts(layers), (), tmp_path)
    assert found.violations == ()
    assert len(found.by_file["a0.odcs.yaml"].contracts) == 2 * last + 1


def test_a_chain_of_too_many_levels_is_told_and_cut(tmp_path: Path) -> None:
    long = {f"c{at}": [f"c{at + 1}"] if at < MOST_LEVELS + 1 else [] for at in range(MOST_LEVELS + 2)}
    found = chains_of(_contracts(long), (), tmp_path)
    assert [(each.code, each.file) for each in found.violations] == [("E511", "c0.odcs.yaml")]
    assert len(found.by_file["c0.odcs.yaml"].contracts) == MOST_LEVELS + 1
    assert len(found.by_file["c1.odcs.yaml"].contracts) == MOST_LEVELS + 1
