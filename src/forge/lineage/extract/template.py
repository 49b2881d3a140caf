"""Renders SQL templates (Jinja) in a sandbox: no file, environment or database is touched, and every rendered line is
mapped to its template line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import cast

from jinja2 import Template, TemplateError, TemplateSyntaxError, Undefined
from jinja2.runtime import Macro
from jinja2.sandbox import SandboxedEnvironment, safe_range
from jinja2.utils import missing

from forge.lineage.edge import Gap
from forge.lineage.extract.placeholders import DOLLAR
from forge.lineage.extract.template_undefined import RenderState, TextNote, UndefinedName, settle, unknown
from forge.lineage.extract.unicode import valid_unicode

_LINE, _END = "\ue000", "\ue001"
_LINE_MARK = re.compile(f"{_LINE}(\\d+){_END}")
_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_LARGEST = 10_000_000
_ROUNDS = 1_000_000

Names = MutableMapping[str, object]


class LimitError(TemplateError):
    """A template exceeds its time or memory limit."""


class MacroReturn(Exception):
    """`return(value)` in a macro: the value is not text."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


class MacroPackage:
    """The macros of a package, as `package.name`."""

    def __init__(self, label: str, names: Mapping[str, object]) -> None:
        self.__dict__.update(names)
        self.__dict__["_label"] = label

    def __str__(self) -> str:
        return str(self.__dict__["_label"])


