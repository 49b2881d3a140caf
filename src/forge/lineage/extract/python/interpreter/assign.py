"""Assignment targets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.lineage.extract.python.interpreter import members
from forge.lineage.extract.python.library import Call, source_text
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.values import (
    AbstractValue,
    Class,
    DictOf,
    Frame,
    Instance,
    LibraryValue,
    ListOf,
    Module,
    UnknownValue,
    key_of,
    number_in,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter


def assign(reader: Interpreter, target: ast.expr, value: AbstractValue, scope: NameScope) -> None:
    world = reader.world
    if isinstance(target, ast.Name):
        if isinstance(value, Frame):
            world.settle(value, target.id, target.lineno)
        elif isinstance(value, UnknownValue):
            # spark = get_spark(), wherever that comes from
            value = world.libraries.constants.get(f"parameter.{target.id}", value)
        home = scope.home(target.id)
        world.change(home)
        home.names[target.id] = value
    elif isinstance(target, ast.Attribute):
        _assign_attribute(reader, target, value, scope)
    elif isinstance(target, ast.Subscript):
        _assign_item(reader, target, value, scope)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(reader, target.elts, value, scope)
    elif isinstance(target, ast.Starred):
        assign(reader, target.value, value, scope)


def _assign_attribute(reader: Interpreter, target: ast.Attribute, value: AbstractValue, scope: NameScope) -> None:
    world = reader.world
    owner = reader.evaluate(target.value, scope)
    if isinstance(value, Frame) and not isinstance(owner, LibraryValue):
        world.settle(value, source_text(target), target.lineno)
    if isinstance(owner, Instance):
        world.change(owner)
        owner.attributes[target.attr] = value
    elif isinstance(owner, Class):
        owner.members[target.attr] = value
    elif isinstance(owner, Module) and owner.scope is not None:
        world.change(owner.scope)
        owner.scope.names[target.attr] = value
    elif isinstance(owner, LibraryValue):
        kind = world.libraries.kinds.get(owner.kind)
        if kind is not None and kind.set_attribute is not None:
            kind.set_attribute(Call(name=target.attr, line=target.lineno, args=(value,), on=owner, node=target), world)


def _assign_item(reader: Interpreter, target: ast.Subscript, value: AbstractValue, scope: NameScope) -> None:
    world = reader.world
    owner, key = reader.evaluate(target.value, scope), reader.evaluate(target.slice, scope)
    if isinstance(owner, DictOf):
        world.change(owner)
        sure, known = key_of(key)
        if sure:
            owner.items[known] = value
        else:
            owner.open = True
        if isinstance(value, Frame):
            world.settle(value, source_text(target), target.lineno)
    elif isinstance(owner, ListOf):
        place = number_in(key)
        world.change(owner)
        if place is not None and -len(owner.items) <= place < len(owner.items):
            owner.items[place] = value
        else:
            owner.open = True
    elif isinstance(owner, LibraryValue):
        kind = world.libraries.kinds.get(owner.kind)
        if kind is not None and kind.set_item is not None:
            kind.set_item(Call(name="[]=", line=target.lineno, args=(key, value), on=owner, node=target), world)


def _unpack(reader: Interpreter, targets: Sequence[ast.expr], value: AbstractValue, scope: NameScope) -> None:
    items, known = members.iterate(reader, value)
    starred = next((place for place, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    if not known or (starred is None and len(items) < len(targets)):
        for target in targets:
            assign(reader, target, UnknownValue(source_text(target)), scope)
        return
    if starred is None:
        for target, item in zip(targets, items, strict=False):
            assign(reader, target, item, scope)
        return
    behind = len(targets) - starred - 1
    for target, item in zip(targets[:starred], items, strict=False):
        assign(reader, target, item, scope)
    assign(reader, targets[starred], ListOf(items[starred : len(items) - behind]), scope)
    for target, item in zip(targets[starred + 1 :], items[len(items) - behind :], strict=False):
        assign(reader, target, item, scope)
