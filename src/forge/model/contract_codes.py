"""The error codes of contracts and policies: E5xx."""

from __future__ import annotations

from forge.model.code import CANNOT_CONNECT, COULD_NOT_RUN, FINDINGS, NOT_ALLOWED, USAGE, Code, told
from forge.model.errors import Kind

CONTRACT_CODES: tuple[tuple[str, Code], ...] = (
    told(
        "E500",
        Kind.INVALID,
        "contract required",
        "A table that `governance.contracts.required_for` names has no contract.",
        FINDINGS,
        why="Readers of a shared table rely on something written; without it nobody can say what broke.",
    ),
    told(
        "E501",
        Kind.INVALID,
        "required field missing",
        "A contract lacks a field that the standard, or the strict profile, requires.",
        COULD_NOT_RUN,
        why="Each version of the standard says which fields a contract has; a contract is held against the version "
        "that it declares itself.",
    ),
    told(
        "E502",
        Kind.INVALID,
        "bad format",
        "A contract's field is not of the required form, or the file is not the YAML that a contract may be.",
        COULD_NOT_RUN,
        why="What cannot be read the same way by everybody is no agreement.",
    ),
    told(
        "E503",
        Kind.INVALID,
        "unknown type",
        "A contract names a type outside the type system of its version of the standard.",
        COULD_NOT_RUN,
        why="The types differ between versions: timestamp came with 3.1, map and vector with 3.2.",
    ),
    told("E504", Kind.NOT_FOUND, "unknown contract", "No contract of that name or version is registered.", USAGE),
    told(
        "E505",
        Kind.CONFLICT,
        "version is taken",
        "That version of the contract is registered with another content.",
        FINDINGS,
        why="Versions are immutable: who relied on one must find in it what was there before.",
    ),
    told(
        "E506",
        Kind.REFUSED,
        "contract is retired",
        "A new reader asks for a table whose contract is retired.",
        NOT_ALLOWED,
        why="A retired contract promises nothing any more; those who read it before were told.",
    ),
    told(
        "E507",
        Kind.CONFLICT,
        "not the next state",
        "The life of a contract goes draft, active, deprecated, sunset, retired, and not back.",
        FINDINGS,
    ),
    told(
        "E508",
        Kind.INVALID,
        "cannot be converted",
        "A file could not be turned into a contract, or a contract into the wanted format.",
        COULD_NOT_RUN,
    ),
    told(
        "E509",
        Kind.UNAVAILABLE,
        "contract tool failed",
        "datacontract-cli, which does this, is missing or failed.",
        CANNOT_CONNECT,
    ),
    told(
        "E510",
        Kind.INVALID,
        "child weakens parent",
        "A contract takes back or loosens what a contract above it promises.",
        FINDINGS,
        why="Enterprise and domain contracts are floors: a contract below may add to them and be stricter, not weaker.",
    ),
    told(
        "E511",
        Kind.INVALID,
        "parent not found",
        "A contract extends a contract that is not there, or the chain of parents is a circle.",
        COULD_NOT_RUN,
    ),
    told(
        "E512",
        Kind.INVALID,
        "governance loosened",
        "A forge.yaml loosens what a file that it extends demands.",
        COULD_NOT_RUN,
    ),
    told(
        "E520",
        Kind.INVALID,
        "breaking change",
        "A change that breaks readers came without a new MAJOR version.",
        FINDINGS,
        why="A reader that pinned 2.x was promised that every 2.y keeps working. Removing or renaming a column, "
        "narrowing a type or weakening a guarantee breaks that promise.",
    ),
    told(
        "E530",
        Kind.INVALID,
        "type mismatch",
        "A column's type differs from the contract's.",
        FINDINGS,
        why="A declared physicalType is compared exactly, but for its spelling; a logicalType fits several types. "
        "`forge contract drift` says what would make the table or the contract fit.",
    ),
    told(
        "E531",
        Kind.INVALID,
        "column missing",
        "A column of the contract is missing in the table.",
        FINDINGS,
        why="Who reads the table relies on every column that was promised; names differ in case only.",
    ),
    told(
        "E532",
        Kind.INVALID,
        "undocumented column",
        "A column is not in the contract. Reported, never blocking.",
        FINDINGS,
        why="Nobody knows what it means, so nobody should rely on it; `forge contract drift` writes the entry for it.",
    ),
    told("E540", Kind.INVALID, "naming", "A name does not follow the project's naming policy.", FINDINGS),
    told(
        "E541", Kind.INVALID, "test coverage", "A table has fewer checks than the project's policy asks for.", FINDINGS
    ),
    told(
        "E542",
        Kind.INVALID,
        "documentation",
        "A table or a column has no description though the policy asks.",
        FINDINGS,
    ),
    told(
        "E543", Kind.INVALID, "unknown reference", "Something refers to a table or column that nobody makes.", FINDINGS
    ),
    told("E544", Kind.INVALID, "cycle", "Tables need each other in a circle, so none can be made first.", FINDINGS),
    told("E545", Kind.INVALID, "custom policy", "A rule of the project's own is violated.", FINDINGS),
)
