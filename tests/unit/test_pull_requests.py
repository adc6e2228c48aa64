"""What runs in pull requests of others: the steps of the action for GitHub's workflows, and the hook for pre-commit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
VALID, WRONG = "interfaces: { eth0: { mtu: 1500 } }\n", "interfaces:\n  eth0: { mtu: 1 }\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of router files, and a vppcfg as the action installs it."""
    for name, text in (("ams1.yaml", VALID), ("fra1.yaml", WRONG)):
        (tmp_path / name).write_text(text)
    program = tmp_path / "bin" / "vppcfg"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m vppcfg "$@"\n')
    program.chmod(0o755)
    return tmp_path


def in_shell(command: str, checkout: Path, **variables: str) -> tuple[int, str]:
    """Run a step as GitHub's runner does, and return its exit code and what it shows beside lines."""
    path = f"{checkout / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables}
    words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", command]
    done = subprocess.run(words, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def checked(checkout: Path, **inputs: str) -> tuple[int, str]:
    """Run the last step with the inputs of the action, which its variables name."""
    step = ACTION["runs"]["steps"][-1]
    given = {name: inputs.get(name, each.get("default", "")) for name, each in ACTION["inputs"].items()}
    variables = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) }}", lambda found: given[found[1]], text)
        for name, text in step["env"].items()
    }
    return in_shell(step["run"], checkout, **variables)


def test_the_action_fails_by_a_wrong_file_and_shows_the_line(checkout: Path) -> None:
    assert checked(checkout, files="ams1.yaml") == (0, "")
    code, shown = checked(checkout, files="ams1.yaml fra1.yaml", release="24.10")
    assert (code, shown) == (3, "::error file=fra1.yaml,line=2,col=16,title=schema-value::1 is less than 128\n")


def test_the_action_runs_nothing_of_the_pull_request(checkout: Path) -> None:
    (checkout / "pip.py").write_text("open('ran', 'w')\n")
    (checkout / "bin" / "python").symlink_to(sys.executable)
    (step,) = (each for each in ACTION["runs"]["steps"] if "pip" in each.get("run", ""))
    assert in_shell(step["run"], checkout, HERE=str(checkout / "nowhere"))[0] != 0
    assert not (checkout / "ran").exists()


def test_the_action_takes_a_folder_as_a_fleet(checkout: Path) -> None:
    code, shown = checked(checkout, files="--fleet .")
    assert (code, "file=./fra1.yaml,line=2," in shown) == (3, True)


def test_the_hook_checks_the_files_that_it_is_for(checkout: Path) -> None:
    assert [bool(re.search(HOOK["files"], name)) for name in ("site/vppcfg-ams1.yaml", "vppcfg.yml", "other.yaml")] == [
        *(True, True, False)
    ]
    assert in_shell(f"{HOOK['entry']} ams1.yaml", checkout)[0] == 0
    assert in_shell(f"{HOOK['entry']} ams1.yaml fra1.yaml", checkout)[0] == 3
