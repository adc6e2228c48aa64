"""MAC addresses as people write them, to the canonical text of the model."""

from __future__ import annotations

import re
from typing import Any

FORMS = (
    re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"),
    re.compile(r"(?:[0-9a-f]{2}-){5}[0-9a-f]{2}"),
    re.compile(r"(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}"),
    re.compile(r"[0-9a-f]{12}"),
)
"""In lower case."""


def canonical_mac(value: Any) -> str | None:
    """Return a MAC address in any of its forms as colon-separated lower case; None when it is none."""
    if not isinstance(value, str):
        return None
    text = value.lower()
    if not any(form.fullmatch(text) for form in FORMS):
        return None
    digits = re.sub(r"[^0-9a-f]", "", text)
    return ":".join(digits[start : start + 2] for start in range(0, 12, 2))
