"""The plan of a query over several sources: what each is asked, and what is left for an engine. Phases, each a pure
function of the one before: local names → qualified columns → fragments and rest."""

from forge.federation.planner.plan_query import plan_query
from forge.federation.planner.qualify import UnknownColumnError

__all__ = ["UnknownColumnError", "plan_query"]
