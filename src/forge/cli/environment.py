"""What Forge stands on: Python, Java, jars, the database, the catalog, Spark's master. Looked at, never started."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.cli.terminal import Terminal
    from forge.flows.care import Finding
    from forge.wiring import Wiring

MASTERS = (("local", "this machine"), ("spark://", "a standalone cluster"), ("yarn", "YARN"), ("k8s://", "Kubernetes"))


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    ok: bool
    detail: str

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def find_environment(terminal: Terminal) -> tuple[list[Fact], tuple[Finding, ...]]:
    """The facts of the machine and, inside a project, of the project and what is wrong with it."""
    facts = [_python(), _fact("java", _java)]
    try:
        with terminal.open() as wiring:
            facts.append(_jars(str(wiring.settings.spark.get("spark.jars", ""))))
            facts += [_fact("database", lambda: _database(wiring)), _fact("catalog", lambda: _catalog(wiring))]
            facts += [_fact("spark", lambda: _master(wiring)), _fact("project", lambda: _project(wiring))]
            return facts, _problems(wiring, facts)
    except ForgeError as error:
        is_outside = error.code == "E102" and terminal.project is None
        facts += [_jars("")] if not any(fact.name == "jars" for fact in facts) else []
        facts.append(Fact("project", is_outside, "not inside a project" if is_outside else str(error)))
        return facts, ()


def _fact(name: str, look: Callable[[], str]) -> Fact:
    try:
        return Fact(name, True, look())
    except ForgeError as error:
        return Fact(name, False, f"{error}{' ' + error.fix if error.fix else ''}")


def _python() -> Fact:
    version = platform.python_version()
    ok = (3, 11) <= sys.version_info[:2] < (3, 14)
    return Fact("python", ok, version if ok else f"{version}; Forge needs 3.11 to 3.13")


def _java() -> str:
    from forge.engines.spark.session import find_java

    return find_java()


def _jars(given: str) -> Fact:
    from pathlib import Path

    from forge.engines.spark.session import cached_jars

    if given:
        missing = [jar for jar in given.split(",") if jar.startswith("/") and not Path(jar).exists()]
        return Fact("jars", not missing, f"missing: {missing[0]}" if missing else "given by spark.jars")
    found = cached_jars()
    return Fact("jars", bool(found), f"{len(found)} in Ivy's cache" if found else "not fetched yet; run forge setup")


def _database(wiring: Wiring) -> str:
    from sqlalchemy import make_url

    wiring.metadata.branches()
    url = make_url(wiring.settings.database_url())
    return f"{url.get_backend_name()} {url.database}"


def _catalog(wiring: Wiring) -> str:
    return f"{wiring.settings.catalog.type}, {len(wiring.lake.tables())} tables. {wiring.lake.promise}"


def _master(wiring: Wiring) -> str:
    from forge.engines.spark.session import refuse_connect

    refuse_connect(wiring.session.settings)
    master = wiring.session.settings.master
    kind = next((words for prefix, words in MASTERS if master.startswith(prefix)), "a master Forge does not know")
    return f"{master}, {kind} (not started)"


def _project(wiring: Wiring) -> str:
    project = wiring.project()
    checks = sum(len(of_table) for of_table in project.checks.values())
    return f"{len(project.transforms)} transforms and sources, {len(project.contracts)} contracts, {checks} checks"


def _problems(wiring: Wiring, facts: list[Fact]) -> tuple[Finding, ...]:
    from forge.flows.care import find_problems

    if not all(fact.ok for fact in facts if fact.name in ("database", "catalog")):
        return ()
    return find_problems(wiring.metadata, wiring.lake, wiring.default_branch)
