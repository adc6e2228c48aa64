"""The example of docs/api.md runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

from tests.unit.cli.conftest import L3, Serve, serve, two_ports
from vppcfg.simulator.vpp import SimulatedVpp

__all__ = ["serve"]

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def test_the_example_of_the_library_runs(serve: Serve, tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    socket = serve(SimulatedVpp(ports=two_ports()))
    assert example.count("/run/vpp/api.sock") == 1
    (tmp_path / "router.yaml").write_text(L3)
    finished = subprocess.run(
        [sys.executable, "-c", example.replace("/run/vpp/api.sock", socket)],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    assert (finished.returncode, finished.stderr.replace("\n", "")) == (0, ""), finished.stderr
    assert "steps, impact: " in finished.stdout
    assert "change 1 is kept: 1" in finished.stdout
    assert "100.64.10.1/30" in finished.stdout
