"""The plan of a query, as somebody who asks for it in a test is told it."""

from __future__ import annotations

from forge.flows.federation.query import FederationPorts, QueryExplanation, QueryRequest, explain_query
from forge.flows.versioning.read import QueryCaller
from forge.model.time import utc_now


def explain(ports: FederationPorts, request: QueryRequest) -> QueryExplanation:
    return explain_query(ports, request, QueryCaller(ports.user, "test", utc_now))
