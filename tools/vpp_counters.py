"""Writes tests/unit/tune/vpp_counters.txt: what VPP's nodes count, as its API files describe it.

`python -m tools.vpp_counters PREFIX` reads the *.api.json of a VPP that is installed below PREFIX. Counters of nodes
that have no such description, whose severity is `error` whatever they count, are not among them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "tests" / "unit" / "tune" / "vpp_counters.txt"
HEADER = """\
# A node, the name of a counter, what `show errors` calls it, and its severity.
# Written by tools/vpp_counters.py from the API files of VPP (Apache License 2.0).
"""


def counters_of(prefix: Path) -> list[str]:
    """Return the lines of the table: of each set of counters the first of its nodes, or the name of the set."""
    documents = [json.loads(path.read_text()) for path in sorted(prefix.glob("share/vpp/api/*/*.api.json"))]
    nodes: dict[str, str] = {}
    for path in (path for document in documents for group in document.get("paths", ()) for path in group):
        nodes.setdefault(path["counter"], path["path"].removeprefix("/err/"))
    return [
        "\t".join((nodes.get(group["name"], group["name"]), row["name"], row["description"], row["severity"]))
        for document in documents
        for group in document.get("counters", ())
        for row in group["elements"]
    ]


if __name__ == "__main__":
    TARGET.write_text(HEADER + "".join(f"{line}\n" for line in counters_of(Path(sys.argv[1]))))
