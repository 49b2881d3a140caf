"""Maps line numbers of derived text (notebooks, rendered templates) back to lines of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from forge.lineage.edge import Gap
from forge.lineage.extract.program import Program


def with_lines(
    program: Program, line_of: Callable[[int], int], note: Callable[[int], str] = lambda line: ""
) -> Program:
    """The program with other line numbers, except for places in other files. `note`: added to the reason of a gap at
    a line. Ids of intermediate relations keep their lines: nobody looks them up in a file."""

    def gap_of(gap: Gap) -> Gap:
        if gap.place != program.file:
            return gap
        more = note(gap.line)
        return Gap(gap.place, line_of(gap.line), f"{gap.reason} ({more})" if more else gap.reason)

    return replace(
        program,
        steps=tuple(
            replace(step, line=line_of(step.line)) if step.file in ("", program.file) else step
            for step in program.steps
        ),
        gaps=tuple(gap_of(gap) for gap in program.gaps),
        definitions=tuple(
            replace(one, line=line_of(one.line)) if one.line and one.file == program.file else one
            for one in program.definitions
        ),
    )
