"""`plan` and `apply` end with the same exit code, whatever is there, wanted and protected: whole commands."""

import random
from pathlib import Path

import pytest

from tests.laws.networks import numbered_edit, numbered_plan_ends, without_linux
from tests.laws.test_impact_laws import states_on_the_way
from tests.services import found_on_the_way
from tests.wireguard_keys import KEYS
from vppcfg.cli.main import main
from vppcfg.config.load import load
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import write
from vppcfg.errors import ExitCode
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect


@pytest.fixture(autouse=True)
def files_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every file of a key: `plan` does not look whether they are there, and `apply` does."""
    monkeypatch.setattr("vppcfg.app.keys.read_key", lambda wanted: KEYS[wanted.name])


def written(wanted: State, protected: list[str], file: Path) -> str:
    """Write the file that means a state, and protects some interfaces, and return its name."""
    text = write(wanted)
    file.write_text(text + (f"\nprotected: [ {', '.join(protected)} ]\n" if protected else ""))
    return str(file)


def check_pair(number: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> ExitCode:
    """Return how `plan` and `apply` end for one pair; the same, and by the slow account."""
    observed, configuration = (numbered_edit if number % 3 else numbered_plan_ends)(number)
    observed = without_linux(observed)
    wanted = resolve(configuration, observed).desired
    dice = random.Random(number)
    protected = dice.sample(sorted(wanted.interfaces), min(len(wanted.interfaces), dice.randint(1, 6)))
    config = written(wanted, protected, folder / f"{number}.yaml")
    socket = str(folder / f"{number}.sock")
    with SimulatorServer(SimulatedVpp(state=observed), socket):
        with connect(socket) as dataplane:
            seen = dataplane.observe()
        loaded = load(config)
        assert loaded.configuration is not None
        resolution = resolve(loaded.configuration, seen)
        suffering = set()
        if resolution.is_possible:
            plan = make_plan(seen, resolution.desired)
            suffering = {name for name, _, _ in found_on_the_way(states_on_the_way(plan))}
        planned = main(["-q", "plan", "-c", config, "-a", socket])
        applied = main(["-q", "apply", "--yes", "-c", config, "-a", socket])
    assert planned == applied, capsys.readouterr().err
    if planned == ExitCode.DONE:
        assert resolution.is_possible
        assert suffering.isdisjoint(protected)
    if not suffering.isdisjoint(protected):
        assert planned == ExitCode.REFUSED
    return ExitCode(planned)


def check_pairs(numbers: range, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes = [check_pair(number, folder, capsys) for number in numbers]
    assert set(codes) == {ExitCode.DONE, ExitCode.REFUSED}
    assert len(numbers) / 10 < codes.count(ExitCode.REFUSED) < 9 * len(numbers) / 10


def test_plan_and_apply_end_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_pairs(range(12), tmp_path, capsys)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_plan_and_apply_end_alike_for_two_thousand_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_pairs(range(2000), tmp_path, capsys)
