"""A first day on a router: the commands of docs/first-day.md, in their order, on the simulated router of the page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.conftest import ROOT, output_of, simulated_router
from tests.documents.test_blocks import blocks_of, commands_of

PAGE = ROOT / "docs" / "first-day.md"
SHOWN = [shown.command for block in blocks_of(PAGE) if block.language == "console" for shown in commands_of(block)]
SIMULATOR, SETTINGS, *COMMANDS = SHOWN
EDITED = "addresses: [ 100.64.10.1/30, 2001:db8::1/64 ]"

pytestmark = pytest.mark.slow


@pytest.fixture
def router(tmp_path: Path, environment: dict[str, str]) -> Iterator[Path]:
    """Run the simulated router of the page; yield the folder that it is used in."""
    (tmp_path / "l3.yaml").write_text((ROOT / "docs" / "examples" / "l3.yaml").read_text())
    with simulated_router(["bash", "-c", f"exec {SIMULATOR}"], tmp_path, environment):
        yield tmp_path


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Run a command of the page without a terminal, where `apply` takes `--yes`; return what it prints."""
    settings = dict(re.findall(r"(\w+)=(\w+)", SETTINGS))
    words = ["bash", "-c", command.replace("apply ", "apply --yes ")]
    return output_of(words, folder, {**environment, **settings})


def test_the_commands_of_the_page_lead_where_it_says(router: Path, environment: dict[str, str]) -> None:
    adopt, first_plan, check, plan, apply, confirm = COMMANDS[:6]
    run(adopt, router, environment)
    (adopted,) = [block.text for block in blocks_of(PAGE) if block.language == "yaml"]
    assert (router / "router.yaml").read_text().strip() == adopted.strip()
    assert "Nothing to do" in run(first_plan, router, environment)
    text = (router / "router.yaml").read_text().replace("mtu: 1500", "mtu: 9000")
    (router / "router.yaml").write_text(re.sub(r"addresses: \[ 100\.64\.10\.1/30 \]", EDITED, text))
    run(check, router, environment)
    (shown,) = [block.text for block in blocks_of(PAGE) if block.language == "text"]
    assert shown in run(f"{plan} --format diff", router, environment)
    run(apply, router, environment)
    run(confirm, router, environment)
    assert "Nothing to do" in run(plan, router, environment)
    for command in re.findall(r"^\| `(vppcfg history|vppcfg rollback)` \|", PAGE.read_text(), re.MULTILINE):
        run(f"{command} -a vpp.sock{' --yes' if 'rollback' in command else ''}", router, environment)
    assert "mtu: 1500" in run("vppcfg dump -a vpp.sock", router, environment), "the rollback brings the old MTU back"
