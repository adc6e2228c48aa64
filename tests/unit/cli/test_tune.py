"""`vppcfg tune` and what stands below it: output, exit codes, files; all from captures, without a VPP."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hosts.trees import grow
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

ROOT = Path(__file__).resolve().parents[3]
CASES = ROOT / "tests" / "tune_cases"
BOTH = str(CASES / "fitlet2_both_ways")
ONE, TWO = str(CASES / "fitlet2_i211_to_i210"), str(CASES / "fitlet2_i210_to_i211")
TRAFFIC = ["--offered", "1.48M", "--frame", "64"]
CONFIG = """\
# a small box
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500, l2xc: GigabitEthernet3/0/0 }   # onboard
  GigabitEthernet3/0/0: { mtu: 1500, l2xc: GigabitEthernet1/0/0 }

dataplane:
  cpu: { main-core: 0, workers: 1, isolate: [ 1, 2, 3 ] }
  dpdk:
    # as the driver has them
    default: { rx-descriptors: 512, tx-descriptors: 512 }
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "box.yaml"
    file.write_text(CONFIG)
    return file


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return the inventory of the machine that the captures are of."""
    tree = grow("fitlet2", tmp_path / "tree")
    file = tmp_path / "host.json"
    assert main(["host", "-q", "--root", str(tree), "-o", str(file)]) == ExitCode.DONE
    return file


def test_findings_come_as_a_table_with_the_worst_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "-q", "--from", BOTH, *TRAFFIC]) == ExitCode.DONE
    captured = capsys.readouterr()
    rows = captured.out.splitlines()[:5]
    assert captured.err == ""
    assert [row.split() for row in rows] == [
        ["LOSES", "FINDING", "SUBJECT"],
        ["loss", "59.5", "kpps", "tx-descriptors", "GigabitEthernet3/0/0"],
        ["loss", "17.1", "kpps", "tx-descriptors", "GigabitEthernet1/0/0"],
        ["limit", "-", "link-bound", "GigabitEthernet1/0/0"],
        ["limit", "-", "link-bound", "GigabitEthernet3/0/0"],
    ]
    assert "+     num-tx-desc 1024" in captured.out
    assert max(map(len, captured.out.splitlines())) <= 80


def test_the_machine_of_a_pasted_capture_is_judged(
    tmp_path: Path, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for source in sorted(Path(ONE).rglob("*.txt")):
        (tmp_path / "pasted").mkdir(exist_ok=True)
        (tmp_path / "pasted" / source.name).write_text(source.read_text())
    for words, is_missing in (([], True), (["--host", str(machine)], False)):
        assert main(["tune", "-q", "--from", str(tmp_path / "pasted"), *words]) == ExitCode.DONE
        assert ("no host.json" in capsys.readouterr().out) is is_missing, words


def test_a_fitted_model_gives_the_load_of_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "-q", "--from", ONE, "--fit", TWO, "--fit", BOTH, *TRAFFIC]) == ExitCode.DONE
    text = " ".join(capsys.readouterr().out.split())
    assert "the CPU load of vpp_wk_0 is 29 to 33 % of the 3.865 Mpps that it could forward" in text


@pytest.mark.parametrize(
    ("device", "is_told"), [("{ rx-queues: 3 }", True), ("{ name: e0, rx-queues: 3 }", True), ("{}", False)]
)
def test_queues_of_a_device_are_those_of_its_port_with_a_name_or_without(
    device: str, is_told: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "box.yaml").write_text(
        "interfaces: { e0: {} }\ndataplane:\n  cpu: { workers: 3 }\n"
        f'  dpdk: {{ devices: {{ "0000:01:00.0": {device} }} }}\n'
    )
    (tmp_path / "pasted.txt").write_text(
        "vpp# show hardware-interfaces\ne0 1 up e0\n"
        "  rx: queues 1 (max 2), desc 512 (min 32 max 4096 align 8)\n"
        "  pci: device 8086:1539 subsystem 8086:0000 address 0000:01:00.00 numa 0\nvpp#\n"
    )
    words = ["tune", "-q", "--from", str(tmp_path / "pasted.txt"), "-c", str(tmp_path / "box.yaml")]
    assert main(words) == ExitCode.DONE
    assert ("3 were asked for, and its NIC has 2" in " ".join(capsys.readouterr().out.split())) == is_told


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "-q", "--from", BOTH, *TRAFFIC, "--format", "json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert [found["rule"] for found in document["findings"]][:2] == ["tx-descriptors", "tx-descriptors"]


def test_two_sources_are_two_readings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = "Name State Calls Vectors Suspends Clocks Vectors/Call\nip4-lookup active {} {} 0 1.00e2 8.00\n"
    for name, time, calls in (("a", 10.0, 1000), ("b", 20.0, 3000)):
        (tmp_path / name).mkdir()
        text = f"Thread 1 vpp_wk_0 (lcore 1)\nTime {time}, 10 sec internal node vector rate 8.00 loops/sec 1.0\n"
        (tmp_path / name / "runtime.txt").write_text(text + rows.format(calls, calls * 8))
    words = ["--from", str(tmp_path / "a"), "--from", str(tmp_path / "b")]
    assert main(["tune", "-q", *words, "--format", "json"]) == ExitCode.DONE
    (thread,) = json.loads(capsys.readouterr().out)["load"]["threads"]
    assert (thread["duration_s"], thread["nodes"]["ip4-lookup"]["calls"]) == (10.0, 2000)


def test_changes_go_into_the_file_and_pass_check_and_startup(
    capsys: pytest.CaptureFixture[str], config: Path, machine: Path, tmp_path: Path
) -> None:
    words = ["--from", BOTH, *TRAFFIC, "-c", str(config), "--write", "--host", str(machine)]
    config.chmod(0o600)
    assert main(["tune", "-q", *words, "-o", str(tmp_path / "found")]) == ExitCode.DONE
    shown = capsys.readouterr().err
    assert "+    default: { rx-descriptors: 512, tx-descriptors: 1024 }" in shown
    assert "-    num-tx-desc 512\n+    num-tx-desc 1024\n" in shown
    assert config.read_text() == CONFIG.replace("tx-descriptors: 512 }", "tx-descriptors: 1024 }\n    multi-seg: false")
    assert (tmp_path / "box.yaml.before-tune").read_text() == CONFIG
    assert (tmp_path / "box.yaml.before-tune").stat().st_mode & 0o777 == 0o600
    assert main(["check", "-q", "-c", str(config)]) == ExitCode.DONE
    startup = ["startup", "-q", "-c", str(config), "--host", str(machine), "--vpp-version", "23.06"]
    assert main([*startup, "-o", str(tmp_path / "startup.conf")]) == ExitCode.DONE
    made = (tmp_path / "startup.conf").read_text()
    assert "num-tx-desc 1024" in made and "no-multi-seg" in made


def test_changes_that_are_there_already_are_not_written_again(capsys: pytest.CaptureFixture[str], config: Path) -> None:
    words = ["tune", "--from", BOTH, *TRAFFIC, "-c", str(config), "--write"]
    assert main(words) == main(words) == ExitCode.DONE
    assert "has these values already" in capsys.readouterr().err


def test_only_the_named_rule_is_written(capsys: pytest.CaptureFixture[str], config: Path) -> None:
    words = ["tune", "--from", BOTH, *TRAFFIC, "-c", str(config), "--write", "--only", "link-bound"]
    assert main(words) == ExitCode.DONE
    assert "There is nothing to write" in capsys.readouterr().err
    assert config.read_text() == CONFIG


def test_a_result_that_is_not_valid_is_not_written(capsys: pytest.CaptureFixture[str], config: Path) -> None:
    broken = CONFIG + "  nonsense: 1\n"
    config.write_text(broken)
    assert main(["tune", "-q", "--from", BOTH, *TRAFFIC, "-c", str(config), "--write"]) == ExitCode.INVALID
    assert "would not be valid" in capsys.readouterr().err
    assert config.read_text() == broken


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--from", "nowhere"], "there is no capture at nowhere"),
        (["--from", BOTH, "--write"], "--write needs the configuration"),
        (["--from", BOTH, "--offered", "x"], "'x' is not a number"),
        (["--from", BOTH, "--offered", "0"], "a rate must be more than 0"),
        (["--from", BOTH, "--offered", "1", "--offered", "2"], "given twice"),
        (["--from", BOTH, "--frame", "12"], "is no frame size"),
        (["--from", BOTH, "--fit", ONE], "--fit needs two captures"),
        (["--from", BOTH, "-c", "nowhere.yaml"], "nowhere.yaml does not exist"),
        (["--from", BOTH, "-c", "x", "--write", "--only", "luck"], "there is no rule luck"),
        (["--trial", "64"], "write FRAME=SENT:BACK"),
        (["--interval", "0"], "not a number of seconds"),
        (["--readings", "1"], "not a number from 2"),
        (["capture"], "arguments are required: DIR"),
        (["capacity"], "no capture is named"),
        (["capacity", "--from", BOTH, "--add", "x=y"], "is no share"),
        (["capacity", "--from", BOTH, "--drop", "sflow"], "has no node sflow"),
        (["linerate", "fast"], "no link speed"),
        (["linerate", "1G", "--vlan", "3"], "invalid choice"),
    ],
)
def test_what_is_wrong_is_said_without_a_traceback(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["tune", *words]) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err and captured.out == ""


def test_a_vpp_that_is_not_there_is_an_error_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "-a", "/nowhere/api.sock"]) == ExitCode.DATAPLANE
    assert "there is no VPP API socket at /nowhere/api.sock" in capsys.readouterr().err


def test_a_line_rate_is_one_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "linerate", "1G", "--frame", "64", "--vlan", "1"]) == ExitCode.DONE
    assert capsys.readouterr().out == "1,420,454 pps\n"
    assert main(["tune", "linerate", "10G"]) == ExitCode.DONE
    assert "    64 bytes     14,880,952 pps" in capsys.readouterr().out


def test_capacity_predicts_and_counts_workers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(TWO).parent)  # lines begin with the name of the capture, as long as it was typed
    words = ["--from", Path(TWO).name, "--from", Path(BOTH).name, "--ports", "1G,1G,1G"]
    assert main(["tune", "capacity", "-q", *words]) == ExitCode.DONE
    text = capsys.readouterr().out
    assert "A worker forwards 3.865 Mpps (3.286 Mpps to 4.445 Mpps)" in text
    assert "2 workers at 80 % load each" in text
    assert max(map(len, text.splitlines())) <= 100


def test_capacity_of_one_light_sample_is_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "capacity", "--from", ONE, "--ports", "1G", "--format", "json"]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["worker"]["high_pps"] is None
    assert document["workers"]["at_least"] is None


def test_a_path_can_be_composed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--from", BOTH, "--seen", TWO, "--add", "l2-input=0.5", "--drop", "l2-output", "--format", "json"]
    assert main(["tune", "capacity", *words]) == ExitCode.DONE
    made = json.loads(capsys.readouterr().out)["composition"]
    assert made["nodes"] == {"l2-input": 52.0, "l2-output": -45.8}
    assert made["clocks_per_packet"] == pytest.approx(526.0 + 52.0 - 45.8, abs=0.2)


def _chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.slow
@pytest.mark.skipif(_chromium() is None, reason="no headless browser: chromium is not installed")
def test_a_browser_shows_the_page_as_it_is_meant(tmp_path: Path) -> None:
    page, browser = tmp_path / "report.html", _chromium()
    assert browser is not None
    assert main(["tune", "-q", "--from", BOTH, *TRAFFIC, "--format", "html", "-o", str(page)]) == ExitCode.DONE
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    shot = tmp_path / "shot.png"
    for words in (["--dump-dom"], [f"--screenshot={shot}", "--window-size=1000,2600"]):
        done = subprocess.run(
            [browser, *options, *words, page.as_uri()], capture_output=True, text=True, timeout=60, check=True
        )
        if words == ["--dump-dom"]:
            assert done.stdout.count("<svg") == page.read_text().count("<svg") == 4
            assert "1. GigabitEthernet3/0/0 drops 59.5 kpps" in done.stdout
    assert shot.stat().st_size > 20_000


@pytest.mark.parametrize(
    ("fail_on", "case", "code"),
    [
        ("loss", "fitlet2_both_ways", ExitCode.VERDICT),
        ("loss", "fitlet2_i210_to_i211", ExitCode.DONE),
        ("limit", "fitlet2_i210_to_i211", ExitCode.VERDICT),
        ("risk", "fitlet2_i211_to_i210", ExitCode.DONE),
        ("undecided", "fitlet2_i211_to_i210", ExitCode.VERDICT),
        ("undecided", "vpp2610_switched", ExitCode.DONE),
        ("undecided", "vpp2610_idle", ExitCode.DONE),
    ],
)
def test_a_verdict_can_be_a_failure(fail_on: str, case: str, code: ExitCode, tmp_path: Path) -> None:
    words = ["tune", "-q", "--from", str(CASES / case), "--frame", "64", "-o", str(tmp_path / "found")]
    assert main([*words, "--fail-on", fail_on]) == code
    assert main(words) == ExitCode.DONE


def test_what_was_not_seen_comes_first_when_nothing_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "-q", "--from", ONE]) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Undecided: nothing seen is at its limit, but 3 of 6 things were not seen, and 1"
    assert lines[1] == "  thing in part only"
    assert lines[2].startswith("  seen     1 of 2 threads")
    assert lines[4].startswith("  not seen ports and their missed packets; the other threads")
    assert any(line.startswith("  next     vppctl show interface; vppctl clear") for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("words", [["-a", "other.sock", "capture", "folder"], ["--from", ONE, "capacity"]])
def test_options_before_a_command_below_are_refused_since_they_would_not_count(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", *words]) == ExitCode.INVALID
    assert f"stands before `{words[2]}`" in capsys.readouterr().err
