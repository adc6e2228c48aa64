"""The fenced blocks of the README and the documents: YAML is valid, commands exist and print what is shown."""

import argparse
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from tools.manual.markdown import section_of
from vppcfg.cli import startup_check
from vppcfg.cli.arguments import Parser, Subparsers, build_parser
from vppcfg.cli.commands import all_commands
from vppcfg.config.load import parse_text
from vppcfg.errors import ExitCode, UsageError
from vppcfg.record import record

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
"""Without docs/rules/, which holds examples that break a rule; tests/unit/config runs them."""
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.yaml"))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEMO = re.compile(r"<!-- demo -->.*?<!-- end of demo -->", re.DOTALL)


@record
class Block:
    """A fenced block of a document."""

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


@record
class Shown:
    """A command in a console block, and the output that the document shows below it."""

    place: str
    command: str
    output: str

    def __str__(self) -> str:
        return f"{self.place} {self.command}"


def blocks_of(document: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a document but those of the demo, which test_demo.py runs."""
    text = DEMO.sub(lambda match: "\n" * match[0].count("\n"), document.read_text())
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        name = str(document.relative_to(ROOT))
        yield Block(document=name, line=line, language=match[1], text=match[2])


def commands_of(block: Block) -> Iterator[Shown]:
    """Yield the commands of a console block; a line that starts with `$ ` is one."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Shown(place=str(block), command=command, output=output.strip("\n"))


@cache
def anchors_in(document: Path) -> frozenset[str]:
    """Return the anchors of a document's headings, as a forge and the site name them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", document.read_text()), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower() for heading in headings]
    slugs = [re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in plain]
    before = [slugs[:place].count(slug) for place, slug in enumerate(slugs)]
    return frozenset(f"{slug}-{count}" if count else slug for slug, count in zip(slugs, before, strict=True))


BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
YAML = [block for block in BLOCKS if block.language == "yaml"]
SHOWN = [shown for block in BLOCKS if block.language == "console" for shown in commands_of(block)]
OURS = [shown for shown in SHOWN if shlex.split(shown.command)[0].endswith("vppcfg")]


WORD_LIMITS = {"pages": 63_600, "rules": 41_200}
"""What can be kept true: the README and the pages in docs/, and those in docs/rules/."""
MEASURED = re.compile("(?s)<!-- measured -->.*<!-- end of measured -->")
"""The tables that `make bench` writes."""


def test_the_documents_stay_short() -> None:
    pages = {"pages": [ROOT / "README.md", *(ROOT / "docs").glob("*.md")], "rules": (ROOT / "docs/rules").glob("*.md")}
    written = {name: [MEASURED.sub("", page.read_text()) for page in files] for name, files in pages.items()}
    counts = {name: sum(len(text.split()) for text in texts) for name, texts in written.items()}
    assert {name: count for name, count in counts.items() if count > WORD_LIMITS[name]} == {}


def test_every_block_says_what_it_is() -> None:
    assert [
        str(block) for block in BLOCKS if block.language not in {"", "yaml", "console", "text", "json", "python"}
    ] == []


def test_programs_stand_where_they_are_run() -> None:
    """tests/documents/test_api.py runs the one of docs/api.md."""
    assert [block.document for block in BLOCKS if block.language == "python"] == ["docs/api.md"]


def test_a_yaml_block_is_a_valid_configuration_without_a_warning() -> None:
    for block in YAML:
        loaded = parse_text(block.text, str(block))
        assert loaded.configuration is not None and not loaded.to_act_on, (str(block), loaded.problems)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_a_configuration_without_a_problem(example: Path) -> None:
    assert parse_text(example.read_bytes(), example.name).problems == ()


def test_a_command_for_make_names_a_target() -> None:
    targets = {*re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)}
    for shown in (shown for shown in SHOWN if shown not in OURS):
        program, *arguments = shlex.split(shown.command)
        if program == "make":
            assert {argument for argument in arguments if "=" not in argument} <= targets, str(shown)
        else:
            assert program in {"cd", "export", "git", "pipx", "sudo"}, str(shown)


TYPED = re.compile(r"^(?:\$ )?(?:sudo )?(vppcfg [a-z][^|>#\n]*)", re.MULTILINE)
"""A command at the beginning of a line of a block, without a comment behind it or what becomes of its output."""


def test_a_command_of_ours_is_understood() -> None:
    parser = build_parser(all_commands())
    typed = [
        (block, command)
        for block in BLOCKS
        if block.language in {"console", "text"}
        for command in TYPED.findall(block.text)
    ]
    assert len(typed) > len(OURS)
    for block, command in typed:
        _, *arguments = shlex.split(command)
        try:
            assert parser.parse_args(arguments).command, (str(block), command)
        except UsageError as error:  # a router's folders are not on this machine
            assert "there is no folder" in error.message, (str(block), command)


IN_TEXT = re.compile(r"`(vppcfg [a-z][^`]*)`")
INCOMPLETE = re.compile(r"the following arguments are required|expected one argument|there is no folder")


@pytest.mark.parametrize("folder", [".", "docs", "docs/rules"])
def test_a_command_of_ours_in_a_text_is_understood(folder: str) -> None:
    """It may lack arguments, as `vppcfg sim` does, and have N for a number or lead into a file."""
    parser = build_parser(all_commands())
    commands = [
        (page.name, command)
        for page in sorted((ROOT / folder).glob("*.md"))
        if page.name != "CHANGELOG.md"
        for command in IN_TEXT.findall(FENCE.sub("", page.read_text()))
    ]
    assert commands
    for page, command in commands:
        _, *arguments = ["1" if word == "N" else word for word in shlex.split(command.partition(" >")[0])]
        try:
            parser.parse_args(arguments)
        except UsageError as error:
            assert INCOMPLETE.search(error.message), (page, command, error.message)


@pytest.mark.parametrize("shown", [shown for shown in OURS if shown.output], ids=str)
def test_a_command_of_ours_prints_what_the_document_shows(
    shown: Shown, examples: Path, environment: dict[str, str]
) -> None:
    finished = subprocess.run(
        ["bash", "-c", f"{shown.command} 2>&1"],
        cwd=examples,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    assert finished.stdout.strip("\n") == shown.output


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_a_link_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", FENCE.sub("", document.read_text()))
    ours = [link.partition("#") for link in links if not link.startswith("https://")]
    pages = [((document.parent / path).resolve() if path else document, anchor) for path, _, anchor in ours]
    assert [path for path, _ in pages if not path.exists()] == []
    assert [(path.name, anchor) for path, anchor in pages if anchor and anchor not in anchors_in(path)] == []


@pytest.mark.parametrize("document", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_a_place_in_the_code_that_a_document_names_exists(document: str) -> None:
    text = (ROOT / document).read_text()
    named = re.findall(r"`([\w./]+(?:/|\.py|\.yaml|\.md))`", text)
    assert [name for name in named if not any((root / name).exists() for root in (ROOT, ROOT / "vppcfg"))] == []


def test_the_exit_codes_are_documented() -> None:
    text = (ROOT / "docs" / "commands.md").read_text()
    documented = {name: int(code) for code, name in re.findall(r"^\| (\d+) \| (\w+) \|", text, re.MULTILINE)}
    assert documented == {code.name: code.value for code in ExitCode}


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command, without the global options."""
    subparsers = cast(Subparsers, Parser(prog="vppcfg").add_subparsers())
    for command in all_commands():
        command.add_parser(subparsers)
    below = cast(Subparsers, Parser(prog="vppcfg startup").add_subparsers())
    startup_check.add_parser(below)
    return {**subparsers.choices, "startup check": below.choices["check"]}


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text)) - {"-h"}


COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def test_every_command_is_documented_and_in_the_table() -> None:
    described = set(re.findall(r"^## vppcfg (.+)$", COMMANDS, re.MULTILINE))
    listed = set(re.findall(r"^\| `vppcfg (.+?)` \|", COMMANDS, re.MULTILINE))
    assert described == listed == set(parsers())


@pytest.mark.parametrize(("name", "parser"), parsers().items(), ids=parsers().keys())
def test_the_options_in_the_section_of_a_command_exist(name: str, parser: argparse.ArgumentParser) -> None:
    """Options of another command stand behind its name, as in `plan --state`."""
    words = re.findall(r"`([^`\n]+)`", FENCE.sub("", section_of(COMMANDS, f"vppcfg {name}")))
    own = [word for word in words if word.startswith(("-", f"{name} -", f"vppcfg {name} -"))]
    known = {option for action in parser._actions for option in action.option_strings}
    assert options_in(" ".join(own)) <= known
