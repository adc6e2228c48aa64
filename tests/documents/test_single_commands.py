"""Commands of pages that are no session: each by itself, on a simulated router and machine; none is left out."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.conftest import ROOT, simulated_router
from tests.documents.test_blocks import BLOCKS, OURS, SHOWN
from tests.documents.test_first_day import PAGE as FIRST_DAY
from tests.documents.test_netbox import HERE, rendered
from tests.documents.test_sessions import PORTS as SESSIONS
from tests.hosts.trees import grow
from tests.unit.loadtest.samples import result, sample
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.loadtest.document import text_of

FILES = {
    "base.yaml": "interfaces:\n  GigabitEthernet3/0/0: { description: port }\n",
    "site.yaml": "interfaces:\n  GigabitEthernet3/0/0: { description: house }\n",
    "site/ams1.yaml": "interfaces:\n  GigabitEthernet1/0/0: { mtu: 1500 }\n",
}
ON_VPP = ("-a", "{socket}")
READ_SOON = (*ON_VPP, "--interval", "0.1")
ON_FILE = ("-c", "router.yaml")
ON_MACHINE = ("--root", "machine")
RUN = {
    "vppcfg nat sessions --top 20": ON_VPP,
    "sudo vppcfg plan -c base.yaml -c site.yaml -c router.yaml": ON_VPP,
    "sudo vppcfg apply -c /etc/vpp/vppcfg.d": (*ON_VPP, "--yes"),
    "vppcfg plan -c router.yaml --novpp": (),
    "vppcfg check --fleet routers": (),
    "vppcfg completion bash": (),
    "vppcfg loadtest report ramp.json flows.json watch.json -o report.html --title 'A small router'": (),
    "vppcfg check -c netbox/ams1.yaml -c site/ams1.yaml --show-merged": (),
    "sudo vppcfg report": (*READ_SOON, *ON_FILE),
    "vppcfg top --once --json": ON_VPP,
    "vppcfg tune": READ_SOON,
    "vppcfg tune capture DIR": READ_SOON,
    "vppcfg tune --from DIR": (),
    "vppcfg tune -c router.yaml --write": READ_SOON,
    "vppcfg tune capture low": READ_SOON,
    "vppcfg tune capture high": READ_SOON,
    "vppcfg tune capacity --from low --from high --ports 1G,1G,1G": (),
    "vppcfg host": ON_MACHINE,
    "vppcfg startup -c router.yaml --explain": ON_MACHINE,
    "vppcfg startup -c router.yaml --diff": ON_MACHINE,
    "vppcfg startup -c router.yaml --install": ON_MACHINE,
    "vppcfg upgrade --to 26.06 --rehearse": (*ON_VPP, *ON_FILE),
}
"""The commands that are run here, with the options that name the router, the file and the machine of the test."""
ELSEWHERE = {
    "vppcfg loadtest (lab|flows|ramp --ports|watch) .*": "tests/lab",
    "vppcfg loadtest (ramp -s|ramp --tune) .*": "tests/trex",
    "vppcfg loadtest trex-config .*": "tests/unit/cli/test_loadtest.py",
    "vppcfg startup -c router.yaml --verify": "tests/live/test_startup.py",
    "sudo vppcfg probe .* --rehearse .*": "tests/live/test_probe.py",
    "sudo vppcfg probe .* --inject": "tests/live/test_inject.py",
    "sudo vppcfg verify --once": "tests/live/test_kernel.py",
}
"""Commands that need real packets, a real VPP, its Linux or devices of a name, and the tests that run them."""
TYPED = re.compile(r"^(?:\$ )?((?:sudo )?vppcfg [a-z][^|>#\n]*)", re.MULTILINE)

pytestmark = pytest.mark.slow


def commands() -> set[str]:
    """Return the commands of all pages that no other test of the documents runs."""
    sessions = (*SESSIONS, str(FIRST_DAY.relative_to(ROOT)))
    alone = [each for each in SHOWN if not each.place.startswith(sessions) and not (each in OURS and each.output)]
    typed = [TYPED.findall(block.text) for block in BLOCKS if block.language == "text"]
    found = [each.command for each in alone] + [command for found in typed for command in found]
    return {shlex.join(shlex.split(each)) for each in found if re.match(r"(?:sudo )?vppcfg ", each)}


def test_every_command_of_every_page_is_run_by_a_test() -> None:
    elsewhere = {each for each in commands() if any(re.fullmatch(pattern, each) for pattern in ELSEWHERE)}
    assert commands() - elsewhere == set(RUN)
    assert [pattern for pattern in ELSEWHERE if not any(re.fullmatch(pattern, each) for each in elsewhere)] == []
    for pattern, place in ELSEWHERE.items():
        tests = "".join(path.read_text() for path in ROOT.glob(place if place.endswith(".py") else f"{place}/*.py"))
        commands_there = [shlex.split(each) for each in elsewhere if re.fullmatch(pattern, each)]
        options = {word for words in commands_there for word in words if word.startswith("--")}
        missing = {option for option in options if f'"{option}"' not in tests}
        assert (place, missing) == (place, set())


@pytest.fixture(scope="module")
def socket(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Iterator[Path]:
    """The API socket of a simulated router that is configured by an example."""
    folder = tmp_path_factory.mktemp("vpp")
    state = str(ROOT / "docs/examples/home-router.yaml")
    with simulated_router(["vppcfg", "sim", "--socket", "vpp.sock", "--state", state], folder, environment):
        yield folder / "vpp.sock"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with all files that the commands name."""
    router = (ROOT / "docs/examples/home-router.yaml").read_text()
    cases = ROOT / "tests/tune_cases"
    files = {**FILES, "router.yaml": router, "vppcfg.d/10-router.yaml": router, "routers/ams1.yaml": router}
    files["netbox/ams1.yaml"] = rendered(json.loads((HERE / "netbox.json").read_text()))
    for name in ("ramp", "flows", "watch"):
        files[f"{name}.json"] = text_of(result(sample(1.0, (1000, 990)), sample(2.0, (2000, 1980))))
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for name, case in {
        "DIR": "fitlet2_i211_to_i210",
        "low": "fitlet2_i210_to_i211",
        "high": "fitlet2_both_ways",
    }.items():
        shutil.copytree(cases / case, tmp_path / name)
    grow("fitlet2", tmp_path / "machine")
    return tmp_path


@pytest.mark.parametrize(("command", "options"), RUN.items(), ids=RUN)
def test_a_command_of_a_page_succeeds(
    command: str, options: tuple[str, ...], socket: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("VPPCFG_STATE_DIR", str(folder / "state"))
    monkeypatch.setenv("VPPCFG_RUN_DIR", str(folder / "run"))
    _, *words = shlex.split(command.removeprefix("sudo ").replace("/etc/vpp/", ""))
    if words[:2] == ["tune", "capture"]:
        shutil.rmtree(words[2])
    good = {ExitCode.DONE, ExitCode.CHANGES_PENDING} if words[0] == "upgrade" else {ExitCode.DONE}
    assert main([*words, *(option.format(socket=socket) for option in options)]) in good
