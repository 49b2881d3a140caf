"""Rules of protected branches. Every rule takes the branch as `effective` returns it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fnmatch import fnmatchcase

from forge.model.errors import ForgeError
from forge.versioning.branch import Branch

# What is refused, in words that follow "cannot".
_CHANGES = {
    "commit": "take a commit",
    "upload": "take an upload",
    "run": "take what a run publishes",
    "revert": "be reverted on directly",
    "reset": "be reset",
    "rollback": "be rolled back",
    "tag move": "have a tag on it moved or deleted",
    "delete": "be deleted",
    "rename": "be renamed",
}
_OF_THE_NAME = ("tag move", "delete", "rename")  # no merge can bring these about


def effective(branch: Branch, protected: Collection[str], review: bool) -> Branch:
    """The branch with the settings applied: they protect by name or pattern (`release/*`), and may waive approval
    for protected branches. What is recorded of the branch itself wins."""
    is_protected = branch.is_protected or any(fnmatchcase(branch.name, pattern) for pattern in protected)
    require = branch.require_approval
    if is_protected and require is None and not review:
        require = False
    return replace(branch, is_protected=is_protected, require_approval=require)


def refuse_change(branch: Branch, action: str) -> None:
    """A protected branch changes by merges alone: E608 for everything else."""
    if not branch.is_protected:
        return
    words = _CHANGES.get(action, f"take a {action}")
    if action in _OF_THE_NAME:
        fix = f"`forge branch unprotect {branch.name}` lifts the protection, unless forge.yaml sets it."
    else:
        fix = f"Work on a branch and merge it: forge branch create fix, then forge merge fix {branch.name}"
    raise ForgeError(
        "E608",
        f"'{branch.name}' is protected and cannot {words}",
        why="A protected branch changes by merges alone.",
        fix=fix,
    )


def who_may_merge(branch: Branch, user: str) -> bool:
    """Whether this user may merge into the branch; without a list, everyone with write access may."""
    return not branch.allowed_mergers or _key(user) in map(_key, branch.allowed_mergers)


def may_approve(author: str, approver: str) -> bool:
    """Someone else than the author of the merge."""
    return _key(author) != _key(approver)


def _key(user: str) -> str:
    """Users are names or e-mail addresses, compared without case, so that nobody passes as someone else."""
    return user.strip().casefold()
