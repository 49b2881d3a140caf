"""Importing the Python files of a project: they can import each other, and no module stays registered."""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
import sysconfig
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, ModuleType

_LOCK = threading.RLock()
# Where nearly all modules of a process come from; thousands are looked at for each project.
_INSTALLED = tuple({f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib")})


@contextmanager
def project_imports(folder: Path) -> Iterator[str]:
    """While inside, files below `folder` can be imported: as parts of a package of the given name (so that `from
    .helper import x` works) and by their path from the folder (`from core.helper import x`).

    Afterwards the modules are unregistered: two projects in one process do not interfere, a changed file is read
    again, and Spark pickles functions of the project by value, because no worker could import them. Only the
    packages stay registered, for relative imports inside functions."""
    package = f"forge_project_{sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"
    path = str(folder)
    with _LOCK:
        before, bytecode = list(sys.path), sys.dont_write_bytecode
        _forget(package, folder, packages_too=True)
        root = ModuleType(package)
        root.__path__ = [path]
        sys.modules[package] = root
        # Last, so that a project's file never hides an installed module.
        sys.path.append(path)
        sys.dont_write_bytecode = True
        importlib.invalidate_caches()
        try:
            yield package
        finally:
            sys.dont_write_bytecode = bytecode
            sys.path[:] = before
            sys.path_importer_cache.pop(path, None)
            _forget(package, folder, packages_too=False)


def import_file(path: Path, folder: Path, package: str, code: CodeType | None = None) -> ModuleType:
    """Import one file inside `project_imports`. Exceptions of its code propagate. `code`: what to run in place of
    the file; other importers of the file then get another module."""
    parts = path.relative_to(folder).with_suffix("").parts
    parents = parts[:-1]
    parent = ".".join((package, *parents))
    if parents:
        importlib.import_module(parent)
    if parents and parts[-1] == "__init__":
        return sys.modules[parent]
    name = f"{parent}.{re.sub(r'[^0-9A-Za-z_]', '_', parts[-1])}"
    if name in sys.modules:  # another file imported it as a helper
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path, loader=_FreshLoader(name, str(path), code))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    if code is not None:
        sys.modules.pop(name, None)
    return module


def user_place(error: BaseException, root: Path) -> tuple[str, int] | None:
    """File (relative to the project) and line of the innermost project frame in a traceback."""
    inside = root.resolve()
    frames = [(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    for filename, line in reversed(frames):
        path = Path(filename)
        if path.is_absolute() and path.resolve().is_relative_to(inside):
            return path.resolve().relative_to(inside).as_posix(), line
    return None


def find_helpers(path: Path, folder: Path) -> tuple[Path, ...]:
    """The files of the project that this one imports, transitively: they are part of its code."""
    seen: set[Path] = set()
    todo = [path]
    while todo:
        current = todo.pop()
        for found in _imported_files(current, folder):
            if found not in seen and found != path:
                seen.add(found)
                todo.append(found)
    return tuple(sorted(seen))


class _FreshLoader(importlib.machinery.SourceFileLoader):
    """Always compiles the source: bytecode caches compare times in whole seconds only. `code` takes precedence."""

    def __init__(self, fullname: str, path: str, code: CodeType | None = None) -> None:
        super().__init__(fullname, path)
        self.code = code

    def get_code(self, fullname: str) -> CodeType | None:
        if self.code is not None:
            return self.code
        return self.source_to_code(self.get_data(self.path), self.path)


def _forget(package: str, folder: Path, *, packages_too: bool) -> None:
    inside = os.path.realpath(folder)
    for name, module in sys.modules.copy().items():  # in one step: other threads import meanwhile
        own = name == package or name.startswith(f"{package}.")
        kept = own and hasattr(module, "__path__") and not packages_too
        if (own and not kept) or (not own and _is_below(module, folder, inside)):
            sys.modules.pop(name, None)


def _is_below(module: ModuleType, folder: Path, inside: str) -> bool:
    file = getattr(module, "__file__", None)
    if isinstance(file, str) and file.startswith(_INSTALLED) and not inside.startswith(_INSTALLED):
        return False
    places = [file] if isinstance(file, str) else []
    if not places and hasattr(module, "__path__"):
        places = [str(entry) for entry in module.__path__]
    return bool(places) and all(_lies_in(place, str(folder), inside) for place in places)


def _lies_in(place: str, folder: str, inside: str) -> bool:
    """Links of the project may move. The locations of installed modules are resolved once, because that is
    expensive."""
    is_fixed = os.path.isabs(place) and not place.startswith((folder, inside))
    real = _known_place(place) if is_fixed else os.path.realpath(place)
    return real == inside or real.startswith(f"{inside.rstrip(os.sep)}{os.sep}")


@lru_cache(maxsize=16_384)
def _known_place(place: str) -> str:
    return os.path.realpath(place)


def _imported_files(path: Path, folder: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, OSError):
        return  # importing it says what is wrong
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(folder, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            start = folder
            if node.level:
                start = path.parent
                for _ in range(node.level - 1):
                    start = start.parent
            module = node.module.split(".") if node.module else []
            yield from _files_of(start, module)
            for alias in node.names:
                yield from _files_of(start, [*module, alias.name])


def _files_of(start: Path, parts: list[str]) -> Iterator[Path]:
    """The module, and the `__init__.py` of the packages on the way to it."""
    for length in range(1, len(parts) + 1):
        base = start.joinpath(*parts[:length])
        candidates = (base.with_name(f"{base.name}.py"), base / "__init__.py")
        yield from (candidate for candidate in candidates if candidate.is_file())
