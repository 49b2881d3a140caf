"""Two versions of a contract: what changed, which part of the version must grow for it, and whether it did.

What counts is what the reader of a table suffers. A promise taken back or loosened breaks somebody: MAJOR. More than
before (a column, a rule, a tighter bound) is MINOR. Words alone are PATCH. The order of things and the case of names
are nothing."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.compare.change import Both, Bump, Change, Kind, Part, highest
from forge.contracts.compare.schema import schema_changes
from forge.contracts.compare.shape import refuse_other_shapes
from forge.contracts.compare.sla import sla_changes
from forge.contracts.compare.terms import CONTRACT, term_changes
from forge.contracts.contract import BREAKING_CHANGE, LOGICAL_TYPES, Contract, Violation
from forge.contracts.document.file import Document, read_document
from forge.contracts.pattern.inclusion import pattern_budget
from forge.contracts.semver import Version

__all__ = ["Bump", "Change", "Comparison", "Kind", "compare_documents", "find_breaking_changes"]

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`required_bump` is the least that readers need; `actual_bump` is what the versions say, also `downgrade`.
    `unknown` is what cannot be told: a version is no semantic one, a file no contract."""

    changes: tuple[Change, ...]
    required_bump: str
    actual_bump: str
    violations: tuple[Violation, ...]
    old_version: str = ""
    new_version: str = ""
    name: str = ""

    @property
    def breaking(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.is_breaking)

    @property
    def next_version(self) -> str | None:
        """The lowest version that would do."""
        return _next_version(self.old_version, Bump(self.required_bump)) if self.is_known else None

    @property
    def is_known(self) -> bool:
        """False where one of the two could not be read: `violations` says why."""
        return self.required_bump != UNKNOWN

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "old_version": self.old_version,
            "new_version": self.new_version,
            "required_bump": self.required_bump,
            "actual_bump": self.actual_bump,
            "next_version": self.next_version,
            "breaking": bool(self.breaking),
            "violations": [violation.to_dict() for violation in self.violations],
            "changes": [change.to_dict() for change in self.changes],
        }


def find_breaking_changes(old: Contract | Document | str, new: Contract | Document | str) -> Comparison:
    """All changes from `old` to `new`, contracts or their texts. E520 is found at each change that breaks readers
    without a version that says so. Raises ContractError for a text that is no YAML."""
    return compare_documents(_document_of(old, "old.odcs.yaml"), _document_of(new, "new.odcs.yaml"))


@pattern_budget()
def compare_documents(old: Document, new: Document) -> Comparison:
    refuse_other_shapes(old, new)
    both = Both(Part.root(old), Part.root(new), CONTRACT)
    changes = (*schema_changes(both), *sla_changes(both), *term_changes(both))
    before, after = both.old.text("version"), both.new.text("version")
    required = _required_bump(changes, before)
    actual = bump_between(before, after)
    violations = (
        *_version_violations(both),
        *_type_violations(both, changes),
        *_bump_violations(both, changes, required, actual),
    )
    name = both.new.text("name") or both.new.text("id")
    return Comparison(
        changes=changes,
        required_bump=required.value,
        actual_bump=actual,
        violations=violations,
        old_version=before,
        new_version=after,
        name=name,
    )


def bump_between(old: str, new: str) -> str:
    """The part that grew. A pre-release is a step towards the version it announces: from 1.4.0 and from 2.0.0-rc.1,
    2.0.0-rc.2 is a MAJOR one. What stands behind a + makes no difference."""
    before, after = Version(old), Version(new)
    if not before.is_valid or not after.is_valid:
        return "none" if old == new else UNKNOWN
    first, second = ((one.major, one.minor, one.patch) for one in (before, after))
    if (first, before.pre) == (second, after.pre):
        return "none"
    if after < before:
        return "downgrade"
    if first == second:  # between pre-releases of one version, or from one to the version itself
        return "patch" if second[2] else "minor" if second[1] else "major"
    return "major" if first[0] != second[0] else "minor" if first[1] != second[1] else "patch"


def _required_bump(changes: tuple[Change, ...], version: str) -> Bump:
    """Before 1.0.0 anything may change; a MINOR version tells readers that something broke."""
    needed = highest(change.bump for change in changes)
    return Bump.MINOR if needed is Bump.MAJOR and Version(version).major == 0 else needed


