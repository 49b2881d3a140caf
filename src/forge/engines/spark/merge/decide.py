"""The outcome of each key as columns: which cells conflict, how they are resolved, the merged row, how it changes
ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from forge.engines.spark.merge.align import any_of, data_type, same
from forge.engines.spark.merge.answers import answer_column, find_rule, literal
from forge.model.errors import ForgeError
from forge.versioning.arrow_types import arrow_type
from forge.versioning.conflict import Answers, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import AlignedColumn, Layout
from forge.versioning.rows.values import fit_row, row_problem

BASE, OURS, THEIRS = "b", "o", "t"
ROW = -1  # the place of a conflict of the whole row
TAKEN = {ResolutionChoice.OURS: OURS, ResolutionChoice.THEIRS: THEIRS, ResolutionChoice.BASE: BASE}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the merged row: `value` so far, `clash` where the sides differ, `is_open` where that is unresolved."""

    value: Column
    clash: Column
    is_open: Column
    lacks: Column  # required, but NULL
    lacks_still: Column  # after the answers


class MergeDecision:
    """The resolutions of one merge, bound to the columns of its layout. A rule that has no value for a column is in
    `problems`, by place: it only matters where there is a conflict."""

    def __init__(self, layout: Layout, answers: Answers, table: str | None) -> None:
        self.layout = layout
        self.problems: dict[int, ForgeError] = {}
        self._row_rule = _row_rule(find_rule(answers, table, None), layout)
        self._given = [self._given_by_rule(place, column, answers, table) for place, column in enumerate(layout.values)]
        rules = [(column, find_rule(answers, table, column.field.name)) for column in layout.dropped]
        self._dropped_rules = [rule is not None and keeps_dropped(rule, column) for column, rule in rules]

    @property
    def restores(self) -> bool:
        return any(column.ours is None and column.base is not None for column in self.layout.values)

    def _given_by_rule(self, place: int, column: AlignedColumn, answers: Answers, table: str | None) -> Column | None:
        rule = find_rule(answers, table, column.field.name)
        if rule is None:
            return None
        try:
            return answer_column(rule, column.field, *(f"{side}.v{place}" for side in (BASE, OURS, THEIRS)))
        except ForgeError as error:
            self.problems[place] = error
            return None

    def decide(self, versions: DataFrame, *, is_single: bool = False) -> DataFrame:
        """Adds `clashes` and `open` (arrays of place and kind), `m` (the merged row or NULL) and `action`. With
        `is_single` the frame has resolutions of single conflicts: `s_row`, and for each cell `s0…` (is set), `w0…`."""
        b, o, t = F.col(BASE), F.col(OURS), F.col(THEIRS)
        both = F.col("in_ours") & F.col("in_theirs")
        row_clash = both & b.isNotNull() & (o.isNull() != t.isNull())
        row_open = row_clash & F.lit(self._row_rule is None)
        is_there = (
            F.when(row_clash, self._row_is_there()).when(F.col("in_theirs"), t.isNotNull()).otherwise(o.isNotNull())
        )
        if is_single:
            row_open = row_open & (F.col("s_row") == 0)
            is_there = F.when(row_clash & (F.col("s_row") > 0), F.col("s_row") == 2).otherwise(is_there)
        whole = is_there & ~row_open & (F.col("in_ours") | F.col("in_theirs"))
        cells = [
            self._cell(place, column, row_clash, whole, is_single) for place, column in enumerate(self.layout.values)
        ]
        dropped = [
            self._dropped(place, column, row_clash, is_single) for place, column in enumerate(self.layout.dropped)
        ]
        clashes, still = self._lists(row_clash, row_open, cells, dropped)
        here = F.lit(True).alias("is_here")
        merged = F.struct(*(cell.value.alias(f"v{place}") for place, cell in enumerate(cells)), here)
        stay = [column for column in versions.columns if column not in ("clashes", "open", "m", "action")]
        made = versions.select(
            *stay, clashes.alias("clashes"), still.alias("open"), F.when(is_there, merged).alias("m")
        )
        return made.withColumn("action", self._action())

    def _row_is_there(self) -> Column:
        rule = self._row_rule
        if rule is None:
            return F.lit(False)
        if rule.take is ResolutionChoice.MANUAL:
            return F.lit(rule.value is not None)
        return F.col(TAKEN[rule.take]).isNotNull()

    def _cell(self, place: int, column: AlignedColumn, row_clash: Column, whole: Column, is_single: bool) -> _Cell:
        name, kind = f"v{place}", column.field.type
        b, o, t = (F.col(f"{side}.{name}") for side in (BASE, OURS, THEIRS))
        has_base, has_ours = F.col(BASE).isNotNull(), F.col(OURS).isNotNull()
        has_both = F.col("in_ours") & F.col("in_theirs") & has_ours & F.col(THEIRS).isNotNull()
        moved_ours, moved_theirs = ~same(o, b, kind), ~same(t, b, kind)
        added = ~has_base & F.lit(column.ours is not None and column.theirs is not None)
        clash = has_both & ~same(o, t, kind) & (added | (has_base & moved_ours & moved_theirs))
        new = t if column.ours is None else F.when(has_ours, o).otherwise(t)
        value = F.when(~has_base, new).when(~moved_theirs | moved_ours, o).otherwise(t)
        answered, answer = _answer(self._given[place], place, is_single, kind)
        value = (
            F.when(row_clash, self._row_cell(place, column, is_single)).when(clash & answered, answer).otherwise(value)
        )
        is_open = clash & ~answered
        lacks = whole & ~is_open & value.isNull() if column.field.required else F.lit(False)
        value = F.when(lacks & answered, answer).otherwise(value) if column.field.required else value
        return _Cell(value, clash, is_open, lacks, lacks & value.isNull())

    def _row_cell(self, place: int, column: AlignedColumn, is_single: bool) -> Column:
        """A cell of a row that one side deleted and the other changed."""
        rule, name, of = self._row_rule, f"v{place}", data_type(column.field.type)
        value = F.lit(None).cast(of)
        if rule is not None and rule.take is ResolutionChoice.MANUAL and isinstance(rule.value, dict):
            value = literal(rule.value.get(column.field.name), of)
        elif rule is not None and rule.take in TAKEN:
            value = F.col(f"{TAKEN[rule.take]}.{name}")
        return F.when(F.col("s_row") == 2, F.col(f"w{place}")).otherwise(value) if is_single else value

    def _dropped(self, place: int, column: AlignedColumn, row_clash: Column, is_single: bool) -> tuple[Column, Column]:
        """A change of a cell whose column the other side dropped, and whether it is unresolved."""
        side = THEIRS if column.ours is None else OURS
        old, new = F.col(f"{BASE}.d{place}"), F.col(f"{side}.d{place}")
        is_there = F.col(BASE).isNotNull() & F.col(side).isNotNull() & ~row_clash
        clash = is_there & ~same(old, new, column.field.type)
        is_open = clash & F.lit(not self._dropped_rules[place])
        return clash, is_open & ~F.col(f"s{len(self.layout.values) + place}") if is_single else is_open

    def _lists(
        self, row_clash: Column, row_open: Column, cells: Sequence[_Cell], dropped: Sequence[tuple[Column, Column]]
    ) -> tuple[Column, Column]:
        has_base, has_ours = F.col(BASE).isNotNull(), F.col(OURS).isNotNull()
        row_kind = F.when(has_ours, ConflictKind.MODIFY_DELETE.value).otherwise(ConflictKind.DELETE_MODIFY.value)
        kind = F.when(has_base, ConflictKind.MODIFY_MODIFY.value).otherwise(ConflictKind.ADD_ADD.value)
        lost = F.lit(ConflictKind.COLUMN_DROPPED_MODIFIED.value)
        lacking = F.lit(ConflictKind.CONSTRAINT.value)
        every, still = [_one(row_clash, ROW, row_kind)], [_one(row_open, ROW, row_kind)]
        for place, cell in enumerate(cells):
            every += [_one(cell.clash, place, kind), _one(cell.lacks, place, lacking)]
            still += [_one(cell.is_open, place, kind), _one(cell.lacks_still, place, lacking)]
        for place, (clash, is_open) in enumerate(dropped, len(cells)):
            every.append(_one(clash, place, lost))
            still.append(_one(is_open, place, lost))
        return F.array_compact(F.array(*every)), F.array_compact(F.array(*still))

    def _action(self) -> Column:
        """How the merged row changes ours. While a conflict of the row is open, it does not."""
        o, m = F.col(OURS), F.col("m")
        differs = any_of(
            ~same(F.col(f"{OURS}.v{place}"), F.col(f"m.v{place}"), column.field.type)
            for place, column in enumerate(self.layout.values)
        )
        if self.restores:
            # ours dropped a column that an answer keeps: its values come back to every row
            differs = differs | (F.col(BASE).isNotNull() & F.col(THEIRS).isNotNull())
        waits = F.exists("open", lambda one: one["place"] == ROW)
        changed = F.when(m.isNull(), F.when(o.isNotNull(), "delete")).when(o.isNull(), "insert").when(differs, "update")
        return F.when(waits, "none").otherwise(F.coalesce(changed, F.lit("none")))


