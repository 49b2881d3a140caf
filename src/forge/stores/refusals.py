"""Errors that every metadata store raises for unknown or existing names and ids."""

from __future__ import annotations

from collections.abc import Iterable

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId
from forge.versioning.errors import UnknownRevisionError


def no_branch(name: BranchName, known: Iterable[str]) -> ForgeError:
    return ForgeError("E602", f"There is no branch {name}", why=did_you_mean(name, known), fix="forge branch")


def no_commit(commit_id: CommitId) -> ForgeError:
    return UnknownRevisionError(f"There is no commit {commit_id}", fix="forge log")


def no_tag(name: str, known: Iterable[str]) -> ForgeError:
    return ForgeError("E614", f"There is no tag {name}", why=did_you_mean(name, known), fix="forge tag list")


def tag_exists(name: str, target: CommitId | None) -> ForgeError:
    return ForgeError(
        "E615",
        f"Tag {name} exists already",
        why=None if target is None else f"It stands at commit {target[:12]}.",
        fix="Take another name, or delete the tag first.",
    )


def no_merge(merge_id: str) -> ForgeError:
    return ForgeError("E616", f"There is no merge {merge_id}", fix="forge conflicts")


def no_conflicts(merge_id: str, ids: Iterable[str]) -> ForgeError:
    missing = sorted(ids)
    named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return ForgeError(
        "E616",
        f"Merge {merge_id} has no conflict {named}",
        why="Conflicts get other ids when one of the sides changes.",
        fix=f"forge conflicts {merge_id}",
    )
