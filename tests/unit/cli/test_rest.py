"""`vppcfg rest` on a simulated VPP: each command is reported, a second run changes nothing, and no key is shown."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.cli.rest import meaning_of
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp


def test_each_command_is_run_and_a_second_time_changes_nothing(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports()))
    file = tmp_path / "rest.vpp"
    file.write_text(
        "# left\ncomment { more }\ncreate loopback interface \\\n  instance 7 # seven\n\n"
        f"set interface mtu packet 1400 {GI1}\nset interface state nowhere up\n"
    )
    assert main(["rest", str(file), "-a", vpp]) == ExitCode.DATAPLANE
    first = capsys.readouterr().out
    assert "done           create loopback interface instance 7\n" in first
    assert f"done           set interface mtu packet 1400 {GI1}\n" in first
    assert "failed         set interface state nowhere up: " in first
    assert first.endswith("rest.vpp: 3 commands: 2 done, 1 failed\n")
    assert main(["dump", "-a", vpp]) == ExitCode.DONE
    dumped = capsys.readouterr().out
    main(["rest", str(file), "-a", vpp])
    assert "there already  create loopback interface instance 7\n" in capsys.readouterr().out
    main(["dump", "-a", vpp])
    assert capsys.readouterr().out == dumped


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("set int reass loop10 on", "set interface reassembly loop10 on"),
        ("ip rou add ::/0 via loop10", "ip route add ::/0 via loop10"),
        ("set i x", "set i x"),
    ],
)
def test_the_effect_of_a_command_is_looked_up_by_its_words_in_full(line: str, meaning: str) -> None:
    assert meaning_of(line) == meaning
