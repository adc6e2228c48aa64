"""Walks the golden folders whose file protects what suffers: `plan` and `apply`, as whole commands, refuse alike."""

from pathlib import Path

import pytest

from vppcfg.app.loading import read_state
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

CASES = sorted(path for path in Path(__file__).parent.iterdir() if path.name.startswith("impact_"))


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_plan_and_apply_refuse_what_harms_the_protected_and_one_word_lifts_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VPPCFG_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("VPPCFG_RUN_DIR", str(tmp_path / "run"))
    socket = str(tmp_path / "api.sock")
    place = ["-c", str(folder / "config.yaml"), "-a", socket]
    with SimulatorServer(SimulatedVpp(state=read_state(str(folder / "observed.yaml"))), socket):
        said = []
        for command in (["plan"], ["apply", "--yes"]):
            assert main([*command, *place]) == ExitCode.REFUSED
            said.append(capsys.readouterr().err)
        for text in said:
            assert "the plan has impact on what the file protects: " in text
        for command in (["plan"], ["apply", "--yes"]):
            assert main([*command, *place, "--override-protected"]) == ExitCode.DONE, capsys.readouterr().err
        assert main(["plan", *place, "--detailed-exitcode"]) == ExitCode.DONE


def test_every_example_protects_something() -> None:
    assert len(CASES) >= 12
    assert all("protected:" in (case / "config.yaml").read_text() for case in CASES)
