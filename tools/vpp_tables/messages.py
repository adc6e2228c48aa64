"""The checksums of API messages, by the program of the same release that makes them (tools/vppapigen)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tools.vpp_tables.source import Tree

_RUN = """
import contextlib, os, sys
sys.path.insert(0, sys.argv[1])
import vppapigen
for name in sys.argv[3:]:
    sys.argv[1:] = ["--pluginpath", os.path.dirname(vppapigen.__file__), "--includedir", "src", "--input", name,
                    "JSON", "--outputdir", OUT, "--output", os.path.join(OUT, name.replace("/", "_") + ".json")]
    with contextlib.suppress(SystemExit):
        vppapigen.main()
"""


def messages_of(tree: Tree) -> dict[str, str]:
    """Return the checksum of every message, eight hexadecimal digits; VPP's own tests are left out."""
    generator = tree.root / "src/tools/vppapigen"
    out = tree.root / "api"
    out.mkdir(exist_ok=True)
    names = [
        str(path.relative_to(tree.root))
        for path in sorted((tree.root / "src").rglob("*.api"))
        if not {"test", "tools", "unittest"} & set(path.relative_to(tree.root).parts)
    ]
    program = _RUN.replace("OUT", repr(str(out)))
    words = [sys.executable, "-c", program, str(generator), "-", *names]
    done = subprocess.run(words, cwd=tree.root, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})
    found: dict[str, str] = {}
    for name in names:
        path = out / f"{name.replace('/', '_')}.json"
        if not path.is_file():
            raise SystemExit(f"{name} cannot be read by VPP's own vppapigen; is ply installed?\n{done.stderr[-2000:]}")
        found.update(_crcs(path))
    return found


def _crcs(path: Path) -> dict[str, str]:
    document = json.loads(path.read_text())
    found = {}
    for message in document["messages"]:
        with contextlib.suppress(TypeError, KeyError):
            found[message[0]] = f"{int(message[-1]['crc'], 16):08x}"
    return found
