"""Renders notices: which check of which dataset failed, the observed value, since when, commit and run, root cause and
impact. Text, HTML and channel blocks share the same parts."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from forge.quality.alerts.alert import RANKS
from forge.quality.alerts.notice import CheckNotice, Notice, NoticeKind
from forge.quality.verdict import Severity

MOST_SECTIONS, MOST_CHECKS, MOST_HIT = 10, 10, 8
LONGEST = 400  # characters of one line
_SUBJECT = 160


@dataclass(frozen=True, slots=True)
class MessageLine:
    label: str
    text: str
    href: str | None = None


@dataclass(frozen=True, slots=True)
class MessageSection:
    """One dataset under one monitor."""

    title: str
    severity: Severity
    recovered: bool
    lines: tuple[MessageLine, ...]


@dataclass(frozen=True, slots=True)
class RenderedNotice:
    subject: str
    severity: Severity
    recovered: bool  # nothing in it fails
    sections: tuple[MessageSection, ...]
    rest: str = ""  # what did not fit, counted


@dataclass(frozen=True, slots=True)
class PageLinks:
    """URLs of pages, where the server's address is known."""

    address: str | None = None

    def of(self, *parts: str) -> str | None:
        path = "/".join(quote(part, safe="") for part in parts)
        return f"{self.address.rstrip('/')}/{path}" if self.address else None

    def incident(self, check: CheckNotice) -> str | None:
        return self.of("quality", "incidents", check.incident_id) if check.incident_id else None

    def result(self, check: CheckNotice) -> str | None:
        return self.of("quality", "results", check.result_id) if check.result_id else None


def render_notices(notices: Sequence[Notice], links: PageLinks) -> RenderedNotice:
    shown = [_section(notice, links) for notice in notices[:MOST_SECTIONS]]
    left = len(notices) - len(shown)
    rest = f"and {left} more: {', '.join(_names(notices[MOST_SECTIONS:], 20))}" if left > 0 else ""
    failing = [notice for notice in notices if notice.kind is not NoticeKind.RECOVERED]
    severity = max((one.severity for one in failing or notices), key=lambda one: RANKS[one], default=Severity.INFO)
    return RenderedNotice(_subject(notices, failing, severity), severity, not failing, tuple(shown), _short(rest))


def _names(notices: Sequence[Notice], most: int) -> list[str]:
    names = list(dict.fromkeys(notice.table for notice in notices))
    return [*names[:most], f"… {len(names) - most} more"] if len(names) > most else names


def _subject(notices: Sequence[Notice], failing: Sequence[Notice], severity: Severity) -> str:
    if not failing:
        checks = sum(len(notice.checks) for notice in notices)
        return _short(f"[recovered] {_what(notices, checks, 'passes again', 'pass again')}", _SUBJECT)
    only = failing[0]
    if only.kind is NoticeKind.NOTE and len(failing) == 1:
        return _short(f"[{severity}] {only.table}: {only.text}" if only.table else only.text, _SUBJECT)
    checks = sum(len(notice.checks) for notice in failing)
    again = "still fails" if all(one.kind is NoticeKind.REMINDER for one in failing) else "fails"
    return _short(f"[{severity}] {_what(failing, checks, again, again[:-1])}", _SUBJECT)


def _what(notices: Sequence[Notice], checks: int, one: str, many: str) -> str:
    """`core.orders: 2 checks fail`; a single check with its observed value."""
    tables = list(dict.fromkeys(notice.table for notice in notices))
    if len(tables) > 1:
        cause = f", first {tables[0]}"
        return f"{checks} checks of {len(tables)} datasets {many}{cause}"
    if checks == 1 and notices[0].checks:
        return f"{tables[0]}: {notices[0].checks[0].check_type} {one}: {notices[0].checks[0].message}"
    return f"{tables[0]}: {checks} checks {many}"


def _section(notice: Notice, links: PageLinks) -> MessageSection:
    recovered = notice.kind is NoticeKind.RECOVERED
    lines = [line for check in notice.checks[:MOST_CHECKS] for line in _check_lines(check, links)]
    if len(notice.checks) > MOST_CHECKS:
        lines.append(MessageLine("", f"and {len(notice.checks) - MOST_CHECKS} more checks"))
    if notice.text:
        lines.append(MessageLine("note", _short(notice.text)))
    lines += _where(notice, links)
    if not recovered:
        lines += _cause(notice)
        lines += _hit(notice)
    lines += [MessageLine("remark", _short(remark)) for remark in notice.remarks]
    words = {NoticeKind.RECOVERED: " passes again", NoticeKind.REMINDER: " still fails", NoticeKind.FAILING: " fails"}
    title = f"{notice.table}{words.get(notice.kind, '')}" if notice.table else "Forge"
    return MessageSection(title, notice.severity, recovered, tuple(lines))


def _check_lines(check: CheckNotice, links: PageLinks) -> list[MessageLine]:
    """The observed value with a link to the result, and a link to the incident."""
    result, incident = links.result(check), links.incident(check)
    line = MessageLine(str(check.severity), _short(f"{check.check_id}: {check.message}"), result or incident)
    return [line, MessageLine("incident", check.incident_id or "", incident)] if result and incident else [line]


