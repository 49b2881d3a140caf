"""The environment of Forge: Python, Java, jars, the database, the catalog, Spark's master. Inspected, never started."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError, NoProjectError, StorageError, raise_errors

if TYPE_CHECKING:
    from pathlib import Path

    from forge.cli.terminal import Terminal
    from forge.flows.upkeep.maintenance import DoctorFinding
    from forge.wiring import Wiring

MASTERS = (("local", "this machine"), ("spark://", "a standalone cluster"), ("yarn", "YARN"), ("k8s://", "Kubernetes"))


@dataclass(frozen=True, slots=True)
class EnvironmentFact:
    name: str
    ok: bool
    detail: str
    fix: str = ""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def find_environment(terminal: Terminal) -> tuple[list[EnvironmentFact], tuple[DoctorFinding, ...]]:
    """The facts of the machine and, inside a project, of the project and what is wrong with it."""
    from forge.wiring.upkeep import find_java

    facts = [_python(), _fact("java", find_java)]
    try:
        with terminal.open() as wiring:
            facts.append(_fact("files", lambda: _files(wiring)))  # before opening, which fixes their permissions
            facts.append(_jars(str(wiring.settings.spark.get("spark.jars", ""))))
            facts += [_fact("database", lambda: _database(wiring)), _fact("warehouse", wiring.upkeep.examine_warehouse)]
            facts.append(_fact("catalog", lambda: _catalog(wiring)))
            facts += [_fact("spark", lambda: _master(wiring)), _fact("project", lambda: _project(wiring))]
            return facts, _problems(wiring, facts)
    except ForgeError as error:
        is_outside = isinstance(error, NoProjectError) and terminal.project is None
        facts += [_jars("")] if not any(fact.name == "jars" for fact in facts) else []
        if is_outside:
            facts.append(EnvironmentFact("project", True, "not inside a project"))
        else:
            facts.append(_fault("database" if isinstance(error, StorageError) else "project", error))
        return facts, ()


def _fact(name: str, look: Callable[[], str]) -> EnvironmentFact:
    try:
        return EnvironmentFact(name, True, look())
    except ForgeError as error:
        return _fault(name, error)


def _fault(name: str, error: ForgeError) -> EnvironmentFact:
    return EnvironmentFact(name, False, f"{error.line}{'. ' + error.why if error.why else ''}", error.fix or "")


def _python() -> EnvironmentFact:
    version = platform.python_version()
    ok = (3, 11) <= sys.version_info[:2] < (3, 14)
    return EnvironmentFact("python", ok, version if ok else f"{version}; Forge needs 3.11 to 3.13")


def _jars(given: str) -> EnvironmentFact:
    from pathlib import Path

    from forge.wiring.upkeep import spark_jars

    if given:
        missing = [jar for jar in given.split(",") if jar.startswith("/") and not Path(jar).exists()]
        if missing:
            return EnvironmentFact("jars", False, f"missing: {missing[0]}", "Mend spark.jars in forge.yaml.")
        return EnvironmentFact("jars", True, "given by spark.jars")
    found = spark_jars()
    if not found:
        return EnvironmentFact("jars", False, "not fetched yet; run forge setup", "forge setup")
    return EnvironmentFact("jars", True, f"{len(found)} in Ivy's cache")


def _files(wiring: Wiring) -> str:
    """Permissions of the project's records and of the key files that its settings name."""
    from forge.flows.upkeep.private_files import HOUSE, close_to_others, find_open, is_open

    keys = [path for path in _key_files(wiring) if is_open(path)]
    before, still = close_to_others(wiring.root), tuple(find_open(wiring.root / HOUSE))
    if still or keys:
        first = (*still, *keys)[0]
        raise ForgeError("E914", f"{first} can be read by other users", fix=f"chmod go= {first}")
    if before:
        return f"{HOUSE} was open to other users ({len(before)} files and folders); now only you can read it"
    return f"only you can read {HOUSE}"


def _key_files(wiring: Wiring) -> list[Path]:
    from pathlib import Path

    keys = wiring.settings.keys
    references = (keys.versioning.signing_key, keys.database, keys.lineage.neo4j.password)
    files = [Path(text.removeprefix("file:")).expanduser() for text in references if text and text.startswith("file:")]
    return [*files, *([wiring.root / keys.server.tls_key] if keys.server.tls_key else [])]


def _database(wiring: Wiring) -> str:
    from sqlalchemy import make_url

    wiring.metadata.branches()
    url = make_url(wiring.settings.database_url())
    wiring.upkeep.examine_database()
    return f"{url.get_backend_name()} {url.database}"


def _catalog(wiring: Wiring) -> str:
    return f"{wiring.settings.catalog.type}, {len(wiring.lake.tables())} tables. {wiring.lake.promise}"


def _master(wiring: Wiring) -> str:
    master = wiring.upkeep.spark_master()
    kind = next((words for prefix, words in MASTERS if master.startswith(prefix)), "a master Forge does not know")
    return f"{master}, {kind} (not started)"


def _project(wiring: Wiring) -> str:
    project = wiring.project()
    raise_errors(fault.error for fault in project.faults)
    checks = sum(len(of_table) for of_table in project.checks.values())
    return f"{len(project.transforms)} transforms and sources, {len(project.contracts)} contracts, {checks} checks"


def _problems(wiring: Wiring, facts: list[EnvironmentFact]) -> tuple[DoctorFinding, ...]:
    from forge.flows.upkeep.maintenance import find_problems

    if not all(fact.ok for fact in facts if fact.name in ("database", "catalog")):
        return ()
    found = find_problems(wiring.metadata, wiring.lake, wiring.default_branch, wiring.versioning.hasher)
    return (*found, *_forgotten(wiring))


def _forgotten(wiring: Wiring) -> tuple[DoctorFinding, ...]:
    """A database that was recreated next to tables that only the old one knew."""
    from forge.flows.upkeep.missing_files import DoctorFinding

    if not wiring.upkeep.holds_forgotten_tables():
        return ()
    warehouse = str(wiring.settings.warehouse_path())
    detail = "It holds tables, and the database knows none: it is not the one that they were written with."
    return (
        DoctorFinding("forgotten tables", warehouse, detail, "Bring the database back from a backup, or run forge gc."),
    )
