"""The command: writes the tables, tells what one release changes, or what could not be read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tools.vpp_commands import REVISIONS, rows
from tools.vpp_tables.messages import Documents, definitions_of, documents_of, messages_of, text_of
from tools.vpp_tables.plugins import dpdk_of, packages_of, plugins_of, sysctl_of
from tools.vpp_tables.source import tree_of
from tools.vpp_tables.words import Words, stanzas_of
from vppcfg.common.release import Release, release_of

SCHEMA = Path(__file__).resolve().parents[2] / "schema"
TARGET, DEFINITIONS = SCHEMA / "vpp-tables.txt", SCHEMA / "vpp-api.json"
DECIDED = Path(__file__).with_name("decided.yaml")
HEADER = """\
# What VPP's source says of its releases, and the first and the last release of each line where it is not all of them.
# Written by `python -m tools.vpp_tables` from the source of VPP (Apache License 2.0), {first} to {last}.
"""


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tools.vpp_tables", description=__doc__)
    parser.add_argument("repository", help="a clone of VPP's repository")
    parser.add_argument("--diff", nargs=2, metavar=("OLD", "NEW"), help="show what NEW changes")
    parser.add_argument("--uncertain", action="store_true", help="show what nobody has decided yet")
    args = parser.parse_args()
    if args.diff:
        old, new = (set(with_messages(args.repository, release)) for release in args.diff)
        tell([*(f"- {line}" for line in sorted(old - new)), *(f"+ {line}" for line in sorted(new - old))])
    elif args.uncertain:
        for release in REVISIONS:
            tell(f"{release}: {stanza}: {what}" for stanza, what in lines_of(args.repository, release)[1])
    else:
        TARGET.write_text(table(args.repository), encoding="utf-8")
        DEFINITIONS.write_text(definitions(args.repository), encoding="utf-8")


def tell(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def table(repository: str) -> str:
    """Return the text of the table. Raise SystemExit for what can be read neither by program nor by decision."""
    found: dict[str, list[str]] = {}
    for release in REVISIONS:
        found[release], uncertain = lines_of(repository, release)
        if uncertain:
            stanza, what = uncertain[0]
            raise SystemExit(f"VPP {release} reads {what} in `{stanza}`: decide in {DECIDED.name} what that means")
    first, *_, last = found
    return HEADER.format(first=first, last=last) + "".join(f"{line}\n" for line in spanned(found))


def definitions(repository: str) -> str:
    """Return VPP's API as JSON with a line for each definition."""
    return text_of(spanned({release: definitions_of(documents(repository, release)) for release in REVISIONS}))


def documents(repository: str, release: str) -> Documents:
    """Return the documents of the API of one release."""
    with tree_of(repository, REVISIONS[release]) as tree:
        return documents_of(tree)


def spanned(found: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the lines of all releases in order, each with a tab and the releases that have it where not all do."""
    known: dict[str, list[int]] = {}
    for number, lines in enumerate(found.values()):
        for line in lines:
            known.setdefault(line, []).append(number)
    for line in sorted(known):
        yield from rows(line, known[line], list(found))


def lines_of(repository: str, release: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return what the table says of one release, and what is uncertain, by stanza."""
    decided = yaml.safe_load(DECIDED.read_text(encoding="utf-8"))
    with tree_of(repository, REVISIONS[release]) as tree:
        stanzas = {name: words for name, words in stanzas_of(tree).items() if name not in decided["no stanzas"]}
        uncertain = list(decide(stanzas, decided["stanzas"], release_of(release)))
        plugins, off = plugins_of(tree)
        lines = [
            *(f"stanza {name}" for name in stanzas),
            *(f"key {name} {key}" for name, words in stanzas.items() for key in words.keys),
            *(f"plugin {name} {package}" for name, package in plugins.items()),
            *(f"off {name}" for name in off),
            *(f"package {name}" for name in packages_of(tree)),
            *(f"needs {name} {other}" for name, others in packages_of(tree).items() for other in others),
            *(f"sysctl {name}" for name in sysctl_of(tree)),
            f"dpdk {dpdk_of(tree)}",
        ]
    return sorted(set(lines)), uncertain


def with_messages(repository: str, release: str) -> list[str]:
    """Return what the table says of one release, and its API messages."""
    return [*lines_of(repository, release)[0], *messages_of(documents(repository, release))]


def decide(stanzas: Mapping[str, Words], decided: Mapping[str, Any], release: Release) -> Iterator[tuple[str, str]]:
    """Put a person's decisions in; yield what nobody has decided."""
    for name, words in stanzas.items():
        decision = decided.get(name, {})
        words.keys |= {key for key, span in decision.get("has", {}).items() if _is_in(release, span)}
        words.keys -= set(decision.get("has not", ()))
        for what in sorted(words.uncertain - set(decision.get("settles", ()))):
            yield name, what


def _is_in(release: Release, span: str) -> bool:
    first, _, last = span.partition("-")
    return (not first or release >= release_of(first)) and (not last or release <= release_of(last))


if __name__ == "__main__":
    main()
