"""/api/v1/quality/checks/types: the types of checks and their keys."""

from __future__ import annotations

from fastapi import APIRouter

from forge.api.quality.wire.check_types import CheckKeyView, CheckTypesView, CheckTypeView
from forge.quality.description import describe_checks, describe_common

router = APIRouter(prefix="/api/v1/quality", tags=["quality monitors"])


@router.get("/checks/types")
def check_types() -> CheckTypesView:
    """Every type with its keys, of which a form can be made; `common` are those that every check has."""
    return CheckTypesView(
        common=[CheckKeyView.model_validate(key) for key in describe_common()],
        types=[CheckTypeView.model_validate(one) for one in describe_checks()],
    )
