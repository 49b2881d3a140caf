"""`make house`: the plan of the house, storeys × rooms, and what breaks its rules. Exit 1 where one is broken.

Rules: a folder holds at most 30 modules; siblings of a package do not import each other in a circle; no module is part
of a circle; rooms of a store never import each other; the folder of a test is one of the source; errors are told apart
by their class, and raised by it; a data class of more than six fields takes keywords only; a closed set of words is a
type; a public class name exists once, and no class or module is named by a bare participle or preposition; no name has
the words told, said, anew or mend; the fixtures `world`, `shop` and `house` are one each."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("runs", "versioning", "lineage", "quality", "contracts", "catalog", "federation", "upkeep")
DOMAINS = {"transforms": "runs"}  # by another name than their room's
STOREYS = {  # name → where its rooms are
    "domains": "src/forge",
    "flows": "src/forge/flows",
    "stores/sql": "src/forge/stores/sql",
    "api": "src/forge/api",
    "cli": "src/forge/cli",
    "connection": "src/forge/connection",
    "ui/src": "ui/src",
    "tests": "tests",
}
MODULES_PER_FOLDER = 30
POSITIONAL_FIELDS = 6
WHERE_ROOMS_MEET = {"forge", "forge.flows", "forge.api", "forge.cli", "forge.connection"}  # layers hold `forge` itself
ERRORS = "forge.model.errors"
E108_BY_CODE = "forge.federation."  # a name in a query, which nobody catches; to be done
ROOMS_APART = "forge.stores.sql"
REAL_PARTS = {"ports", "spark", "services", "browser", "support", "bench", "examples", "scripts"}  # folders of tests
FIXTURES_ONCE = {"world", "shop", "house"}  # the same name would mean another thing in the next file
WORDS_OF_NO_NAME = {"told", "said", "anew", "mend"}
KEPT_NAMES = {"told_at", "said_by"}  # JSON or columns; `told` is one where its class has it
NAMED_BY_WIRE = (".wire.", "forge.stores.sql.migrations.", "forge.contracts.lifecycle")
NAMES_TO_DO = (  # rooms whose names are still to be changed; empty this
    "forge.api.federation",
    "forge.cli.catalog.pii",
    "forge.federation",
    "forge.stores.connectors",
    "forge.stores.crawlers",
)
SUFFIXES = {".py", ".ts", ".tsx"}
Graph = Mapping[str, set[str]]
RESULTS = {"Merged", "Conflicted", "Blocked"}  # how a merge ends: a union that is read as a sentence
_NO_NOUN = re.compile(  # one word: PlanNode and RunEnded say of what
    "[A-Z]?[a-z]+(?<!e)ed|(?i:after|around|before|beside|between|built|done|drawn|found|gone|held|kept|known|left|lost|made|met"
    "|said|seen|sent|several|shown|spent|taken|told|within|without|written)"
)
_ERROR_CODE = re.compile(r"E\d+")
_OPEN_WORDS = re.compile(r"\s+\w+: str( \| None)?( = [^#]+)?  # .*\w \| \w")


@dataclass(frozen=True)
class Module:
    name: str  # forge.flows.runs.plan
    path: Path

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text("utf-8"))

    @cached_property
    def lines(self) -> int:
        return count_lines(self.path)


def count_lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def modules_below(source: Path) -> list[Module]:
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        found.append(Module(".".join(parts).removesuffix(".__init__"), path))
    return found


def imports_of(module: Module, known: Mapping[str, Module]) -> Iterator[str]:
    """Modules that are imported when it runs, also late; what is imported for types alone does not count."""
    for node in _running(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                name = whole if whole in known else node.module
                if name in known and name != module.name:
                    yield name
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield from _running(other)
            continue
        yield node
        yield from _running(node)


def circles(graph: Graph) -> list[list[str]]:
    """Strongly connected parts of more than one node (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(sorted(graph.get(start, ()))))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    if len(part) > 1:
                        found.append(sorted(part))
    return found


