"""Attributes, items and iteration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forge.lineage.extract.python import containers, settings, texts
from forge.lineage.extract.python.branch import either
from forge.lineage.extract.python.library import Call, Handler, ValueKind
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Class,
    Const,
    DictOf,
    FunctionValue,
    Instance,
    LibraryValue,
    ListOf,
    Module,
    NativeFunction,
    PropertyMethod,
    SliceValue,
    StaticMethod,
    SuperProxy,
    Text,
    UnionValue,
    UnknownValue,
    from_key,
    key_of,
    known_text,
    number_in,
    text,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter
    from forge.lineage.extract.python.scope import NameScope


_MOST_CLASSES = 100  # that one class is derived from


def native(path: str, handler: Handler, on: AbstractValue | None = None) -> NativeFunction:
    return NativeFunction(path, handler, on)


def attribute(reader: Interpreter, thing: AbstractValue, call: Call) -> AbstractValue:
    name = call.name
    if isinstance(thing, UnionValue):
        return _merged(reader, [attribute(reader, one, replace(call, on=one)) for one in thing.options])
    found: AbstractValue | None = None
    if isinstance(thing, LibraryValue):
        found = _of_kind(reader, thing, call)
    elif isinstance(thing, Module):
        found = module_member(reader, thing, name)
    elif isinstance(thing, Instance):
        found = _of_instance(reader, thing, thing.of, name)
    elif isinstance(thing, SuperProxy):
        found = _behind(reader, thing, name)
    elif isinstance(thing, Class):
        found = _of_class(thing, name)
    elif isinstance(thing, Text):
        handler = texts.TEXT_METHODS.get(name)
        found = native(f"str.{name}", handler, thing) if handler else texts.path_attribute(thing, name)
        if found is None and name == "value":
            found = thing  # of an Enum
    elif isinstance(thing, ListOf | DictOf):
        table = containers.LIST_METHODS if isinstance(thing, ListOf) else containers.DICT_METHODS
        found = native(f"{type(thing).__name__}.{name}", table[name], thing) if name in table else None
    elif isinstance(thing, FunctionValue | Class) and name == "__name__":
        found = text(thing.name)
    if found is not None and not isinstance(found, UnknownValue):
        return found
    given = reader.world.libraries.constants.get(f"parameter.{name}")  # self.spark
    if given is not None and not isinstance(thing, LibraryValue):
        return given
    if found is not None:
        return found
    if isinstance(thing, UnknownValue) and settings.is_read(thing, name):
        return native(f"settings.{name}", settings.read, thing)
    what = call.written if not isinstance(thing, UnknownValue) or not thing.what else f"{_head(thing, call)}.{name}"
    if isinstance(thing, Module) and settings.holder(thing.path) is not None:
        return UnknownValue(what, name)
    return UnknownValue(what, settings.part(thing, text(name), what).setting)


def _head(thing: UnknownValue, call: Call) -> str:
    written = call.written.rpartition(".")[0]
    return written if len(written) <= 60 else thing.what


def _merged(reader: Interpreter, things: list[AbstractValue]) -> AbstractValue:
    found = things[0]
    for one in things[1:]:
        found = (
            found
            if found is one
            else UnionValue((found, one))
            if _callable(found)
            else either(found, one, reader.world)
        )
    return found


def _callable(thing: AbstractValue) -> bool:
    return isinstance(thing, NativeFunction | BoundFunction | FunctionValue | UnionValue)


def _of_kind(reader: Interpreter, thing: LibraryValue, call: Call) -> AbstractValue | None:
    kind = reader.world.libraries.kinds.get(thing.kind)
    if kind is None:
        return None
    handler = kind.methods.get(call.name)
    if handler is not None:
        return native(f"{kind.name}.{call.name}", handler, thing)
    found = kind.attribute(call, reader.world) if kind.attribute is not None else None
    if found is not None:
        return found
    return native(f"{kind.name}.{call.name}", kind.otherwise or _not_modelled(kind), thing)


def _not_modelled(kind: ValueKind) -> Handler:
    def handler(call: Call, world: object) -> AbstractValue:
        return UnknownValue(call.written)

    return handler


def module_member(reader: Interpreter, module: Module, name: str) -> AbstractValue | None:
    if module.scope is not None:
        found = module.scope.names.get(name)
        if found is not None:
            return found
    inner = reader.modules.load(reader, f"{module.path}.{name}")
    if inner is not None:
        return inner
    return library_member(reader, f"{module.path}.{name}")


def library_member(reader: Interpreter, path: str) -> AbstractValue | None:
    """What a library has under a full name."""
    libraries = reader.world.libraries
    if path.startswith("pyspark.pandas") and path not in libraries.functions:
        path = path.removeprefix("pyspark.")
    if path in libraries.constants:
        return libraries.constants[path]
    handler = libraries.functions.get(path) or libraries.decorators.get(path)
    if handler is not None:
        return native(path, handler)
    owner = libraries.owner(path)
    if owner is None:
        return None
    if any(module == path or module.startswith(path + ".") for module in owner.modules):
        return Module(path)
    inside = any(one.startswith(path + ".") for one in (*owner.functions, *owner.constants))
    if inside:
        return Module(path)
    return native(path, owner.otherwise) if owner.otherwise is not None else None


def starred(reader: Interpreter, name: str, scope: NameScope) -> AbstractValue | None:
    """An undefined function belongs to a star-imported library that defines it."""
    if scope.find(name) is not None:
        return None
    found = (library_member(reader, f"{path}.{name}") for path in scope.module.stars)
    return next((one for one in found if one is not None), None)


def _of_instance(reader: Interpreter, instance: Instance, start: Class, name: str) -> AbstractValue | None:
    own = instance.attributes.get(name)
    if own is not None:
        return own
    if name == "__class__":
        return instance.of
    return _bind(reader, instance, find_member(start, name))


def _bind(reader: Interpreter, instance: AbstractValue, found: AbstractValue | None) -> AbstractValue | None:
    if isinstance(found, PropertyMethod):
        return reader.call(found.function, Call(name="property", line=0, args=(instance,)))
    if isinstance(found, StaticMethod):
        of = instance.of if isinstance(instance, Instance) else instance
        return BoundFunction(found.function, (of,)) if found.of_class else found.function
    return BoundFunction(found, (instance,)) if isinstance(found, FunctionValue) else found


def _behind(reader: Interpreter, thing: SuperProxy, name: str) -> AbstractValue | None:
    """The next class in the order of the object's own class, which need not be a base of the one that asks."""
    of = thing.instance.of if isinstance(thing.instance, Instance) else thing.instance
    order = in_order(of) if isinstance(of, Class) else ()
    behind = order[order.index(thing.owner) + 1 :] if thing.owner in order else in_order(thing.owner)[1:]
    found = next((one.members[name] for one in behind if name in one.members), None)
    return None if found is None else _bind(reader, thing.instance, found)


