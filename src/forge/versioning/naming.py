"""Branch names follow git's rules (`git check-ref-format --branch`)."""

from __future__ import annotations

import re

from forge.model.errors import ForgeError
from forge.model.names import BranchName

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")
_RULES: tuple[tuple[str, str], ...] = (
    (r"^$", "it is empty"),
    (r"^-", "it begins with '-'"),
    (r"^HEAD$", "HEAD is taken"),
    (r"(^|/)\.", "a part of it begins with '.'"),
    (r"\.\.", "it contains '..'"),
    (r"\.lock(/|$)", "a part of it ends with '.lock'"),
    (r"^/|/$|//", "it begins or ends with '/', or has '//'"),
    (r"\.$", "it ends with '.'"),
    (r"@\{", "it contains '@{'"),
)


def parse_branch(text: str) -> BranchName:
    broken = next((rule for pattern, rule in _RULES if re.search(pattern, text)), None)
    if broken is None and _FORBIDDEN.search(text):
        broken = "it contains a space, a control character or one of ~ ^ : ? * [ \\"
    if broken is not None:
        raise ForgeError(
            "E604",
            f"'{text}' cannot be the name of a branch: {broken}",
            why="Branch names follow git's rules.",
            fix="Choose another, like fix-orders or feature/a.",
        )
    return BranchName(text)
