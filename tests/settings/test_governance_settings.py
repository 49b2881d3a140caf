"""`governance:` and `extends:` in forge.yaml: levels of files, of which the lower may tighten and never loosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.contracts.policy import Enforcement, Governance
from forge.contracts.policy.governance import FactCondition
from forge.model.errors import ForgeError, errors_of
from forge.settings import load_settings
from forge.wiring.governance import governance_of

QUIET = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"}


def write(root: Path, **files: str) -> Path:
    """`project__forge` is project/forge.yaml. The project's folder comes back."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "project"


def governance(root: Path, environ: dict[str, str] | None = None, **overrides: object) -> Governance:
    return governance_of(load_settings(root, {**QUIET, **(environ or {})}, overrides))


def problems(root: Path, environ: dict[str, str] | None = None, **overrides: object) -> list[ForgeError]:
    with pytest.raises(ForgeError) as caught:
        governance(root, environ, **overrides)
    return list(errors_of(caught.value))


def test_nothing_said_is_nothing_set(tmp_path: Path) -> None:
    assert governance(write(tmp_path, project__forge="")) == Governance()
    settings = load_settings(tmp_path / "project", QUIET)
    assert settings.governance.contracts.enforcement == "warn"


def test_off_without_quotes_is_a_word(tmp_path: Path) -> None:
    text = "governance:\n  contracts: {enforcement: off, auto_generation: off, drift: {enforcement: off}}\n"
    found = governance(write(tmp_path, project__forge=text))
    assert (found.enforcement, found.drift_enforcement) == (Enforcement.OFF, Enforcement.OFF)


def test_variables_and_flags_go_before_the_file(tmp_path: Path) -> None:
    root = write(tmp_path, project__forge="governance: {contracts: {enforcement: warn, required_for: [core.*]}}\n")
    environ = {
        "FORGE_GOVERNANCE__CONTRACTS__ENFORCEMENT": "strict",
        "FORGE_GOVERNANCE__CONTRACTS__REQUIRED_FOR": "core.*, marts.*",
    }
    found = governance(root, environ)
    assert (found.enforcement, found.required_for) == (Enforcement.STRICT, ("core.*", "marts.*"))


THREE = {
    "enterprise__forge": "governance: {contracts: {enforcement: warn, required_for: [core.*]}}\nparallel: 7\n",
    "domain__forge": "extends: ../enterprise/forge.yaml\n"
    "governance: {contracts: {set: [floor.odcs.yaml]}, naming: {tables: '[a-z_]+'}}\n",
    "project__forge": "extends: ../domain/forge.yaml\n"
    "governance: {contracts: {enforcement: strict, required_for: [marts.*]}, naming: {columns: '[a-z]+'}}\n",
}


def test_three_levels_add_up(tmp_path: Path) -> None:
    root = write(tmp_path, **THREE)
    found = governance(root)
    assert found.enforcement is Enforcement.STRICT
    assert found.required_for == ("core.*", "marts.*"), "patterns of all levels hold"
    assert [(each.tables, each.columns) for each in found.naming] == [("[a-z_]+", None), ("[a-z_]+", "[a-z]+")]
    assert [(each.name, each.folder.name, each.set) for each in found.levels] == [
        ("../enterprise/forge.yaml", "enterprise", ()),
        ("../domain/forge.yaml", "domain", ("floor.odcs.yaml",)),
    ]
    assert load_settings(root, QUIET).parallel == 7, "what is no governance is a default"


