"""`vppcfg startup check`: its options, its exit codes, and what it refuses."""

import io
import json
from pathlib import Path

import pytest

from tests.hosts.trees import grow
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

GOOD = "unix { nodaemon cli-listen /run/vpp/cli.sock }\nmemory { main-heap-size 1G }\ncpu { main-core 1 workers 1 }\n"
QUIET = "plugins { plugin dpdk_plugin.so { disable } }\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "startup.conf"
    path.write_text(GOOD + QUIET)
    return path


def test_a_good_file_is_said_to_be_good_and_for_what(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["startup", "check", str(file)]) == ExitCode.DONE
    judged = "form, words, sense, habits; VPP 23.06 to 26.10; give --host or --root for the machine"
    assert capsys.readouterr().out == f"{file}: no problems ({judged})\n"


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"unix {")))
    assert main(["startup", "check", "-"]) == ExitCode.INVALID
    assert capsys.readouterr().out.startswith("-:1:6: error: ")


def test_only_errors_count_unless_it_is_strict(file: Path) -> None:
    file.write_text(GOOD + QUIET + "plugins { plugin pign_plugin.so { enable } }\n")
    assert main(["startup", "check", str(file)]) == ExitCode.DONE
    assert main(["startup", "check", str(file), "--strict"]) == ExitCode.INVALID
    file.write_text(GOOD)
    assert main(["startup", "check", str(file), "--strict"]) == ExitCode.DONE  # notices ask for nothing


def test_the_file_of_a_machine_is_found_below_its_root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = grow("fitlet2", tmp_path)
    (tree / "etc/vpp").mkdir()
    (tree / "etc/vpp/startup.conf").write_text(GOOD.replace("main-core 1", "main-core 77") + QUIET)
    assert main(["startup", "check", "--root", str(tree)]) == ExitCode.INVALID
    shown = capsys.readouterr().out
    assert "this machine has no CPU 77 for the main thread" in shown
    assert "machine, habits; VPP 23.06 to 26.10)" in shown


def test_an_inventory_stands_for_the_machine(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inventory = tmp_path / "host.json"
    assert main(["host", "--root", str(grow("fitlet2", tmp_path / "tree")), "-o", str(inventory)]) == ExitCode.DONE
    file.write_text(GOOD.replace("nodaemon", "nodaemon gid nobody-here") + QUIET)
    assert main(["startup", "check", str(file), "--host", str(inventory)]) == ExitCode.INVALID
    assert "this machine has no group nobody-here" in capsys.readouterr().out


def test_installed_plugins_are_those_of_the_folder(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    (folder / "acme_plugin.so").touch()
    file.write_text(GOOD + "acme { x }\nplugins { plugin ping_plugin.so { enable } }\n")
    assert main(["startup", "check", str(file), "--plugins", str(folder)]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert "a stanza of acme, or a typing error [conf-vendor]" in shown
    assert "the plugin ping is not installed" in shown
    file.write_text(GOOD + "acl-plugin { use tuple merge 1 }\n")
    assert main(["startup", "check", str(file), "--plugins", str(folder)]) == ExitCode.INVALID
    assert "needs the plugin acl, which is not installed" in capsys.readouterr().out


def test_json_says_how_deep_and_for_which_releases(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD + QUIET + "heapsize 1G\n")
    assert main(["startup", "check", str(file), "--format", "json"]) == ExitCode.INVALID
    document = json.loads(capsys.readouterr().out)
    assert [(p["rule"], p["level"], p["needs"], p["releases"]) for p in document["problems"]] == [
        ("conf-removed", "words", "release", ["26.02", "26.06", "26.10"])
    ]
    assert document["levels"] == ["form", "words", "sense", "habits"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["/nowhere/startup.conf"], "cannot read /nowhere/startup.conf"),
        (["--vpp-version", "22.10"], "nothing is known of VPP 22.10"),
        (["--vpp-version", "new"], "is no version of VPP"),
        (["--plugins", "/nowhere"], "cannot read /nowhere"),
        (["--root", "/nowhere"], "/nowhere is no directory"),
        (["--host", "x", "--root", "/"], "not allowed with argument"),
    ],
)
def test_wrong_arguments_are_refused(
    options: list[str], message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [] if options[0].startswith("/") else [str(file)]
    assert main(["startup", "check", *named, *options]) == ExitCode.INVALID
    assert message in capsys.readouterr().err


def test_an_empty_folder_of_plugins_is_refused(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none").mkdir()
    assert main(["startup", "check", str(file), "--plugins", str(tmp_path / "none")]) == ExitCode.INVALID
    assert "holds no plugin of VPP" in capsys.readouterr().err


@pytest.mark.parametrize("above", [["--diff"], ["--host", "x"], ["--vpp-version", "24.10"], ["--config", "x"]])
def test_options_before_check_are_refused_since_they_would_not_count(
    above: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["startup", *above, "check", str(file)]) == ExitCode.INVALID
    assert f"{above[0]} stands before `check`" in capsys.readouterr().err


def test_a_file_that_is_no_text_ends_in_a_problem(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b"\x7fELF\0\xff\xfe" * 100)
    assert main(["startup", "check", str(file)]) == ExitCode.INVALID
    assert "[conf-syntax]" in capsys.readouterr().out


@pytest.mark.parametrize(("word", "is_file"), [("router.yaml", True), ("chek", False)])
def test_a_configuration_without_its_option_gets_a_hint(
    word: str, is_file: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["startup", word]) == ExitCode.INVALID
    hint = f"a configuration file is named with -c: `vppcfg startup -c {word}`"
    assert (hint in capsys.readouterr().err) == is_file
