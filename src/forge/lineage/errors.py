"""Errors of lineage that code catches."""

from __future__ import annotations

from forge.model.errors import NamedError


class NotInGraphError(NamedError):
    code = "E801"


class BadEdgeError(NamedError):
    code = "E805"


class OlderBatchError(NamedError):
    """A producer recorded something newer already."""

    code = "E806"


class AmbiguousNameError(NamedError):
    code = "E807"


class IdTakenError(NamedError):
    code = "E812"
