"""The filters of a request that reads: one that the route does not know is refused, for what it would have left out
would be among the answers. `dataset` and `dataset_id` mean the same, in queries as in bodies."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from forge.api.shape import SAME
from forge.model.errors import ForgeError
from forge.model.nearest import did_you_mean

EVERYWHERE = frozenset({"token"})  # of the sign-in, which is looked at before any route


async def known_filters(request: Request) -> None:
    """Before all other dependencies of a route, which then read the query as it is meant."""
    query, route = request.scope.get("query_string", b""), request.scope.get("route")
    if not query or request.method != "GET" or not isinstance(route, APIRoute):
        return
    meant = _understood(query.decode("latin-1"), _names_of(route.dependant))
    if meant is not None:
        request.scope["query_string"] = meant.encode("latin-1")
        request.__dict__.pop("_query_params", None)  # parsed before, perhaps


def _understood(query: str, known: frozenset[str]) -> str | None:
    """The query in the names that the route knows; None where it is so already."""
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=1000)
    given = {name for name, _ in pairs}
    alike = {name: SAME[name] for name in given - known if name in SAME}
    renamed = {name: other for name, other in alike.items() if other in known and other not in given}
    for name in sorted(given - known - renamed.keys() - EVERYWHERE):
        raise ForgeError(
            "E105",
            f"There is no filter '{name[:100]}' here",
            where=f"query.{name[:100]}",
            why=did_you_mean(name, known) or f"Known are {', '.join(sorted(known)) or 'none'}.",
            fix="Correct its name, or leave it out.",
        )
    return urlencode([(renamed.get(name, name), value) for name, value in pairs]) if renamed else None


def _names_of(dependant: Dependant) -> frozenset[str]:
    own = frozenset(one.alias for one in dependant.query_params)
    return own.union(*(_names_of(one) for one in dependant.dependencies))