def _of_class(of: Class, name: str) -> AbstractValue | None:
    if name == "__name__":
        return text(of.name)
    found = find_member(of, name)
    if isinstance(found, StaticMethod):
        return BoundFunction(found.function, (of,)) if found.of_class else found.function
    return found


def find_member(of: Class, name: str) -> AbstractValue | None:
    return next((one.members[name] for one in in_order(of) if name in one.members), None)


def in_order(of: Class) -> tuple[Class, ...]:
    """The class and its bases in the order in which Python asks them (C3); where there is none, as they come."""
    if of.order:
        return of.order
    bases = [base for base in of.bases if isinstance(base, Class)]
    waiting = [list(in_order(base)) for base in bases] + [list(bases)]
    order = [of]
    while waiting := [one for one in waiting if one]:
        heads = [one[0] for one in waiting]
        head = next((one for one in heads if not any(one in other[1:] for other in waiting)), heads[0])
        order.append(head)
        waiting = [[one for one in other if one is not head] for other in waiting]
    of.order = tuple(order[:_MOST_CLASSES])
    return of.order


def item(reader: Interpreter, thing: AbstractValue, call: Call) -> AbstractValue:
    key = call.args[0]
    if isinstance(thing, UnionValue):
        return _merged(reader, [item(reader, one, replace(call, on=one)) for one in thing.options])
    if isinstance(key, UnionValue) and not isinstance(thing, LibraryValue):
        keyed = [
            item(reader, thing, Call(name=call.name, line=call.line, args=(one,), named={}, on=thing, node=call.node))
            for one in key.options
        ]
        return _merged(reader, keyed)
    found: AbstractValue | None = None
    if isinstance(thing, LibraryValue):
        kind = reader.world.libraries.kinds.get(thing.kind)
        if kind is not None and kind.item is not None:
            return kind.item(call, reader.world)
    elif isinstance(thing, Text):
        cut = slice_of(key)
        found = texts.sliced_text(thing, cut, call.written) if cut else texts.text_item(thing, key, call.written)
    elif isinstance(thing, ListOf):
        found = _list_item(thing, key)
    elif isinstance(thing, DictOf):
        sure, known = key_of(key)
        found = thing.items.get(known) if sure else _any_value(reader, thing)
    elif isinstance(thing, Instance):
        method = find_member(thing.of, "__getitem__")
        found = (
            reader.call(method, Call(name="[]", line=call.line, args=(thing, key), node=call.node)) if method else None
        )
    elif isinstance(thing, Class | NativeFunction):
        return thing  # Generic[T]
    elif isinstance(thing, Module) and thing.path == "os.environ":
        return UnknownValue(call.written, known_text(key))
    return settings.part(thing, key, call.written) if found is None else found


