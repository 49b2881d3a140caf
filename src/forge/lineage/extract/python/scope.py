"""Names of a program and what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from forge.lineage.extract.python.values import Class, Thing


@dataclass(slots=True, eq=False)
class Scope:
    """`parent`: where names are looked up next; a class body is no parent of its methods. `elsewhere`: names declared
    `global` or `nonlocal`, and the scope they live in. `owner`: the class whose method runs here. `stars`: libraries of
    which a module imports all names."""

    parent: Scope | None = None
    names: dict[str, Thing] = field(default_factory=dict)
    elsewhere: dict[str, Scope] = field(default_factory=dict)
    owner: Class | None = None
    first: str = ""  # the name of the first parameter: self
    stars: list[str] = field(default_factory=list)

    def find(self, name: str) -> Thing | None:
        scope: Scope | None = self
        while scope is not None:
            home = scope.elsewhere.get(name, scope)
            found = home.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def home(self, name: str) -> Scope:
        """The scope an assignment changes."""
        return self.elsewhere.get(name, self)

    @property
    def module(self) -> Scope:
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
