"""`forge init`: a project that runs, small enough to read in a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

IGNORED = ".forge/"
SKELETON = {
    "forge.yaml": """\
# Settings of the project; every key is optional.
project: {project}
spark:
  master: local[*]
params:
  since: {{type: date, default: 2026-01-01, description: Orders before this day are left out}}
""",
    "data/orders.csv": """\
order_id,customer,status,amount,day
1,ada,paid,42.50,2026-11-13
2,grace,paid,99.00,2026-11-13
3,ada,open,15.25,2026-11-14
4,edsger,paid,7.80,2026-11-14
5,grace,cancelled,120.00,2026-11-15
6,barbara,paid,64.10,2026-11-15
""",
    "sources/shop.yaml": """\
# Where raw data comes from; each source lands as a table.
sources:
  - output: raw.orders
    connector: files
    format: csv
    path: data/*.csv
    options: {{header: "true"}}
    columns: {{order_id: long, customer: string, status: string, amount: "decimal(12,2)", day: date}}
""",
    "transforms/marts/revenue.sql": """\
/* forge
description: Paid orders and their sum, by day.
columns: {{revenue: Sum of the paid amounts in euros}}
*/
SELECT day, count(*) AS orders, sum(amount) AS revenue
FROM raw.orders
WHERE status = 'paid' AND day >= :since
GROUP BY day
""",
    "checks/marts.yaml": """\
# A check of severity error (the default) or critical that fails keeps the table from being published.
marts.revenue:
  - {{type: range, column: revenue, min: 0, max: 10000}}
""",
    "contracts/README.md": """\
ODCS contracts, one file per table: `contracts/revenue.odcs.yaml`.
""",
}


@command
def init(
    terminal: Terminal,
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Folder of the project; made where needed.")] = Path(),
) -> None:
    """Make a new project with one source, one transform and one check."""
    root = (terminal.project or Path()) / folder
    _refuse_overwrite(root)
    try:
        _write(root)
    except OSError as error:
        raise ForgeError(
            "E109", "The project cannot be written there", where=str(root), why=str(error), fix="Name another folder."
        ) from error
    created = [*SKELETON, ".gitignore"]
    step = "" if root.resolve() == Path.cwd() else f"cd {folder} && "
    terminal.answer(
        CommandAnswer(name="created", items=[{"file": name} for name in created], head=[str(root / n) for n in created])
    )
    terminal.say(f"\nNext: {step}forge plan, then forge run")


def _write(root: Path) -> None:
    for name, text in SKELETON.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(project=_quoted(root.resolve().name)), encoding="utf-8")
    _ignore(root / ".gitignore")


def _refuse_overwrite(root: Path) -> None:
    if root.exists() and not root.is_dir():
        raise ForgeError("E109", "this is a file, not a folder", where=str(root), fix="Name another folder.")
    taken = [name for name in SKELETON if (root / name).exists()]
    if taken:
        raise ForgeError(
            "E109",
            f"{taken[0]} is already there" + (f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""),
            where=str(root),
            why="`forge init` never overwrites a file.",
            fix="Name another folder: forge init DIR",
        )


def _ignore(path: Path) -> None:
    """A repository's own .gitignore is kept; what Forge writes is added to it."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if IGNORED not in lines:
        path.write_text("\n".join([*lines, IGNORED]) + "\n", encoding="utf-8")


def _quoted(name: str) -> str:
    import json

    return json.dumps(name, ensure_ascii=False)
