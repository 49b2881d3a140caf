"""Names of branches and tags: git's rules (`git check-ref-format`), limited in length."""

from __future__ import annotations

import re

from forge.model.errors import ForgeError
from forge.model.names import BranchName

LONGEST = 255
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")
_RULES: tuple[tuple[str, str], ...] = (
    (r"\A\Z", "it is empty"),
    (r"\A-", "it begins with '-'"),
    (r"\AHEAD\Z", "HEAD is taken"),
    (r"(\A|/)\.", "a part of it begins with '.'"),
    (r"\.\.", "it contains '..'"),
    (r"\.lock(/|\Z)", "a part of it ends with '.lock'"),
    (r"\A/|/\Z|//", "it begins or ends with '/', or has '//'"),
    (r"\.\Z", "it ends with '.'"),
    (r"@\{", "it contains '@{'"),
)


def parse_branch(text: str) -> BranchName:
    broken = _find_broken(text)
    if broken is not None:
        raise _bad_name(text, "branch", broken, "Choose another, like fix-orders or feature/a.")
    return BranchName(text)


def parse_tag(text: str) -> str:
    """As `git tag` does, which takes every name that `git check-ref-format refs/tags/NAME` does but those that would
    be read as an option or as HEAD."""
    broken = _find_broken(text)
    if broken is not None:
        raise _bad_name(text, "tag", broken, "Choose another, like v1.0 or release/2026-11.")
    return text


def _find_broken(text: str) -> str | None:
    """The rule that the name violates."""
    broken = next((rule for pattern, rule in _RULES if re.search(pattern, text)), None)
    if broken is None and _FORBIDDEN.search(text):
        return "it contains a space, a control character or one of ~ ^ : ? * [ \\"
    if broken is None and len(text) > LONGEST:
        return f"it has {len(text)} characters, and {LONGEST} are the most"
    return broken


def _bad_name(text: str, kind: str, broken: str, fix: str) -> ForgeError:
    shown = text if len(text) <= LONGEST else f"{text[:40]}…"
    return ForgeError(
        "E604",
        f"'{shown}' cannot be the name of a {kind}: {broken}",
        why=f"Names follow git's rules and have at most {LONGEST} characters.",
        fix=fix,
    )
