"""docs/ports.md is the list of ports: held against the code and the suites."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "forge"
PAGE = (ROOT / "docs" / "ports.md").read_text("utf-8")
ROWS = [
    [re.findall(r"`([\w.]+)`", cell) for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if "| `" in line
]
PORTS = {row[0][0]: (row[2], row[3] if len(row) == 4 else []) for row in ROWS}
SHARED = {row[0][0] for row in ROWS if len(row) == 4}


def classes_of(folder: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for file in sorted((SOURCE / folder).rglob("*.py")):
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield f"{module}.{node.name}", node


def bases_of(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(base) for base in node.bases]


@cache
def protocols() -> dict[str, ast.ClassDef]:
    return {name.removeprefix("flows."): node for name, node in classes_of("flows") if "Protocol" in bases_of(node)}


@cache
def adapters() -> dict[str, ast.ClassDef]:
    return {node.name: node for folder in ("engines", "stores", "channels", "tools") for _, node in classes_of(folder)}


def members(node: ast.ClassDef) -> set[str]:
    """Public methods, properties and fields, those of bases beside it included."""
    own = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    own |= {ast.unparse(name) for one in node.body for name in targets_of(one) if isinstance(name, ast.Name)}
    own |= {name.attr for one in ast.walk(node) for name in targets_of(one) if isinstance(name, ast.Attribute)}
    inherited = [members(adapters()[base]) for base in bases_of(node) if base in adapters()]
    return {name for name in own.union(*inherited) if not name.startswith("_")}


def targets_of(node: ast.AST) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []


@pytest.mark.slow
def test_every_protocol_of_the_flows_is_on_the_page() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE[PAGE.index("Sums and parts") :]))
    public = {name for name in protocols() if not name.rpartition(".")[2].startswith("_")}
    assert {name for name in public if name not in PORTS and name.rpartition(".")[2] not in named} == set()
    assert PORTS.keys() <= protocols().keys()


@pytest.mark.slow
@pytest.mark.parametrize("port", PORTS)
def test_every_adapter_has_every_method(port: str) -> None:
    wanted = members(protocols()[port])
    found, _ = PORTS[port]
    assert len(found) >= (2 if port in SHARED else 1)
    assert {name: wanted - members(adapters()[name]) for name in found} == {name: set() for name in found}


@pytest.mark.parametrize("port", [port for port, (_, suites) in PORTS.items() if suites])
def test_every_method_is_called_by_the_suite_but_those_that_the_page_says(port: str) -> None:
    text = "".join((ROOT / "tests" / "ports" / f"{suite}.py").read_text("utf-8") for suite in PORTS[port][1])
    not_called = {name for name in members(protocols()[port]) if not re.search(rf"\.{name}\b", text)}
    assert not_called == set(re.findall(rf"`{port.rpartition('.')[2]}\.(\w+)`", PAGE))
