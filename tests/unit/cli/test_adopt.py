"""`vppcfg adopt`: a script or a running VPP in; a file whose plan is empty, what is left, and a report out."""

import io
import json
import shutil
import socket
import sys
import tarfile
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, two_ports
from vppcfg.app import default_paths
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp

SCRIPT = f"""\
set interface state {GI1} up
set interface ip address {GI1} 192.0.2.1/24
create sub-interfaces {GI1} 5
set interface state {GI1}.5 up
nat64 add interface address {GI1}
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.vpp").write_text(SCRIPT)


def test_the_plan_of_what_is_adopted_is_empty_on_the_vpp_that_ran_the_script(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = SimulatedVpp(ports=two_ports())
    for line in SCRIPT.splitlines()[:-1]:
        assert vpp.run_line(line)[0] == 0
    socket = serve(vpp)
    assert main(["adopt", "-a", socket, "--from", "a.vpp", "-o", "a.yaml"]) == ExitCode.DONE
    assert "assumed" not in capsys.readouterr().out
    assert main(["plan", "-c", "a.yaml", "-a", socket, "--detailed-exitcode"]) == ExitCode.DONE
    assert Path("vppcfg-rest.vpp").read_text().splitlines()[2:] == [f"nat64 add interface address {GI1}"]


def test_a_vpp_that_has_stopped_is_not_needed_unless_it_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind = str(Path("api.sock").absolute())
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(left_behind)
    assert main(["adopt", "-a", left_behind, "--from", "a.vpp"]) == ExitCode.DATAPLANE
    assert "nothing listens" in capsys.readouterr().err
    monkeypatch.setattr(default_paths, "SOCKET", left_behind)
    assert main(["adopt", "--from", "a.vpp", "-o", "a.yaml"]) == ExitCode.DONE


def test_a_running_vpp_is_adopted_as_it_is_dumped(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    socket = serve(SimulatedVpp(ports=two_ports()))
    assert main(["dump", "-a", socket]) == ExitCode.DONE
    dumped = capsys.readouterr().out
    assert main(["adopt", "-a", socket]) == ExitCode.DONE
    assert capsys.readouterr().out == dumped


def test_a_port_that_vpp_lacks_is_a_fault(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.vpp").write_text("set interface state xe0 up\n")
    socket = serve(SimulatedVpp(ports=two_ports()))
    assert main(["adopt", "-a", socket, "--from", "a.vpp", "-o", "a.yaml"]) == ExitCode.DONE
    assert "fault       set interface state xe0 up (line 1): VPP refuses it" in capsys.readouterr().out
    assert GI3 in Path("a.yaml").read_text()


def test_a_file_that_exists_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text("mine")
    assert main(["adopt", "--from", "a.vpp", "-o", "a.yaml"]) == ExitCode.INVALID
    assert "a.yaml exists" in capsys.readouterr().err
    Path("vppcfg-rest.vpp").write_text("mine")
    assert main(["adopt", "--from", "a.vpp", "-o", "b.yaml"]) == ExitCode.INVALID
    assert Path("a.yaml").read_text() == Path("vppcfg-rest.vpp").read_text() == "mine"
    assert not Path("b.yaml").exists()
    assert main(["adopt", "--from", "a.vpp", "-o", "a.yaml", "--force"]) == ExitCode.DONE
    assert Path("a.yaml").read_text().startswith("interfaces:\n")
    assert "nat64" in Path("vppcfg-rest.vpp").read_text()


def test_strict_writes_nothing_that_is_not_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adopt", "--from", "a.vpp", "-o", "a.yaml", "--strict"]) == ExitCode.INVALID
    assert "unmanaged" in capsys.readouterr().out
    assert not Path("a.yaml").exists()


def test_without_an_output_the_file_goes_to_standard_output_and_the_report_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["adopt", "--from", "a.vpp", "-q"]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out.startswith("interfaces:\n")
    assert "unmanaged   nat64 add interface address" in captured.err
    assert "1 command is left out" in captured.err


def test_a_script_comes_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCRIPT.encode())))
    assert main(["adopt", "--from", "-", "--report", "json", "-q"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().err.partition("[WARNING")[0])["counts"]["file"] == 4


def test_scripts_are_followed_below_the_root_and_beside_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    Path("root/etc/vpp").mkdir(parents=True)
    Path("root/etc/vpp/b.vpp").write_text("set interface state xe0 up\nexec /elsewhere/c.vpp\n")
    Path("root/etc/vpp/c.vpp").write_text("set interface mtu 1500 xe0\n")
    Path("a.vpp").write_text("exec /etc/vpp/b.vpp\n")
    assert main(["adopt", "--from", "a.vpp", "--root", "root", "-q"]) == ExitCode.DONE
    assert capsys.readouterr().out == "interfaces:\n  xe0:\n    mtu: 1500\n"


@pytest.mark.parametrize("words", [["--vpp-version", "banana"], ["--vpp-version", "20.01"]])
def test_a_release_that_cannot_be_simulated_is_an_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adopt", "--from", "a.vpp", *words]) == ExitCode.INVALID
    assert words[1] in capsys.readouterr().err


def test_what_is_no_text_of_commands_is_said_to_be_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adopt", "--from", "nowhere.vpp"]) == ExitCode.INVALID


def test_a_script_is_merged_into_a_file_that_somebody_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    typed = f"# Ours.\ninterfaces:\n  {GI1}: {{ description: uplink }}  # of the city\n"
    typed += "dataplane: { cpu: { workers: 1 } }\n"
    Path("a.yaml").write_text(typed)
    assert main(["adopt", "--from", "a.vpp", "--into", "a.yaml"]) == ExitCode.DONE
    assert "1 unmanaged" in capsys.readouterr().out
    text = Path("a.yaml").read_text()
    assert text.startswith("# Ours.\n")
    assert "# of the city" in text
    assert "192.0.2.1/24" in text
    assert "workers: 1" in text
    assert Path("a.yaml.before-adopt").read_text() == typed
    assert main(["check", "-c", "a.yaml"]) == ExitCode.DONE
    assert main(["adopt", "--from", "a.vpp", "--into", "a.yaml", "-o", "b.yaml"]) == ExitCode.INVALID


CONF = "unix { startup-config /etc/vpp/bootstrap.vpp }\nplugins { plugin default { enable } }\n"


def etc(folder: Path) -> Path:
    """Write what /etc/vpp of a machine holds below a folder, other files too."""
    place = folder / "etc" / "vpp"
    place.mkdir(parents=True)
    (place / "startup.conf").write_text(CONF)
    (place / "bootstrap.vpp").write_text(SCRIPT)
    (place / "notes.txt").write_text("The uplink was moved on Monday.\nAsk the people in the cellar.\n")
    return folder


@pytest.mark.parametrize("packed", ["", ".tar", ".tar.gz"])
def test_a_folder_or_a_tar_is_adopted_by_its_startup_conf(packed: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(etc(Path("machine")))
    if packed:
        with tarfile.open(f"{name}{packed}", "w:gz" if packed.endswith("gz") else "w") as archive:
            archive.add("machine/etc", "etc")
        shutil.rmtree(name)
        name += packed
    assert main(["adopt", "--from", name, "-o", "a.yaml"]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert f"{name}/etc/vpp/bootstrap.vpp" in captured.out
    assert "192.0.2.1/24" in Path("a.yaml").read_text()
    assert "vppcfg-adopt-" not in captured.out + captured.err


def test_a_folder_without_an_order_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    folder = etc(Path("machine")) / "etc" / "vpp"
    (folder / "startup.conf").unlink()
    (folder / "second.vpp").write_text(SCRIPT)
    assert main(["adopt", "--from", "machine"]) == ExitCode.INVALID
    assert "machine holds several that one VPP has in some order: " in capsys.readouterr().err
    (folder / "second.vpp").unlink()
    (folder / "link.vpp").symlink_to(Path("a.vpp").absolute())
    for outside in ("../a.vpp", "link.vpp"):
        (folder / "bootstrap.vpp").write_text(f"exec {outside}\nset interface state {GI1} up\n")
        assert main(["adopt", "--from", "machine"]) == ExitCode.DONE
        assert "1 a fault" in capsys.readouterr().err
    (folder / "bootstrap.vpp").unlink()
    capsys.readouterr()
    assert main(["adopt", "--from", "machine"]) == ExitCode.INVALID
    assert "machine holds neither a startup.conf nor a script of VPP" in capsys.readouterr().err


@pytest.mark.parametrize("release", ["23.06", "24.02", "24.06"])
def test_a_script_of_a_release_that_serves_no_definitions_needs_none(
    release: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Path(__file__).parents[2] / "golden_adopt" / "cgnat" / "script.vpp"
    file = tmp_path / "router.yaml"
    words = ["--from", str(script), "--vpp-version", release, "-o", str(file), "--rest", str(tmp_path / "rest.vpp")]
    assert main(["-q", "adopt", *words]) in (ExitCode.DONE, ExitCode.DIFFERENT)
    assert "203.0.113.64/28" in file.read_text()
    assert "13 in the file" in capsys.readouterr().out


def test_det44_in_another_table_is_left_to_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("plugin enable inside vrf 7", "add in 100.64.0.0/24 out 203.0.113.4/32")
    (script := tmp_path / "script.vpp").write_text(
        "".join(f"det44 {line}\n" for line in lines) + "set interface det44 inside eth0\n"
    )
    file, rest = tmp_path / "router.yaml", tmp_path / "rest.vpp"
    main(["-q", "adopt", "--from", str(script), "-o", str(file), "--rest", str(rest)])
    assert "det44" not in file.read_text()
    assert rest.read_text().splitlines()[-3:] == script.read_text().splitlines()
    assert "3 unmanaged" in capsys.readouterr().out