def test_what_a_file_above_sets_is_set(tmp_path: Path) -> None:
    files = {"above__forge": "governance: {contracts: {enforcement: strict}}\n"}
    root = write(tmp_path, **files, project__forge="extends: ../above/forge.yaml\n")
    assert governance(root).enforcement is Enforcement.STRICT


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("contracts: {enforcement: strict}", "contracts: {enforcement: warn}"),
        ("contracts: {enforcement: warn}", "contracts: {enforcement: off}"),
        ("contracts: {drift: {enforcement: strict}}", "contracts: {drift: {enforcement: off}}"),
        ("contracts: {drift: {enabled: true}}", "contracts: {drift: {enabled: false}}"),
        ("contracts: {inheritance: strict}", "contracts: {inheritance: permissive}"),
        ("naming: {severity: error}", "naming: {severity: warning}"),
        ("coverage: {min_checks: 3}", "coverage: {min_checks: 2}"),
        ("coverage: {min_percentage: 90.5}", "coverage: {min_percentage: 90}"),
        ("coverage: {unique_key: true}", "coverage: {unique_key: false}"),
        ("documentation: {owner: true}", "documentation: {owner: false}"),
        (
            "custom: [{name: a, require: {owner: true}}]",
            "custom: [{name: a, require: {owner: true}, only: [marts.*]}]",
        ),
    ],
)
def test_a_lower_file_that_loosens_is_refused_at_its_line(tmp_path: Path, above: str, below: str) -> None:
    root = write(
        tmp_path,
        above__forge=f"governance:\n  {above}\n",
        project__forge=f"extends: ../above/forge.yaml\ngovernance:\n  {below}\n",
    )
    (problem,) = problems(root)
    assert (problem.code, problem.where) == ("E512", "forge.yaml:3")
    assert "../above/forge.yaml:2" in problem.what
    turned = write(
        tmp_path / "turned",
        above__forge=f"governance:\n  {below}\n",
        project__forge=f"extends: ../above/forge.yaml\ngovernance:\n  {above}\n",
    )
    if "custom" not in above:
        governance(turned)  # the other way round it is tightened


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        ("enforcement: strict", "drift: {enforcement: off}", "drift.enforcement: off is looser than strict"),
        ("enforcement: strict", "drift: {enforcement: warn}", "drift.enforcement: warn is looser than strict"),
        ("enforcement: strict", "drift: {enabled: false}", "drift.enabled: false is looser than true"),
        ("enforcement: strict", "inheritance: permissive", "inheritance: permissive is looser than strict"),
        ("enforcement: warn", "drift: {enforcement: off}", "drift.enforcement: off is looser than warn"),
        ("drift: {enforcement: warn}", "enforcement: off", "enforcement: off is looser than warn"),
        ("drift: {enforcement: warn}", "drift: {enabled: false}", "drift.enabled: false is looser than true"),
    ],
)
def test_what_follows_from_enforcement_cannot_be_loosened_either(
    tmp_path: Path, above: str, below: str, said: str
) -> None:
    root = write(
        tmp_path,
        above__forge=f"governance: {{contracts: {{{above}}}}}\n",
        project__forge=f"extends: ../above/forge.yaml\ngovernance:\n  contracts: {{{below}}}\n",
    )
    (problem,) = problems(root)
    assert (problem.code, problem.where) == ("E512", "forge.yaml:3")
    assert problem.what == f"governance.contracts.{said}, which ../above/forge.yaml:1 demands"


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("enforcement: strict, drift: {enforcement: warn}", "drift: {enforcement: warn}"),
        ("enforcement: strict, drift: {enabled: false}", "drift: {enforcement: warn}"),
        ("enforcement: strict, inheritance: permissive", "inheritance: permissive"),
        ("enforcement: off", "enforcement: warn, drift: {enforcement: off}, inheritance: permissive"),
        ("enforcement: warn", "enforcement: strict, drift: {enforcement: warn}"),
        ("enforcement: strict", "drift: {enforcement: null}"),
        ("required_for: [core.*]", "drift: {enforcement: off}, inheritance: permissive"),
    ],
)
def test_what_the_file_above_says_itself_or_does_not_ask_for_is_no_loosening(
    tmp_path: Path, above: str, below: str
) -> None:
    root = write(
        tmp_path,
        above__forge=f"governance: {{contracts: {{{above}}}}}\n",
        project__forge=f"extends: ../above/forge.yaml\ngovernance: {{contracts: {{{below}}}}}\n",
    )
    assert governance(root).levels


