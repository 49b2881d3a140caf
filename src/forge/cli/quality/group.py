"""`forge quality run|suggest|results|import|validate|monitor|baseline|gate|incidents|alerts|remediate`."""

from __future__ import annotations

import typer

from forge.cli.quality import alerts as quality_alerts
from forge.cli.quality import baseline as quality_baseline
from forge.cli.quality import gate as quality_gate
from forge.cli.quality import imports as quality_import
from forge.cli.quality import incidents as quality_incidents
from forge.cli.quality import monitor as quality_monitor
from forge.cli.quality import remediate as quality_remediate
from forge.cli.quality import results as quality_results
from forge.cli.quality import run as quality_run
from forge.cli.quality import suggest as quality_suggest

app = typer.Typer(
    help="Judge data: run checks, suggest and import them, watch them, and mend what they found.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

for _name, _function in (
    ("run", quality_run.run),
    ("results", quality_results.results),
    ("suggest", quality_suggest.suggest),
    ("import", quality_import.import_),
    ("validate", quality_import.validate),
    ("baseline", quality_baseline.baseline),
    ("gate", quality_gate.gate),
):
    app.command(_name)(_function)
app.add_typer(quality_monitor.app, name="monitor")
app.add_typer(quality_incidents.app, name="incidents")
app.add_typer(quality_alerts.app, name="alerts")
app.add_typer(quality_remediate.app, name="remediate")
