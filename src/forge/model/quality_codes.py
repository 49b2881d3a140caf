"""The error codes of quality: E7xx."""

from __future__ import annotations

from forge.model.error_code import CANNOT_CONNECT, COULD_NOT_RUN, FINDINGS, NOT_ALLOWED, USAGE, ErrorCode, code_entry
from forge.model.errors import ErrorKind

QUALITY_CODES: tuple[tuple[str, ErrorCode], ...] = (
    code_entry(
        "E701",
        ErrorKind.INVALID,
        "bad check",
        "A check's definition is missing something or names an unknown type.",
        COULD_NOT_RUN,
    ),
    code_entry(
        "E702",
        ErrorKind.INVALID,
        "gate failed",
        "A check of severity error or critical failed on the staged data, so it was not published.",
        FINDINGS,
    ),
    code_entry(
        "E703",
        ErrorKind.INVALID,
        "check not measured",
        "A check could not be measured, which blocks like a failure.",
        FINDINGS,
    ),
    code_entry(
        "E715",
        ErrorKind.NOT_FOUND,
        "no checks",
        "The table has no checks, so nothing could be judged: that is no pass.",
        USAGE,
    ),
    code_entry(
        "E716",
        ErrorKind.INVALID,
        "cannot be imported",
        "The file is not of the tool it was said to be of, or it cannot be told which table it is about.",
        USAGE,
    ),
    code_entry(
        "E717",
        ErrorKind.UNAVAILABLE,
        "report cannot be written",
        "The file of a report or of checks could not be written. The checks were judged all the same.",
        COULD_NOT_RUN,
    ),
    code_entry(
        "E720",
        ErrorKind.INVALID,
        "bad monitor",
        "A monitor has a field that cannot be read, or names something that does not exist. Nothing was changed.",
        USAGE,
    ),
    code_entry("E721", ErrorKind.NOT_FOUND, "no such monitor", "No monitor has that id or name.", USAGE),
    code_entry(
        "E722",
        ErrorKind.REFUSED,
        "monitor of a file",
        "The monitor is written in quality/*.yaml; only the file changes it.",
        USAGE,
    ),
    code_entry(
        "E723",
        ErrorKind.CONFLICT,
        "monitor in use",
        "Someone else changes the monitor at this moment. Nothing was changed.",
        COULD_NOT_RUN,
    ),
    code_entry("E724", ErrorKind.NOT_FOUND, "no such result", "No check has said anything under that id.", USAGE),
    code_entry(
        "E725",
        ErrorKind.INVALID,
        "nothing to judge",
        "The monitor has no checks of its own, and the project has none for its table.",
        COULD_NOT_RUN,
    ),
    code_entry("E730", ErrorKind.NOT_FOUND, "unknown incident", "There is no incident of that id.", USAGE),
    code_entry("E731", ErrorKind.NOT_FOUND, "unknown channel", "forge.yaml names no such channel for alerts.", USAGE),
    code_entry(
        "E732",
        ErrorKind.INVALID,
        "bad mute",
        "A mute names a monitor, a check or a dataset, and an end that is still to come.",
        USAGE,
    ),
    code_entry("E733", ErrorKind.NOT_FOUND, "unknown mute", "There is no such mute, or it has ended.", USAGE),
    code_entry("E734", ErrorKind.INVALID, "incident not changed", "The change to the incident makes no sense.", USAGE),
    code_entry("E735", ErrorKind.UNAVAILABLE, "not delivered", "A channel did not take the message.", CANNOT_CONNECT),
    code_entry("E736", ErrorKind.CONFLICT, "nothing to retry", "No such delivery was given up or refused.", USAGE),
    code_entry("E740", ErrorKind.INVALID, "bad question", "Anomalies cannot be looked for in that way.", USAGE),
    code_entry(
        "E741", ErrorKind.UNAVAILABLE, "extra not installed", "The method needs an extra of Forge.", COULD_NOT_RUN
    ),
    code_entry(
        "E742", ErrorKind.NOT_FOUND, "no such metric", "No value of that metric is known, or none at that time.", USAGE
    ),
    code_entry(
        "E743", ErrorKind.REFUSED, "not fit for use", "The table does not meet what was required of it.", FINDINGS
    ),
    code_entry("E744", ErrorKind.INVALID, "bad requirement", "What is required of a table cannot be read.", USAGE),
    code_entry("E745", ErrorKind.NOT_FOUND, "no such remediation", "No remediation has that id.", USAGE),
    code_entry(
        "E746",
        ErrorKind.CONFLICT,
        "decided already",
        "The remediation is no longer in the state that this needs. Nothing was changed.",
        FINDINGS,
    ),
    code_entry(
        "E747",
        ErrorKind.REFUSED,
        "may not approve",
        "The remediation waits for someone else: quality.remediation in forge.yaml says who may approve.",
        NOT_ALLOWED,
    ),
    code_entry(
        "E748", ErrorKind.INVALID, "bad action", "What is to be done about a failed check cannot be read.", USAGE
    ),
    code_entry(
        "E749",
        ErrorKind.INVALID,
        "cannot be remedied",
        "The action does not suit this table or these checks. Nothing was changed.",
        USAGE,
    ),
    code_entry(
        "E750",
        ErrorKind.CONFLICT,
        "remediation cannot be taken back",
        "Later commits changed the same rows, so taking it back conflicts with them.",
        FINDINGS,
    ),
    code_entry(
        "E751",
        ErrorKind.INVALID,
        "remediation makes a check fail",
        "With the change, a check of severity error or critical fails that passed before. Nothing was changed.",
        FINDINGS,
    ),
)
