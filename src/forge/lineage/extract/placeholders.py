"""Whether SQL text is a template. Runs on every file, hence without Jinja."""

from __future__ import annotations

import re

DOLLAR = re.compile(r"\$\{(?:(?:hiveconf|hivevar|spark|env|system|var):)?\s*([A-Za-z_][\w.]*)\s*\}")


def has_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "{#" in text or DOLLAR.search(text) is not None