def sibling_circles(graph: Graph, packages: Iterable[str]) -> Iterator[str]:
    for package in sorted(set(packages) - WHERE_ROOMS_MEET):
        before = f"{package}."
        siblings: dict[str, set[str]] = defaultdict(set)
        through: dict[tuple[str, str], str] = {}
        for module, others in graph.items():
            for other in others:
                if module.startswith(before) and other.startswith(before):
                    one, two = (name.removeprefix(before).split(".")[0] for name in (module, other))
                    if one != two:
                        siblings[one].add(two)
                        through[one, two] = f"{module.removeprefix(before)} → {other.removeprefix(before)}"
        for part in circles(siblings):
            ways = [text for (one, two), text in sorted(through.items()) if {one, two} <= set(part)]
            yield f"{package}: {', '.join(part)} import each other ({'; '.join(ways[:6])})"


def across_rooms(graph: Graph) -> Iterator[str]:
    """Imports from one room of a store to another; what both need is a file of the store."""
    rooms = {f"{ROOMS_APART}.{room}" for room in ROOMS}
    for module, others in sorted(graph.items()):
        own = next((room for room in rooms if module.startswith(f"{room}.")), None)
        for other in sorted(others):
            if own and any(other.startswith(f"{room}.") for room in rooms - {own}):
                yield f"{module} imports {other}, of another room"


def classes_of(modules: Iterable[Module]) -> Iterator[tuple[str, str]]:
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, module.name


def compared_codes(module: Module, known: Mapping[str, Module]) -> Iterator[str]:
    """Comparisons of an error's `code` with texts, also with those that a name, defined or imported, stands for."""
    texts = _constants(module)
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module in known:
            there = _constants(known[node.module])
            texts |= {alias.asname or alias.name: there[alias.name] for alias in node.names if alias.name in there}
    for compared in ast.walk(module.tree):
        if isinstance(compared, ast.Compare):
            found = (compared.left, *compared.comparators)
            sides = [texts.get(side.id, side) if isinstance(side, ast.Name) else side for side in found]
            if any(isinstance(side, ast.Attribute) and side.attr == "code" for side in sides) and any(
                isinstance(part, ast.Constant) and isinstance(part.value, str) and _ERROR_CODE.fullmatch(part.value)
                for side in sides
                for part in _elements(side)
            ):
                yield f"{module.name}:{compared.lineno} compares a code; catch the error by its class"


def _constants(module: Module) -> dict[str, ast.expr]:
    return {
        target.id: node.value
        for node in module.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _elements(side: ast.expr) -> list[ast.expr]:
    """Those of a literal, or of a call as `frozenset({"E108"})`; of a mapping, its keys."""
    match side:
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple" | "list"), args=[inner]):
            return _elements(inner)
        case ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return elts
    return [side]


def errors_by_class(known: Mapping[str, Module]) -> Iterator[str]:
    """Errors that are raised by a code, where those who catch them know a class: it would pass them by."""
    codes = {}
    for node in known[ERRORS].tree.body if ERRORS in known else ():
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "code":
                    codes[ast.literal_eval(line.value)] = node.name
    for module in known.values():
        for call in ast.walk(module.tree):
            match call:
                case ast.Call(func=ast.Name(id="ForgeError"), args=[ast.Constant(value=str() as code), *_]):
                    if code in codes and not (code == "E108" and module.name.startswith(E108_BY_CODE)):
                        yield f"{module.name}:{call.lineno} raises {code} by its code; raise {codes[code]}"


def positional_classes(module: Module) -> Iterator[str]:
    """Data classes with so many fields that a call by position cannot be read."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            if any(mark.startswith("dataclass") and "kw_only=True" not in mark for mark in marks):
                annotated = [ast.unparse(field.annotation) for field in node.body if isinstance(field, ast.AnnAssign)]
                by_position = annotated[: annotated.index("KW_ONLY")] if "KW_ONLY" in annotated else annotated
                count = sum(not text.startswith("ClassVar") for text in by_position)
                if count > POSITIONAL_FIELDS:
                    most = f"more than {POSITIONAL_FIELDS} need kw_only=True"
                    yield f"{module.name}.{node.name} has {count} fields; {most}"


def open_words(module: Module) -> Iterator[str]:
    """Fields that are any text, and whose comment lists the words that they may hold."""
    for number, line in enumerate(module.path.read_text("utf-8").splitlines(), start=1):
        if _OPEN_WORDS.match(line):
            yield f"{module.name}:{number} lists its words in a comment; make them a StrEnum or a Literal"


def unclear_names(module: Module) -> Iterator[str]:
    """Modules, classes and aliases of types that are named by how something is; `reader` is a noun, `known` is not."""
    for name in (module.name.rpartition(".")[2], *type_names(module.tree)):
        if name not in RESULTS and _NO_NOUN.fullmatch(name.lstrip("_")):
            yield f"{module.name}: {name} is no noun; docs/glossary.md has the words"


def type_names(tree: ast.Module) -> Iterator[str]:
    """Classes, also private ones and those within others, and what a module assigns to a name written as one."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and re.match(r"_?[A-Z]+[a-z]", target.id):
                    yield target.id


def bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What a module gives a name: variables, attributes, parameters, functions, classes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.arg(arg=name):
                yield name, node.lineno
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                yield name, node.lineno
            case ast.ExceptHandler(name=str() as name) | ast.alias(asname=str() as name):
                yield name, node.lineno


def dialect_names(module: Module) -> Iterator[str]:
    """Names with words that nobody would search for; what is JSON or a column keeps its name."""
    if module.name.startswith(NAMES_TO_DO) or any(part in f"{module.name}." for part in NAMED_BY_WIRE):
        return
    for name, line in bound_names(module.tree):
        words = {word.lower() for word in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name)}
        if name not in KEPT_NAMES and words & WORDS_OF_NO_NAME:
            yield f"{module.name}:{line}: {name} has a word that the field does not use; docs/glossary.md has others"


