"""Reports of results that are damaged, or were never those of a test: `python -m tests.fuzz.results`."""

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.fuzz.harness import command_line, run_command
from tests.fuzz.plain import NODES, damage_node, flipped
from tests.unit.loadtest.test_report import EVERYTHING, theirs
from vppcfg.errors import ExitCode
from vppcfg.loadtest.document import text_of

_NODES = (
    *NODES,
    *(1e15, 1e-15, 1e-6, 1e-310, 1e8, 1e12, 10**18, 2**63, 3600.0, "ramp", "hold", "flows", "watch", "NaN", "-1"),
    *({"verdict": "slow"}, {"verdict": 5}, {"findings": 5}, {"findings": [{}]}, [1, 2], [0.5, 1], [[1, 2], [1, 2]]),
)
_LONGEST = 5000
"""Entries of a list that was made long."""


def _lengthen(rng: random.Random, document: dict[str, Any]) -> None:
    """Make one of the lists very long, its times still in order."""
    keys = [key for key, value in document.items() if isinstance(value, list) and value]
    if not keys:
        return
    key = rng.choice(keys)
    former = document[key]
    step_s = rng.choice((1.0, 10.0))
    document[key] = [
        {**item, **({"at_s": (place + 1) * step_s} if "at_s" in item else {})} if isinstance(item, dict) else item
        for place in range(rng.choice((100, 1000, _LONGEST)))
        for item in [former[place % len(former)]]
    ]


def _damaged(rng: random.Random) -> bytes:
    """Return the text of a result, damaged."""
    document: Any = theirs() if rng.random() < 0.15 else json.loads(text_of(rng.choice(EVERYTHING)))
    if rng.random() < 0.1 and "kind" in document:
        document["kind"] = rng.choice(("ramp", "search", "latency", "flows", "watch", "astf"))
    if rng.random() < 0.05:
        _lengthen(rng, document)
    whole = [document]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 5, 50))):
        damage_node(rng, whole, _NODES)
    text = json.dumps(whole[0] if whole else None).replace("Infinity", rng.choice(("1e400", "Infinity"))).encode()
    return flipped(rng, text) if rng.random() < 0.1 else text


def session(seed: int) -> str:
    """Make a report of a damaged result, maybe beside a whole one, and return how it ended."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.json") for number in range(rng.choice((1, 1, 2)))]
        for number, file in enumerate(files):
            file.write_bytes(_damaged(rng) if not number else text_of(rng.choice(EVERYTHING)).encode())
        code, said = run_command(["loadtest", "report", *map(str, files), "-o", str(Path(folder, "page.html"))])
        assert code in {ExitCode.DONE, ExitCode.INVALID}, f"exit {code.name}: {said[-500:]}"
        return code.name


if __name__ == "__main__":
    sys.exit(command_line(session))
