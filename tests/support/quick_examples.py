"""How many examples Hypothesis tries where a test names its own number."""

from __future__ import annotations

from hypothesis import settings


def examples(number: int) -> int:
    """So many, or those of the profile `quick` where it is loaded and asks for fewer."""
    quick = settings.get_current_profile_name() == "quick"
    return min(number, settings.get_profile("quick").max_examples) if quick else number
