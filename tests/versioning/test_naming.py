"""Names of branches and tags against git itself."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.model.errors import ForgeError
from forge.versioning.naming import parse_branch, parse_tag

CASES = (
    "main", "fix-orders", "feature/a", "a.b", "a..b", ".a", "a/.b", "a.lock", "a.lock/b", "a/", "/a", "a//b", "a b",
    "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "@", "a@{b", "a@b", "-a", "a-", "HEAD", "a.", "ü", "a\tb", "a\x7f",
    "heads/main", "x/HEAD", "{a}", "a.lockx", "", "refs/heads/a", "refs/tags/a", "@{-1}", "@{upstream}", "@/a", "a/@",
    "@a", "a@", "@@", "-", "a/-b", "HEAD/a", "head", ".lock", "a.lock.b", "a.LOCK", "a./b", "...", "/", "a\n", "\n",
    "a\nb", "a{b", "v1.0", "release/2026-11", "a\u00a0b", "\u2028", "日本", "a\x80", "a\x1f", "~", "a..", "main^0",
)  # fmt: skip


def git_accepts(name: str) -> bool:
    done = subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True)
    return done.returncode == 0 and done.stdout.decode().strip("\n") == name


def git_accepts_tag(name: str) -> bool:
    """What begins with - or is HEAD could not be told from an option or from HEAD; `git tag` takes no such name."""
    done = subprocess.run(["git", "check-ref-format", f"refs/tags/{name}"], capture_output=True)
    return done.returncode == 0 and not name.startswith("-") and name != "HEAD"


def accepts(parse: Callable[[str], str], name: str) -> bool:
    try:
        return parse(name) == name
    except ForgeError as error:
        return error.code != "E604"  # any other error is a mistake, and shows as a name accepted


@pytest.mark.parametrize("name", CASES, ids=ascii)
def test_a_name_is_accepted_where_git_accepts_it(name: str) -> None:
    assert accepts(parse_branch, name) == git_accepts(name)
    assert accepts(parse_tag, name) == git_accepts_tag(name)


NAMES = st.text(alphabet="ab./@{}~^:?*[\\- \x07éHEADlock\n", min_size=1, max_size=12)
PARTS = st.lists(
    st.sampled_from(["a", "HEAD", "refs", "heads", "@", "{", "..", ".", "/", ".lock", "-", "main", "-1}", "~1", "ü"]),
    min_size=1,
    max_size=6,
).map("".join)


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(NAMES | PARTS)
def test_any_name_is_accepted_where_git_accepts_it(name: str) -> None:
    assert accepts(parse_branch, name) == git_accepts(name)
    assert accepts(parse_tag, name) == git_accepts_tag(name)


@pytest.mark.parametrize("parse", [parse_branch, parse_tag])
def test_a_name_has_at_most_255_characters(parse: Callable[[str], str]) -> None:
    assert parse("a" * 255) == "a" * 255
    with pytest.raises(ForgeError) as caught:
        parse("a" * 256)
    assert caught.value.code == "E604"
    assert "it has 256 characters, and 255 are the most" in caught.value.what
    assert len(caught.value.what) < 200, "the name is not repeated whole"


@pytest.mark.parametrize(
    ("name", "rule"),
    [("a..b", "'..'"), ("a.lock", "'.lock'"), ("-a", "begins with '-'"), ("a b", "a space"), ("HEAD", "HEAD is taken")],
)
def test_a_bad_name_is_refused_with_the_rule(name: str, rule: str) -> None:
    for parse, kind in ((parse_branch, "a branch"), (parse_tag, "a tag")):
        with pytest.raises(ForgeError) as caught:
            parse(name)
        assert kind in caught.value.what
        assert rule in caught.value.what
