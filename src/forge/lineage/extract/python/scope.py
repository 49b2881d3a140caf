"""Scopes: names and their values."""

from __future__ import annotations

from dataclasses import dataclass, field

from forge.lineage.extract.python.values import AbstractValue, Class


@dataclass(slots=True, eq=False)
class NameScope:
    """`parent`: the enclosing scope; a class body is no parent of its methods. `elsewhere`: names declared `global` or
    `nonlocal`, with their scope. `owner`: the class whose method runs here. `stars`: libraries imported with `*`."""

    parent: NameScope | None = None
    names: dict[str, AbstractValue] = field(default_factory=dict)
    elsewhere: dict[str, NameScope] = field(default_factory=dict)
    owner: Class | None = None
    first: str = ""  # the name of the first parameter: self
    stars: list[str] = field(default_factory=list)

    def find(self, name: str) -> AbstractValue | None:
        scope: NameScope | None = self
        while scope is not None:
            home = scope.elsewhere.get(name, scope)
            found = home.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def home(self, name: str) -> NameScope:
        """The scope an assignment changes."""
        return self.elsewhere.get(name, self)

    @property
    def module(self) -> NameScope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def declare(self, name: str, *, outermost: bool) -> None:
        home = self.module if outermost else self.parent
        while home is not None and not outermost and name not in home.names and home.parent is not None:
            home = home.parent
        if home is not None and home is not self:
            self.elsewhere[name] = home