def _one(condition: Column, place: int, kind: Column) -> Column:
    return F.when(condition, F.struct(F.lit(place).alias("place"), kind.alias("kind")))


def _answer(given: Column | None, place: int, is_single: bool, kind: str) -> tuple[Column, Column]:
    """Whether there is a resolution, and its value: of the single conflict first, then by rule."""
    nothing = F.lit(None).cast(data_type(kind))
    by_rule = (F.lit(False), nothing) if given is None else (F.lit(True), given)
    if not is_single:
        return by_rule
    is_set = F.col(f"s{place}")
    return is_set | by_rule[0], F.when(is_set, F.col(f"w{place}")).otherwise(by_rule[1])


def keeps_dropped(rule: ResolutionRule, column: AlignedColumn) -> bool:
    """The column does not exist after the merge, so only the side that dropped it can be taken."""
    return rule.take is (ResolutionChoice.OURS if column.ours is None else ResolutionChoice.THEIRS)


def _row_rule(rule: ResolutionRule | None, layout: Layout) -> ResolutionRule | None:
    """A rule that does not fit a conflict of a row leaves it open."""
    if rule is None or rule.take is not ResolutionChoice.MANUAL or rule.value is None:
        return None if rule is None or rule.take is ResolutionChoice.EXPRESSION else rule
    if row_problem(rule, {}, layout) is not None:
        return None
    return ResolutionRule(ResolutionChoice.MANUAL, rule.table, None, row_value(rule.value, layout))


def row_value(value: object, layout: Layout) -> dict[str, object]:
    """A whole row given by hand, without its key."""
    return fit_row(value, {column.field.name: arrow_type(column.field.type) for column in layout.values})
