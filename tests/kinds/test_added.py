"""A kind of another program: docs/examples/vppcfg-srv6, installed beside vppcfg and used through the command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "vppcfg-srv6"
INTERFACES = 'interfaces: { eth0: { addresses: [ "2001:db8::1/64" ] } }\n'
FILE = (
    INTERFACES
    + """vrfs: { red: { id: 10 } }
srv6_localsids:
  "2001:db8:f::1": {}
  "2001:db8:f::2": { psp: true, vrf: red }
"""
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the example, installed as any package is."""
    sources, target = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("installed")
    for file in [*EXAMPLE.glob("*.toml"), *(EXAMPLE / "vppcfg_srv6").glob("*.*")]:
        copy = sources / file.relative_to(EXAMPLE)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(file.read_bytes())
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *install, str(sources)], check=True)
    return target


def vppcfg(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the example in its path."""
    path = os.pathsep.join([str(installed), str(ROOT)])
    command = [sys.executable, "-m", "vppcfg", *arguments]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)


@pytest.fixture
def vpp(installed: Path, tmp_path: Path) -> Iterator[Path]:
    """Yield the API socket of a simulated VPP that has the kind, with one port."""
    socket = tmp_path / "api.sock"
    path = os.pathsep.join([str(installed), str(ROOT)])
    command = [sys.executable, "-m", "vppcfg", "sim", "--socket", str(socket), "--phy", "eth0"]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True) as sim:
        assert sim.stderr is not None
        assert "is listening" in sim.stderr.readline()
        yield socket
        sim.terminate()


def test_a_file_is_checked(installed: Path, tmp_path: Path) -> None:
    file = tmp_path / "router.yaml"
    file.write_text(FILE)
    assert vppcfg(installed, "check", "-c", str(file)).returncode == 0
    assert "[schema-unknown-key]" in vppcfg(Path("/nonexistent"), "check", "-c", str(file)).stdout


def test_what_is_wrong_is_named_and_explained(installed: Path, tmp_path: Path) -> None:
    file = tmp_path / "router.yaml"
    for entries, problems in {
        '"2001:db8:f::1": { psp: 3 }, "2001:db8:f::2": { usp: true }': ["schema-type", "schema-unknown-key"],
        '"2001:db8::1": {}, "2001:db8:f::1": { vrf: blue }': ["srv6-sid-taken", "vrf-undefined"],
    }.items():
        file.write_text(f"{INTERFACES}srv6_localsids: {{ {entries} }}\n")
        checked = vppcfg(installed, "check", "-c", str(file))
        assert checked.returncode == 3
        assert all(f"[{problem}]" in checked.stdout for problem in problems)
    assert vppcfg(installed, "explain", "srv6-sid").stdout.startswith("srv6-sid: ")


def test_a_key_that_others_have_for_it_leads_to_its_section(installed: Path, tmp_path: Path) -> None:
    file = tmp_path / "router.yaml"
    file.write_text(f"{INTERFACES}srv6: {{}}\n")
    checked = vppcfg(installed, "check", "-c", str(file)).stdout
    assert "unknown key `srv6`: it is a section of its own, `srv6_localsids`" in checked
    assert "a line in a file for `vppcfg rest` sets it" in vppcfg(Path("/x"), "check", "-c", str(file)).stdout


def test_the_examples_of_its_rules_break_and_mend_them(installed: Path, tmp_path: Path) -> None:
    for rule, text in yaml.safe_load((EXAMPLE / "vppcfg_srv6" / "rules.yaml").read_text()).items():
        file = tmp_path / "router.yaml"
        file.write_text(text["breaks"])
        assert f"[{rule}]" in vppcfg(installed, "check", "-c", str(file)).stdout
        file.write_text(text["mends"])
        assert vppcfg(installed, "check", "-c", str(file)).returncode == 0


def test_it_is_applied_changed_dumped_and_taken_back(installed: Path, vpp: Path, tmp_path: Path) -> None:
    file, state = tmp_path / "router.yaml", ["--api-socket", str(vpp), "--state-dir", str(tmp_path / "state")]
    to = ["-c", str(file), *state]
    file.write_text(FILE)
    plan = vppcfg(installed, "plan", *to)
    assert "sr localsid address 2001:db8:f::2 behavior end psp fib-table 10" in plan.stdout, plan.stderr
    applied = vppcfg(installed, "apply", *to, "--yes")
    assert applied.returncode == 0, applied.stderr
    assert vppcfg(installed, "plan", *to).returncode == 0

    dumped = vppcfg(installed, "dump", "--api-socket", str(vpp))
    sids = {"2001:db8:f::1": {}, "2001:db8:f::2": {"psp": True, "vrf": "red"}}
    assert yaml.safe_load(dumped.stdout)["srv6_localsids"] == sids

    file.write_text(FILE.replace('"2001:db8:f::1": {}', '"2001:db8:f::1": { psp: true }'))
    changed = vppcfg(installed, "plan", *to)
    lines = [line for line in changed.stdout.splitlines() if line.startswith("sr ")]
    assert lines == ["sr localsid del address 2001:db8:f::1", "sr localsid address 2001:db8:f::1 behavior end psp"]
    assert vppcfg(installed, "apply", *to, "--yes").returncode == 0
    assert vppcfg(installed, "rollback", *state, "--yes").returncode == 0
    back = yaml.safe_load(vppcfg(installed, "dump", "--api-socket", str(vpp)).stdout)
    assert back["srv6_localsids"] == sids

    file.write_text(INTERFACES + "vrfs: { red: { id: 10 } }\n")
    assert vppcfg(installed, "plan", *to).returncode == 0, "a file without the section leaves SIDs alone"
    file.write_text(INTERFACES + "srv6_localsids: {}\n")
    emptied = vppcfg(installed, "apply", *to, "--yes")
    assert emptied.returncode == 0, emptied.stderr
    assert "srv6_localsids" not in yaml.safe_load(vppcfg(installed, "dump", "--api-socket", str(vpp)).stdout)


def test_one_that_does_not_fit_is_named(tmp_path: Path) -> None:
    package = tmp_path / "wrong-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 1.0\n")
    file = tmp_path / "router.yaml"
    file.write_text(INTERFACES)
    (tmp_path / "raises.py").write_text("1 / 0")
    for value, reason in {
        "nowhere:KIND": "cannot be imported",
        "raises:KIND": "cannot be imported: ZeroDivisionError",
        "vppcfg.kinds.gre:KIND": "is no VppObjectKind",
        "vppcfg.kinds.route:KIND": "has the key `routes`, which another kind has",
    }.items():
        (package / "entry_points.txt").write_text(f"[vppcfg.kinds]\nwrong = {value}\n")
        refused = vppcfg(tmp_path, "check", "-c", str(file))
        assert refused.returncode == 3 and reason in refused.stderr, refused.stderr
