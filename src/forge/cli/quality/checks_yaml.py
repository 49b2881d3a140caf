"""Checks as YAML for a project file: one line each, with a comment on origin or reason."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckLine:
    spec: Mapping[str, object]
    comment: str = ""


def checks_yaml(tables: Mapping[str, Sequence[CheckLine]], head: Iterable[str] = ()) -> str:
    """`checks:` with a list for each table, as in quality/*.yaml."""
    lines = [*(f"# {' '.join(line.split())}" for line in head), "checks:"]
    for table, items in tables.items():
        lines.append(f"  {table}:")
        lines += [text for item in items for text in _item(item)]
    return "\n".join(lines) + "\n"


def _item(item: CheckLine) -> list[str]:
    comment = [f"    # {' '.join(item.comment.split())}"] if item.comment else []
    first, *rest = check_text(item.spec).split("\n")
    return [*comment, f"    - {first}", *(f"      {line}" if line else "" for line in rest)]


def check_text(spec: Mapping[str, object]) -> str:
    """`{type: range, column: amount, min: 0, max: 5000}`; multi-line texts are kept."""
    long = {key: value for key, value in spec.items() if isinstance(value, str) and "\n" in value.strip()}
    if not long:
        return _flow(spec)
    lines = []
    for key, value in spec.items():
        if key in long:
            lines += [f"{key}: |-", textwrap.indent("\n".join(map(str.rstrip, str(value).strip().split("\n"))), "  ")]
        else:
            lines.append(_flow({key: value})[1:-1])
    return "\n".join(lines)


def _flow(spec: Mapping[str, object]) -> str:
    import yaml

    width = 1_000_000_000
    return yaml.safe_dump(dict(spec), default_flow_style=True, sort_keys=False, allow_unicode=True, width=width).strip()