def functions_of(modules: Iterable[Module]) -> Iterator[tuple[int, str]]:
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield (node.end_lineno or node.lineno) - node.lineno + 1, f"{module.name}:{node.name}"


def folders_below(*tops: Path) -> Counter[Path]:
    """How many modules each folder holds; tests of the web app lie beside what they test and do not count."""
    count: Counter[Path] = Counter()
    for top in tops:
        for path in top.rglob("*"):
            if path.suffix in SUFFIXES and path.name != "__init__.py" and ".test." not in path.name:
                count[path.parent] += 1
    return count


def grid(root: Path) -> list[list[str]]:
    rows = [["", *ROOMS, "shared"]]
    for storey, place in STOREYS.items():
        row = [storey]
        inside = {room: list(_files(root / place / room)) for room in ROOMS}
        if storey == "tests":  # those of a room are on every storey
            rooms = {path: _room_of(path, root / place) for path in _files(root / place)}
            inside = {room: [path for path, own in rooms.items() if own == room] for room in ROOMS}
        for name, room in DOMAINS.items():
            if storey == "domains":
                inside[room] += _files(root / place / name)
        taken = {path for files in inside.values() for path in files}
        rest = [path for path in _files(root / place) if path not in taken] if storey != "domains" else []
        rows.append([*row, *(_cell(inside[room]) for room in ROOMS), _cell(rest)])
    return rows


def _room_of(path: Path, tests: Path) -> str | None:
    folders = path.relative_to(tests).parts[:-1]
    return next((DOMAINS.get(name, name) for name in folders if name in ROOMS or name in DOMAINS), None)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and ".test." not in path.name)


def _cell(files: Sequence[Path]) -> str:
    return f"{len(files)} / {sum(map(count_lines, files)):,}" if files else "·"


def astray(root: Path) -> tuple[list[str], int]:
    """Tests in folders that the source does not have, and how many tests there are."""
    lost, total = [], 0
    for path in sorted((root / "tests").rglob("test_*.py")):
        folder = path.parent.relative_to(root / "tests")
        if path.parent == root / "tests" or folder.parts[0] in REAL_PARTS:
            continue
        total += 1
        if not (root / "src" / "forge" / folder).is_dir():
            lost.append(str(path.relative_to(root)))
    return lost, total


