"""`forge quality run|suggest|results|import|validate|monitor|baseline|gate|incidents|alerts|remediate`."""

from __future__ import annotations

from forge.cli.command import command_group
from forge.cli.quality import alerts, incidents, monitor, remediate
from forge.cli.quality.baseline import baseline
from forge.cli.quality.gate import gate
from forge.cli.quality.imports import import_, validate
from forge.cli.quality.results import results
from forge.cli.quality.run import run
from forge.cli.quality.suggest import suggest

app = command_group(
    "Judge data: run checks, suggest and import them, watch them, and mend what they found.",
    (run, results, suggest, import_, validate, baseline, gate),
)
app.add_typer(monitor.app, name="monitor")
app.add_typer(incidents.app, name="incidents")
app.add_typer(alerts.app, name="alerts")
app.add_typer(remediate.app, name="remediate")