def test_loosening_two_levels_below_is_seen_too(tmp_path: Path) -> None:
    files = {**THREE, "project__forge": "extends: ../domain/forge.yaml\ngovernance: {contracts: {enforcement: off}}\n"}
    (problem,) = problems(write(tmp_path, **files))
    assert problem.what == (
        "governance.contracts.enforcement: off is looser than warn, which ../enterprise/forge.yaml:1 demands"
    )


def test_variables_cannot_loosen_either(tmp_path: Path) -> None:
    (problem,) = problems(write(tmp_path, **THREE), {"FORGE_GOVERNANCE__CONTRACTS__ENFORCEMENT": "off"})
    assert (problem.code, problem.where) == ("E512", "environment FORGE_GOVERNANCE__CONTRACTS__ENFORCEMENT")


def test_the_user_s_own_file_loosens_nothing(tmp_path: Path) -> None:
    root = write(tmp_path, **THREE, home__forge__config="governance: {contracts: {inheritance: permissive}}\n")
    found = governance_of(load_settings(root, {"XDG_CONFIG_HOME": str(tmp_path / "home")}))
    assert found.enforcement is Enforcement.STRICT


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"project__forge": "extends: ../gone.yaml\n"}, "extends: there is no file ../gone.yaml"),
        (
            {"project__forge": "extends: ../a.yaml\n", "a": "extends: b.yaml\n", "b": "extends: a.yaml\n"},
            "extends: the files extend each other in a circle: ../a.yaml → ../b.yaml → ../a.yaml",
        ),
        ({"project__forge": "extends: ../a.yaml\n", "a": "governence: {}\n"}, "unknown setting 'governence'"),
        ({"project__forge": "governance: {naming: {tables: '['}}\n"}, "governance.naming.tables: '[' is no regular"),
        (
            {"project__forge": "governance: {custom: [{name: a, require: {ownr: true}}]}\n"},
            "governance.custom.0.require.ownr: there is no fact 'ownr' of a table",
        ),
        (
            {"project__forge": "governance: {custom: [{name: a}]}\n"},
            "governance.custom.0: the rule 'a' asks for nothing",
        ),
        (
            {"project__forge": "governance: {contracts: {enforcement: hard}}\n"},
            "governance.contracts.enforcement: must be 'off', 'warn' or 'strict'",
        ),
    ],
)
def test_what_cannot_be_used_is_told_with_its_place(tmp_path: Path, files: dict[str, str], said: str) -> None:
    (problem,) = problems(write(tmp_path, **files))
    assert problem.what.startswith(said)
    assert problem.where
    assert problem.where.split(":")[-1].isdigit()


def test_short_forms_of_conditions(tmp_path: Path) -> None:
    text = """\
governance:
  custom:
    - name: all
      when: {tags: {contains: gold}, kind: [full, view]}
      require: {owner: "@x$", contract: true, checks: 3, columns: {min: 1, max: 9}}
"""
    (rule,) = governance(write(tmp_path, project__forge=text)).custom
    assert rule.when == {"tags": FactCondition(contains=("gold",)), "kind": FactCondition(one_of=("full", "view"))}
    assert rule.require == {
        "owner": FactCondition(matches="@x$"),
        "contract": FactCondition(exists=True),
        "checks": FactCondition(equals=(3,)),
        "columns": FactCondition(min=1, max=9),
    }


def test_a_project_may_name_contracts_that_stand_above_its_others(tmp_path: Path) -> None:
    root = write(tmp_path, project__forge="governance: {contracts: {set: [contracts/floor.odcs.yaml]}}\n")
    (level,) = governance(root).levels
    assert (level.name, level.folder, level.set) == ("forge.yaml", root, ("contracts/floor.odcs.yaml",))
