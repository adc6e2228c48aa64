"""Forged files for every reader of files: `python -m tests.fuzz.forged --inputs 500 --first 1 journal-entry frr`."""

import json
import random
import sys
import tempfile
from argparse import ArgumentParser
from functools import partial
from pathlib import Path

from tests.fuzz.harness import Session, attack
from tests.fuzz.plain import NODES, cut_and_joined, damage_node
from tests.fuzz.readers import READERS, Reader

_NODES = (
    *NODES,
    *(
        "/",
        "..",
        "a/b",
        "\0",
        "a\0b",
        "a\nb",
        "-x",
        "--",
        "0" * 64,
        "/" * 5000,
        "1-",
        "2026-01-01T00:00:00+00:00",
        "inf",
    ),
    *(1e300, -1.5, 1 << 31, (1 << 63) - 1, 1 << 63, -(1 << 63), 4294967296, 65536),
)


def forged(reader: Reader, rng: random.Random) -> bytes:
    """Return a sound text of a reader, damaged."""
    text = rng.choice(reader.texts())
    if reader.is_json and rng.random() < 0.8:
        whole = [json.loads(text)]
        for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
            damage_node(rng, whole, _NODES)
        document = json.dumps(whole[0] if whole else None)
        return document.replace("Infinity", rng.choice(("1e400", "Infinity"))).encode()
    return cut_and_joined(rng, text, reader.texts(), reader.tokens)


def session(name: str, seed: int) -> str:
    """Have a reader read a forged file, and return how that ended."""
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as folder:
        return reader.run(Path(folder), forged(reader, random.Random(f"{name} {seed}")))


def session_of(name: str) -> Session:
    """Return the session of a reader."""
    READERS[name].texts()  # once, and not in each process
    return partial(session, name)


def main() -> int:
    """Run sessions as a command line says, and tell what they came to."""
    parser = ArgumentParser()
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--inputs", type=int, default=1000, help="of each reader")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    args = parser.parse_args()
    failures = 0
    for name in args.readers or READERS:
        report = attack(session_of(name), range(args.first, args.first + args.inputs))
        failures += len(report.failures)
        print(f"{name}: {report}", flush=True)  # noqa: T201 (a program of its own)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