def _next_version(version: str, bump: Bump) -> str | None:
    old = Version(version)
    if not old.is_valid or bump is Bump.NONE:
        return None
    if old.pre and bump_between(version, f"{old.major}.{old.minor}.{old.patch}") in _at_least(bump):
        return f"{old.major}.{old.minor}.{old.patch}"
    match bump:
        case Bump.MAJOR:
            return f"{old.major + 1}.0.0"
        case Bump.MINOR:
            return f"{old.major}.{old.minor + 1}.0"
    return f"{old.major}.{old.minor}.{old.patch + 1}"


def _at_least(bump: Bump) -> tuple[str, ...]:
    return tuple(one.value for one in Bump if one.rank >= bump.rank)


def _bump_violations(both: Both, changes: tuple[Change, ...], required: Bump, actual: str) -> tuple[Violation, ...]:
    if actual in _at_least(required) and actual != "downgrade":
        return ()
    before, after = both.old.text("version"), both.new.text("version")
    wanted = _next_version(before, required)
    breaking = [change for change in changes if change.is_breaking]
    if breaking:
        fix = f"Set version: {wanted}." if wanted else "Raise the MAJOR version."
        why = _why(before, after, actual)
        return tuple(_breaks(change, why, fix) for change in breaking)
    return _lesser(both, required, actual, wanted)


def _breaks(change: Change, why: str, fix: str) -> Violation:
    place = change.place
    message = f"{change.message}: breaks readers, {why}"
    told = f"{fix.removesuffix('.')}, or {change.fix[0].lower()}{change.fix[1:]}" if change.fix else fix
    return Violation(
        code=BREAKING_CHANGE,
        severity="error",
        file=place.file,
        line=place.line,
        column=place.column,
        path=change.path,
        message=message,
        fix=told,
    )


def _lesser(both: Both, required: Bump, actual: str, wanted: str | None) -> tuple[Violation, ...]:
    """Nothing breaks; a version that says less than the changes is worth a word all the same."""
    before, after = both.old.text("version"), both.new.text("version")
    if actual == "downgrade":
        message = f"the version goes back: {before} → {after}"
        fix = f"Set version: {wanted}." if wanted else f"Keep version: {before}."
    elif required is Bump.MINOR:
        message = f"something was added, {_why(before, after, actual)}"
        fix = f"Set version: {wanted}." if wanted else "Raise the MINOR version."
    else:
        return ()
    place = both.new.place("version")
    return (
        Violation(
            code="",
            severity="warning",
            file=place.file,
            line=place.line,
            column=place.column,
            path="version",
            message=message,
            fix=fix,
        ),
    )


def _why(before: str, after: str, actual: str) -> str:
    if actual == "none":
        return f"and the version stays {after}"
    if actual == "downgrade":
        return f"and the version goes back from {before} to {after}"
    if actual == UNKNOWN:
        return f"and {before or 'no version'} → {after or 'no version'} does not say so"
    return f"and {before} → {after} is only a {actual.upper()} version"


def _version_violations(both: Both) -> tuple[Violation, ...]:
    found = []
    for part in (both.old, both.new):
        version = part.text("version")
        if not Version(version).is_valid:
            place = part.place("version")
            message = f"'{version}' is not a semantic version" if version else "the contract has no version"
            found.append(
                Violation(
                    code="E502" if version else "E501",
                    severity="error",
                    file=place.file,
                    line=place.line,
                    column=place.column,
                    path="version",
                    message=message,
                    fix="Write three numbers, like 1.0.0.",
                )
            )
    return tuple(found)


def _type_violations(both: Both, changes: tuple[Change, ...]) -> tuple[Violation, ...]:
    """A column that got a type which is none: no bump makes that right."""
    version = both.new.text("apiVersion")
    known = LOGICAL_TYPES.get(version)
    told = [change for change in changes if change.path.endswith(".logicalType") and change.element == "type"]
    wrong = [change for change in told if known and change.new is not None and change.new not in known]
    return tuple(
        Violation(
            code="E503",
            severity="error",
            file=change.place.file,
            line=change.place.line,
            column=change.place.column,
            path=change.path,
            message=f"{change.subject}: {change.new} is no logical type of ODCS {version}",
            fix=f"Use one of {', '.join(known or ())}.",
        )
        for change in wrong
        if change.column  # a table has other types
    )


def _document_of(source: Contract | Document | str, file: str) -> Document:
    if isinstance(source, Document):
        return source
    if isinstance(source, Contract):
        if source.document is None:
            raise ValueError("the contract was not read from a document; use load_contract")
        return source.document
    return read_document(source, file)
