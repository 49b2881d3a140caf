"""Two versions of a contract: the changes, the bump they require, and the bump that was made.

Severity is that of the table's readers. A promise removed or loosened is MAJOR, an addition (a column, a rule, a
tighter bound) is MINOR, documentation alone is PATCH. Order and letter case do not count."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.compare.change import Bump, ContractChange, ContractPart, PartPair, highest
from forge.contracts.compare.schema import schema_changes
from forge.contracts.compare.shape import refuse_other_shapes
from forge.contracts.compare.sla import sla_changes
from forge.contracts.compare.terms import CONTRACT, term_changes
from forge.contracts.contract import BREAKING_CHANGE, LOGICAL_TYPES, Contract, Violation
from forge.contracts.document.file import Document, read_document
from forge.contracts.pattern.inclusion import pattern_budget
from forge.contracts.semver import Version

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractComparison:
    """`required_bump`: the minimum for the changes; `actual_bump`: the one between the versions, possibly `downgrade`.
    `unknown`: a version is not semantic, or a file is no contract."""

    changes: tuple[ContractChange, ...]
    required_bump: str
    actual_bump: str
    violations: tuple[Violation, ...]
    old_version: str = ""
    new_version: str = ""
    name: str = ""

    @property
    def breaking(self) -> tuple[ContractChange, ...]:
        return tuple(change for change in self.changes if change.is_breaking)

    @property
    def next_version(self) -> str | None:
        """The lowest sufficient version."""
        return _next_version(self.old_version, Bump(self.required_bump)) if self.is_known else None

    @property
    def is_known(self) -> bool:
        """False where one of the two could not be read: see `violations`."""
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


def find_breaking_changes(old: Contract | Document | str, new: Contract | Document | str) -> ContractComparison:
    """All changes from `old` to `new`, contracts or their texts. E520 for each breaking change without a sufficient
    bump. Raises for invalid YAML."""
    return compare_documents(_document_of(old, "old.odcs.yaml"), _document_of(new, "new.odcs.yaml"))


@pattern_budget()
def compare_documents(old: Document, new: Document) -> ContractComparison:
    refuse_other_shapes(old, new)
    both = PartPair(ContractPart.root(old), ContractPart.root(new), CONTRACT)
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
    return ContractComparison(
        changes=changes,
        required_bump=required.value,
        actual_bump=actual,
        violations=violations,
        old_version=before,
        new_version=after,
        name=name,
    )


def bump_between(old: str, new: str) -> str:
    """The incremented part. A pre-release belongs to the version it announces: from 1.4.0 and from 2.0.0-rc.1,
    2.0.0-rc.2 is MAJOR. Build metadata is ignored."""
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


def _required_bump(changes: tuple[ContractChange, ...], version: str) -> Bump:
    """Before 1.0.0 anything may change; a MINOR bump is enough for breaking changes."""
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


def _bump_violations(
    both: PartPair, changes: tuple[ContractChange, ...], required: Bump, actual: str
) -> tuple[Violation, ...]:
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


def _breaks(change: ContractChange, why: str, fix: str) -> Violation:
    place = change.place
    message = f"{change.message}: breaks readers, {why}"
    remedy = f"{fix.removesuffix('.')}, or {change.fix[0].lower()}{change.fix[1:]}" if change.fix else fix
    return Violation(
        code=BREAKING_CHANGE,
        severity="error",
        file=place.file,
        line=place.line,
        column=place.column,
        path=change.path,
        message=message,
        fix=remedy,
    )


def _lesser(both: PartPair, required: Bump, actual: str, wanted: str | None) -> tuple[Violation, ...]:
    """Not breaking, but an insufficient bump is still reported."""
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


def _version_violations(both: PartPair) -> tuple[Violation, ...]:
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


def _type_violations(both: PartPair, changes: tuple[ContractChange, ...]) -> tuple[Violation, ...]:
    """A column with an invalid type: no bump fixes that."""
    version = both.new.text("apiVersion")
    known = LOGICAL_TYPES.get(version)
    retyped = [change for change in changes if change.path.endswith(".logicalType") and change.element == "type"]
    wrong = [change for change in retyped if known and change.new is not None and change.new not in known]
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
