"""Tags on memory stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from branch_world import ADA, MAIN, BranchWorld

from forge.flows.versioning.branches import protect_branch
from forge.flows.versioning.tags import create_tag, delete_tag, list_tags
from forge.model.errors import ForgeError
from forge.versioning.commit import Signature
from forge.versioning.tag import Tag, tag_id_of


@pytest.fixture
def world() -> BranchWorld:
    made = BranchWorld()
    made.commit("main", "core.orders")
    made.create("dev")
    made.commit("main", "core.orders")
    made.commit("dev", "core.orders")
    return made


@contextmanager
def refused(code: str, words: str = "") -> Iterator[None]:
    with pytest.raises(ForgeError) as caught:
        yield
    assert caught.value.code == code
    assert words in " ".join(filter(None, (caught.value.what, caught.value.why, caught.value.fix)))


def tag(world: BranchWorld, name: str, target: str = "HEAD", **options: Any) -> Tag:
    return create_tag(world.metadata, name, target, author=ADA, clock=world.clock, current=MAIN, **options)


def delete(world: BranchWorld, name: str, **options: Any) -> Tag:
    return delete_tag(world.metadata, name, author=ADA, clock=world.clock, **options)


def test_a_tag_names_the_commit_of_any_revision(world: BranchWorld) -> None:
    made = tag(world, "v1.0", "dev", message="the first")
    assert (made.target, made.message, made.tagger) == (world.head("dev"), "the first", ADA)
    assert tag(world, "v0", "v1.0~1").target == world.branch("dev").fork_commit
    assert [t.name for t in list_tags(world.metadata)] == ["v0", "v1.0"]
    assert world.actions()[-2:] == ["tag.create", "tag.create"]


def test_a_tag_stays_where_it_is_when_its_branch_moves(world: BranchWorld) -> None:
    before = tag(world, "v1").target
    world.commit("main", "core.orders")
    found = world.metadata.tag("v1")
    assert found is not None
    assert found.target == before != world.head("main")


def test_a_tag_is_moved_by_force_alone(world: BranchWorld) -> None:
    old = tag(world, "v1", "HEAD~1")
    with refused("E615", "--force"):
        tag(world, "v1")
    moved = tag(world, "v1", force=True)
    assert (list_tags(world.metadata), moved.target) == ((moved,), world.head("main"))
    record = world.metadata.audit()[0]
    assert (record.action, record.detail["from"], record.detail["target"]) == ("tag.move", old.target, moved.target)


def test_a_tag_on_a_protected_branch_is_neither_moved_nor_deleted(world: BranchWorld) -> None:
    tag(world, "v1", "HEAD~1")
    tag(world, "try", "dev")
    protect_branch(world.metadata, "main", protected=True, author=ADA, clock=world.clock)
    with refused("E608", "'main' is protected"):
        tag(world, "v1", force=True)
    with refused("E608"):
        delete(world, "v1")
    tag(world, "v2")  # a new one changes nothing
    tag(world, "try", "dev~1", force=True)  # it was on dev alone
    with refused("E608"):
        delete(world, "try")  # now main holds its commit, too
    assert [t.name for t in list_tags(world.metadata)] == ["try", "v1", "v2"]


def test_the_settings_protect_the_tags_of_a_branch_too(world: BranchWorld) -> None:
    tag(world, "v1")
    with refused("E608"):
        tag(world, "v1", "HEAD~1", force=True, protected=["main"])
    with refused("E608"):
        delete(world, "v1", protected=["ma*"])
    assert delete(world, "v1", protected=["release/*"]).name == "v1"
    assert list_tags(world.metadata) == ()
    assert world.actions()[-1] == "tag.delete"


def test_an_unknown_tag_is_told_with_the_nearest(world: BranchWorld) -> None:
    tag(world, "release-1")
    with refused("E614", "Did you mean release-1?"):
        delete(world, "release1")


def test_a_bad_name_or_an_unknown_commit_makes_no_tag(world: BranchWorld) -> None:
    with refused("E604", "'..'"):
        tag(world, "v..1")
    with refused("E601"):
        tag(world, "v1", "nope")
    assert list_tags(world.metadata) == ()


def test_a_signature_is_over_everything_in_the_tag(world: BranchWorld) -> None:
    signed: list[str] = []

    def sign(text: str) -> Signature:
        signed.append(text)
        return Signature("ed25519", f"signed {text}", "key1")

    made = tag(world, "v1", message="m", signer=sign)
    assert made.signature == Signature("ed25519", f"signed {tag_id_of(made)}", "key1")
    other = tag(world, "v2", message="m", signer=sign)
    assert len({tag_id_of(made), tag_id_of(other), *signed}) == 2
