"""Transforms in Python: functions marked with `@transform`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import CodeType, ModuleType
from typing import Any

from forge.model.errors import ForgeError, ForgeErrors, errors_of, raise_errors
from forge.model.file_options import shown
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.decorator import Declaration, declaration_of
from forge.transforms.deferred_imports import deferred_code
from forge.transforms.fingerprint import hash_of
from forge.transforms.imports import find_helpers, import_file, project_imports, user_place
from forge.transforms.options import read_output, read_transform_options
from forge.transforms.transform import InputRef, PythonFunction, Transform, TransformKind

CONTEXT = "ctx"


def load_python(root: Path, files: tuple[Path, ...]) -> tuple[tuple[Transform, ...], tuple[ForgeError, ...]]:
    """The transforms of these files below `root/transforms`, and all their errors."""
    folder = root / "transforms"
    found: list[Transform] = []
    errors: list[ForgeError] = []
    if not files:
        return (), ()
    with project_imports(folder) as package:
        for path in files:
            try:
                late = _DeferredFile.of(path, folder)
                module = _import(path, root, package, late)
            except ForgeError as error:
                errors.extend(errors_of(error))
                continue
            code = _code_of(path, folder)
            for place, (function, declaration) in enumerate(_marked(module)):
                try:
                    transform = _read_transform(function, declaration, path, root, code)
                    found.append(transform if late is None else late.called_by(transform, place))
                except ForgeError as error:
                    errors.extend(errors_of(error))
    return tuple(found), tuple(errors)


class _DeferredFile:
    """A file that is read without pyspark. Its text is kept: what was read is what runs, even if the file changes."""

    def __init__(self, path: Path, folder: Path, text: str, code: CodeType) -> None:
        self.path, self.folder, self.text, self.code = path, folder, text, code
        self._lock = Lock()
        self._functions: tuple[Callable[..., Any], ...] | None = None

    @classmethod
    def of(cls, path: Path, folder: Path) -> _DeferredFile | None:
        """None: the file has to be imported as it is. So does one that imports other files of the project, with
        them."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None  # importing it says what is wrong
        code = deferred_code(text, str(path))
        return None if code is None or find_helpers(path, folder) else cls(path, folder, text, code)

    def called_by(self, transform: Transform, place: int) -> Transform:
        """The same transform, with the function as the whole file defines it. `place`: its index among those of the
        file."""
        assert isinstance(transform.body, PythonFunction)

        def call(**arguments: Any) -> Any:
            return self._load()[place](**arguments)

        return replace(transform, body=replace(transform.body, function=call))

    def _load(self) -> tuple[Callable[..., Any], ...]:
        with self._lock:
            if self._functions is None:
                whole = compile(self.text, str(self.path), "exec", dont_inherit=True)
                with project_imports(self.folder) as package:
                    module = import_file(self.path, self.folder, package, whole)
                self._functions = tuple(function for function, _ in _marked(module))
            return self._functions


def _import(path: Path, root: Path, package: str, late: _DeferredFile | None) -> ModuleType:
    file = path.relative_to(root).as_posix()
    try:
        return import_file(path, root / "transforms", package, late.code if late else None)
    except ForgeError as error:  # raised by the decorator, which does not know its place
        place = user_place(error, root)
        where = f"{place[0]}:{place[1]}" if place else file
        raise ForgeErrors(one.but(where=one.where or where) for one in errors_of(error)) from error
    except (Exception, SystemExit) as error:
        place = user_place(error, root)
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ForgeError(
            "E207",
            f"importing it raised {type(error).__name__}{f': {what}' if what else ''}",
            where=f"{place[0]}:{place[1]}" if place else file,
            why="Files below transforms/ are imported to find the functions marked @transform.",
            fix="Correct the line; work that needs Spark belongs inside the function.",
        ) from error


def _marked(module: ModuleType) -> Iterator[tuple[Callable[..., Any], Declaration]]:
    """Marked functions defined in this module; those it imports belong to another file."""
    seen: set[int] = set()
    for value in list(vars(module).values()):
        declaration = declaration_of(value)
        if declaration and id(value) not in seen and getattr(value, "__module__", None) == module.__name__:
            seen.add(id(value))
            yield value, declaration


def _code_of(path: Path, folder: Path) -> str:
    """The text of the file and of the project's files it imports."""
    helpers = {
        helper.relative_to(folder).as_posix() if helper.is_relative_to(folder) else helper.name: _text(helper)
        for helper in find_helpers(path, folder)
    }
    return hash_of({"file": _text(path), "helpers": helpers})


