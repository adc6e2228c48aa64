"""Walks the golden folders: config.yaml and observed.yaml go in; plan.txt, diff.txt and problems.txt must come out.

The plan's JSON must be what docs/plan.schema.json describes.

Without observed.yaml the plan is that of an unconfigured VPP. `pytest tests/golden --update-golden` rewrites them.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import jsonschema

from vppcfg.adopt.grammar import grammar_of
from vppcfg.app.loading import read_state
from vppcfg.cli.plan import api_call
from vppcfg.common.release import NEWEST, RELEASES, Release
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import load
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.live_state import with_live_of
from vppcfg.model.problem import Problem
from vppcfg.operations.operation import Operation
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.plan.proof import replay
from vppcfg.plan.rollback import reverse_plan
from vppcfg.render.diff_view import diff_lines
from vppcfg.render.json_text import plan_document
from vppcfg.render.plan_text import cli_line, plan_text

JSON = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).resolve().parents[2] / "docs/plan.schema.json").read_text())
)


def test_what_comes_out_is_what_the_folder_says(case: Path, is_updating: bool) -> None:
    for name, text in outputs(case).items():
        file = case / name
        if is_updating:
            file.write_text(text) if text else file.unlink(missing_ok=True)
        assert (file.read_text() if file.exists() else "") == text


def outputs(case: Path) -> dict[str, str]:
    """Return what comes out, having checked that nothing is left to do after the plan and that there is a way back."""
    loaded = load(str(case / "config.yaml"))
    if loaded.configuration is None:
        return {"problems.txt": text_of_problems(loaded.problems), "plan.txt": "", "diff.txt": ""}
    resolution = resolution_of(case, loaded.configuration)
    problems = text_of_problems((*loaded.problems, *loaded.placed(resolution.problems)))
    if not resolution.is_possible:
        return {"problems.txt": problems, "plan.txt": "", "diff.txt": ""}
    plan = make_plan(resolution.observed, resolution.desired)
    reached = replay(plan.observed, plan.steps)
    assert make_plan(reached, resolve(loaded.configuration, reached).desired).steps == ()
    assert lines_without_a_command(plan.operations) == []
    JSON.validate(json.loads(plan_document(plan, [], api_call=api_call)))
    back = reverse_plan(plan)
    before = with_live_of(restorable(plan.observed), back.observed)
    assert list(diff(replay(back.observed, back.steps), before)) == []
    return {
        "problems.txt": problems,
        "plan.txt": text_of(plan_text(plan).lines),
        "diff.txt": text_of(line.text for line in diff_lines(plan)),
    }


def lines_without_a_command(operations: Iterable[Operation]) -> list[str]:
    """Return the lines that VPP takes for another command, or for none, in a release that can carry them out."""
    return [
        f"{release}: {line}"
        for operation in operations
        for release in RELEASES
        if (line := cli_line(operation, str(release))) and not (line.startswith("sflow") and release < Release(25, 2))
        if grammar_of(release).read(line).command != grammar_of(NEWEST).read(line).command
    ]


def resolution_of(case: Path, configuration: Configuration) -> Resolution:
    observed = case / "observed.yaml"
    state = read_state(str(observed)) if observed.exists() else assumed_state(configuration)
    return resolve(configuration, state)


def text_of(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def text_of_problems(problems: Iterable[Problem]) -> str:
    return text_of(
        f"{problem.line}:{problem.column}: {problem.severity.value}: {problem.text} [{problem.rule}]"
        for problem in problems
    )
