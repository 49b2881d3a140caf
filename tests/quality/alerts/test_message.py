"""Notices in words: all that matters, in every form, and nothing that could pass for something else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from alert_world import NOON, notice

from forge.quality.alerts.message import PageLinks, html_of, render_notices, text_of
from forge.quality.alerts.notice import AffectedColumn, Cause, NoticeKind
from forge.quality.verdict import Severity

LINKS = PageLinks("https://forge.example.com/")
CAUSE = Cause(
    table="raw.orders",
    check_id="raw.orders.amount.not_null",
    message="14% NULL",
    since=NOON,
    commit_id="9ac1" * 5,
    run_id="r7",
)
FULL = replace(
    notice(),
    cause=CAUSE,
    hit=(AffectedColumn("marts.revenue.total", "@fin"), AffectedColumn("marts.daily.net", None)),
    hit_count=11,
)


def test_a_message_names_check_dataset_commit_run_cause_and_who_is_hit() -> None:
    text = text_of(render_notices([FULL], LINKS))
    for part in (
        "✗ core.orders fails",
        "error: core.orders.amount.range: amount.range is off  https://forge.example.com/quality/incidents/i-amount.range",
        "since: 2026-11-16 12:00 UTC",
        "commit: 3f2a91bcd000",
        "run: run-1  https://forge.example.com/runs/run-1",
        "raw.orders failed first, since 2026-11-16 12:00 UTC: 14% NULL (check raw.orders.amount.not_null, "
        "commit 9ac19ac19ac1, run r7)",
        "11 columns: marts.revenue.total (@fin), marts.daily.net (no owner) and 9 more",
        "owners hit: @fin",
    ):
        assert part in text, part


def test_without_an_address_there_are_no_links() -> None:
    assert "http" not in text_of(render_notices([FULL], PageLinks()))


def test_the_subject_says_what_is_most_worth_knowing() -> None:
    assert render_notices([notice()], LINKS).subject == "[error] core.orders: range fails: amount.range is off"
    two = notice(checks=["a.range", "b.range"])
    assert render_notices([two], LINKS).subject == "[error] core.orders: 2 checks fail"
    other = notice(table="core.b", severity=Severity.CRITICAL)
    assert render_notices([two, other], LINKS).subject == "[critical] 3 checks of 2 datasets fail, first core.orders"
    ended = notice(NoticeKind.RECOVERED)
    assert render_notices([ended], LINKS).subject == "[recovered] core.orders: range passes again: amount.range is off"
    assert render_notices([ended, other], LINKS).subject.startswith("[critical] core.b")
    assert render_notices([notice(NoticeKind.REMINDER)], LINKS).subject.startswith(
        "[error] core.orders: range still fails"
    )


def test_no_text_can_begin_a_line_or_a_header_of_its_own() -> None:
    check = replace(notice().checks[0], message="x\r\nBcc: eve@example.com\n✓ core.orders passes\x1b[31m\u2028again")
    words = render_notices([replace(notice(), checks=(check,), monitor_name="a\nb")], LINKS)
    assert "\n" not in words.subject
    assert "\r" not in words.subject
    lines = text_of(words).splitlines()
    assert [line for line in lines if line.startswith(("Bcc", "✓"))] == []
    assert "\x1b" not in text_of(words)


def test_html_shows_text_as_text() -> None:
    check = replace(notice().checks[0], message='<script>alert("1")</script>', incident_id='"><b>')
    page = html_of(render_notices([replace(notice(), checks=(check,))], LINKS))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert '"><b>' not in page


def test_what_is_long_is_cut_and_counted() -> None:
    check = replace(notice().checks[0], message="x" * 9999)
    many = replace(
        notice(), checks=(check,) * 300, hit=tuple(AffectedColumn(f"a.b.c{n}", "o" * 900) for n in range(50))
    )
    words = render_notices([many] * 200, LINKS)
    text = text_of(words)
    assert len(text) < 200_000
    assert "and 290 more checks" in text
    assert words.rest.startswith("and 190 more: core.orders")
    assert len(words.subject) <= 160


def test_the_end_says_how_long_it_lasted_and_no_longer_whom_it_hits() -> None:
    ended = replace(FULL, kind=NoticeKind.RECOVERED, at=NOON + timedelta(hours=3))
    text = text_of(render_notices([ended], LINKS))
    assert "✓ core.orders passes again" in text
    assert "recovered: 2026-11-16 15:00 UTC" in text
    assert "root cause" not in text
    assert "downstream" not in text