def fixtures_of(path: Path) -> Iterator[str]:
    """The names that the fixtures of a file of tests are asked for by."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if "fixture" in text else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for mark in node.decorator_list:
                called = mark.func if isinstance(mark, ast.Call) else mark
                if ast.unparse(called) in ("fixture", "pytest.fixture"):
                    given = [word.value for word in getattr(mark, "keywords", ()) if word.arg == "name"]
                    yield str(ast.literal_eval(given[0])) if given else node.name


def fixtures_twice(tests: Path) -> Iterator[str]:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(tests.rglob("*.py")):
        for name in FIXTURES_ONCE.intersection(fixtures_of(path)):
            homes[name].append(str(path.relative_to(tests.parent)))
    for name, found in sorted(homes.items()):
        if len(found) > 1:
            yield f"the fixture {name} is defined in {', '.join(found)}"


@dataclass(frozen=True)
class House:
    root: Path

    @cached_property
    def modules(self) -> dict[str, Module]:
        return {module.name: module for module in modules_below(self.root / "src" / "forge")}

    @cached_property
    def graph(self) -> dict[str, set[str]]:
        return {name: set(imports_of(module, self.modules)) for name, module in self.modules.items()}

    @cached_property
    def cycles(self) -> list[list[str]]:
        return circles(self.graph)

    @cached_property
    def sibling_cycles(self) -> list[str]:
        packages = [module.name for module in self.modules.values() if module.is_package]
        return list(sibling_circles(self.graph, packages))

    @cached_property
    def folders(self) -> Counter[Path]:
        return folders_below(self.root / "src", self.root / "ui" / "src")

    @cached_property
    def twice(self) -> dict[str, list[str]]:
        homes: dict[str, list[str]] = defaultdict(list)
        for name, module in classes_of(self.modules.values()):
            homes[name].append(module)
        return {name: found for name, found in sorted(homes.items()) if len(found) > 1}

    def broken(self) -> Iterator[str]:
        for folder, count in sorted(self.folders.items()):
            if count > MODULES_PER_FOLDER:
                yield f"{folder.relative_to(self.root)} holds {count} modules; {MODULES_PER_FOLDER} are the most"
        yield from (f"{' ↔ '.join(part)} import each other" for part in self.cycles)
        yield from self.sibling_cycles
        yield from across_rooms(self.graph)
        for module in self.modules.values():
            yield from compared_codes(module, self.modules)
        yield from errors_by_class(self.modules)
        for rule in (positional_classes, open_words, unclear_names, dialect_names):
            yield from (line for module in self.modules.values() for line in rule(module))
        yield from (f"the class name {name} exists in {', '.join(homes)}" for name, homes in self.twice.items())
        yield from (f"{path} lies in no folder of src/forge" for path in astray(self.root)[0])
        yield from fixtures_twice(self.root / "tests")


def shown(house: House) -> Iterator[str]:
    rows = grid(house.root)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    yield "Storeys × rooms (files / lines)"
    for row in rows:
        yield "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    total = sum(module.lines for module in house.modules.values())
    yield f"\n{len(house.modules):,} modules, {total:,} lines in src/forge"
    yield "\nFullest folders"
    yield from (f"  {count:4}  {folder.relative_to(house.root)}" for folder, count in house.folders.most_common(5))
    yield "\nLongest files"
    longest = sorted(house.modules.values(), key=lambda module: -module.lines)
    yield from (f"  {module.lines:4}  {module.name}" for module in longest[:5])
    yield "\nLongest functions"
    functions = sorted(functions_of(house.modules.values()), reverse=True)
    yield from (f"  {lines:4}  {name}" for lines, name in functions[:5])
    yield f"\n{len(house.twice)} public class names exist more than once"
    yield f"\n{len(house.cycles)} cycles of modules, {len(house.sibling_cycles)} of siblings"
    lost, tests = astray(house.root)
    yield f"\n{tests - len(lost)} of {tests} test files are in the folder of what they test"


def main(root: Path = ROOT) -> int:
    house = House(root)
    print("\n".join(shown(house)))
    broken = list(house.broken())
    print(f"\n{len(broken)} broken" if broken else "\nNo rule is broken")
    print("\n".join(f"  {line}" for line in broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
