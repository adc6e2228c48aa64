"""A plan kept for later: bound to the VPP, the state and the file that it was made for; it does that or nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from vppcfg.errors import UntrustedFileError
from vppcfg.model.state import State
from vppcfg.plan.state_document import document_of, state_of
from vppcfg.record import record
from vppcfg.transaction.safe_open import read_with_origin
from vppcfg.transaction.signed_document import sealed, unsealed

FORMAT_VERSION = 1
_KIND = "plan"


@record
class SavedPlan:
    """What a plan was made of; the steps follow from it."""

    made_at: str
    """ISO 8601."""
    made_with: str
    """Version of vppcfg, on which the steps depend."""
    boot_id: str
    source_name: str
    """Absolute path of the configuration file; `-` for standard input."""
    source: bytes
    """The file as it was."""
    is_adopting: bool
    observed: State
    desired: State
    lines: tuple[str, ...]
    """The steps for people."""
    foreign: str = ""
    """Why others than root and the user can have written the file that it was read from; '' when they cannot."""


def sealed_plan(plan: SavedPlan) -> bytes:
    """Return the bytes of a saved plan."""
    content: dict[str, Any] = {
        "made_at": plan.made_at,
        "made_with": plan.made_with,
        "boot_id": plan.boot_id,
        "source_name": plan.source_name,
        "source": plan.source.decode(errors="surrogateescape"),
        "is_adopting": plan.is_adopting,
        "lines": plan.lines,
        "observed": document_of(plan.observed),
        "desired": document_of(plan.desired),
    }
    return sealed(_KIND, FORMAT_VERSION, content)


def read_saved_plan(path: Path, group: int | None) -> SavedPlan:
    """Return the plan in a file. Raise UntrustedFileError when it is not as `vppcfg plan --save` left it."""
    file = read_with_origin(path, group)
    content = unsealed(file.data, _KIND, FORMAT_VERSION, os.fspath(path))
    try:
        return SavedPlan(
            **{
                **content,
                "source": content["source"].encode(errors="surrogateescape"),
                "lines": tuple(content["lines"]),
                "observed": state_of(content["observed"]),
                "desired": state_of(content["desired"]),
                "foreign": file.foreign,
            }
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UntrustedFileError(f"{path} is no plan of vppcfg: {error}") from error
