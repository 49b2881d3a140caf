"""The commands of `forge` in their groups: help, example and module of each. `forge --help` is rendered from this
alone; the module of a command is imported when it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


@dataclass(frozen=True, slots=True)
class CommandEntry:
    name: str
    home: str  # module of forge.cli and the function, or the Typer of a group, in it
    summary: str
    example: str


GROUPS = {
    "Begin": (
        CommandEntry("init", "runs.init:init", "make a new project with a tiny working example", "forge init shop"),
        CommandEntry("setup", "upkeep.setup:setup", "fetch Spark's packages ahead", "forge setup"),
        CommandEntry("demo", "main:demo", "run the demo shop and serve it", "forge demo --no-serve"),
        CommandEntry("serve", "upkeep.serve:serve", "serve the web app and the HTTP API", "forge serve --port 8765"),
    ),
    "Run": (
        CommandEntry("plan", "runs.runs:plan", "what a run would do, and why", "forge plan +marts.revenue"),
        CommandEntry("run", "runs.runs:run", "pin, stage, check, publish as one commit", "forge run --branch dev"),
        CommandEntry("runs", "runs.runs:runs", "runs and what came of them", "forge runs --status blocked"),
        CommandEntry(
            "query",
            "federation.query:query",
            "ask the tables, as they are or were",
            'forge query "SELECT 1 AS one" --at HEAD~1',
        ),
        CommandEntry(
            "source", "federation.source:app", "databases and files that queries read", "forge source test crm"
        ),
        CommandEntry(
            "saved-query",
            "federation.saved_query:app",
            "queries that people keep by a name",
            'forge saved-query save cities "SELECT DISTINCT city FROM crm.people"',
        ),
        CommandEntry("cache", "federation.cache:app", "results of queries that are kept", "forge cache stats"),
        CommandEntry(
            "vtable",
            "federation.vtable:app",
            "virtual tables over sources and the lake",
            "forge vtable create people --source p=crm.people --column id=p.id",
        ),
    ),
    "Versions of tables": (
        CommandEntry("log", "versioning.history:log", "commits, newest first", "forge log --graph --limit 5"),
        CommandEntry(
            "show",
            "versioning.history:show",
            "a commit, or a table with its schema and checks",
            "forge show core.orders",
        ),
        CommandEntry(
            "diff", "versioning.history:diff", "how tables differ between two commits", "forge diff main...dev --rows"
        ),
        CommandEntry(
            "branch", "versioning.branch:app", "list, create, protect and delete branches", "forge branch create dev"
        ),
        CommandEntry("tag", "versioning.tag:app", "list, create and delete tags", "forge tag create release-1"),
        CommandEntry(
            "commit",
            "versioning.data:commit",
            "commit rows of a file or a query to a table",
            "forge commit core.orders --file fix.csv --mode merge --branch fix",
        ),
        CommandEntry(
            "merge", "versioning.merge:merge", "merge a branch, row by row and cell by cell", "forge merge fix main"
        ),
        CommandEntry(
            "conflicts", "versioning.conflicts:app", "resolve the conflicts of merges", "forge conflicts list"
        ),
        CommandEntry(
            "approve", "versioning.merge:approve", "approve a merge into a protected branch", "forge approve 3f2a"
        ),
        CommandEntry("revert", "versioning.merge:revert", "take back what one commit changed", "forge revert HEAD~1"),
        CommandEntry(
            "cherry-pick",
            "versioning.merge:cherry_pick",
            "bring one commit onto a branch",
            "forge cherry-pick 3f2a --branch dev",
        ),
        CommandEntry(
            "reset", "versioning.merge:reset", "move a branch to another commit", "forge reset HEAD~1 --branch dev"
        ),
        CommandEntry(
            "blame",
            "versioning.data:blame",
            "which commit and run wrote a row",
            "forge blame core.orders --key order_id=1",
        ),
        CommandEntry(
            "verify", "upkeep.verify:verify", "commits and files are what was committed", "forge verify --level full"
        ),
    ),
    "Lineage": (
        CommandEntry(
            "upstream",
            "lineage.walk:upstream",
            "what a table or column comes from",
            "forge upstream marts.revenue.revenue",
        ),
        CommandEntry(
            "downstream",
            "lineage.walk:downstream",
            "what comes from a table or column",
            "forge downstream raw.orders.amount",
        ),
        CommandEntry(
            "impact",
            "lineage.impact:impact",
            "what a change would break, how hard, whom to tell",
            "forge impact raw.orders.amount --change drop --fail-on high",
        ),
        CommandEntry("ingest", "lineage.ingest:ingest", "read code into the lineage graph", "forge ingest jobs/"),
        CommandEntry("erd", "lineage.erd:erd", "tables, columns and keys of a schema", "forge erd --schema core"),
        CommandEntry(
            "lineage",
            "lineage.group:app",
            "extract, verify, export, compare lineage",
            "forge lineage extract q.sql --json",
        ),
    ),
    "Quality and contracts": (
        CommandEntry(
            "quality",
            "quality.group:app",
            "checks, monitors, incidents, remediation",
            "forge quality run --fail-on warning",
        ),
        CommandEntry(
            "check",
            "quality.check:check",
            "run the checks of published tables, keep nothing",
            "forge check core.orders",
        ),
        CommandEntry(
            "contract",
            "contracts.group:app",
            "data contracts (ODCS): lint, compare, drift",
            "forge contract lint contracts/",
        ),
        CommandEntry(
            "compile",
            "contracts.compile:compile_",
            "all policies of the project, for CI",
            "forge compile --sarif build/forge.sarif",
        ),
    ),
    "Catalog": (
        CommandEntry(
            "catalog", "catalog.group:app", "crawl, search, show and document assets", "forge catalog show core.orders"
        ),
        CommandEntry("pii", "catalog.pii:app", "find personal data in files", "forge pii scan customers.csv"),
    ),
    "Upkeep": (
        CommandEntry(
            "doctor", "upkeep.maintenance:doctor", "what is wrong: the machine, then the project", "forge doctor"
        ),
        CommandEntry("repair", "upkeep.maintenance:repair", "finish what a crash left", "forge repair"),
        CommandEntry("gc", "upkeep.maintenance:gc", "delete files that nothing needs", "forge gc --dry-run"),
        CommandEntry(
            "token", "upkeep.token:app", "create, list and revoke tokens", "forge token create ci --scope read"
        ),
        CommandEntry("explain", "upkeep.explain:explain", "what an error code means", "forge explain E520"),
        CommandEntry("version", "upkeep.explain:version", "versions of Forge and what it runs on", "forge version"),
    ),
}
WORDS = {word.name: word for words in GROUPS.values() for word in words}


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name; a command is loaded on first lookup."""

    def __init__(self, loaders: Mapping[str, Callable[[], Any]]) -> None:
        self._loaders = loaders
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._loaders[name]()
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaders

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def __len__(self) -> int:
        return len(self._loaders)


def load_command(name: str, home: str, example: str | None = None) -> Any:
    module, function = home.split(":")
    found = getattr(import_module(f"forge.cli.{module}"), function)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(name)(found)
        command = typer.main.get_command(alone)
    command.name = name
    command.epilog = f"Example:  {example}" if example else None
    return command


class ForgeGroup(TyperGroup):
    """`forge` itself: its help is rendered from the table, without importing a command."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = LazyCommands(
            {name: partial(load_command, name, word.home, word.example) for name, word in WORDS.items()}
        )

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, words in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(word.name.ljust(11), word.summary) for word in words])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        formatter.write_paragraph()
        formatter.write_text("forge COMMAND --help tells the options of one, with an example.")
