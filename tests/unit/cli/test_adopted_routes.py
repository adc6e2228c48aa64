"""`vppcfg adopt` of a running VPP that has routes of the prompt."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.usefixtures("files")
LINES = (
    f"set interface state {GI1} up",
    f"set interface ip address {GI1} 192.0.2.1/24",
    "ip route add 0.0.0.0/0 via 192.0.2.2",
    f"ip route add 10.0.0.0/8 via 192.0.2.3 {GI1} weight 2",
    "ip route add 10.1.0.0/16 via drop",
    "ip route add 10.2.0.0/16 via 192.0.2.2 out-labels 33",
    "ip route add 10.3.0.0/16 via null-send-unreach",
)


def test_routes_of_the_prompt_become_those_of_the_file(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    simulated = SimulatedVpp(ports=two_ports())
    for line in LINES:
        assert simulated.run_line(line) == (0, "")
    vpp = serve(simulated)
    assert main(["adopt", "-a", vpp, "-o", "adopted.yaml"]) == ExitCode.DONE
    told = capsys.readouterr()
    notice = "the file takes over routes of the prompt: 0.0.0.0/0, 10.0.0.0/8, 10.1.0.0/16; the first `apply` sets them"
    assert notice in told.out + told.err
    text = Path("adopted.yaml").read_text()
    assert text.endswith(
        "routes:\n"
        "  0.0.0.0/0: 192.0.2.2\n"
        f"  10.0.0.0/8: {{ via: {{ gateway: 192.0.2.3, interface: {GI1}, weight: 2 }} }}\n"
        "  10.1.0.0/16: blackhole\n"
    )
    rest = Path("vppcfg-rest.vpp").read_text()
    assert "10.1.0.0/16" not in rest
    assert "ip route add 10.2.0.0/16 via 192.0.2.2 out-labels 33\n" in rest
    assert main(["plan", "-c", "adopted.yaml", "-a", vpp, "--adopt", "--format", "diff"]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert "3 to create, 0 to change" in shown
    assert shown.endswith("impact: none\n")
    assert main(["apply", "--yes", "--adopt", "-c", "adopted.yaml", "-a", vpp]) == ExitCode.DONE
    assert main(["plan", "-c", "adopted.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE
