"""The table by type of operation that the modules of this package fill: the line that VPP's CLI reads."""

from __future__ import annotations

from functools import singledispatch

from vppcfg.plan.operations import Operation


@singledispatch
def line_of(operation: Operation) -> str | None:
    """Return the CLI line of an operation, None when VPP's CLI cannot say it."""
    raise NotImplementedError(type(operation).__name__)


def braced(text: str) -> str:
    """Return a text as one word of VPP's CLI."""
    return f"{{{text}}}" if " " in text else text
