"""Pages whose commands make one session on a router: all of them, in their order, on a simulated router."""

import shlex
from pathlib import Path

import pytest

from tests.documents.conftest import ROOT, output_of, simulated_router
from tests.documents.test_blocks import blocks_of, commands_of

PORTS = {"README.md": ["GigabitEthernet1/0/0"], "docs/home-router.md": ["GigabitEthernet1/0/0", "GigabitEthernet3/0/0"]}
"""The ports of the router of each page."""

pytestmark = pytest.mark.slow


def commands_on(page: str) -> list[str]:
    """Return the commands of a page without those whose output it shows, which test_blocks.py runs."""
    shown = [shown for block in blocks_of(ROOT / page) if block.language == "console" for shown in commands_of(block)]
    return [each.command for each in shown if each.command.startswith("vppcfg ") and not each.output]


def completed(command: str, is_file_named: bool) -> list[str]:
    """Return the words of a command with the socket, the file and the answer of the test in place of defaults."""
    words = shlex.split(command.replace("/etc/vpp/", ""))
    if words[1] != "check":
        words += ["-a", "vpp.sock"]
    if words[1] in {"check", "plan", "apply"} and not is_file_named:
        words += ["-c", "vppcfg.yaml"]
    return [*words, "--yes"] if words[1] == "apply" else words


@pytest.mark.parametrize("page", PORTS)
def test_the_commands_of_a_page_succeed_one_after_the_other(
    page: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    for example in (ROOT / "docs" / "examples").glob("*.yaml"):
        (tmp_path / example.name).write_text(example.read_text())
    ports = [word for port in PORTS[page] for word in ("--phy", port)]
    own = {"VPPCFG_STATE_DIR": str(tmp_path / "state"), "VPPCFG_RUN_DIR": str(tmp_path / "run")}
    with simulated_router(["vppcfg", "sim", "--socket", "vpp.sock", *ports], tmp_path, environment):
        for command in commands_on(page):
            if command == "vppcfg check":  # the file that the page has the reader edit
                (edited,) = [block.text for block in blocks_of(ROOT / page) if block.language == "yaml"]
                (tmp_path / "vppcfg.yaml").write_text(edited)
            output_of(completed(command, " -c " in command), tmp_path, {**environment, **own})
