"""Forge: a governed Spark lakehouse. `forge.connect()` opens a project; `@forge.transform` marks a transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forge.connection import Connection, connect
    from forge.model.errors import ForgeError
    from forge.transforms.decorator import transform

__all__ = ["Connection", "ForgeError", "connect", "transform"]

_HOMES = {
    "Connection": "forge.connection",
    "connect": "forge.connection",
    "ForgeError": "forge.model.errors",
    "transform": "forge.transforms.decorator",
}


def __getattr__(name: str) -> Any:
    """Loaded when asked for, so that `forge --help` does not pay for it."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'forge' has no attribute '{name}'")
