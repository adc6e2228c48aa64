"""The demo: prints what docs/demo.md shows and explains, and leaves nothing behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.documents.conftest import ROOT, shown_demo, timeless

DEMO = ROOT / "docs" / "demo.sh"

pytestmark = pytest.mark.slow


@pytest.fixture
def scratch(tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo makes its temporary folder."""
    monkeypatch.setitem(environment, "TMPDIR", str(tmp_path))
    return tmp_path


def processes_of(directory: Path) -> list[str]:
    """Return the processes that work in a folder or below."""
    return [
        process.parent.name
        for process in Path("/proc").glob("[0-9]*/cwd")
        if (target := working_directory(process)) is not None and target.is_relative_to(directory)
    ]


def working_directory(process: Path) -> Path | None:
    try:
        return Path(os.readlink(process))
    except OSError:
        return None


def test_the_demo_prints_what_its_page_shows(scratch: Path, environment: dict[str, str]) -> None:
    finished = subprocess.run([DEMO], env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert timeless(finished.stdout) == shown_demo()
    assert list(scratch.iterdir()) == []
    assert processes_of(scratch) == []


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_demo_leaves_nothing_behind(
    scratch: Path, environment: dict[str, str], number: signal.Signals, expected: int
) -> None:
    demo = subprocess.Popen([DEMO], env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    deadline_s = time.monotonic() + 30
    while not list(scratch.glob("*/vpp.sock")) and time.monotonic() < deadline_s:
        time.sleep(0.01)
    os.killpg(demo.pid, number)
    assert demo.wait(timeout=60) == expected
    assert list(scratch.iterdir()) == []
    assert processes_of(scratch) == []
