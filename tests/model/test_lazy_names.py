"""Names that are imported when they are asked for are still to be seen."""

from __future__ import annotations

import subprocess
import sys

import pytest

import forge
import forge.connection
import forge.versioning


def test_dir_shows_what_there_is_before_anything_was_imported() -> None:
    code = "import forge, sys; print(*dir(forge)); print('forge.connection' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert {"connect", "transform", "ForgeError", "lineage", "catalog", "contracts", "versioning"} <= set(
        out[0].split()
    )
    assert out[1] == "False"


def test_every_name_that_is_shown_can_be_had() -> None:
    for package in (forge, forge.connection, forge.versioning):
        for name in dir(package):
            assert getattr(package, name) is not None


def test_functions_that_need_no_project_are_reached_from_forge_alone() -> None:
    """In a process that imported nothing else: elsewhere a package is there because somebody imported it."""
    code = """
import forge, sys
assert not any(name.startswith('forge.catalog') for name in sys.modules)
print(forge.catalog.find_pii(['email'])[0].type)
print(forge.contracts.lint.__name__, forge.versioning.merge_tables.__name__, forge.lineage.extract_sql.__name__)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert out == ["email", "lint", "merge_tables", "extract_sql"]


def test_completion_in_a_notebook_offers_the_names() -> None:
    from rlcompleter import Completer

    offered = Completer({"forge": forge}).attr_matches("forge.co")
    assert {word.rstrip("(") for word in offered} >= {"forge.connect", "forge.contracts"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'forge' has no attribute 'conect'"):
        forge.conect  # noqa: B018
