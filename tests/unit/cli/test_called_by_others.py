"""The three command lines that programs of others call, with what these rely on: exit codes, files, standard output."""

from pathlib import Path

import pytest

from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

FILE = "interfaces:\n  GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24 ] }\nloopbacks:\n  loop0: { mtu: 1500 }\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "router.yaml").write_text(FILE)
    return "router.yaml"


def test_a_plan_without_vpp_writes_lines_for_vppctl_into_a_file(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", "--novpp", "-c", file, "-o", "out.exec"]) == ExitCode.DONE
    assert capsys.readouterr().out == ""
    lines = (tmp_path / "out.exec").read_text().splitlines()
    assert "create loopback interface instance 0" in lines
    assert "set interface ip address GigabitEthernet1/0/0 192.0.2.1/24" in lines
    assert all(line.startswith(("comment { ", "create ", "set ")) for line in lines)
    (tmp_path / file).write_text("interfaces: 1\n")
    assert main(["plan", "--novpp", "-c", file, "-o", "other.exec"]) == ExitCode.INVALID
    assert not (tmp_path / "other.exec").exists()


def test_a_check_tells_by_its_exit_code_whether_a_file_is_valid(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "-c", file]) == ExitCode.DONE
    (tmp_path / file).write_text(FILE.replace("192.0.2.1/24", "192.0.2.1/33"))
    assert main(["check", "-c", file]) == ExitCode.INVALID
    assert f"{file}:2:" in capsys.readouterr().out


def test_a_dump_writes_a_file_that_check_takes(
    file: str, vpp: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dump", "-o", "dumped.yaml", "-a", vpp]) == ExitCode.DONE
    assert capsys.readouterr().out == ""
    assert main(["check", "-c", "dumped.yaml"]) == ExitCode.DONE
    assert main(["dump", "-o", "none.yaml", "-a", "/nonexistent/api.sock"]) == ExitCode.DATAPLANE
    assert not (tmp_path / "none.yaml").exists()