class TemplateEnvironment(SandboxedEnvironment):
    """`asked`: the state of the current rendering."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self) -> None:
        self.asked = RenderState()
        super().__init__(
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
            undefined=self._undefined_class(),
            keep_trailing_newline=True,
        )
        self.filters.update(dict.fromkeys(("as_text", "as_bool", "as_number", "as_native"), lambda value, *args: value))
        self.globals["range"] = self._range
        self.rounds = 0

    def _range(self, *bounds: int) -> range:
        """Loops in loops must end."""
        found = safe_range(*bounds)
        self.rounds += len(found)
        if self.rounds > _ROUNDS:
            raise LimitError(f"its loops take more than {_ROUNDS:,} rounds")
        return found

    def _undefined_class(self) -> type[Undefined]:
        environment = self

        class UndefinedHere(UndefinedName):
            __slots__ = ()

            def __init__(
                self, hint: str | None = None, obj: object = missing, name: str | None = None, exc: object = None
            ) -> None:
                super().__init__(hint, obj, name)
                label = f"{obj}.{name}" if isinstance(obj, MacroPackage) else str(name or "value")
                object.__setattr__(self, "_asked", environment.asked)
                object.__setattr__(self, "_label", label)

        return UndefinedHere

    def unknown(self, label: str) -> UndefinedName:
        return unknown(cast("type[UndefinedName]", self.undefined), self.asked, label)

    def call(self, __context: object, __obj: object, *args: object, **kwargs: object) -> object:
        if not isinstance(__obj, Macro):
            return super().call(__context, __obj, *args, **kwargs)  # type: ignore[arg-type]
        try:
            return super().call(__context, __obj, *args, **kwargs)  # type: ignore[arg-type]
        except MacroReturn as returned:
            return returned.value
        except LimitError:
            raise
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as problem:
            return self._failed(__obj, problem)

    def _failed(self, macro: Macro, problem: Exception) -> UndefinedName:
        """A macro that gives no text leaves a hole, as one that is not known does."""
        label = f"{macro.name}()"
        self.asked.failed.setdefault(label, str(problem) or type(problem).__name__)
        return self.unknown(label)

    def call_binop(self, context: object, operator: str, left: object, right: object) -> object:
        """A text must not be multiplied until memory ends."""
        sizes = [len(one) if isinstance(one, str | list | tuple) else one for one in (left, right)]
        if all(isinstance(one, int) for one in sizes):
            one, other = cast("list[int]", sizes)
            if abs(one) > 10_000_000 or abs(other) > 10_000_000 or (operator == "**" and abs(other) > 64):
                raise LimitError("a number or text grows too large")
            if abs(one * other) > _LARGEST and not (isinstance(left, int) and isinstance(right, int)):
                raise LimitError("a number or text grows too large")
        return super().call_binop(context, operator, left, right)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class RenderedSql:
    """A rendered text. `lines`: template line of each line. `notes`: notes at template lines."""

    text: str
    lines: tuple[int, ...] = ()
    notes: tuple[TextNote, ...] = ()

    def line(self, number: int) -> int:
        if not self.lines:
            return number
        return self.lines[min(max(number, 1), len(self.lines)) - 1]


@dataclass(frozen=True, slots=True)
class RenderFailure:
    line: int
    reason: str


def compile_template(templates: TemplateEnvironment, text: str, *, lines: bool = True) -> Template | RenderFailure:
    try:
        return templates.from_string(_with_line_marks(text) if lines else text)
    except TemplateSyntaxError as problem:
        if lines:
            return compile_template(templates, text, lines=False)
        return RenderFailure(problem.lineno, f"the template cannot be read: {problem.message}")
    except (RecursionError, ValueError, OverflowError) as problem:
        return RenderFailure(1, f"the template cannot be read: {problem}")


def load_module(template: Template, names: Names) -> Mapping[str, object] | RenderFailure:
    """Runs a template once: the macros it defines by name, and under "" the text it gives. Names are looked up when
    they are used, so that `names` may change afterwards."""
    try:
        module = template.make_module(cast("dict[str, object]", names), shared=True)
        return {**vars(module), "": str(module)}
    except MacroReturn:
        return RenderFailure(1, "return() stands outside of a macro")
    except TemplateError as problem:
        line = getattr(problem, "lineno", None) or _line_of(problem) or 1
        return RenderFailure(line, problem.message or type(problem).__name__)
    except RecursionError:
        return RenderFailure(1, "its macros call each other without end")
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as problem:
        return RenderFailure(_line_of(problem) or 1, str(problem))


def render(
    templates: TemplateEnvironment, template: Template, names: Names, *, truth: bool, dialect: str
) -> RenderedSql | RenderFailure:
    """One rendering; its state is in `templates.asked` afterwards."""
    templates.asked.truth, templates.asked.tested = truth, False
    templates.rounds = 0
    module = load_module(template, names)
    if isinstance(module, RenderFailure):
        return RenderFailure(module.line, f"the template cannot be rendered: {module.reason}")
    text, lines = _without_line_marks(valid_unicode(str(module[""])))
    text, notes = settle(text, templates.asked, dialect)
    return RenderedSql(text, lines, tuple(TextNote(lines[min(one.line, len(lines)) - 1], one.reason) for one in notes))


def render_both(
    templates: TemplateEnvironment, template: Template, names: Names, dialect: str
) -> tuple[RenderedSql | RenderFailure, ...]:
    """Renders unknown conditions as false and as true; usually there are none."""
    first = render(templates, template, names, truth=False, dialect=dialect)
    if not templates.asked.tested:
        return (first,)
    second = render(templates, template, names, truth=True, dialect=dialect)
    same = (
        isinstance(first, RenderedSql) and isinstance(second, RenderedSql) and first.text.split() == second.text.split()
    )
    return (first,) if same else (first, second)


def render_sql(
    text: str, file: str, *, dialect: str = "spark", variables: Mapping[str, object] | None = None
) -> tuple[tuple[RenderedSql, ...], tuple[Gap, ...]]:
    """SQL with Jinja or `${name}`, outside of dbt. More than one text: which one runs depends on unknown conditions.
    None: it cannot be rendered, as the gap explains."""
    templates = TemplateEnvironment()
    given = {str(key): value for key, value in (variables or {}).items()}
    names: Names = {**templates.globals, **_lone_model(templates, given), **given}

    def fill(found: re.Match[str]) -> str:
        if re.search(rf"^\s*set\s+(?:\w+:)?{re.escape(found[1])}\s*=", text, re.IGNORECASE | re.MULTILINE):
            return found[0]  # the text itself says what it is
        value = given.get(found[1], given.get(found[1].rpartition(".")[2]))
        return templates.asked.mark(found[1]) if value is None else str(value)

    filled = DOLLAR.sub(fill, text)
    template = compile_template(templates, filled)
    if isinstance(template, RenderFailure):
        return (), (Gap(file, template.line, template.reason),)
    found = render_both(templates, template, names, dialect)
    texts = tuple(one for one in found if isinstance(one, RenderedSql))
    failed = [Gap(file, one.line, one.reason) for one in found if isinstance(one, RenderFailure)]
    notes = [Gap(file, one.line, one.reason) for sql in texts for one in sql.notes]
    return texts, tuple(dict.fromkeys((*failed, *notes)))


def _lone_model(templates: TemplateEnvironment, given: Mapping[str, object]) -> dict[str, object]:
    """A dbt model without its project: names are taken as written."""

    def ref(*names: object, **options: object) -> object:
        return names[-1] if names else templates.unknown("ref()")

    def source(*names: object) -> str:
        return ".".join(str(name) for name in names)

    def var(name: object, default: object = None) -> object:
        found = given.get(str(name), default)
        return templates.unknown(f"var {name}") if found is None else found

    def config(*args: object, **options: object) -> str:
        return ""

    incremental = templates.asked.decide
    return {
        "ref": ref,
        "source": source,
        "var": var,
        "env_var": var,
        "config": config,
        "is_incremental": incremental,
    }


def _line_of(problem: BaseException) -> int | None:
    """Where in the template it happened."""
    trace = problem.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template) and trace.tb_frame.f_code.co_filename == "<template>":
            return template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return None


def line_now() -> int:
    """The line of the template that is being rendered, for what it calls."""
    found = 1
    frame = inspect.currentframe()
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template):
            found = template.get_corresponding_lineno(frame.f_lineno)
        frame = frame.f_back
    return found


def _with_line_marks(text: str) -> str:
    """Before the first letter of each line, its number; not inside of tags, and not before tags that print nothing."""
    tags = [(found.start(), found.end()) for found in _TAG.finditer(text)]
    found: list[str] = []
    start, tag = 0, 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        first = start + len(line) - len(line.lstrip())
        while tag < len(tags) and tags[tag][1] <= first:
            tag += 1
        inside = tag < len(tags) and tags[tag][0] <= first
        prints = (
            inside and tags[tag][0] == first and text.startswith("{{", first) and text[first + 2 : first + 3] != "-"
        )
        if line.strip() and (prints or not inside):
            found += [text[start:first], f"{_LINE}{number}{_END}", text[first : start + len(line)]]
        else:
            found.append(line)
        start += len(line)
    return "".join(found)


def _without_line_marks(text: str) -> tuple[str, tuple[int, ...]]:
    lines: list[int] = []
    now = 1
    for line in text.split("\n"):
        mark = _LINE_MARK.search(line)
        if mark is not None:
            now = int(mark[1])
        lines.append(now)
    return _LINE_MARK.sub("", text), tuple(lines)
