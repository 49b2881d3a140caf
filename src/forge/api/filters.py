"""Query filters of read routes: an unknown one is refused, because ignoring it would return rows that it should have
excluded. `dataset` and `dataset_id` are synonyms, in queries and bodies."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from forge.api.wire import SAME
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

EVERYWHERE = frozenset({"token"})  # of the sign-in, which runs before any route


async def known_filters(request: Request) -> None:
    """Runs before all other dependencies of a route, which then see the normalized query."""
    query, route = request.scope.get("query_string", b""), request.scope.get("route")
    if not query or request.method != "GET" or not isinstance(route, APIRoute):
        return
    meant = _understood(query.decode("latin-1"), _names_of(route.dependant))
    if meant is not None:
        request.scope["query_string"] = meant.encode("latin-1")
        request.__dict__.pop("_query_params", None)  # parsed before, perhaps


def _understood(query: str, known: frozenset[str]) -> str | None:
    """The query in the names that the route declares; None if it already is."""
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
