"""What `vppcfg upgrade` says of routers: a folder per case with router.yaml, what belongs to it, and report.txt.

`options` has the command line. To write what comes out into the folders:
`pytest --update-startup tests/golden_startup tests/golden_upgrade`, and read the difference.
"""

import shutil
from pathlib import Path

import pytest

from vppcfg.cli.main import main
from vppcfg.config.explain import explanations

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/options"))
KINDS = {
    *("up-file", "up-startup", "up-passed-over", "up-ignored", "up-no-plugin", "up-plugin", "up-package", "up-command"),
    *("up-port-name", "up-glob", "up-dpdk"),
}
"""Rules that are no notes about behaviour, but for up-message and up-state: no message of what a file can say has ever
gone, and no boot is known that leads to something else without a note."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_report_is_that_of_the_folder(
    case: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    place = shutil.copytree(case, tmp_path / "router")
    monkeypatch.chdir(place)
    startup = ["--startup", "startup.conf"] if (place / "startup.conf").exists() else ["--root", "nowhere"]
    code = main(["upgrade", "-q", "-c", "router.yaml", *startup, *(place / "options").read_text().split()])
    shown = capsys.readouterr().out + f"exit {int(code)}\n"
    expected = case / "report.txt"
    if request.config.getoption("--update-startup", default=False):
        expected.write_text(shown)
    assert shown == expected.read_text()


def test_every_kind_of_finding_has_a_report() -> None:
    said = "".join((case / "report.txt").read_text() for case in CASES)
    assert {rule for rule in KINDS if f"[{rule}]" not in said} == set()
    assert set(explanations()) > KINDS


def test_no_line_is_wider_than_a_terminal() -> None:
    texts = [(case / "report.txt").read_text() for case in CASES if "json" not in case.name]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 80
