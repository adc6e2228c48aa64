"""Completion, in the shells themselves: every command, every long option and every choice is offered where it fits."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from vppcfg import __version__
from vppcfg.cli.commands import all_commands
from vppcfg.cli.completion import SHELLS, script_for
from vppcfg.cli.main import main
from vppcfg.commandline.command import Command
from vppcfg.errors import ExitCode

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_vppcfg
printf '%s\\n' "${COMPREPLY[@]}"
"""

Complete = Callable[[str], list[str]]
"""Takes a command line, returns what the shell offers for its last word."""


def output_of(command: list[str | Path], directory: Path) -> list[str]:
    """Run a shell and return the lines of its standard output."""
    finished = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout.split()


def in_bash(script: Path, directory: Path, line: str) -> list[str]:
    words = [part for word in line.split(" ") for part in split_at_equals(word)]
    return output_of(["bash", "--norc", "-c", BASH, "bash", script, *words], directory)


def split_at_equals(word: str) -> list[str]:
    """Split a word as readline does, where `=` is a word of its own."""
    name, equals, value = word.partition("=")
    return [name] if not equals else [name, "=", value] if value else [name, "="]


def in_zsh(script: Path, directory: Path, line: str) -> list[str]:
    """zsh offers options also where nothing else fits; they are left out then."""
    offered = output_of(["zsh", "-f", HERE / "capture.zsh", script, line, script.parent / "cache"], directory)
    return [word for word in offered if line.split(" ")[-1] or not word.startswith("-")]


def in_fish(script: Path, directory: Path, line: str) -> list[str]:
    commands = f"source {script}; complete -C {line!r} | string split -f1 \\t; true"
    option = line.split(" ")[-1].partition("=")[0]
    return [word.removeprefix(f"{option}=") for word in output_of(["fish", "--no-config", "-c", commands], directory)]


IN = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}


@pytest.fixture(scope="module", params=SHELLS)
def complete(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Complete:
    """Completes command lines in a shell that has the script, in a folder with a file and a folder."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    home = tmp_path_factory.mktemp(shell)
    (home / "script").write_text(script_for(shell, all_commands()))
    (home / "work" / "captures").mkdir(parents=True)
    (home / "work" / "router.yaml").touch()
    return lambda line: IN[shell](home / "script", home / "work", line)


def test_every_command_is_offered_below_its_parent(complete: Complete, vppcfg: Command) -> None:
    for command in vppcfg.walk():
        if command.commands:
            offered = complete(" ".join(command.words) + " ")
            assert {child.words[-1] for child in command.commands} == set(offered)


def test_every_long_option_is_offered_behind_its_command(complete: Complete, vppcfg: Command) -> None:
    for command in vppcfg.walk():
        known = {name for option in command.options for name in option.names if name.startswith("--")}
        assert known == {name.rstrip("=") for name in complete(" ".join(command.words) + " --")}


def test_the_words_that_an_option_takes_are_offered(complete: Complete, vppcfg: Command) -> None:
    for command in vppcfg.commands:
        for option in command.options:
            if option.choices and option.group != "global options":
                typed = f"{' '.join(command.words)} {option.names[-1]}"
                assert set(complete(f"{typed} ")) == set(option.choices)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("vppcfg pl", ["plan"]),
        ("vppcfg --color ", ["always", "auto", "never"]),
        ("vppcfg -d plan --format=j", ["json"]),
        ("vppcfg plan --format=", ["cli", "diff", "json"]),
        ("vppcfg plan -c ", ["captures", "router.yaml"]),
        ("vppcfg plan -c r", ["router.yaml"]),
        ("vppcfg plan -c plan --nov", ["--novpp"]),
        ("vppcfg tune --from ", ["captures"]),
        ("vppcfg tune ca", ["capacity", "capture"]),
        ("vppcfg tune capture c", ["captures"]),
        ("vppcfg explain l2xc-ta", ["l2xc-tags", "l2xc-target-missing"]),
        ("vppcfg completion ", ["bash", "fish", "json-schema", "zsh"]),
        ("vppcfg check ", ["captures", "router.yaml"]),
    ],
)  # fmt: skip
def test_what_fits_is_offered(complete: Complete, line: str, offered: list[str]) -> None:
    assert sorted({word.rstrip("/") for word in complete(line)}) == offered


def test_bash_offers_an_option_again_only_when_it_can_be_repeated(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(script_for("bash", all_commands()))
    assert in_bash(script, tmp_path, "vppcfg plan --novpp --nov") == []
    assert in_bash(script, tmp_path, "vppcfg sim --phy eth0 --ph") == ["--phy"]


def test_the_command_writes_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == ExitCode.DONE
    assert capsys.readouterr().out == script_for("bash", all_commands())


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "csh"]) == ExitCode.INVALID
    assert "csh" in capsys.readouterr().err


def test_editors_get_the_schema_that_comes_with_vppcfg(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "json-schema"]) == ExitCode.DONE
    schema = json.loads(capsys.readouterr().out)
    assert (schema.pop("$id"), schema.pop("version")) == (f"urn:vppcfg:{__version__}:configuration", __version__)
    assert schema == json.loads((HERE.parents[2] / "schema" / "vppcfg.schema.json").read_text())


def test_the_schema_for_editors_judges_a_file_by_its_definitions(capsys: pytest.CaptureFixture[str]) -> None:
    """References within it are resolved against its identifier."""
    main(["completion", "json-schema"])
    judge = Draft7Validator(json.loads(capsys.readouterr().out))
    assert judge.is_valid({"version": 1, "interfaces": {"eth0": {"mtu": 1500}}})
    assert not judge.is_valid({"interfaces": {"eth0": {"mtu": 1}}})
    assert not judge.is_valid({"version": 2})
