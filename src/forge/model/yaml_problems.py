"""What is wrong with YAML, in our words, at lines as editors count them."""

from __future__ import annotations

import re

import yaml

Step = str | int

_ODD_BREAKS = re.compile("[\x85\u2028\u2029]")
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class YamlProblem(Exception):
    """What is wrong with the YAML, and where."""

    def __init__(self, message: str, fix: str, line: int = 1, column: int = 1, path: tuple[Step, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.line = line
        self.column = column
        self.path = path


def in_editor_lines(problem: YamlProblem, text: str) -> YamlProblem:
    if starts := odd_starts(text):
        problem.line, problem.column = moved(starts, problem.line, problem.column)
    return problem


def odd_starts(text: str) -> list[tuple[int, int]]:
    """Where each line of YAML 1.1 begins, as editors count: it also breaks lines at U+0085, U+2028 and U+2029. Empty
    where both count alike."""
    if not _ODD_BREAKS.search(text):
        return []
    found, line, start = [(1, 1)], 1, 0
    for match in _BREAK.finditer(text):
        if not _ODD_BREAKS.fullmatch(match[0]):
            line, start = line + 1, match.end()
        found.append((line, match.end() - start + 1))
    return found


def moved(starts: list[tuple[int, int]], line: int, column: int) -> tuple[int, int]:
    real, first = starts[min(line, len(starts)) - 1]
    return real, first + column - 1


def yaml_problem(error: yaml.YAMLError, text: str) -> YamlProblem:
    """PyYAML's complaint in our words."""
    if isinstance(error, yaml.reader.ReaderError):
        before = text.encode()[: int(error.position)].decode("utf-8", errors="ignore")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        code = error.character if isinstance(error.character, int) else ord(error.character)
        message = f"the character U+{code:04X} is not allowed in YAML"
        return YamlProblem(message, "Remove it, or write it as an escape inside double quotes.", line, column)
    if not isinstance(error, yaml.MarkedYAMLError):
        return YamlProblem(f"malformed YAML: {error}", "Check the indentation and the quotes.")
    return in_editor_lines(_marked(error, text), text)


def _marked(error: yaml.MarkedYAMLError, text: str) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    problem, context = error.problem or "not understood", error.context
    if "quoted scalar" in (context or "") and "end of stream" in problem and error.context_mark:
        mark, problem, context = error.context_mark, "the quote that opens here is never closed", None
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.splitlines()
    if line > len(lines) > 0 and not text.endswith("\n"):  # libyaml counts the end of the text as a line
        line, column = len(lines), len(lines[-1]) + 1
    written = lines[line - 1] if line <= len(lines) else ""
    if "\t" in written[: column + 1] and not written[: column - 1].strip():
        return YamlProblem(
            "a tab stands in the indentation; YAML allows spaces only", "Replace the tabs by spaces.", line, column
        )
    message = f"{context}, {problem}" if context else problem
    return YamlProblem(f"malformed YAML: {message}", _hint(problem), line, column)


def _hint(problem: str) -> str:
    if "mapping values are not allowed" in problem:
        return "A text that holds ': ' needs quotes; a key must be indented like its neighbours."
    if "expected ':'" in problem:
        return "Write key: value, with a space after the colon."
    if "never closed" in problem:
        return "Close the quote, and double a ' inside single quotes."
    return "Check the indentation, brackets and quotes near that place."
