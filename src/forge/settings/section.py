"""The base class of all sections of the settings, and the conversion of environment texts to values."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class SettingsSection(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


def part(description: str) -> Any:
    """A nested section, all defaults if omitted. It is validated by the outer section: a validator of its own would
    cost more than reading all settings."""
    return Field(default_factory=dict, validate_default=True, description=description)


def number_of_text(value: object) -> object:
    """Environment variables are texts; nothing else is converted leniently."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,6}", value) else value


def size_of_text(value: object) -> object:
    """As above, of numbers of bytes."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value) else value


def fraction_of_text(value: object) -> object:
    """As above; whole numbers are fractions, too."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{0,6}\.?[0-9]{1,9}", value):
        return float(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def switch_of_text(value: object) -> object:
    """Environment variables are texts; nothing else is converted leniently."""
    return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value


def list_of_text(value: object) -> object:
    """Environment variables are comma-separated."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def word_of_switch(value: object) -> object:
    """YAML reads the word off without quotes as false."""
    return "off" if value is False else value
