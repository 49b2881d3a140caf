"""The intermediate representation of SQL and Python code: steps, each of which makes one relation from others.

A step is one level deep: its values name the relations it reads, tables or intermediate ones (CTEs, temporary views,
DataFrame variables). Steps are flattened to edges from table to table later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from forge.lineage.edge import Gap, IndirectType
from forge.lineage.extract.definition import TableDefinition
from forge.lineage.extract.value import ColumnValue
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import CONFIDENCE, Basis
from forge.model.names import ColumnName

RESOLVED = CONFIDENCE[Basis.RESOLVED]  # of a trace from code whose column is known
BY_POSITION = CONFIDENCE[Basis.POSITION]
MAYBE = 0.6  # one of the branches of a program


class OutputKind(StrEnum):
    """The kind of relation that a step makes."""

    TABLE = "physical"
    VIEW = "view"
    FILE = "file"
    TEMPORARY = "temporary"
    CTE = "cte"
    DATAFRAME = "dataframe"

    @property
    def real(self) -> bool:
        """It outlives the program."""
        return self in (OutputKind.TABLE, OutputKind.VIEW, OutputKind.FILE)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProgramStep:
    """`target`: the qualified name of a table, the path of a file, or a unique id of an intermediate relation
    (`recent@12`); `label` is then its name in the program.

    `columns`: the value of each, in order; empty values have no source. For INSERT, UPDATE and MERGE only the
    written columns. `open`: relations of which all columns, not known one by one, arrive under their own names
    besides `columns` (SELECT * FROM an unknown table). `shaped`: what affects the rows. `reads`: all relations
    read, also those without a column in the result. `whole`: `columns` and `open` are all of the target (CREATE …
    AS SELECT).

    A relation is made before it is read; only a step of a recursive CTE reads itself. `transform`: the name of the
    transform in the code, if any."""

    target: str
    made: OutputKind
    columns: Mapping[str, ColumnValue]
    shaped: frozenset[tuple[ColumnName, IndirectType]] = frozenset()
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
    """Everything read from one file. `statements`: number found, of which `understood` completely; `queries` write
    nothing. `unknown`: tables whose columns were missing, so that the file is read again once they are known.
    `edges` and `nodes`: declared besides the steps (dbt exposures, edges in YAML)."""

    file: str
    language: str
    steps: tuple[ProgramStep, ...] = ()
    gaps: tuple[Gap, ...] = ()
    definitions: tuple[TableDefinition, ...] = ()
    statements: int = 0
    understood: int = 0
    queries: int = 0
    unknown: frozenset[str] = field(default=frozenset())
    edges: tuple[EdgeClaim, ...] = ()
    nodes: tuple[NodeClaim, ...] = ()
