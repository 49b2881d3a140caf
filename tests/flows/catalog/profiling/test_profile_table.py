"""Profiling at a revision: once for the same rows, without personal values, with history and differences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from version_world import MAIN, VersionWorld, make_world

from forge.catalog.profile import ProfileMeasurement, TableProfile
from forge.flows.catalog.profiling.ports import ProfileRequest
from forge.flows.catalog.profiling.profile_table import (
    ProfilePorts,
    compare_profiles,
    find_profile,
    forget_personal,
    profile_history,
    profile_table,
    profile_tables,
    stored_profile,
)
from forge.flows.runs.pin import Pin
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.stores.lake.arrow.profile import ArrowProfiler
from forge.stores.memory.profiles import MemoryProfiles
from forge.versioning.field import TableField

ORDERS = TableName("core", "orders")
ROWS = [{"id": 1, "mail": "ada@x.org", "amount": 1.5}, {"id": 2, "mail": "ada@x.org", "amount": -2.0}]


@dataclass
class CountingProfiler:
    """The one on the driver; it remembers what it was asked for."""

    inner: ArrowProfiler
    asked: list[ProfileRequest] = field(default_factory=list)
    refuses: bool = False

    def profile(self, target: Pin, request: ProfileRequest) -> ProfileMeasurement:
        if self.refuses:
            raise NeedsEngine("equality deletes")
        self.asked.append(request)
        return self.inner.profile(target, request)


@dataclass
class ProfileWorld:
    world: VersionWorld
    small: CountingProfiler
    large: CountingProfiler
    ports: ProfilePorts

    def profile(self, dataset: str = "core.orders", **asked: object) -> TableProfile:
        return profile_table(dataset, self.ports, **asked)  # type: ignore[arg-type]

    @property
    def stored(self) -> str:
        return json.dumps([one.to_dict() for one in self.ports.store.history(ORDERS)])


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ProfileWorld]:
    world = make_world(tmp_path)
    small, large = (CountingProfiler(ArrowProfiler(world.tables)) for _ in range(2))
    ports = ProfilePorts(
        metadata=world.metadata,
        lake=world.lake,
        store=MemoryProfiles(),
        small=small,
        large=lambda: large,
        personal=world.ports.personal,
        clock=world.ports.clock,
        default_branch=MAIN,
    )
    world.commit_rows("core.orders", ROWS)
    yield ProfileWorld(world, small, large, ports)
    world.close()


def test_the_same_rows_are_profiled_once(here: ProfileWorld) -> None:
    one, two, at_head = here.profile(), here.profile(), here.profile("core.orders@HEAD")
    assert one == two == at_head
    assert len(here.small.asked) == 1
    assert not here.large.asked
    assert (one.row_count, one.commit_id) == (2, here.world.head())


def test_new_rows_are_profiled_anew_and_old_ones_stay_known(here: ProfileWorld) -> None:
    first = here.profile()
    here.world.commit_rows("core.orders", [{"id": 3, "mail": "b", "amount": 4.0}])
    assert (first.row_count, here.profile().row_count) == (2, 3)
    assert here.profile("core.orders@HEAD~1") == first
    assert len(here.small.asked) == 2
    assert [one.row_count for one in profile_history(ORDERS, here.ports)] == [3, 2]


def test_a_commit_of_another_table_changes_nothing(here: ProfileWorld) -> None:
    here.profile()
    here.world.commit_rows("core.other", [{"x": 1}])
    here.profile()
    assert len(here.small.asked) == 1


def test_a_profile_of_all_rows_serves_who_asks_for_a_sample(here: ProfileWorld) -> None:
    here.profile(sample=0.9)
    whole = here.profile()
    assert (whole.sampled, here.profile(sample=0.5)) == (False, whole)
    assert [request.sample for request in here.small.asked] == [0.9, None]


def test_a_smaller_sample_does_not_serve_who_asks_for_a_larger_one(here: ProfileWorld) -> None:
    assert here.profile(sample=0.1).sampled
    assert here.profile(sample=0.5).sample_fraction == 0.5
    assert here.profile(sample=0.1).sample_fraction == 0.5
    assert not here.profile(sample=1.0).sampled


@pytest.mark.parametrize("sample", [0.0, -1.0, 1.01, float("nan"), float("inf")])
def test_a_sample_is_a_share(here: ProfileWorld, sample: float) -> None:
    with pytest.raises(ForgeError, match="share"):
        here.profile(sample=sample)
    assert not here.small.asked


def test_values_of_a_personal_column_are_never_stored(here: ProfileWorld) -> None:
    here.world.flag("core.orders", "mail", "amount")
    found = here.profile()
    assert "ada@" not in here.stored
    assert "-2.0" not in here.stored
    assert [column.masked for column in found.columns] == [False, True, True]
    assert here.small.asked[0].hidden == {"mail", "amount"}


def test_a_column_that_becomes_personal_is_masked_in_stored_profiles(here: ProfileWorld) -> None:
    assert "ada@" in json.dumps(here.profile().to_dict())
    here.world.flag("core.orders", "mail")
    shown = [here.profile(), here.profile("core.orders@HEAD~1"), *profile_history(ORDERS, here.ports)]
    shown.append(stored_profile("core.orders", here.ports))
    assert "ada@" not in json.dumps([one.to_dict() for one in shown])
    assert len(here.small.asked) == 1


def test_values_of_a_column_that_became_personal_are_taken_out_of_the_store(here: ProfileWorld) -> None:
    here.profile()
    here.world.flag("core.orders", "mail")
    assert forget_personal([ORDERS, TableName("core", "gone")], here.ports) == 1
    assert "ada@" not in here.stored
    assert forget_personal([ORDERS], here.ports) == 0


def test_who_profiles_again_takes_them_out_as_well(here: ProfileWorld) -> None:
    here.profile()
    here.world.flag("core.orders", "mail")
    here.profile()
    assert "ada@" not in here.stored


def test_what_is_found_while_rows_are_measured_is_not_stored(here: ProfileWorld) -> None:
    def profile(target: Pin, request: ProfileRequest) -> ProfileMeasurement:
        here.world.flag("core.orders", "mail")
        return measured(target, request)

    measured = here.small.profile
    here.small.profile = profile  # type: ignore[method-assign]
    assert "ada@" not in json.dumps(here.profile().to_dict())
    assert "ada@" not in here.stored


def test_a_diff_says_what_changed_between_two_commits(here: ProfileWorld) -> None:
    here.world.set_fields("core.orders", (*here.world.fields("core.orders"), TableField("city", "city", "string")))
    here.world.commit_rows("core.orders", [{"id": 3, "mail": "b", "amount": 40.0}])
    found = compare_profiles("core.orders", "HEAD~2", None, here.ports)
    by_name = {(one.column, one.statistic): one for one in found.changes}
    assert by_name["amount", "maximum"].by == 38.5
    assert by_name[None, "row_count"].by == 1
    assert found.added == ("city",)
    assert compare_profiles("core.orders", "HEAD", None, here.ports).same


def test_a_diff_shows_nothing_that_is_personal_on_one_side(here: ProfileWorld) -> None:
    here.world.commit_rows("core.orders", [{"id": 3, "mail": "zoe@x.org", "amount": 0.0}])
    here.world.flag("core.orders", "mail")
    found = compare_profiles("core.orders", "HEAD~2", "HEAD~1", here.ports)
    assert "x.org" not in json.dumps(found.to_dict())


def test_a_diff_of_stored_profiles_measures_nothing(here: ProfileWorld) -> None:
    with pytest.raises(ForgeError, match="no profile"):
        compare_profiles("core.orders", "HEAD", None, here.ports, measure=False)
    assert not here.small.asked


def test_where_the_current_rows_have_no_profile_the_newest_one_is_given(here: ProfileWorld) -> None:
    assert find_profile("core.orders", here.ports) is None
    first = here.profile()
    here.world.commit_rows("core.orders", [{"id": 3, "mail": "b", "amount": 4.0}])
    assert find_profile("core.orders", here.ports) is None
    assert stored_profile("core.orders", here.ports) == first
    with pytest.raises(ForgeError, match="no profile"):
        stored_profile("core.orders", here.ports, "HEAD")


def test_a_branch_has_its_own_rows(here: ProfileWorld) -> None:
    here.world.branch("dev")
    here.world.commit_rows("core.orders", [{"id": 9, "mail": "d", "amount": 0.0}], branch="dev")
    assert here.profile("core.orders@dev").row_count == 3
    assert here.profile().row_count == 2


def test_rows_that_another_engine_wrote_have_no_commit(here: ProfileWorld) -> None:
    here.world.append_past_forge("core.orders", [{"id": 7, "mail": "p", "amount": 1.0}])
    found = here.profile()
    assert (found.row_count, found.commit_id) == (3, None)


def test_what_the_driver_cannot_read_goes_to_the_engine(here: ProfileWorld) -> None:
    here.small.refuses = True
    assert here.profile().row_count == 2
    assert len(here.large.asked) == 1


def test_a_lake_that_the_driver_cannot_read_goes_to_the_engine(here: ProfileWorld) -> None:
    profile_table("core.orders", replace(here.ports, small=None))
    assert len(here.large.asked) == 1


def test_after_a_run_one_failure_leaves_the_others(here: ProfileWorld) -> None:
    found = profile_tables([TableName("core", "gone"), ORDERS], here.ports, branch=MAIN)
    assert isinstance(found[ORDERS], TableProfile)
    assert isinstance(found[TableName("core", "gone")], ForgeError)


@pytest.mark.parametrize("dataset", ["core.nothing", "core.orders@nowhere", "nonsense", "core.orders; DROP", ""])
def test_an_unknown_name_is_an_error_with_a_code(here: ProfileWorld, dataset: str) -> None:
    with pytest.raises(ForgeError):
        here.profile(dataset)
