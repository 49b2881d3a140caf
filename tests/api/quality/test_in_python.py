"""Whatever the quality of data is asked or told over HTTP, `f.quality` can ask and tell, too."""

from __future__ import annotations

import inspect

from fastapi.routing import APIRoute

from forge.api.app import ROUTERS
from forge.connection import QualityView

PREFIX = "/api/v1/quality"
IN_PYTHON = {
    "GET /alerts": "alerts",
    "POST /alerts/channels/{channel}/test": "test_channel",
    "GET /alerts/deliveries": "deliveries",
    "POST /alerts/deliveries/{delivery_id}/retry": "retry_delivery",
    "GET /alerts/mutes": "mutes",
    "POST /alerts/mutes": "mute",
    "DELETE /alerts/mutes/{mute_id}": "unmute",
    "GET /anomalies": "anomalies",
    "GET /channels": "channels",
    "GET /checks/types": "check_types",
    "POST /checks/validate": "validate",
    "GET /datasets": "datasets",
    "POST /datasets/{dataset_id}/feedback": "feedback",
    "GET /datasets/{dataset_id}/fitness": "gate",
    "GET /datasets/{dataset_id}/health": "health",
    "GET /datasets/{dataset_id}/metrics": "metrics",
    "GET /datasets/{dataset_id}/series": "baseline",
    "GET /incidents": "incidents",
    "GET /incidents/{incident_id}": "incident",
    "PATCH /incidents/{incident_id}": "change_incident",
    "GET /monitors": "monitors",
    "POST /monitors": "create_monitor",
    "POST /monitors/preview": "preview_monitor",
    "DELETE /monitors/{monitor_id}": "delete_monitor",
    "GET /monitors/{monitor_id}": "monitor",
    "PATCH /monitors/{monitor_id}": "change_monitor",
    "GET /monitors/{monitor_id}/results": "results",
    "POST /monitors/{monitor_id}/run": "run_monitor",
    "GET /monitors/{monitor_id}/runs": "monitor_runs",
    "GET /monitors/{monitor_id}/sla": "sla",
    "GET /remediations": "remediations",
    "POST /remediations": "propose",
    "GET /remediations/{remediation_id}": "remediation",
    "POST /remediations/{remediation_id}/approve": "approve",
    "GET /remediations/{remediation_id}/preview": "preview_remediation",
    "POST /remediations/{remediation_id}/reject": "reject",
    "POST /remediations/{remediation_id}/revert": "revert",
    "GET /results": "results",
    "GET /results/{result_id:path}": "result",
    "GET /trend": "trend",
}


def test_every_route_of_quality_has_its_call() -> None:
    asked = [
        f"{method} {route.path.removeprefix(PREFIX)}"
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and route.path.startswith(PREFIX)
        for method in sorted(route.methods or ())
    ]
    assert sorted(asked) == sorted(IN_PYTHON)


def test_every_call_is_there_and_says_what_it_does() -> None:
    for name in sorted(set(IN_PYTHON.values())):
        call = getattr(QualityView, name)
        assert inspect.getdoc(call), name
