"""Own types of personal data in forge.yaml: what cannot be meant is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.catalog.pii import PiiType
from forge.model.classification import ClassificationLevel
from forge.model.errors import ForgeError, errors_of
from forge.settings import load_settings

GOOD = """\
project: x
pii:
  types:
    employee_number: {names: [employee no, matricula], pattern: 'E[0-9]{6}', level: restricted}
    pet: {names: [pet]}
"""
ENVIRON = {"PATH": "", "HOME": "/nowhere"}


def test_own_types_are_read(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text(GOOD)
    assert load_settings(tmp_path, ENVIRON).pii_types == (
        PiiType("employee_number", ("employee no", "matricula"), "E[0-9]{6}", ClassificationLevel.RESTRICTED),
        PiiType("pet", ("pet",)),
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("pet:", "Pet!:", "this is no name of a type"),
        ("pet:", "email:", "Forge has a type of that name"),
        ("pet:", "personal:", "Forge has a type of that name"),
        ("[pet]", "[]", "nothing says what it is"),
        ("[pet]", "['--']", "'--' has no words"),
        ("E[0-9]{6}", "E[0-9", "the pattern cannot be used: unclosed character class"),
        ("E[0-9]{6}", "E(?=1)", "the pattern cannot be used: look-around"),
        ("E[0-9]{6}", "", "at least 1 character"),
        ("restricted", "public", "must be"),
        ("pattern:", "regex:", "unknown setting 'pii.types.employee_number.regex'"),
    ],
)
def test_what_cannot_be_meant_is_told(tmp_path: Path, before: str, after: str, told: str) -> None:
    (tmp_path / "forge.yaml").write_text(GOOD.replace(before, after, 1))
    with pytest.raises(ForgeError) as caught:
        load_settings(tmp_path, ENVIRON)
    (problem,) = errors_of(caught.value)
    assert told in problem.what
    assert str(problem.where).startswith("forge.yaml:")
