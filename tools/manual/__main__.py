"""`python -m tools.manual DOCS OUT DATE`: writes the manual pages, made from the parsers and from docs/."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tools.manual.page import command_page, file_page
from vppcfg import __version__
from vppcfg.cli.arguments import build_parser
from vppcfg.cli.commands import all_commands
from vppcfg.commandline.command import describe


def pages(docs: Path, date: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each page (`vppcfg-plan.1`) and its text; `date` is that of the release, as in 2026-10-28."""
    documented = (docs / "commands.md").read_text(encoding="utf-8")
    vppcfg = describe(build_parser(all_commands()))
    for command in vppcfg.walk():
        yield "-".join(command.words) + ".1", command_page(command, vppcfg, documented, __version__, date)
    yield "vppcfg.yaml.5", file_page((docs / "configuration.md").read_text(encoding="utf-8"), __version__, date)


def main(docs: Path, out: Path, date: str) -> None:
    """Write all pages to a folder, which is made where there is none."""
    out.mkdir(parents=True, exist_ok=True)
    for name, text in pages(docs, date):
        (out / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