def _where(notice: Notice, links: PageLinks) -> list[MessageLine]:
    lines = []
    since = min((check.since for check in notice.checks), default=None)
    if since is not None:
        lines.append(MessageLine("since", _moment(since)))
    if notice.kind is NoticeKind.RECOVERED:
        lines.append(MessageLine("recovered", _moment(notice.at)))
    if notice.scope.monitor_id is not None and notice.table:
        name = notice.monitor_name or notice.scope.monitor_id
        lines.append(MessageLine("monitor", _short(name), links.of("quality", "monitors", notice.scope.monitor_id)))
    if notice.branch and notice.table:
        lines.append(MessageLine("branch", notice.branch))
    if notice.commit_id:
        lines.append(MessageLine("commit", notice.commit_id[:12], links.of("commits", notice.commit_id)))
    run_id = notice.run_id or notice.monitor_run_id
    if run_id:
        lines.append(MessageLine("run", run_id, links.of("runs", run_id)))
    return lines


def _cause(notice: Notice) -> list[MessageLine]:
    cause = notice.cause
    if cause is None:
        return []
    parts = [f"{cause.table} failed first, since {_moment(cause.since)}: {cause.message} (check {cause.check_id}"]
    if cause.commit_id:
        parts.append(f"commit {cause.commit_id[:12]}")
    if cause.run_id or cause.monitor_run_id:
        parts.append(f"run {cause.run_id or cause.monitor_run_id}")
    return [MessageLine("root cause", _short(", ".join(parts) + ")"))]


def _hit(notice: Notice) -> list[MessageLine]:
    if not notice.hit:
        return []
    shown = [f"{hit.column} ({hit.owner or 'no owner'})" for hit in notice.hit[:MOST_HIT]]
    count = max(notice.hit_count, len(notice.hit))
    more = f" and {count - len(shown)} more" if count > len(shown) else ""
    lines = [MessageLine("hits downstream", _short(f"{count} columns: {', '.join(shown)}{more}", 3 * LONGEST))]
    if notice.owners:
        lines.append(MessageLine("owners hit", _short(", ".join(notice.owners))))
    return lines


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _short(text: str, most: int = LONGEST) -> str:
    """One line without control characters, so that no message can forge another line or header."""
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return clean if len(clean) <= most else clean[: most - 1].rstrip() + "…"


def text_of(message: RenderedNotice) -> str:
    blocks = []
    for section in message.sections:
        lines = [f"{'✓' if section.recovered else '✗'} {section.title}"]
        for line in section.lines:
            label = f"{line.label}: " if line.label else ""
            lines.append(f"  {label}{line.text}{f'  {line.href}' if line.href else ''}")
        blocks.append("\n".join(lines))
    if message.rest:
        blocks.append(message.rest)
    return "\n\n".join(blocks) + "\n"


_COLOURS = {
    Severity.INFO: "#57606a",
    Severity.WARNING: "#9a6700",
    Severity.ERROR: "#cf222e",
    Severity.CRITICAL: "#82071e",
}
_GREEN = "#1a7f37"


def colour_of(severity: Severity, recovered: bool) -> str:
    return _GREEN if recovered else _COLOURS[severity]


def html_of(message: RenderedNotice) -> str:
    """For e-mail: no script, no picture, nothing from elsewhere."""
    parts = ['<!doctype html><html><body style="font-family:sans-serif;font-size:14px;color:#1f2328">']
    for section in message.sections:
        colour = colour_of(section.severity, section.recovered)
        parts.append(
            f'<h3 style="margin:16px 0 4px;padding-left:8px;border-left:4px solid {colour}">'
            f"{html.escape(section.title)}</h3><table>"
        )
        parts += [_html_line(line) for line in section.lines]
        parts.append("</table>")
    if message.rest:
        parts.append(f"<p>{html.escape(message.rest)}</p>")
    return "".join([*parts, "</body></html>"])


def _html_line(line: MessageLine) -> str:
    text = html.escape(line.text)
    if line.href:
        text = f'<a href="{html.escape(line.href, quote=True)}">{text}</a>'
    label = f'<td style="color:#57606a;padding-right:12px;vertical-align:top">{html.escape(line.label)}</td>'
    return f"<tr>{label}<td>{text}</td></tr>"


def document_of(
    message_id: str, notices: Sequence[Notice], message: RenderedNotice, links: PageLinks
) -> dict[str, object]:
    """The JSON body of a webhook: the same facts as data."""
    return {
        "schema_version": 1,
        "id": message_id,
        "subject": message.subject,
        "status": "recovered" if message.recovered else "failing",
        "severity": str(message.severity),
        "text": text_of(message),
        "notices": [_notice_document(notice, links) for notice in notices],
    }


def _notice_document(notice: Notice, links: PageLinks) -> Mapping[str, object]:
    data = notice.to_dict()
    data["monitor_id"] = notice.scope.monitor_id
    data["owners"] = list(notice.owners)
    data["links"] = {
        check.check_id: {"incident": links.incident(check), "result": links.result(check)} for check in notice.checks
    }
    return data