def _any_value(reader: Interpreter, thing: DictOf) -> AbstractValue | None:
    """A value of a dict by a key that is not known: any of them."""
    values = list(thing.items.values())
    return _merged(reader, values) if values and not thing.open and len(values) <= 6 else None


def _list_item(thing: ListOf, key: AbstractValue) -> AbstractValue | None:
    cut = slice_of(key)
    if cut is not None and not thing.open:
        return ListOf(thing.items[cut], thing.form)
    place = number_in(key)
    if place is None or (thing.open and place < 0):
        return None
    return thing.items[place] if -len(thing.items) <= place < len(thing.items) else None


def slice_of(key: AbstractValue) -> slice | None:
    if not isinstance(key, SliceValue):
        return None
    parts = [one.value if isinstance(one, Const) else ... for one in (key.start, key.stop, key.step)]
    if any(one is not None and not isinstance(one, int) for one in parts):
        return None
    return slice(*parts)


def iterate(reader: Interpreter, thing: AbstractValue) -> tuple[list[AbstractValue], bool]:
    """What a loop goes through, and whether that is all."""
    if isinstance(thing, ListOf):
        return list(thing.items), not thing.open
    if isinstance(thing, DictOf):
        return [from_key(key) for key in thing.items], not thing.open
    if isinstance(thing, Text) and thing.known is not None and len(thing.known) <= 200:
        return [text(one) for one in thing.known], True
    if isinstance(thing, UnionValue):
        return _iterate_options(reader, thing)
    if isinstance(thing, LibraryValue):
        kind = reader.world.libraries.kinds.get(thing.kind)
        if kind is not None and kind.iterate is not None:
            return iterate(reader, kind.iterate(Call(name="for", line=0, on=thing), reader.world))
    if isinstance(thing, Instance):
        method = find_member(thing.of, "__iter__")
        if method is not None:
            return iterate(reader, reader.call(method, Call(name="for", line=0, args=(thing,))))
    return [], False


def _iterate_options(reader: Interpreter, thing: UnionValue) -> tuple[list[AbstractValue], bool]:
    found: list[AbstractValue] = []
    known = True
    for option in thing.options:
        items, sure = iterate(reader, option)
        found.extend(one for one in items if one not in found)
        known = known and sure
    return found, known
