"""Syncs documentation of catalog/*.yaml into the catalog: with each crawl, before an edit, and when a file changes."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

from forge.catalog.asset import FileDocumentation
from forge.catalog.asset_file import load_asset_file
from forge.flows.catalog.asset_store import AssetStore
from forge.model.errors import ForgeError
from forge.model.time import Clock

FOLDER = "catalog"
_LARGEST = 10_000_000
_log = logging.getLogger("forge.catalog")
Signature = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class FileSync:
    """`unknown`: names in files that the catalog does not have, yet. Nothing is changed while a file has an error:
    what it says is not known."""

    changed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    errors: tuple[ForgeError, ...] = ()


def asset_files(root: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in (root / FOLDER).glob("*.y*ml") if path.suffix in (".yaml", ".yml")))


def read_asset_files(root: Path) -> tuple[dict[str, FileDocumentation], tuple[ForgeError, ...]]:
    documented: dict[str, FileDocumentation] = {}
    errors: list[ForgeError] = []
    for path in asset_files(root):
        name = path.relative_to(root).as_posix()
        try:
            if path.stat().st_size > _LARGEST:
                raise ForgeError("E103", "A file of the catalog is larger than 10 MB", where=name)
            read = load_asset_file(path.read_text(encoding="utf-8"), name)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            errors.append(ForgeError("E103", "A file of the catalog cannot be read", where=name, why=reason))
            continue
        except ForgeError as error:
            errors.append(error)
            continue
        errors += read.errors
        errors += [
            ForgeError(
                "E851",
                f"{asset} is described in two files",
                where=name,
                why=f"The other is {next(iter(documented[asset].places.values()), 'read before')}.",
                fix="Keep one of them.",
            )
            for asset in read.assets
            if asset in documented
        ]
        documented = {**read.assets, **documented}
    return documented, tuple(errors)


def sync_asset_files(root: Path, store: AssetStore, clock: Clock) -> FileSync:
    documented, errors = read_asset_files(root)
    if errors:
        return FileSync(errors=errors)
    known = store.assets_named(documented)  # a file may still name an asset by a name that it had
    changed = store.put_files(
        {known[name].qualified_name: one for name, one in documented.items() if name in known}, clock()
    )
    return FileSync(changed, tuple(name for name in documented if name not in known))


@dataclass(slots=True)
class AssetFileWatch:
    """Syncs when a file has changed since the last look, or on demand; each error is logged once."""

    root: Path
    store: AssetStore
    clock: Clock
    last: FileSync = field(default_factory=FileSync, init=False)
    _seen: Signature | None = field(default=None, init=False)

    def look(self) -> FileSync:
        now = self._signature()
        return self.last if now == self._seen else self.sync()

    def sync(self) -> FileSync:
        """Also where no file changed: assets may have come."""
        self._seen = self._signature()
        found = sync_asset_files(self.root, self.store, self.clock)
        for error in found.errors:
            if str(error) not in map(str, self.last.errors):
                _log.warning("%s", error)
        self.last = found
        return found

    def _signature(self) -> Signature:
        found = []
        for path in asset_files(self.root):
            try:
                state = path.stat()
            except FileNotFoundError:
                continue
            found.append((path.name, state.st_mtime_ns, state.st_size))
        return tuple(found)
