"""The definitions of API messages, by the program of the same release that makes them (tools/vppapigen)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.vpp_tables.source import Tree

Documents = dict[str, Mapping[str, Any]]
"""The JSON document of each .api file by its name, such as `interface`."""
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


def documents_of(tree: Tree) -> Documents:
    """Return the documents of all .api files but those of VPP's own tests."""
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
    found: Documents = {}
    for name in names:
        path = out / f"{name.replace('/', '_')}.json"
        if not path.is_file():
            raise SystemExit(f"{name} cannot be read by VPP's own vppapigen; is ply installed?\n{done.stderr[-2000:]}")
        found[Path(name).stem] = json.loads(path.read_text())
    return found


def messages_of(documents: Documents) -> Iterator[str]:
    """Yield a line for each message, with its checksum."""
    messages = (message for document in documents.values() for message in document["messages"])
    yield from (f"message {name} {last['crc']}" for name, *_, last in messages)


def definitions_of(documents: Documents) -> Iterator[str]:
    """Yield a line for each definition: its .api file, its part of the document, and JSON without comments."""
    for module, document in documents.items():
        parts: dict[str, list[Any]] = {
            "messages": [[*fields, {"crc": last["crc"]}] for *fields, last in document["messages"]],
            "services": list(document["services"].items()),
            **_used_types(document),
        }
        for part, items in parts.items():
            yield from (f"{module} {part} {json.dumps(item, separators=(',', ':'))}" for item in items)


def _used_types(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the types that the messages of a document have, by its parts; it repeats all that it imports."""
    known: dict[str, tuple[str, list[Any]]] = {
        name: ("aliases", [name, to]) for name, to in document["aliases"].items()
    }
    for part in ("enums", "enumflags"):
        known |= {item[0]: (part, item) for item in document[part]}
    for part in ("types", "unions"):
        known |= {name: (part, [name, *_without_comment(rest)]) for name, *rest in document[part]}
    found: dict[str, list[Any]] = {part: [] for part in ("aliases", "enums", "enumflags", "types", "unions")}
    fields = [field for _, *fields, _ in document["messages"] for field in fields]
    while fields:
        name = fields.pop()[0].removeprefix("vl_api_").removesuffix("_t")
        if name in known:
            part, item = known.pop(name)
            found[part].append(item)
            fields += [[item[1]["type"]]] if part == "aliases" else item[1:] if part in {"types", "unions"} else ()
    return found


def _without_comment(fields: list[Any]) -> list[Any]:
    return [field for field in fields if isinstance(field, list)]


def text_of(lines: Iterable[str]) -> str:
    """Return the lines of `definitions_of` with the releases behind a tab as JSON: by .api file, releases and part."""
    tree: dict[str, Any] = {}
    for line in lines:
        definition, _, span = line.partition("\t")
        module, part, item = definition.split(" ", 2)
        tree.setdefault(module, {}).setdefault(span, {}).setdefault(part, []).append(item)
    return f"{_lines_of(tree)}\n"


def _lines_of(tree: list[str] | dict[str, Any]) -> str:
    if isinstance(tree, list):
        return "[\n" + ",\n".join(tree) + "\n]"
    return "{\n" + ",\n".join(f'"{name}": {_lines_of(part)}' for name, part in tree.items()) + "\n}"
