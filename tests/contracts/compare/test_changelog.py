"""The changelog that people read."""

from __future__ import annotations

from forge.contracts import find_breaking_changes
from forge.contracts.compare.changelog import changelog_markdown, headline, sections_of, verdict

OLD = """\
version: 1.2.0
name: Orders
schema:
  - name: orders
    properties:
      - {name: order_id, physicalType: int}
      - {name: amount, physicalType: "decimal(12,2)"}
slaProperties:
  - {property: latency, value: 1, unit: d}
"""
NEW = """\
version: 1.3.0
name: Orders
schema:
  - name: orders
    description: One row per order.
    properties:
      - {name: note_text, physicalType: string}
      - {name: order_id, physicalType: bigint}
      - {name: amount, physicalType: string}
slaProperties:
  - {property: latency, value: 12, unit: h}
"""


def test_what_breaks_comes_first_and_words_last() -> None:
    sections = sections_of(find_breaking_changes(OLD, NEW))
    assert [(section.title, [change.message for change in section.changes]) for section in sections] == [
        ("Breaking", ["orders.amount: decimal(12,2) → string"]),
        ("Added", ["column orders.note_text (string)"]),
        ("Changed", ["orders.order_id: int → bigint (wider, safe)", "latency: 1 d → 12 h (stronger)"]),
        ("Documentation", ["orders: description"]),
    ]


def test_the_verdict_says_what_is_needed_and_what_is_there() -> None:
    assert verdict(find_breaking_changes(OLD, NEW)) == "needs a MAJOR version (2.0.0), has a MINOR one"
    assert verdict(find_breaking_changes(OLD, OLD)) == "nothing changed"
    assert verdict(find_breaking_changes(OLD, OLD.replace("1.2.0", "1.2.1"))) == "nothing changed, the version did"
    same = NEW.replace("1.3.0", "1.2.0")
    assert verdict(find_breaking_changes(OLD, same)) == "needs a MAJOR version (2.0.0), has the same one"
    back = verdict(find_breaking_changes(OLD, NEW.replace("1.3.0", "1.0.0")))
    assert back == "needs a MAJOR version (2.0.0), has a version that goes back"


def test_nothing_changed_has_no_sections() -> None:
    found = find_breaking_changes(OLD, OLD)
    assert sections_of(found) == ()
    assert headline(found) == "Orders 1.2.0"


def test_markdown_is_what_a_release_note_can_take() -> None:
    text = changelog_markdown(find_breaking_changes(OLD, NEW))
    assert text.startswith("## Orders 1.2.0 → 1.3.0\n\n### Breaking\n\n- orders.amount: decimal(12,2) → string\n")
    assert "- column orders.note\\_text (string)\n" in text
    assert text.endswith("_Needs a MAJOR version (2.0.0), has a MINOR one._\n")
