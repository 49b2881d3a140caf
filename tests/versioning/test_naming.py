"""Branch names against git itself."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forge.model.errors import ForgeError
from forge.versioning.naming import parse_branch

CASES = (
    "main", "fix-orders", "feature/a", "a.b", "a..b", ".a", "a/.b", "a.lock", "a.lock/b", "a/", "/a", "a//b", "a b",
    "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "@", "a@{b", "a@b", "-a", "a-", "HEAD", "a.", "ü", "a\tb", "a\x7f",
    "heads/main", "x/HEAD", "{a}", "a.lockx",
)  # fmt: skip


def git_accepts(name: str) -> bool:
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True)
    return done.returncode == 0 and done.stdout.decode().strip("\n") == name


def forge_accepts(name: str) -> bool:
    try:
        return parse_branch(name) == name
    except ForgeError as error:
        return error.code != "E604"  # any other error is a mistake, and shows as a name accepted


@pytest.mark.parametrize("name", CASES)
def test_a_name_is_accepted_where_git_accepts_it(name: str) -> None:
    assert forge_accepts(name) == git_accepts(name)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab./@{}~^:?*[\\- \x07éHEADlock", min_size=1, max_size=12))
def test_any_name_is_accepted_where_git_accepts_it(name: str) -> None:
    assert forge_accepts(name) == git_accepts(name)
