"""The order of versions and of the states of a contract's life."""

from __future__ import annotations

import pytest

from forge.contracts.compare.versions import find_breaking_changes
from forge.contracts.lifecycle import NEXT, ContractState, is_later, next_states, refuse_move, state_by_file, state_of
from forge.contracts.semver import Version, newest, predecessor
from forge.model.errors import ForgeError

ORDERED = [
    *("nonsense", "0.0.1", "0.1.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2"),
    *("1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"),
]


def test_versions_are_ordered_as_semver_orders_them() -> None:
    backwards = ORDERED[::-1]
    assert sorted(backwards, key=Version) == ORDERED
    assert newest(ORDERED) == "2.0.0"
    assert newest([]) is None
    assert not Version("1.0").is_valid
    assert not Version("01.0.0").is_valid
    assert Version("1.0.0") == Version("1.0.0")
    assert Version("1.0.0") != "1.0.0"


@pytest.mark.parametrize(
    ("version", "known", "before"),
    [
        ("1.1.0", ["1.0.0", "2.0.0"], "1.0.0"),
        ("1.0.0", ["1.0.0", "2.0.0"], "2.0.0"),  # nothing is below: it is held against what follows
        ("2.0.1", ["1.0.0", "1.9.0", "2.0.0"], "2.0.0"),
        ("1.0.0", ["1.0.0-rc.1"], "1.0.0-rc.1"),
        ("1.0.0", ["1.0.0"], None),
        ("1.0.0", [], None),
    ],
)
def test_the_version_before_is_the_nearest_below(version: str, known: list[str], before: str | None) -> None:
    assert predecessor(version, known) == before


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("draft", ContractState.DRAFT),
        ("Proposed", ContractState.DRAFT),
        (" ACTIVE ", ContractState.ACTIVE),
        ("production", ContractState.ACTIVE),
        ("current", ContractState.ACTIVE),
        (None, ContractState.ACTIVE),
        ("deprecated", ContractState.DEPRECATED),
        ("sunset", ContractState.SUNSET),
        ("retired", ContractState.RETIRED),
        ("obsolete", ContractState.RETIRED),
    ],
)
def test_the_status_of_a_file_is_read_as_a_state(status: str | None, state: ContractState) -> None:
    assert state_of(status) is state


def test_a_life_goes_on_and_not_back() -> None:
    for before, following in NEXT.items():
        for after in ContractState:
            if after in following:
                refuse_move("orders", before, after)
                assert is_later(after, before)
            else:
                with pytest.raises(ForgeError) as refused:
                    refuse_move("orders", before, after)
                assert refused.value.code == "E507"
                assert refused.value.fix
    assert next_states(ContractState.RETIRED) == ()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (ContractState.DEPRECATED, ContractState.ACTIVE, "orders is deprecated and cannot go back to active"),
        (ContractState.ACTIVE, ContractState.RETIRED, "orders is active and cannot become retired"),
        (ContractState.ACTIVE, ContractState.ACTIVE, "orders is active already"),
    ],
)
def test_a_step_that_is_refused_is_told_in_a_sentence(before: ContractState, after: ContractState, said: str) -> None:
    with pytest.raises(ForgeError) as refused:
        refuse_move("orders", before, after)
    assert refused.value.what == said


@pytest.mark.parametrize(
    ("known", "version", "wanted", "state"),
    [
        (None, "1.0.0", ContractState.DRAFT, ContractState.DRAFT),  # the first version says where it begins
        (ContractState.DRAFT, "1.0.0", ContractState.ACTIVE, ContractState.ACTIVE),
        (ContractState.ACTIVE, "1.1.0", ContractState.DEPRECATED, ContractState.DEPRECATED),
        (
            ContractState.DEPRECATED,
            "1.1.0",
            ContractState.ACTIVE,
            ContractState.DEPRECATED,
        ),  # a file that lags behind moves nothing
        (ContractState.ACTIVE, "1.1.0", ContractState.DRAFT, ContractState.ACTIVE),
        (ContractState.ACTIVE, "1.1.0", ContractState.RETIRED, ContractState.ACTIVE),  # it was never announced
        (ContractState.RETIRED, "1.1.0", ContractState.ACTIVE, ContractState.RETIRED),
        (
            ContractState.RETIRED,
            "2.0.0",
            ContractState.ACTIVE,
            ContractState.ACTIVE,
        ),  # a new MAJOR version has its own life
        (ContractState.DEPRECATED, "2.0.0", ContractState.DRAFT, ContractState.DRAFT),
        (
            ContractState.ACTIVE,
            "0.9.0",
            ContractState.DEPRECATED,
            ContractState.ACTIVE,
        ),  # an older version ends without the newest
        (ContractState.DEPRECATED, "1.0.0-rc.1", ContractState.RETIRED, ContractState.DEPRECATED),
    ],
)
def test_a_file_moves_a_contract_only_on(
    known: ContractState | None, version: str, wanted: ContractState, state: ContractState
) -> None:
    assert state_by_file(known, "1.0.0" if known else None, wanted, version) is state


def test_a_pre_release_of_very_many_digits_has_its_place() -> None:
    long = "9" * 5_000
    backwards = [f"1.0.0-1{'0' * 5_000}", f"1.0.0-{long}", "1.0.0-10", "1.0.0-9", "1.0.0-0"]
    assert sorted(backwards, key=Version) == backwards[::-1]
    assert find_breaking_changes(f"version: 1.0.0-{long}\n", "version: 1.0.0\n").actual_bump
