"""The abstract interpreter: executes statements over abstract values. Nothing of the program runs.

The parts: `statements`, `expressions`, `members` (attributes and items), `invoke` (calls), `modules` (imports)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from forge.lineage.extract.python.interpreter import expressions, invoke, members, operators, statements
from forge.lineage.extract.python.interpreter.control_flow import ControlFlow
from forge.lineage.extract.python.interpreter.modules import Modules
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.values import AbstractValue
from forge.lineage.extract.python.world import World

STEPS = 400_000  # nodes of a program that are gone through, loops and calls counted


class ExhaustedError(Exception):
    """The step limit of the analysis is reached."""


@dataclass(eq=False, kw_only=True)
class Interpreter:
    world: World
    modules: Modules
    called: set[int]  # nodes of functions that were called, in any program
    steps: int = 0
    returns: list[list[AbstractValue]] = field(default_factory=list)
    yields: list[list[AbstractValue]] = field(default_factory=list)
    running: list[tuple[int, tuple[object, ...]]] = field(default_factory=list)  # functions, and what they were given
    further: int = 0

    def __post_init__(self) -> None:
        self.world.caller = self

    def run(self, body: Sequence[ast.stmt], scope: NameScope) -> ControlFlow:
        """Statements in order. What cannot be followed in one does not hide the next."""
        for statement in body:
            flow = self._statement(statement, scope)
            if flow is not ControlFlow.NEXT:
                return flow
        return ControlFlow.NEXT

    def _statement(self, statement: ast.stmt, scope: NameScope) -> ControlFlow:
        self.tick()
        handler = statements.HANDLERS.get(type(statement))
        if handler is None:
            return ControlFlow.NEXT
        self.world.scope = scope
        try:
            return handler(self, statement, scope)
        except RecursionError:
            self.world.gap(statement.lineno, "the code is nested too deeply to be followed")
            return ControlFlow.NEXT
        except ExhaustedError:
            raise
        except Exception as error:  # our own bug must not hide the other statements; reported
            self.world.gap(statement.lineno, f"it could not be followed: {type(error).__name__}: {error}")
            return ControlFlow.NEXT

    def evaluate(self, node: ast.expr, scope: NameScope) -> AbstractValue:
        self.tick()
        return expressions.evaluate(self, node, scope)

    def call(self, function: AbstractValue, call: Call) -> AbstractValue:
        return invoke.call(self, function, call)

    def member(self, thing: AbstractValue, name: str, call: Call) -> AbstractValue:
        return members.attribute(self, thing, replace(call, name=name, args=(), named={}, on=thing))

    def operate(self, sign: str, left: AbstractValue, right: AbstractValue, call: Call) -> AbstractValue:
        return operators.operate(self, sign, left, right, call.node or ast.Constant(None))

    def tick(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise ExhaustedError

    @contextmanager
    def inside(self, file: str) -> Iterator[None]:
        """Code of another file is read."""
        before, self.world.file = self.world.file, file
        try:
            yield
        finally:
            self.world.file = before

    @contextmanager
    def doubt(self) -> Iterator[None]:
        """Code that may not be reached."""
        self.world.doubt += 1
        try:
            yield
        finally:
            self.world.doubt -= 1
