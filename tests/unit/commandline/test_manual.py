"""The manual pages: one per command, each with all options; they say what the documents say, without a warning."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.manual.__main__ import main, pages
from tools.manual.markdown import section_of, to_roff
from vppcfg.commandline.command import Command

DOCS = Path(__file__).resolve().parents[3] / "docs"
DATE = "2026-10-28"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Return all pages by name, made before a test has a socket of its own that they would name."""
    return dict(pages(DOCS, DATE))


def shown(page: str) -> str:
    text = re.sub(r"\\f[BIR]|\\:", "", page).replace(r"\-", "-").replace(r"\(dq", '"').replace(r"\e", "\\")
    return " ".join(line for line in text.splitlines() if not re.fullmatch(r"\.[A-Za-z]{2}( \d)?", line))


def test_there_is_a_page_per_command_and_one_for_the_file(vppcfg: Command, made: dict[str, str]) -> None:
    assert set(made) == {"-".join(command.words) + ".1" for command in vppcfg.walk()} | {"vppcfg.yaml.5"}


def test_a_page_has_every_option_and_argument_with_its_help(vppcfg: Command, made: dict[str, str]) -> None:
    for command in vppcfg.walk():
        text = shown(made["-".join(command.words) + ".1"])
        helps = [option.help for option in command.options] + [argument.help for argument in command.arguments]
        assert [said for said in helps if said.replace("`", "") not in text] == []
        for option in command.options:
            assert ", ".join(option.names) in text


def test_the_page_of_vppcfg_lists_the_commands(vppcfg: Command, made: dict[str, str]) -> None:
    text = shown(made["vppcfg.1"])
    for command in vppcfg.commands:
        assert f"vppcfg-{command.words[-1]}(1) {command.summary.replace('`', '')}" in text


def test_the_page_of_the_file_has_every_key_of_the_document(made: dict[str, str]) -> None:
    keys = re.findall(r"^\| `([\w-]+)` \|", (DOCS / "configuration.md").read_text(), re.MULTILINE)
    page = made["vppcfg.yaml.5"]
    assert [key for key in keys if rf"\fB{key}\fR".replace("-", r"\-") not in page] == []


def test_a_page_tells_what_the_exit_codes_mean(made: dict[str, str]) -> None:
    assert r"VPP cannot be reached" in shown(made["vppcfg-plan.1"])


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_formatter_has_nothing_to_complain_of(tmp_path: Path, made: dict[str, str]) -> None:
    for name, text in made.items():
        (page := tmp_path / name).write_text(text)
        command = ["groff", "-man", "-ww", "-Tutf8", "-rLL=80n", str(page)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert (finished.returncode, finished.stderr) == (0, ""), page.name
        assert "`" not in re.sub(r"\x1b\[\d+m", "", finished.stdout).replace("``", ""), page.name


def test_mandoc_warns_of_nothing(tmp_path: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    main(DOCS, tmp_path, DATE)
    command = ["mandoc", "-T", "lint", "-W", "warning", *map(str, sorted(tmp_path.iterdir()))]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (finished.returncode, finished.stdout) == (0, "")


def test_the_pages_are_written_to_a_folder(tmp_path: Path) -> None:
    main(DOCS, tmp_path / "man", DATE)
    assert {path.name: path.read_text() for path in (tmp_path / "man").iterdir()} == dict(pages(DOCS, DATE))


def test_a_row_of_a_table_is_a_tagged_paragraph() -> None:
    text = "| key | value | absent means |\n|---|---|---|\n| `mtu` | bytes | 1500 |\n"
    assert to_roff(text) == [".TP", r"\fBmtu\fR", "bytes", ".br", "Absent means: 1500"]


def test_a_table_of_options_is_left_out() -> None:
    assert to_roff("| option | meaning |\n|---|---|\n| `-c` | file |\n") == []


def test_a_line_is_never_taken_for_a_request() -> None:
    assert to_roff("a\n.SH b\n'c") == [".PP", "a", r"\&.SH b", r"\&'c"]
    assert to_roff("```\n.x \\n -1\n\n```\n") == [".PP", ".RS 4", ".nf", r"\&.x \en \-1", "", ".fi", ".RE"]


def test_lists_links_and_emphasis_are_shown() -> None:
    assert to_roff("- one [page](x.md) of *two*\n- **three**\n") == [
        r".IP \(bu 2",
        r"one page of \fItwo\fR",
        r".IP \(bu 2",
        r"\fIthree\fR",
    ]


def test_what_a_page_cannot_show_is_an_error() -> None:
    with pytest.raises(ValueError, match="ordered_list_open"):
        to_roff("1. one\n")


def test_a_section_ends_where_the_next_begins() -> None:
    assert section_of("# T\n\n## a\n\none\n\n### b\n\ntwo\n\n## c\n\nthree\n", "a") == "one\n\n### b\n\ntwo"
    assert section_of("# T\n", "a") == ""
