"""Collects the findings of lint rules."""

from __future__ import annotations

from collections.abc import Iterable

from forge.contracts.contract import Violation, ViolationSeverity
from forge.contracts.document.file import Document, Path, path_text
from forge.contracts.linter.words import one_of

MAX_FINDINGS = 1000  # of one contract: who has more will not read them, and a hostile file shall not fill the memory

_MOST_GUESSED = 100


class LintFindings:
    """Findings of one document: one for each path, as a second one has the same cause."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.violations: list[Violation] = []
        self._paths: set[Path] = set()

    def add(
        self,
        code: str,
        path: Path,
        message: str,
        fix: str,
        *,
        severity: ViolationSeverity = "error",
        at_key: bool = False,
    ) -> None:
        """`at_key`: the key itself is wrong, not its value."""
        if path in self._paths or self.is_full:
            return
        self._paths.add(path)
        place = self.document.place_of(path) if at_key else self.document.value_place_of(path)
        self.violations.append(
            Violation(
                code=code,
                severity=severity,
                file=self.document.file,
                line=place.line,
                column=place.column,
                path=path_text(path),
                message=message,
                fix=fix,
            )
        )

    def guess(self, name: str, known: Iterable[str]) -> str:
        """The fix for an unknown name. Guessing is slow, so only the first hundred get one."""
        return one_of(name, known) if len(self.violations) < _MOST_GUESSED else "Use a name that is there."

    @property
    def is_full(self) -> bool:
        return len(self.violations) >= MAX_FINDINGS


def shown(value: object) -> str:
    """A value in a message: short, in YAML syntax."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    text = text if len(text) <= 60 else f"{text[:57]}…"
    return f"'{text}'" if isinstance(value, str) else text


def is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def has_variable(value: object) -> bool:
    """Since v3.2 strings may contain `${NAME}`, resolved by the consumer."""
    return isinstance(value, str) and "${" in value
