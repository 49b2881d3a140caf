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
def tag_world() -> BranchWorld:
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


def tag(tag_world: BranchWorld, name: str, target: str = "HEAD", **options: Any) -> Tag:
    return create_tag(tag_world.metadata, name, target, author=ADA, clock=tag_world.clock, current=MAIN, **options)


def delete(tag_world: BranchWorld, name: str, **options: Any) -> Tag:
    return delete_tag(tag_world.metadata, name, author=ADA, clock=tag_world.clock, **options)


def test_a_tag_names_the_commit_of_any_revision(tag_world: BranchWorld) -> None:
    made = tag(tag_world, "v1.0", "dev", message="the first")
    assert (made.target, made.message, made.tagger) == (tag_world.head("dev"), "the first", ADA)
    assert tag(tag_world, "v0", "v1.0~1").target == tag_world.branch("dev").fork_commit
    assert [t.name for t in list_tags(tag_world.metadata)] == ["v0", "v1.0"]
    assert tag_world.actions()[-2:] == ["tag.create", "tag.create"]


def test_a_tag_stays_where_it_is_when_its_branch_moves(tag_world: BranchWorld) -> None:
    before = tag(tag_world, "v1").target
    tag_world.commit("main", "core.orders")
    found = tag_world.metadata.tag("v1")
    assert found is not None
    assert found.target == before != tag_world.head("main")


def test_a_tag_is_moved_by_force_alone(tag_world: BranchWorld) -> None:
    old = tag(tag_world, "v1", "HEAD~1")
    with refused("E615", "--force"):
        tag(tag_world, "v1")
    moved = tag(tag_world, "v1", force=True)
    assert (list_tags(tag_world.metadata), moved.target) == ((moved,), tag_world.head("main"))
    record = tag_world.metadata.audit()[0]
    assert (record.action, record.detail["from"], record.detail["target"]) == ("tag.move", old.target, moved.target)


def test_a_tag_on_a_protected_branch_is_neither_moved_nor_deleted(tag_world: BranchWorld) -> None:
    tag(tag_world, "v1", "HEAD~1")
    tag(tag_world, "try", "dev")
    protect_branch(tag_world.metadata, "main", protected=True, author=ADA, clock=tag_world.clock)
    with refused("E608", "'main' is protected"):
        tag(tag_world, "v1", force=True)
    with refused("E608"):
        delete(tag_world, "v1")
    tag(tag_world, "v2")  # a new one changes nothing
    tag(tag_world, "try", "dev~1", force=True)  # it was on dev alone
    with refused("E608"):
        delete(tag_world, "try")  # now main holds its commit, too
    assert [t.name for t in list_tags(tag_world.metadata)] == ["try", "v1", "v2"]


def test_the_settings_protect_the_tags_of_a_branch_too(tag_world: BranchWorld) -> None:
    tag(tag_world, "v1")
    with refused("E608"):
        tag(tag_world, "v1", "HEAD~1", force=True, protected=["main"])
    with refused("E608"):
        delete(tag_world, "v1", protected=["ma*"])
    assert delete(tag_world, "v1", protected=["release/*"]).name == "v1"
    assert list_tags(tag_world.metadata) == ()
    assert tag_world.actions()[-1] == "tag.delete"


def test_an_unknown_tag_is_told_with_the_nearest(tag_world: BranchWorld) -> None:
    tag(tag_world, "release-1")
    with refused("E614", "Did you mean release-1?"):
        delete(tag_world, "release1")


def test_a_bad_name_or_an_unknown_commit_makes_no_tag(tag_world: BranchWorld) -> None:
    with refused("E604", "'..'"):
        tag(tag_world, "v..1")
    with refused("E601"):
        tag(tag_world, "v1", "nope")
    assert list_tags(tag_world.metadata) == ()


def test_a_signature_is_over_everything_in_the_tag(tag_world: BranchWorld) -> None:
    signed: list[str] = []

    def sign(text: str) -> Signature:
        signed.append(text)
        return Signature("ed25519", f"signed {text}", "key1")

    made = tag(tag_world, "v1", message="m", signer=sign)
    assert made.signature == Signature("ed25519", f"signed {tag_id_of(made)}", "key1")
    other = tag(tag_world, "v2", message="m", signer=sign)
    assert len({tag_id_of(made), tag_id_of(other), *signed}) == 2
