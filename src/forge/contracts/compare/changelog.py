"""The changes between two versions of a contract as a changelog: breaking first, documentation last."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.compare.change import Bump, ContractChange, ContractChangeKind
from forge.contracts.compare.versions import ContractComparison

MARKS = {"Breaking": "✗", "Added": "+", "Changed": "~", "Documentation": "·"}
_VERSION_TEXT = {"unknown": "no version that can be compared", "downgrade": "a version that goes back"}


@dataclass(frozen=True, slots=True)
class ChangelogSection:
    title: str
    changes: tuple[ContractChange, ...]


def sections_of(comparison: ContractComparison) -> tuple[ChangelogSection, ...]:
    """Breaking, Added, Changed, Documentation; without those that are empty."""
    found: dict[str, list[ContractChange]] = {title: [] for title in MARKS}
    for change in comparison.changes:
        found[title_of(change)].append(change)
    return tuple(ChangelogSection(title, tuple(changes)) for title, changes in found.items() if changes)


def title_of(change: ContractChange) -> str:
    if change.is_breaking:
        return "Breaking"
    if change.bump is Bump.PATCH:
        return "Documentation"
    return "Added" if change.kind is ContractChangeKind.ADDED else "Changed"


def headline(comparison: ContractComparison) -> str:
    """`Orders 1.2.0 → 2.0.0`."""
    old, new = comparison.old_version or "no version", comparison.new_version or "no version"
    versions = old if old == new else f"{old} → {new}"
    return f"{comparison.name} {versions}".strip()


def verdict(comparison: ContractComparison) -> str:
    """`needs a MAJOR version (2.0.0), has a MINOR one`."""
    if not comparison.changes:
        return "nothing changed" + (", the version did" if comparison.actual_bump != "none" else "")
    wanted = comparison.next_version
    needs = f"needs a {comparison.required_bump.upper()} version" + (f" ({wanted})" if wanted else "")
    actual = comparison.actual_bump
    if actual == "none":
        return f"{needs}, has the same one"
    return f"{needs}, has {_VERSION_TEXT.get(actual) or f'a {actual.upper()} one'}"


def changelog_markdown(comparison: ContractComparison) -> str:
    """For a release note or a pull request."""
    lines = [f"## {headline(comparison)}", ""]
    for section in sections_of(comparison):
        lines += [f"### {section.title}", "", *(f"- {_escaped(each.message)}" for each in section.changes), ""]
    summary = verdict(comparison)
    lines.append(f"_{summary[0].upper()}{summary[1:]}._")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in text)
