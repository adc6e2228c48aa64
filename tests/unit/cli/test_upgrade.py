"""`vppcfg upgrade`: what it asks, what it writes where, and how it exits."""

import json
import socket
from pathlib import Path

import jsonschema
import pytest

from tests.unit.cli.conftest import GI1, L3, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

SCHEMA = Path(__file__).parents[3] / "docs" / "upgrade.schema.json"
L2 = f"interfaces:\n  {GI1}: {{ mtu: 1500, device-type: memif }}\n"
STARTUP = "unix { nodaemon cli-listen /run/vpp/cli.sock }\ncpu { main-core 0 }\n"
NEWER = ["-c", "router.yaml", "--from", "26.06", "--to", "26.10"]
NO_TAP = STARTUP + "plugins { plugin default { disable } plugin linux_cp_plugin.so { enable } }\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "etc/vpp").mkdir(parents=True)
    (tmp_path / "router.yaml").write_text(L3)
    (tmp_path / "l2.yaml").write_text(L2)
    (tmp_path / "broken.yaml").write_text("interfaces:\n  eth0: { mtu: 1 }\n")
    (tmp_path / "startup.conf").write_text(STARTUP)
    (tmp_path / "no_tap.conf").write_text(NO_TAP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def upgrade(*words: str) -> ExitCode:
    return ExitCode(main(["upgrade", "-q", "--root", ".", *words]))


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["-c", "l2.yaml", "--from", "26.02", "--to", "26.06"], ExitCode.DONE),
        (["-c", "l2.yaml", "--from", "26.06", "--to", "26.06", "--rehearse"], ExitCode.DONE),
        (["-c", "router.yaml", "--from", "25.10", "--to", "26.06"], ExitCode.CHANGES_PENDING),
        (["-c", "router.yaml", "--from", "26.06", "--to", "25.10"], ExitCode.CHANGES_PENDING),
        (["-c", "router.yaml", "--from", "25.10", "--to", "26.06", "--startup", "no_tap.conf"], ExitCode.INVALID),
        ([*NEWER, "--startup", "no_tap.conf"], ExitCode.DONE),
        ([*NEWER, "--startup", "no_tap.conf", "--rehearse"], ExitCode.DIFFERENT),
    ],
)
def test_the_exit_code_says_what_was_found(words: list[str], code: ExitCode) -> None:
    assert upgrade(*words) == code


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--to", "27.02"], "VPP 27.02 is newer than what vppcfg knows"),
        (["--to", "22.02"], "nothing is known of VPP 22.02"),
        (["--to", "26.06", "--from", "soon"], "'soon' is no version of VPP"),
        (["--to", "26.06", "--startup", "nowhere"], "nowhere"),
        (["--to", "26.06", "--script", "nowhere"], "there is no script nowhere"),
        (["--to", "26.06", "--packages", "nowhere"], "cannot read nowhere"),
        (["--to", "26.06", "--packages", "."], ". has no package vpp of 26.06"),
        (["--to", "26.06", "-c", "broken.yaml"], "broken.yaml is not valid"),
        (["--to", "26.06", "-c", "missing.yaml"], "missing.yaml"),
    ],
)
def test_what_cannot_be_judged_is_refused(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-c", "l2.yaml"] if "-c" not in words else []
    source = [] if "--from" in words else ["--from", "25.10"]
    assert upgrade(*options, *source, *words) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert text in captured.err
    assert "not looked at" not in captured.out


def test_the_running_vpp_says_what_is_upgraded(place: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    path = serve(SimulatedVpp(ports=two_ports(), release="25.10"))
    assert upgrade("-c", "router.yaml", "--to", "26.06", "--rehearse", "-a", path) == ExitCode.CHANGES_PENDING
    shown = capsys.readouterr().out
    assert shown.startswith("From 25.10 to 26.06, router.yaml, ")
    assert "steps done, and nothing is left to do" in shown


def test_without_a_running_vpp_its_release_must_be_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(place / "api.sock")
    assert upgrade("-c", "router.yaml", "--to", "26.06", "-a", missing) == ExitCode.DATAPLANE
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(missing)
        assert upgrade("-c", "router.yaml", "--to", "26.06", "-a", missing) == ExitCode.DATAPLANE
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("more", [[], ["--rehearse"], ["--rehearse", "--startup", "no_tap.conf"]])
def test_json_is_as_it_is_described(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    upgrade("-c", "router.yaml", "--from", "23.06", "--to", "26.10", "--report", "json", *more)
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["from"], document["to"]) == ("23.06", "26.10")
    assert document["findings"] and (document["rehearsal"] is None) == (not more)
    if "no_tap.conf" in more:
        failure = document["rehearsal"]["failure"]
        assert failure.startswith("lcp create ") and document["rehearsal"]["failed_at"] > 0


@pytest.mark.usefixtures("place")
def test_a_report_goes_to_a_file_and_what_is_shown_names_what_nobody_looked_at(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    upgrade("-c", "router.yaml", "--from", "25.10", "--to", "26.06", "-o", "report.txt")
    assert capsys.readouterr().out == ""
    text = (place / "report.txt").read_text()
    assert "startup.conf (give --startup)" in text and "packages (give --packages)" in text
    assert "\x1b" not in text


def test_scripts_are_those_of_startup_conf_those_left_and_those_named(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "etc/vpp/startup.conf").write_text(STARTUP.replace("nodaemon", "nodaemon exec /boot.vpp exec /gone.vpp"))
    for name in ("boot.vpp", "vppcfg-rest.vpp", "more.vpp"):
        (place / name).write_text("set tap offload tap0 gso-enable\n")
    words = ["-c", str(place / "l2.yaml"), "--from", "25.10", "--to", "26.06", "--script", "more.vpp"]
    assert upgrade(*words, "--report", "json") == ExitCode.INVALID
    document = json.loads(capsys.readouterr().out)
    places = [finding["objects"][0] for finding in document["findings"] if finding["rule"] == "up-command"]
    assert [Path(name).name for name in places] == ["boot.vpp:1", "vppcfg-rest.vpp:1", "more.vpp:1"]
    assert any("gone.vpp (it cannot be read here)" in text for text in document["not_looked_at"])


@pytest.mark.usefixtures("place")
def test_nothing_is_left_behind_by_a_rehearsal(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    upgrade("-c", "router.yaml", "--from", "25.10", "--to", "26.06", "--rehearse")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", [["rollback", "2"], ["apply", "--boot", "-c", "plain.yaml"]], ids=" ".join)
def test_after_a_downgrade_nothing_is_brought_back_that_ends_vpp(
    place: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    plain = f"interfaces:\n  {GI1}: {{ mtu: 1500 }}\nvrfs:\n  red: {{ id: 7 }}\n"
    (place / "plain.yaml").write_text(plain)
    (place / "route.yaml").write_text(plain.replace("id: 7", "id: 7, routes: { 10.0.0.0/8: prohibit }"))
    path, words = str(place / "vpp.sock"), ["apply", "--yes", "-c"]
    with SimulatorServer(SimulatedVpp(ports=two_ports()[:1], release="26.06"), path):
        for name in ("route.yaml", "plain.yaml", "route.yaml")[: 3 if "--boot" in command else 2]:
            assert main([*words, name, "-a", path]) == ExitCode.DONE
    with SimulatorServer(SimulatedVpp(ports=two_ports()[:1], release="25.10"), path):
        assert main([*command, "--yes", "-a", path]) == ExitCode.REFUSED
        assert main(["plan", "-c", "plain.yaml", "-a", path]) == ExitCode.DONE
    text = "route 10.0.0.0/8 table 7 is for VPP 26.02 or later, and this one is 25.10-release; nothing was changed"
    assert text in capsys.readouterr().err


def test_a_word_that_no_release_knows_stops_both_and_may_be_allowed(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "startup.conf").write_text(f"{STARTUP}ours {{ fast }}\n")
    words = ["-c", "l2.yaml", "--from", "25.06", "--to", "25.10", "--startup", "startup.conf"]
    assert upgrade(*words) == ExitCode.INVALID
    shown = " ".join(capsys.readouterr().out.split())
    assert "; so does 25.06: `--allow WORD` is for what a patched VPP takes" in shown
    assert "since 25.10" not in shown
    upgrade(*words, "--allow", "ours")
    assert "`ours`" not in capsys.readouterr().out
