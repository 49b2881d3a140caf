"""Whether a version of a table is fit for a use: on memory adapters, with lineage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from forge.flows.catalog.personal_data import personal_at
from forge.flows.quality.fitness import Fitness, FitnessPorts, judge_fitness, refuse_unfit
from forge.flows.runs.project import Project
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.versioning.branches import create_branch, create_default_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.quality.fitness import read_requirements
from forge.quality.monitors.monitor import CheckResult
from forge.quality.spec import load_check
from forge.quality.verdict import Outcome, Severity
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author, TableVersion

START = datetime(2026, 11, 14, 6, tzinfo=UTC)
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
USERS = TableName("core", "users")
Rows = list[dict[str, object]]


@dataclass
class Shop:
    """core.users, with two checks: one of them blocks, the other warns."""

    now: datetime = START
    personal: dict[TableName, frozenset[str]] = field(default_factory=dict)
    later: tuple[CheckResult, ...] = ()

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata = MemoryMetadata(catalog)
        self.lake = MemoryLake(catalog)
        self.engine = MemoryEngine(self.lake)
        self.checks: list[dict[str, object]] = [
            {"type": "not_null", "column": "id"},
            {"type": "range", "column": "age", "max": 120, "severity": "warning"},
        ]
        create_default_branch(self.metadata, MAIN, ADA, START)

    def load(self, *ages: int, branch: str = "main") -> None:
        rows: Rows = [{"id": number, "mail": "x", "age": age} for number, age in enumerate(ages)]
        body = PythonFunction(lambda: rows, {}, False)
        transform = Transform(
            output=USERS, body=body, file="users.py", line=1, code_hash=repr(rows), kind=TransformKind.FULL, inputs=()
        )
        checks = {USERS: tuple(load_check(c, table=USERS, where="x") for c in self.checks)}
        project = Project(
            root=Path(),
            transforms={USERS: transform},
            contracts={},
            checks=checks,
            rules_hash={USERS: repr(self.checks)},
            owner_of=lambda table: None,
        )
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=lambda: self.now,
            author=ADA,
            secrets=lambda reference: "",
            default_branch=MAIN,
        )
        assert run(RunRequest(branch=BranchName(branch), selection=()), project, ports).commit is not None

    def standing(self, versions: Mapping[TableName, TableVersion]) -> tuple[CheckResult, ...]:
        snapshots = {version.snapshot_id for version in versions.values()}
        return tuple(result for result in self.later if result.snapshot_id in snapshots)

    def judge(self, dataset: str = "core.users", at: str | None = None, **required: object) -> Fitness:
        ports = FitnessPorts(
            metadata=self.metadata,
            lake=self.lake,
            clock=lambda: self.now,
            default_branch=MAIN,
            standing=self.standing,
            personal=lambda table: self.personal.get(table),
            personal_at=partial(personal_at, self.metadata, frozenset, MAIN),
        )
        return judge_fitness(dataset, at, read_requirements(required), ports)


@pytest.fixture
def fitness_shop() -> Shop:
    fitness_shop = Shop()
    fitness_shop.load(30, 40)
    return fitness_shop


def test_a_table_that_meets_all_is_fit_and_says_why(fitness_shop: Shop) -> None:
    fitness_shop.personal[USERS] = frozenset()
    fitness_shop.now += timedelta(hours=5)
    found = fitness_shop.judge(min_score=100, max_age=24, no_pii=True)
    assert found.is_fit
    refuse_unfit(found)
    score, age, personal = found.conditions
    assert score.evidence == "2 of 2 checks passed: 100%, 100% is required"
    assert age.evidence.startswith("written 5 h ago, at 2026-11-14 06:00 UTC by commit ")
    assert personal.evidence == "no column is personal by its contract, the catalog and its lineage"


def test_only_what_is_required_is_asked(fitness_shop: Shop) -> None:
    assert [c.name for c in fitness_shop.judge(max_age=1).conditions] == ["max_age"]


def test_a_score_too_low_names_what_did_not_pass(fitness_shop: Shop) -> None:
    fitness_shop.load(30, 400)
    found = fitness_shop.judge(min_score=80)
    assert (found.is_fit, found.conditions[0].found) == (False, 50.0)
    assert "1 of 2 checks passed: 50%, 80% is required; not passed: core.users.age.range" in found.failed[0].evidence
    assert fitness_shop.judge(min_score=50).is_fit


def test_what_a_monitor_found_later_counts(fitness_shop: Shop) -> None:
    version = fitness_shop.metadata.tree(fitness_shop.judge(max_age=1).commit_id)[USERS]
    fitness_shop.later = (
        CheckResult(
            id="m1.1",
            check_id="core.users.mail.regex",
            type="regex",
            dataset="core.users",
            branch=MAIN,
            commit_id=None,
            snapshot_id=version.snapshot_id,
            verdict=Outcome.FAILED,
            severity=Severity.ERROR,
            message="2 of 2 rows do not match",
            executed_at=fitness_shop.now,
        ),
    )
    (condition,) = fitness_shop.judge(min_score=100).conditions
    assert condition.found == pytest.approx(66.67)
    assert "core.users.mail.regex (2 of 2 rows do not match)" in condition.evidence


def test_a_version_that_nobody_judged_has_no_score_and_is_not_fit(fitness_shop: Shop) -> None:
    fitness_shop.checks = []
    fitness_shop.load(1, 2, 3)
    (condition,) = fitness_shop.judge(min_score=0).conditions
    assert (condition.passed, condition.found) == (False, None)


def test_an_old_version_is_refused_with_its_age(fitness_shop: Shop) -> None:
    fitness_shop.now += timedelta(days=10)
    (condition,) = fitness_shop.judge(max_age=24).failed
    assert condition.found == 240.0
    assert condition.evidence.startswith("written 10 days ago")


def test_a_revision_pins_the_commit_it_means(fitness_shop: Shop) -> None:
    old = fitness_shop.judge(max_age=1).commit_id
    fitness_shop.now += timedelta(hours=1)
    fitness_shop.load(30, 400)
    assert fitness_shop.judge(min_score=100, at="HEAD~1").is_fit
    assert fitness_shop.judge("core.users@HEAD~1", min_score=100).commit_id == old
    assert fitness_shop.judge("core.users@v1", min_score=100).commit_id == old
    assert fitness_shop.judge(at=old[:10], min_score=100).is_fit
    assert not fitness_shop.judge("core.users@main", min_score=100).is_fit


def test_a_branch_is_judged_by_its_own_version(fitness_shop: Shop) -> None:
    create_branch(fitness_shop.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: fitness_shop.now)
    fitness_shop.load(30, 400, branch="dev")
    assert not fitness_shop.judge("core.users@dev", min_score=100).is_fit
    assert fitness_shop.judge(min_score=100).is_fit


def test_columns_that_the_contract_calls_personal_are_named(fitness_shop: Shop) -> None:
    fitness_shop.personal[USERS] = frozenset({"MAIL", "phone"})
    (condition,) = fitness_shop.judge(no_pii=True).failed
    assert condition.found == ["mail"]  # it has no phone
    assert condition.evidence == "personal data in mail (contract)"


def test_without_a_contract_nothing_shows_that_a_table_is_free_of_personal_data(fitness_shop: Shop) -> None:
    (condition,) = fitness_shop.judge(no_pii=True).conditions
    assert (condition.passed, condition.found) == (False, None)
    assert condition.evidence.startswith("it has no contract that says which columns are personal")


def test_a_refusal_tells_each_condition_that_failed(fitness_shop: Shop) -> None:
    fitness_shop.personal[USERS] = frozenset({"mail"})
    fitness_shop.now += timedelta(days=10)
    with pytest.raises(ForgeError) as caught:
        refuse_unfit(fitness_shop.judge(min_score=100, max_age=24, no_pii=True))
    error = caught.value
    assert (error.code, error.what) == ("E743", "core.users at HEAD is not fit: max_age, no_pii failed")
    assert [line.split(":")[0] for line in (error.why or "").splitlines()] == ["max_age", "no_pii"]


@pytest.mark.parametrize(
    ("dataset", "code"), [("core.user", "E108"), ("users", "E101"), ("core.users@nowhere", "E601")]
)
def test_what_is_not_there_is_told(fitness_shop: Shop, dataset: str, code: str) -> None:
    with pytest.raises(ForgeError) as caught:
        fitness_shop.judge(dataset, max_age=1)
    assert caught.value.code == code