def _text(path: Path) -> str:
    """Line endings are normalized, so that a checkout on another system is the same code."""
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _read_transform(
    function: Callable[..., Any], declaration: Declaration, path: Path, root: Path, code: str
) -> Transform:
    file = path.relative_to(root).as_posix()
    line = _line_of(function)
    where = f"{file}:{line}"
    options = read_transform_options(
        {key: _as_yaml(value) for key, value in declaration.options.items()}, lambda _: where
    )
    if options.kind is TransformKind.VIEW:
        raise ForgeError(
            "E206",
            "a Python transform cannot be a view",
            where=where,
            why="A view stores a query.",
            fix="Use kind full.",
        )
    arguments, wants_context = _read_arguments(function, declaration.inputs, where)
    inputs = tuple(dict.fromkeys(arguments.values()))
    return Transform(
        output=_output_of(function, options.output, path, root, where),
        body=PythonFunction(function, arguments, wants_context),
        file=file,
        line=line,
        code_hash=code,
        kind=options.kind,
        inputs=inputs,
        unique_key=tuple(options.unique_key),
        time_column=options.time_column,
        partitioned_by=tuple(options.partitioned_by),
        tags=tuple(options.tags),
        owner=options.owner,
        description=options.description or inspect.getdoc(function) or "",
        columns=options.columns,
        checks=tuple(options.checks),
        check_lines=tuple(line for _ in options.checks),
        references=tuple(InputRef(table, line) for table in inputs),
    )


def _output_of(function: Callable[..., Any], output: str | None, path: Path, root: Path, where: str) -> TableName:
    if output is not None:
        return read_output(output, where)
    folders = path.relative_to(root / "transforms").parts[:-1]
    if not folders:
        raise ForgeError(
            "E206",
            f"{function.__name__} does not say which table it writes",
            where=where,
            why="The schema is the name of the folder, and this file lies directly in transforms/.",
            fix=f'Add output="core.{function.__name__}", or move the file into a folder.',
        )
    return read_output(f"{folders[-1]}.{function.__name__}", where)


def _read_arguments(function: Callable[..., Any], inputs: object, where: str) -> tuple[Mapping[str, TableName], bool]:
    """Every input is an argument of the function and every argument is an input, `ctx`, or has a default."""
    if not inspect.isfunction(inspect.unwrap(function)) or inspect.iscoroutinefunction(function):
        raise ForgeError("E206", "@transform marks a plain function", where=where, fix="Write it as `def name(…):`.")
    if not isinstance(inputs, Mapping):
        raise ForgeError(
            "E206",
            f"inputs should be a mapping of argument names to tables, not {shown(inputs)}",
            where=where,
            fix='Write it like inputs={"orders": "core.orders"}.',
        )
    arguments = {str(name): read_output(str(table), where) for name, table in inputs.items()}
    parameters = inspect.signature(function).parameters.values()
    raise_errors(_find_misfits(function.__name__, arguments, tuple(parameters), where))
    return arguments, any(p.name == CONTEXT for p in parameters) and CONTEXT not in arguments


def _find_misfits(
    name: str, arguments: Mapping[str, TableName], parameters: tuple[inspect.Parameter, ...], where: str
) -> Iterator[ForgeError]:
    by_name = {p.name: p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    by_position = {p.name for p in parameters if p.kind is p.POSITIONAL_ONLY}
    for argument in arguments:
        if argument not in by_name and argument not in by_position and not takes_any:
            yield ForgeError(
                "E206",
                f"{name}() has no argument '{argument}' for the input {arguments[argument]}",
                where=where,
                fix=did_you_mean(argument, by_name) or f"Add it: def {name}({', '.join([*by_name, argument])}).",
            )
    for argument in sorted(by_position):
        why, fix = "Inputs are given by name.", "Remove the / from its arguments."
        yield ForgeError("E206", f"{name}() takes '{argument}' by position only", where=where, why=why, fix=fix)
    for parameter in parameters:
        if (
            parameter.name in by_name
            and parameter.default is parameter.empty
            and parameter.name not in (*arguments, CONTEXT)
        ):
            yield ForgeError(
                "E206",
                f"{name}() asks for '{parameter.name}', which is not among its inputs",
                where=where,
                why=f"Arguments are the names in inputs=, and {CONTEXT}.",
                fix=did_you_mean(parameter.name, (*arguments, CONTEXT))
                or f'Add it: inputs={{"{parameter.name}": "schema.table"}}.',
            )


def _line_of(function: Callable[..., Any]) -> int:
    try:
        return max(inspect.getsourcelines(inspect.unwrap(function))[1], 1)
    except (OSError, TypeError):
        return 1


def _as_yaml(value: object) -> object:
    """Tuples are as good as lists in Python."""
    if isinstance(value, Mapping):
        return {key: _as_yaml(item) for key, item in value.items()}
    return [_as_yaml(item) for item in value] if isinstance(value, list | tuple) else value
