"""A time range that is missing is told before a run begins, and only where the run could not do without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forge.flows.runs.engine import TimeRange
from forge.flows.runs.plan import plan
from forge.flows.runs.project import Project
from forge.flows.runs.run import Ports, RunRequest, RunResult, run
from forge.flows.versioning.branches import create_default_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import Kind, PythonFunction, Transform
from forge.versioning.commit import Author

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
DAY = TimeRange(NOW, NOW + timedelta(days=1))
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
Rows = list[dict[str, object]]


@dataclass
class Shop:
    """raw.orders, and core.daily that is made of it by time range."""

    transforms: dict[TableName, Transform] = field(default_factory=dict)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata, self.lake = MemoryMetadata(catalog), MemoryLake(catalog)
        engine = MemoryEngine(self.lake)
        create_default_branch(self.metadata, MAIN, ADA, NOW)
        self.ports = Ports(
            metadata=self.metadata,
            lake=self.lake,
            engine=engine,
            clock=lambda: NOW,
            author=ADA,
            secrets=lambda reference: "",
        )
        self.make("raw.orders", lambda: [{"id": 1}])
        self.make("core.daily", lambda raw: raw, "raw.orders", kind=Kind.BY_TIME_RANGE)

    def make(
        self, output: str, function: Callable[..., Rows], *inputs: str, code: str = "1", kind: Kind = Kind.FULL
    ) -> None:
        table, reads = TableName.parse(output), tuple(TableName.parse(text) for text in inputs)
        body = PythonFunction(function, dict.fromkeys(("raw",), reads[0]) if reads else {}, False)
        self.transforms[table] = Transform(
            output=table, body=body, file=f"{table}.py", line=1, code_hash=code, kind=kind, inputs=reads
        )

    @property
    def project(self) -> Project:
        return Project(
            root=Path(), transforms=self.transforms, contracts={}, checks={}, rules_hash={}, owner_of=lambda table: None
        )

    def run(self, *selection: str, time_range: TimeRange | None = None, force: bool = False) -> RunResult:
        return run(
            RunRequest(branch=MAIN, selection=selection, time_range=time_range, force=force), self.project, self.ports
        )

    def steps(
        self, *selection: str, time_range: TimeRange | None = None, force: bool = False
    ) -> dict[str, tuple[str, str]]:
        request = RunRequest(branch=MAIN, selection=selection, time_range=time_range, force=force)
        return {str(s.table): (s.action, s.reason) for s in plan(request, self.project, self.ports).steps}


@pytest.fixture
def shop() -> Shop:
    return Shop()


def refused(shop: Shop, *selection: str, force: bool = False) -> None:
    before = shop.metadata.runs()
    with pytest.raises(ForgeError) as caught:
        shop.run(*selection, force=force)
    assert caught.value.code == "E206"
    assert "core.daily needs a time range" in str(caught.value)
    assert "`start` and `end`" in (caught.value.fix or "")
    assert shop.metadata.runs() == before, "nothing had begun"
    action, reason = shop.steps(*selection, force=force)["core.daily"]
    assert (action, "--start … --end …" in reason) == ("blocked", True)


def test_the_first_run_takes_all_of_time(shop: Shop) -> None:
    assert shop.steps()["core.daily"][0] == "run"
    assert shop.run().run.status == "succeeded"


def test_what_is_up_to_date_needs_no_range(shop: Shop) -> None:
    shop.run()
    assert shop.steps()["core.daily"][0] == "up to date"
    assert shop.run().run.status == "nothing to do"


def test_a_range_is_missing_where_the_code_changed(shop: Shop) -> None:
    shop.run()
    shop.make("core.daily", lambda raw: raw, "raw.orders", code="2", kind=Kind.BY_TIME_RANGE)
    refused(shop)
    refused(shop, "core.daily")
    assert shop.steps(time_range=DAY)["core.daily"][0] == "run"
    assert shop.run(time_range=DAY).run.status == "succeeded"


def test_a_range_is_missing_where_an_input_will_be_built(shop: Shop) -> None:
    shop.run()
    shop.make("raw.orders", lambda: [{"id": 2}], code="2")
    refused(shop)
    assert shop.run("core.daily").run.status == "nothing to do", "its input is not built in this run"


def test_a_range_is_missing_where_it_is_forced(shop: Shop) -> None:
    shop.run()
    refused(shop, "core.daily", force=True)


def test_a_run_of_other_tables_needs_no_range(shop: Shop) -> None:
    shop.run()
    shop.make("raw.orders", lambda: [{"id": 2}], code="2")
    assert shop.run("raw.orders").run.status == "succeeded"


def test_a_run_remembers_its_range(shop: Shop) -> None:
    record = shop.run(time_range=DAY).run
    known = shop.metadata.run(record.id)
    assert known is not None
    assert (known.start, known.end) == (DAY.start, DAY.end)
    other = shop.metadata.run(shop.run("raw.orders", force=True).run.id)
    assert other is not None
    assert (other.start, other.end) == (None, None)
