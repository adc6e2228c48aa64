"""Marks log records as details: steps of a command that went well, which programs read and people need not.

Logs in files, in pipes and in the journal have these lines. A terminal shows them with --debug only, because there the
result itself is read, and not that a file was loaded on the way to it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

_MARK = "is_detail"
DETAIL: Mapping[str, object] = {_MARK: True}
"""The `extra` of such a log record."""


def is_detail(record: logging.LogRecord) -> bool:
    """Return whether a log record carries the mark.

    Records of other programs that use this one as a library carry none, and are shown.
    """
    return bool(getattr(record, _MARK, False))
