"""Resolves imports to modules of the codebase."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.source import UnparsedSource, parse
from forge.lineage.extract.python.values import AbstractValue, Module, text

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter


@dataclass(eq=False)
class Modules:
    """`files`: path → text. Each is executed once per program, at its first import."""

    files: Mapping[str, str]
    loaded: dict[str, Module] = field(default_factory=dict)
    _ends: dict[str, list[str]] = field(init=False)
    _folders: set[str] = field(init=False)
    _heads: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._ends, self._folders, self._heads = index_of(tuple(self.files))

    def find(self, reader: Interpreter, name: str, level: int = 0) -> Module:
        """The module an import means; one that is not in the codebase is that of a library, known or not."""
        if level:
            return self._relative(reader, name, level)
        found = self.load(reader, name)
        return found if found is not None else Module(name)

    def _relative(self, reader: Interpreter, name: str, level: int) -> Module:
        folder = posixpath.dirname(reader.world.file)
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        base = posixpath.join(folder, *name.split(".")) if name else folder
        found = self._load_at(reader, base)
        return found if found is not None else Module(base.replace("/", "."))

    def load(self, reader: Interpreter, name: str) -> Module | None:
        """By its full name; None if the codebase has no such module."""
        if name.partition(".")[0] not in self._heads:
            return None
        base = self._place(reader.world.file, name)
        return None if base is None else self._load_at(reader, base)

    def _place(self, importing: str, name: str) -> str | None:
        """In the folder of the importing file, then in those above, then by unique path suffix."""
        tail = name.replace(".", "/")
        folder = posixpath.dirname(importing)
        while True:
            base = posixpath.join(folder, tail)
            if self._is_module(base):
                return base
            if not folder or folder == posixpath.dirname(folder):
                break
            folder = posixpath.dirname(folder)
        ends = self._ends.get(tail, [])
        return ends[0] if len(ends) == 1 else None

    def _is_module(self, base: str) -> bool:
        return f"{base}.py" in self.files or f"{base}/__init__.py" in self.files or base in self._folders

    def _load_at(self, reader: Interpreter, base: str) -> Module | None:
        if base in self.loaded:
            return self.loaded[base]
        name = base.replace("/", ".")
        path = next((one for one in (f"{base}.py", f"{base}/__init__.py") if one in self.files), None)
        if path is None:
            if base not in self._folders:
                return None
            self.loaded[base] = Module(name)
            return self.loaded[base]
        scope = NameScope(names={"__name__": text(name), "__file__": text(path)})
        self.loaded[base] = Module(name, scope)
        self._go_through(reader, path, scope)
        return self.loaded[base]

    def _go_through(self, reader: Interpreter, path: str, scope: NameScope) -> None:
        tree = parse(self.files[path])
        if isinstance(tree, UnparsedSource):
            return  # reported by its own program
        with reader.inside(path):
            reader.run(tree.body, scope)

    def all_of(self, reader: Interpreter, module: Module) -> dict[str, AbstractValue]:
        """What `from module import *` brings."""
        from forge.lineage.extract.python.interpreter.members import library_member

        if module.scope is not None:
            return {name: thing for name, thing in module.scope.names.items() if not name.startswith("_")}
        libraries = reader.world.libraries
        start = module.path + "."
        names = {
            one[len(start) :].partition(".")[0]
            for one in (*libraries.functions, *libraries.constants, *libraries.decorators)
            if one.startswith(start)
        }
        found = {name: library_member(reader, start + name) for name in names}
        return {name: thing for name, thing in found.items() if thing is not None}

    def run_here(self, reader: Interpreter, path: str, scope: NameScope) -> bool:
        """`%run ./other`: the other notebook, as if it stood here. False: there is no such file."""
        base = posixpath.normpath(posixpath.join(posixpath.dirname(reader.world.file), path))
        stem = base.lstrip("/")
        for one in (stem, f"{stem}.py", f"{stem}.ipynb", f"{stem}.sql"):
            if one in self.files:
                self._go_through(reader, one, scope.module)
                return True
        ends = [one for one in self.files if one.rpartition(".")[0].endswith("/" + posixpath.basename(stem))]
        if len(ends) == 1:
            self._go_through(reader, ends[0], scope.module)
        return len(ends) == 1


Index = tuple[dict[str, list[str]], set[str], set[str]]
_indexes: dict[tuple[str, ...], Index] = {}


def index_of(paths: tuple[str, ...]) -> Index:
    """Modules by all endings of their paths, the folders there are, and all words in these paths. The same files are
    asked for again and again, so the last answer is kept."""
    known = _indexes.get(paths)
    if known is not None:
        return known
    ends: dict[str, list[str]] = defaultdict(list)
    folders: set[str] = set()
    heads: set[str] = set()
    for path in paths:
        if not path.endswith(".py"):
            continue
        base = path.removesuffix("/__init__.py").removesuffix(".py")
        parts = base.split("/")
        heads.update(parts)
        for start in range(len(parts)):
            ends["/".join(parts[start:])].append(base)
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    _indexes.clear()
    _indexes[paths] = ends, folders, heads
    return _indexes[paths]
