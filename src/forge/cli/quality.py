"""`forge quality run|suggest|results|import|validate|monitor|baseline|gate|incidents|alerts|remediate`."""

from __future__ import annotations

import typer

from forge.cli import (
    quality_alerts,
    quality_baseline,
    quality_gate,
    quality_import,
    quality_incidents,
    quality_monitor,
    quality_remediate,
    quality_results,
    quality_run,
    quality_suggest,
)

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
