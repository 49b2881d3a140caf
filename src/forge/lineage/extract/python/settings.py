"""External settings known by name only: `os.environ["RAW"]`, `config["tables"]["source"]`. In names of tables and paths
they appear as `${RAW}`, `${tables_source}`."""

from __future__ import annotations

import re

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import AbstractValue, Const, Hole, Text, UnknownValue, known_text, truth_of
from forge.model.word_list import words

# Usual names of settings objects, where nothing else identifies them.
_HOLDERS = frozenset(
    words(
        "args cfg conf config configs constants context env options opts params parameters job_args job_params "
        "run_config settings variables"
    )
)
_CLASS = re.compile(r"(?:settings|config|params|options|args)\Z", re.IGNORECASE)
_SAME = frozenset({"strip", "lstrip", "rstrip", "lower", "upper"})
_GETS = frozenset({"get", "getenv", "get_string", "getString", "get_or_else", "getOrElse", "select"})


def holder(name: str) -> str | None:
    """ "" if something of that name holds settings; None: it need not."""
    return "" if name.rpartition(".")[2].lower() in _HOLDERS else None


def field_setting(of: str, name: str) -> str | None:
    """Of a field without a value in a class like `JobSettings`."""
    return name if _CLASS.search(of) else None


def joined(before: str, *names: str) -> str:
    return re.sub(r"\W+", "_", "_".join(one for one in (before, *names) if one)).strip("_")


def part(thing: AbstractValue, key: AbstractValue, written: str) -> UnknownValue:
    """`config["a"]`: a part of settings is one by its name."""
    name = known_text(key)
    if name is None and isinstance(key, Const) and isinstance(key.value, int):
        name = str(key.value)
    if not isinstance(thing, UnknownValue) or thing.setting is None or name is None:
        return UnknownValue(written)
    return UnknownValue(written, joined(thing.setting, name))


def is_read(thing: UnknownValue, name: str) -> bool:
    """`config.get("a")`, `os.environ["A"].strip()`: methods that give a setting, not settings called so."""
    return thing.setting is not None and (name in _GETS or name in _SAME)


def read(call: Call, world: object) -> AbstractValue:
    """What such a method gives: its default, if it has one."""
    on = call.on
    if not isinstance(on, UnknownValue) or on.setting is None:
        return UnknownValue(call.written)
    if call.name in _SAME:
        return on
    default = call.arg(1, "default") or call.named.get("fallback")
    if default is not None and truth_of(default):
        return default
    return part(on, call.args[0] if call.args else Const(None), call.written)


def name_with_settings(thing: AbstractValue | None, *, quote: bool) -> str | None:
    """A name of which all that is not known are settings: `${RAW}.orders`. `quote`: parts of the name of a table that
    hold one are quoted, so that they keep their letters."""
    parts: tuple[str | Hole, ...]
    if isinstance(thing, UnknownValue) and thing.setting:
        parts = (Hole(thing.what, setting=thing.setting),)
    elif isinstance(thing, Text):
        parts = thing.parts
    else:
        return None
    if any(isinstance(one, Hole) and not one.setting for one in parts):
        return None
    name = "".join(one if isinstance(one, str) else "${" + one.setting + "}" for one in parts)
    if not quote:
        return name
    return ".".join(f"`{one.strip('`')}`" if "${" in one else one for one in name.split("."))
