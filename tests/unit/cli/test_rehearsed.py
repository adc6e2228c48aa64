"""`plan --rehearse` and `apply --rehearsed`, what rehearsals show being made up; tests/live has real ones."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from vppcfg.app.plan_rehearsal import RehearsalTerms
from vppcfg.cli.main import main
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import load
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode
from vppcfg.plan.plan import Plan
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd
from vppcfg.probe.rehearsal import LeftOut, MeasuredStep, PlanRehearsal, Refused
from vppcfg.probe.trace import Observation
from vppcfg.probe.transients import transient_of, watched_frames
from vppcfg.render.rehearsal_text import rehearsal_lines

ROUTER = Path(__file__).parents[1] / "probe/router.yaml"
pytestmark = pytest.mark.usefixtures("files")
GOOD = PlanRehearsal(
    version="26.10",
    steps=(
        MeasuredStep(step=1, blocked_ms=12.0, estimated_ms=None),
        MeasuredStep(step=3, blocked_ms=0.2, estimated_ms=5),
    ),
    left_out=(LeftOut(step=2, subject="eth0", why="a rehearsal changes nothing in Linux"),),
    frames=7,
    unclear=1,
    transients=(),
    refused=None,
    backs_from=(1, 2, 3),
    backs_unlike=(),
    took_s=1.25,
    memory_bytes=123_000_000,
)
REFUSED = replace(GOOD, refused=Refused(step=3, subject="set interface state eth0 up", why="no (-1)"), backs_from=())
STRAYED = replace(GOOD, backs_unlike=((2, "eth0 mtu"),))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[[PlanRehearsal], list[RehearsalTerms]]:
    """Return what lets each rehearsal show something, and returns how they were asked for."""

    def show(rehearsal: PlanRehearsal) -> list[RehearsalTerms]:
        asked: list[RehearsalTerms] = []

        def rehearsed(plan: Plan, terms: RehearsalTerms, *_: object, **__: object) -> PlanRehearsal:
            asked.append(terms)
            return rehearsal

        monkeypatch.setattr("vppcfg.app.plan_rehearsal.rehearse_plan", rehearsed)
        return asked

    return show


Shown = Callable[[PlanRehearsal], list[RehearsalTerms]]


def test_a_plan_tells_what_its_rehearsal_has_shown(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    asked = shown(GOOD)
    assert main(["plan", "--novpp", "-c", "l3.yaml", "--rehearse", "--routes", "5"]) == ExitCode.DONE
    assert asked == [RehearsalTerms(prefix=Path("/usr"), routes=5)]
    said = capsys.readouterr().err
    assert "Rehearsed on VPP 26.10: 2 steps, 7 frames in between, 1.2 s, 123 MB of memory" in said
    assert "Not rehearsed: step 2, for a rehearsal changes nothing in Linux" in said
    assert "Step 1 stopped the workers for 12 ms (estimated: less than 1 ms)" in said
    assert "Step 3 stopped" not in said
    assert "The rehearsal succeeded: no frame went astray, and the way back was good from 3 steps" in said


@pytest.mark.parametrize(
    ("rehearsal", "said"),
    [
        (REFUSED, "VPP refuses step 3, set interface state eth0 up: no (-1)"),
        (STRAYED, "The way back from step 2 does not lead to the state before: eth0 mtu"),
    ],
)
def test_what_must_not_happen_refuses_the_change(
    rehearsal: PlanRehearsal, said: str, shown: Shown, vpp: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(rehearsal)
    assert main(["plan", "--novpp", "-c", "l3.yaml", "--rehearse"]) == ExitCode.REFUSED
    assert said in capsys.readouterr().err
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp, "--rehearsed", "/opt/vpp"]) == ExitCode.REFUSED
    captured = capsys.readouterr()
    assert said in captured.err and "the rehearsal failed; nothing was changed" in captured.err
    shown(GOOD)
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp, "--rehearsed", "/opt/vpp"]) == ExitCode.DONE
    assert main(["plan", "-c", "l3.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


def test_json_has_all_of_it(shown: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    shown(STRAYED)
    main(["plan", "--novpp", "-c", "l3.yaml", "--rehearse", "--format", "json"])
    rehearsal = json.loads(capsys.readouterr().out)["rehearsal"]
    assert (rehearsal["succeeded"], rehearsal["not_rehearsed"][0]["step"]) == (False, 2)
    assert rehearsal["ways_back"][1] == {"from_step": 2, "difference": "eth0 mtu"}


def test_a_frame_that_strays_is_told_with_its_steps() -> None:
    configuration = load(str(ROUTER)).configuration
    assert configuration is not None
    network = Network(resolve(configuration, assumed_state(configuration)).desired)
    frame = watched_frames(network, network)[0]
    elsewhere = Observation(steps=(), ends=frozenset({FrameEnd(fate=Fate.SENT, interface="elsewhere")}))
    for announced, head, verdict in (
        (frozenset[str](), "The plan does not say that ", "The rehearsal failed"),
        (frame.objects(), "As the plan says, ", "The rehearsal succeeded"),
    ):
        found = transient_of(frame, elsewhere, 2, announced)
        assert found is not None
        lines = [*rehearsal_lines(replace(GOOD, transients=(found,)))]
        assert any(line.startswith(f"{head}behind step 2 1 frame ") for line in lines)
        assert lines[-1].startswith(verdict)


@pytest.mark.parametrize(
    "words",
    [["--novpp", "--routes", "5"], ["--show", "plan.json", "--rehearse"], ["--novpp", "--rehearse", "--routes", "-1"]],
)
def test_what_makes_no_sense_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", *words]) == ExitCode.INVALID
    assert "error" in capsys.readouterr().err
