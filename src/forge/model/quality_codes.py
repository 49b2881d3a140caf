"""The error codes of quality: E7xx."""

from __future__ import annotations

from forge.model.error_code import (
    CANNOT_CONNECT,
    FINDINGS,
    NOT_ALLOWED,
    USAGE,
    ErrorCode,
    conflict,
    invalid,
    not_found,
    refused,
    unavailable,
)

QUALITY_CODES: tuple[tuple[str, ErrorCode], ...] = (
    invalid("E701", "bad check", "A check's definition is missing something or names an unknown type."),
    invalid(
        "E702",
        "gate failed",
        "A check of severity error or critical failed on the staged data, so it was not published.",
        FINDINGS,
    ),
    invalid("E703", "check not measured", "A check could not be measured, which blocks like a failure.", FINDINGS),
    not_found("E715", "no checks", "The table has no checks, so nothing could be judged: that is no pass.", USAGE),
    invalid(
        "E716",
        "cannot be imported",
        "The file is not of the tool it was said to be of, or it cannot be told which table it is about.",
        USAGE,
    ),
    unavailable(
        "E717",
        "report cannot be written",
        "The file of a report or of checks could not be written. The checks were judged all the same.",
    ),
    invalid(
        "E720",
        "bad monitor",
        "A monitor has a field that cannot be read, or names something that does not exist. Nothing was changed.",
        USAGE,
    ),
    not_found("E721", "no such monitor", "No monitor has that id or name.", USAGE),
    refused("E722", "monitor of a file", "The monitor is written in quality/*.yaml; only the file changes it.", USAGE),
    conflict("E723", "monitor in use", "Someone else changes the monitor at this moment. Nothing was changed."),
    not_found("E724", "no such result", "No check has said anything under that id.", USAGE),
    invalid(
        "E725", "nothing to judge", "The monitor has no checks of its own, and the project has none for its table."
    ),
    not_found("E730", "unknown incident", "There is no incident of that id.", USAGE),
    not_found("E731", "unknown channel", "forge.yaml names no such channel for alerts.", USAGE),
    invalid(
        "E732", "bad mute", "A mute names a monitor, a check or a dataset, and an end that is still to come.", USAGE
    ),
    not_found("E733", "unknown mute", "There is no such mute, or it has ended.", USAGE),
    invalid("E734", "incident not changed", "The change to the incident makes no sense.", USAGE),
    unavailable("E735", "not delivered", "A channel did not take the message.", CANNOT_CONNECT),
    conflict("E736", "nothing to retry", "No such delivery was given up or refused.", USAGE),
    invalid("E740", "bad question", "Anomalies cannot be looked for in that way.", USAGE),
    unavailable("E741", "extra not installed", "The method needs an extra of Forge."),
    not_found("E742", "no such metric", "No value of that metric is known, or none at that time.", USAGE),
    refused("E743", "not fit for use", "The table does not meet what was required of it.", FINDINGS),
    invalid("E744", "bad requirement", "What is required of a table cannot be read.", USAGE),
    not_found("E745", "no such remediation", "No remediation has that id.", USAGE),
    conflict(
        "E746",
        "decided already",
        "The remediation is no longer in the state that this needs. Nothing was changed.",
        FINDINGS,
    ),
    refused(
        "E747",
        "may not approve",
        "The remediation waits for someone else: quality.remediation in forge.yaml says who may approve.",
        NOT_ALLOWED,
    ),
    invalid("E748", "bad action", "What is to be done about a failed check cannot be read.", USAGE),
    invalid(
        "E749", "cannot be remedied", "The action does not suit this table or these checks. Nothing was changed.", USAGE
    ),
    conflict(
        "E750",
        "remediation cannot be taken back",
        "Later commits changed the same rows, so taking it back conflicts with them.",
        FINDINGS,
    ),
    invalid(
        "E751",
        "remediation makes a check fail",
        "With the change, a check of severity error or critical fails that passed before. Nothing was changed.",
        FINDINGS,
    ),
)
