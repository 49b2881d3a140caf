"""What a front end (SQL, Python) reads out of code: steps, each of which makes one relation from others.

A step is at one level: its values name the relations it reads, be they tables or things that exist only inside a
program (CTEs, temporary views, DataFrame variables). `forge.lineage.extract.contract` joins the steps, so that edges
run from table to table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from forge.lineage.edge import Gap, Indirect
from forge.lineage.extract.definition import Definition
from forge.lineage.extract.value import Value
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import CONFIDENCE, Basis
from forge.model.names import ColumnName

RESOLVED = CONFIDENCE[Basis.RESOLVED]  # of a trace from code whose column is known
BY_POSITION = CONFIDENCE[Basis.POSITION]
MAYBE = 0.6  # one of several branches of a program


class Made(StrEnum):
    """What a step makes."""

    TABLE = "physical"
    VIEW = "view"
    FILE = "file"
    TEMPORARY = "temporary"
    CTE = "cte"
    DATAFRAME = "dataframe"

    @property
    def real(self) -> bool:
        """It outlives the program."""
        return self in (Made.TABLE, Made.VIEW, Made.FILE)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Step:
    """`target`: the qualified name of a table, the path of a file, or, of something in between, an id that nothing
    else in the program has (`recent@12`); `label` is then what the program calls it.

    `columns`: what arrives in each, in order; those without a source have an empty value. Of an INSERT, UPDATE or
    MERGE only the columns it writes. `open`: relations of which all columns arrive under their own names, beside those
    in `columns`, without it being known what they are (SELECT * FROM something unknown). `shaped`: what decides which
    rows there are. `reads`: all relations it reads, also those of which no column arrives. `whole`: `columns` and
    `open` are all there is of the target (CREATE … AS SELECT), not only what is written here.

    A relation is made before it is read; only a step of a recursive CTE reads itself. `transform`: what the code
    itself calls the transform that makes it; empty where it has no name."""

    target: str
    made: Made
    columns: Mapping[str, Value]
    shaped: frozenset[tuple[ColumnName, Indirect]] = frozenset()
    reads: frozenset[str] = frozenset()
    open: tuple[str, ...] = ()
    whole: bool = False
    file: str = ""
    line: int = 0
    statement: str = ""
    label: str = ""
    transform: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """All that was read out of one file. `statements` that could be told apart, and how many of them were
    `understood` whole; `queries` of them write nothing. `unknown`: tables whose columns would have told more, so that
    the file is worth reading again when they become known. `edges` and `nodes`: what it declares beside its steps
    (exposures of dbt, edges in YAML)."""

    file: str
    language: str
    steps: tuple[Step, ...] = ()
    gaps: tuple[Gap, ...] = ()
    definitions: tuple[Definition, ...] = ()
    statements: int = 0
    understood: int = 0
    queries: int = 0
    unknown: frozenset[str] = field(default=frozenset())
    edges: tuple[EdgeClaim, ...] = ()
    nodes: tuple[NodeClaim, ...] = ()
