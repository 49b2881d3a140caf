"""Classifications: ordered levels, and PII/PHI marks that a child may not drop."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forge.contracts.tree import InheritanceFindings, TreeNode
from forge.model.classification import ClassificationLevel

LEVELS = tuple(level.value for level in ClassificationLevel)
_SYNONYMS = {
    **dict.fromkeys(("open", "unclassified", "nonconfidential"), "public"),
    **dict.fromkeys(("private", "sensitive"), "confidential"),
    **dict.fromkeys(("secret", "topsecret"), "restricted"),
}
_MARKS = {
    "pii": "pii",
    "personal": "pii",
    "phi": "phi",
    "spi": "spi",
    "pci": "pci",
}
_NOT = ("non", "not", "no", "none", "without")
_FILLERS = frozenset(
    {"data", "use", "only", "level", "class", "classification", "information", "and", "highly", "strictly"}
)


@dataclass(frozen=True, slots=True)
class Classification:
    level: str | None
    marks: frozenset[str]
    others: frozenset[str]  # words without a rank


def parse_classification(text: str) -> Classification:
    """`restricted`, `PII`, `confidential, pii`, `internal use only`, `non-pii`."""
    plain = re.sub(r"top[\s_-]+secret", "topsecret", text.lower())
    words = [word for word in re.split(r"[^a-z0-9]+", plain) if word]
    levels: list[str] = []
    marks: set[str] = set()
    others: set[str] = set()
    negated = False
    for word in words:
        if word in _NOT:
            negated = True
            continue
        level = _SYNONYMS.get(word, word)
        if level in LEVELS:
            levels.append("public" if negated else level)
        elif word in _MARKS:
            marks.update(() if negated else (_MARKS[word],))
        elif word not in _FILLERS:
            others.add(word)
        negated = False
    strongest = max(levels, key=LEVELS.index) if levels else None
    return Classification(strongest, frozenset(marks), frozenset(others))


def merge_classification(parent: TreeNode, child: TreeNode, name: str, findings: InheritanceFindings) -> TreeNode:
    """The stronger one, or both in one text where neither includes the other."""
    above, own = parse_classification(str(parent.value)), parse_classification(str(child.value))
    dropped = sorted(above.marks - own.marks)
    is_lower = bool(above.level and own.level and LEVELS.index(own.level) < LEVELS.index(above.level))
    is_empty = own == Classification(None, frozenset(), frozenset()) and own != above
    if dropped or is_lower or is_empty:
        why = f"drops {' and '.join(dropped)} of" if dropped else "is weaker than"
        findings.weaker(
            child,
            f"{name}: the classification '{child.value}' {why} the parent's '{parent.value}'",
            parent,
            f"Write classification: {_quoted(_joined(above, own))}, or leave it out to inherit it.",
        )
    elif above.others - own.others or (above.level and not own.level and own.others):
        findings.unclear(
            child,
            f"{name}: nobody can tell whether the classification '{child.value}' is as strong as '{parent.value}'",
            parent,
            f"Use one of {', '.join(LEVELS)}, with pii or phi beside it.",
        )
        return child
    elif above.level in (None, own.level) or own.level:
        return child
    joined = _joined(above, own)
    return parent if parse_classification(joined) == above else TreeNode(child.source, child.path, joined)


def _joined(above: Classification, own: Classification) -> str:
    levels = [level for level in (above.level, own.level) if level]
    strongest = [max(levels, key=LEVELS.index)] if levels else []
    return ", ".join([*strongest, *sorted(above.marks | own.marks), *sorted(above.others | own.others)])


def _quoted(text: str) -> str:
    """Quoted for a flow mapping, where a comma ends the value."""
    return f'"{text}"' if "," in text else text
