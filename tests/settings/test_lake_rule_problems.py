"""Masks, row filters and readers of the lake in forge.yaml: what cannot be meant is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.federation.lake_rules import KeptBack, LakeRules
from forge.federation.policy import Audience, ColumnMask, MaskKind, PolicySubject, RowFilter
from forge.model.errors import ForgeError, errors_of
from forge.settings import load_settings

GOOD = """\
project: x
roles: {owners: [ada@example.com]}
federation:
  lake:
    masks: [{column: Core.People.Mail, as: hash, except: [owners]}]
    rows: [{table: core.orders, filter: "region = 'EU'", for: [eve@example.com]}]
    readers: {core.pay: [ada@example.com]}
"""


def problems(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "forge.yaml").write_text(text)
    try:
        load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"})
    except ForgeError as error:
        return [f"{one.where}: {one.what}" for one in errors_of(error)]
    return []


def test_good_rules_are_read(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD) == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Core.People.Mail", "people.mail", "'people.mail' is not a column of a table of the lake"),
        ("table: core.orders", "table: orders", "'orders' is not a table of the lake"),
        ("core.pay:", "pay:", "'pay' is not a table of the lake"),
        ("[owners]", "[owner]", "there is no role 'owner'"),
        ("region = 'EU'", "region = (SELECT 1)", "the filter cannot be used"),
        ("as: hash", "as: rot13", "must be"),
        ("for: [eve", "when: [eve", "unknown setting"),
    ],
)
def test_what_cannot_be_meant_is_told(tmp_path: Path, before: str, after: str, told: str) -> None:
    found = problems(tmp_path, GOOD.replace(before, after))
    assert len(found) == 1, found
    assert told in found[0]
    assert "forge.yaml:" in found[0]


RULES = LakeRules(
    masks=(ColumnMask("core.people.mail", MaskKind.HASH, Audience(except_=("owners",))),),
    rows=(RowFilter("core.orders", "region = 'EU'", Audience(only=("eve@example.com",))),),
    readers={"core.pay": ("ada@example.com",)},
)
ROLES = {"owners": ["ada@example.com"]}


def test_what_is_kept_back_is_by_who_asks_and_without_anyone_is_all() -> None:
    assert RULES.kept_back(PolicySubject("ada@example.com", ROLES)) == KeptBack()
    eve = RULES.kept_back(PolicySubject("eve@example.com", ROLES))
    assert eve == KeptBack(frozenset({("core.people", "mail")}), frozenset({"core.orders", "core.pay"}))
    assert RULES.kept_back(None) == eve
    assert RULES.kept_back(PolicySubject("bob@example.com", ROLES)).closed == {"core.pay"}


def test_rules_hold_for_tables_with_rows_of_theirs() -> None:
    with pytest.raises(ForgeError, match=r"core\.pay_failing"):
        RULES.with_copies(("_failing",)).refuse_reader("core.pay_failing", "eve@example.com")
    assert "core.orders_failing" in RULES.with_copies(("_failing",)).kept_back(None).closed
