"""`adopt` takes over the routes of the prompt of a real VPP, and the first `apply` hurts no packet."""

from pathlib import Path

import pytest

from tests.real_vpp import running, since
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

pytestmark = since("24.10")

LINES = (
    "set interface state eth0 up",
    "set interface ip address eth0 192.0.2.1/24",
    "ip table add 10",
    "ip route add 0.0.0.0/0 via 192.0.2.2",
    "ip route add 10.0.0.0/8 via 192.0.2.3 eth0 weight 2 via 192.0.2.4 eth0 preference 1",
    "ip route add count 3 10.1.0.0/24 via drop",
    "ip route add 10.2.0.0/16 via 192.0.2.2 out-labels 33",
    "ip route add 10.3.0.0/16 via null-send-unreach",
    "ip route add 10.4.0.0/16 via local",
    "ip route add 10.6.7.8/16 via 192.0.2.2",
    "ip route add 10.5.0.0/16 table 10 via 192.0.2.2 next-hop-table 0",
    "ip route add 2001:db8:1::/48 via 2001:db8::2 eth0",
)
TAKEN = ("0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/24", "10.1.1.0/24", "10.1.2.0/24", "10.6.0.0/16", "2001:db8:1::/48")
LEFT = ("10.2.0.0/16", "10.3.0.0/16", "10.4.0.0/16")


def test_routes_of_the_prompt_become_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with running(("eth0",)) as vpp:
        for line in LINES:
            assert vpp.cli(line)[0] == 0, line
        words = ["-q", "-a", str(vpp.socket_path)]
        assert main(["adopt", *words, "-o", "adopted.yaml"]) == ExitCode.DONE
        text, rest = Path("adopted.yaml").read_text(), Path("vppcfg-rest.vpp").read_text()
        assert [prefix for prefix in TAKEN if prefix not in text] == []
        assert [prefix for prefix in LEFT if prefix in text] == []
        assert [prefix for prefix in TAKEN if f"ip route add {prefix}" in rest] == []
        capsys.readouterr()
        plan = [*words, "-c", "adopted.yaml"]
        assert main(["plan", *plan, "--adopt", "--format", "diff"]) == ExitCode.DONE
        assert capsys.readouterr().out.endswith("impact: none\n")
        assert main(["apply", "--yes", "--adopt", *plan]) == ExitCode.DONE
        assert main(["plan", *plan, "--detailed-exitcode"]) == ExitCode.DONE
        assert "CLI" in vpp.cli("show ip fib 10.0.0.0/8")[1]
        assert vpp.cli("ip route del 10.0.0.0/8")[0] == 0
        assert main(["plan", *plan, "--detailed-exitcode"]) == ExitCode.DONE
