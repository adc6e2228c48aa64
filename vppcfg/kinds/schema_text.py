"""Writes the parts of schema/vppcfg.yaml that follow from keys of kinds: `python -m vppcfg.kinds.schema_text FILE`.

The parts of kinds whose keys are written by hand stay as they are in the file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from vppcfg.config.schema.text import with_parts
from vppcfg.kinds.kind_list import ADDED_KINDS, KINDS


def declared_parts() -> dict[str, Sequence[str]]:
    """Return the lines of each part that follows from declared keys, by the name that the schema includes it with."""
    return {name: lines for kind in KINDS if kind not in ADDED_KINDS for name, lines in kind.schema_parts().items()}


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_parts(file.read_text(encoding="utf-8"), declared_parts()), encoding="utf-8")
