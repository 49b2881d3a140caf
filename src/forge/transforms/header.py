"""The options of an SQL transform: YAML between `/* forge` and `*/` at the top of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forge.model.errors import ForgeError
from forge.model.file_options import shown
from forge.model.yaml_file import YamlFile, load_yaml
from forge.transforms.options import TransformOptions, read_transform_options

# Blank lines and line comments, such as a licence, may precede it.
_OPENING = re.compile(r"\A\ufeff?(?:\s|--[^\n]*(?:\n|\Z))*/\*\s*forge(?=\s|\*/|\Z)")
_MISPLACED = re.compile(r"^[ \t]*/\*[ \t]*forge[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Header:
    options: TransformOptions
    yaml: YamlFile
    end: int  # offset after `*/`; 0 where there is no header


def read_header(text: str, file: str) -> Header:
    """The header's options, or the defaults. E103: malformed YAML, E104: unknown key, E206: wrong form."""
    opening = _OPENING.match(text)
    misplaced = _MISPLACED.search(text, opening.end() if opening else 0)
    if misplaced:
        line = text.count("\n", 0, misplaced.start()) + 1
        raise ForgeError(
            "E206",
            "a forge header stands at the top of the file",
            where=f"{file}:{line}",
            why="This one would be read as a plain comment.",
            fix="Move it before the query, and keep only one.",
        )
    if opening is None:
        return Header(TransformOptions(), YamlFile({}, file), 0)
    end = _end_of_header(text, file, opening.end())
    # Blanks in place of what precedes it keep the lines and columns of the file.
    blank = re.sub(r"[^\n]", " ", text[: opening.end()])
    yaml = load_yaml(blank + text[opening.end() : end - 2], file)
    data = {} if yaml.data is None else yaml.data
    if not isinstance(data, dict):
        raise ForgeError(
            "E206",
            f"the header should be a mapping of options, not {shown(data)}",
            where=f"{file}:{yaml.line_of()}",
            why="A comment that begins with `/* forge` holds the options of the transform.",
            fix="Write `key: value` lines, or begin the comment with another word.",
        )
    return Header(read_transform_options(data, lambda path: yaml.where(*path)), yaml, end)


def body_of(text: str, header: Header) -> str:
    """The query without its header."""
    return text[header.end :]


def _end_of_header(text: str, file: str, start: int) -> int:
    close = text.find("*/", start)
    line = text.count("\n", 0, start) + 1
    if close < 0:
        raise ForgeError("E206", "the forge header is not closed", where=f"{file}:{line}", fix="End it with */")
    nested = text.find("/*", start, close)
    if nested >= 0:
        raise ForgeError(
            "E206",
            "a forge header cannot hold /*",
            where=f"{file}:{text.count(chr(10), 0, nested) + 1}",
            why="Spark would read it as a comment inside the comment.",
            fix="Write it another way; a check's pattern can stand in checks/*.yaml.",
        )
    return close + 2
