"""What goes wrong in a merge is told without the values of personal columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kept_folder import KeptFolder
from orders_world import ORDERS, add_orders, edit, go, make_orders
from version_world import VersionWorld, kept_world

from forge.flows.versioning.merge.compare import preview_merge
from forge.flows.versioning.merge.merge import MergeRequest
from forge.flows.versioning.merge.resolve import Resolution, continue_merge, resolve
from forge.flows.versioning.merge.result import conflicts_of
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning.conflict import ResolutionChoice, ResolutionRule

SECRET = "ada@example.com"


@pytest.fixture
def personal_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    """The name of order 1 was changed on both sides."""
    yield from kept_world(world_folder, "two names", rename_on_both_sides)


def rename_on_both_sides(world: VersionWorld) -> None:
    add_orders(world)
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": SECRET, "amount": 1.0})
    edit(world, "main", {"id": 1, "name": "bob@example.com", "amount": 1.0})


def by_rule(personal_world: VersionWorld) -> object:
    return go(
        personal_world,
        rules=(ResolutionRule(ResolutionChoice.EXPRESSION, value="ours * 2", table=ORDERS, column="name"),),
    )


def by_preview(personal_world: VersionWorld) -> object:
    rule = ResolutionRule(ResolutionChoice.EXPRESSION, value="ours * 2", table=ORDERS, column="name")
    return preview_merge(MergeRequest(source="dev", target="main", rules=(rule,)), personal_world.ports)


def by_answer(personal_world: VersionWorld) -> object:
    held = go(personal_world)
    assert held.merge is not None
    resolve(
        held.merge.id,
        [Resolution(ResolutionChoice.EXPRESSION, value="ours * 2", ids=(conflicts_of(held)[0][0].id,))],
        personal_world.ports,
    )
    return continue_merge(held.merge.id, personal_world.ports)


@pytest.mark.parametrize("door", [by_rule, by_preview, by_answer])
@pytest.mark.parametrize("where", ["catalog", "contract"])
def test_an_expression_that_fails_shows_values_only_of_columns_that_all_may_see(
    personal_world: VersionWorld, door: Callable[[VersionWorld], object], where: str
) -> None:
    with pytest.raises(ForgeError, match="example") as open_:
        door(personal_world)
    assert open_.value.code == "E625"
    if where == "catalog":
        personal_world.flag(ORDERS, "name")
    else:
        personal_world.ports = replace(personal_world.ports, declared=lambda: frozenset({(ORDERS, "name")}))
    with pytest.raises(ForgeError) as hidden:
        door(personal_world)
    assert hidden.value.code == "E625"
    assert "example" not in f"{hidden.value}{hidden.value.__cause__}"
    assert "name" in hidden.value.what


@pytest.mark.slow
def test_a_key_that_is_personal_is_not_repeated(tmp_path: Path) -> None:
    made = make_orders(tmp_path)
    made.branch("dev")
    rows = [{"id": 7, "name": SECRET, "amount": 1.0}, {"id": 8, "name": SECRET, "amount": 2.0}]
    made.commit_rows(ORDERS, rows, "append", [], "dev")
    edit(made, "main", {"id": 1, "name": "x", "amount": 5.0})
    keys = {TableName.parse(ORDERS): ("name",)}
    with pytest.raises(ForgeError, match=SECRET) as shown:
        go(made, keys=keys)
    assert shown.value.code == "E611"
    made.flag(ORDERS, "name")
    with pytest.raises(ForgeError) as hidden:
        go(made, keys=keys)
    assert (hidden.value.code, SECRET in str(hidden.value)) == ("E611", False)
    assert "the same name" in hidden.value.what
    made.close()
