"""`vppcfg check`: what it prints where, and how it exits."""

import io
import json
import os
from pathlib import Path

import jsonschema
import pytest

from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

SCHEMA = Path(__file__).parents[3] / "docs" / "check.schema.json"
GOOD = "interfaces:\n  eth0:\n    mtu: 9000\n"
BAD = "interfaces:\n  eth0:\n    mtu: 1\n    addresses: [ 192.0.2.1/24 ]\n  eth1:\n    l2xc: eth7\n"


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BAD)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_folder")
def test_a_valid_file_is_said_to_be_valid_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", "good.yaml"]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "[INFO    ] root.main: Loading configfile good.yaml\n"
        "[INFO    ] vppcfg.config.valid_config: Configuration validated successfully\n"
        "[INFO    ] root.main: Configuration is valid\n"
    )


@pytest.mark.usefixtures("in_folder")
def test_every_problem_of_a_file_is_shown_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", "bad.yaml"]) == ExitCode.INVALID
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert [line.partition(": error: ")[0] for line in lines[:-1:2]] == ["bad.yaml:3:10", "bad.yaml:6:11"]
    assert lines[1:-1:2] == ["    interfaces.eth0.mtu", "    interfaces.eth1.l2xc"]
    assert lines[2].endswith("[l2xc-target-missing]")
    assert lines[-1] == "bad.yaml: 2 errors"
    assert captured.err == "[INFO    ] root.main: Loading configfile bad.yaml\n"


@pytest.mark.usefixtures("in_folder")
def test_a_quiet_check_of_a_valid_file_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-q", "-c", "good.yaml"]) == ExitCode.DONE
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize(("name", "is_valid"), [("good.yaml", True), ("bad.yaml", False)])
def test_json_is_one_document_whatever_the_outcome(
    capsys: pytest.CaptureFixture[str], name: str, is_valid: bool
) -> None:
    assert (main(["check", "-c", name, "--format", "json"]) == ExitCode.DONE) is is_valid
    shown = json.loads(capsys.readouterr().out)
    assert (shown["file"], shown["is_valid"], shown["errors"]) == (name, is_valid, 0 if is_valid else 2)


def test_a_file_comes_from_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    assert main(["check", "-c", "-"]) == ExitCode.INVALID
    assert capsys.readouterr().out.endswith("-: 2 errors\n")


def test_a_file_comes_through_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as stream:
        stream.write(BAD)
        stream.close()
        assert main(["check", "-c", f"/dev/fd/{reading}"]) == ExitCode.INVALID
    assert capsys.readouterr().out.endswith(": 2 errors\n")


@pytest.mark.usefixtures("in_folder")
def test_several_files_are_laid_over_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    Path("site.yaml").write_text("interfaces:\n  eth0: { mtu: 1500 }\n  eth1: { l2xc: eth0, state: down }\n")
    assert main(["check", "-c", "bad.yaml", "--config", "site.yaml"]) == ExitCode.INVALID
    assert capsys.readouterr().out.startswith("site.yaml:3:17: error: ")
    Path("mend.yaml").write_text("interfaces:\n  eth0: { addresses: }\n  eth1: { l2xc: }\n")
    files = ["-c", "bad.yaml", "-c", "site.yaml", "-c", "mend.yaml"]
    assert main(["check", *files, "--show-merged"]) == ExitCode.DONE
    assert capsys.readouterr().out == (
        "interfaces:\n  eth0:\n    mtu: 1500    # site.yaml:2\n  eth1:\n    state: down  # site.yaml:3\n"
    )
    assert main(["check", *files, "--show-merged", "--format", "json"]) == ExitCode.DONE
    shown = json.loads(capsys.readouterr().out)
    assert shown["file"] == "bad.yaml + site.yaml + mend.yaml"
    assert shown["merged"][0] == {"path": ["interfaces", "eth0", "mtu"], "value": 1500, "file": "site.yaml", "line": 2}
    jsonschema.validate(shown, json.loads(SCHEMA.read_text()))


@pytest.mark.usefixtures("in_folder")
def test_no_file_is_named_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", "good.yaml", "--config", "good.yaml"]) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "-c is given twice for good.yaml\n" in captured.err


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize("command", ["plan", "watch", "startup"])
def test_a_file_without_its_option_is_told_as_such(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "good.yaml"]) == ExitCode.INVALID
    assert f"hint: a configuration file is named with -c: `vppcfg {command} -c good.yaml`\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["chekc"],
            "there is no command `chekc`; did you mean `check`?\nvppcfg: hint: `vppcfg --help` lists the commands",
        ),
        (["nat", "whoo"], "`whoo`; did you mean `who`?\nvppcfg: hint: `vppcfg nat --help` lists the commands"),
        (["nat", "-a", "/run/x.sock", "sessions"], "behind the command: `vppcfg nat COMMAND -a /run/x.sock`\n"),
        (["zzz"], "there is no command `zzz`\n"),
        (["tune", "--seconds", "1"], "unrecognized arguments: --seconds 1\n"),
    ],
)
def test_a_command_that_is_not_there_brings_one_like_it(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == ExitCode.INVALID
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing.yaml", "/dev/zero", ".", "nul\0byte", "\udcff"])
def test_a_file_that_cannot_be_read_is_an_error_with_a_hint(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["check", "-c", name]) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "vppcfg: error: " in captured.err
    assert "vppcfg: hint: " in captured.err


def test_the_default_file_is_that_of_the_router(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check"])
    assert "Loading configfile /etc/vpp/vppcfg.yaml\n" in capsys.readouterr().err


TOO_NEW = """\
interfaces:
  gre0: {}
gre_tunnels:
  gre0: { local: 192.0.2.1, remote: 192.0.2.2, key: 5 }
"""


def test_what_a_release_cannot_do_is_an_error_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(TOO_NEW)
    assert main(["check", "-q", "-c", str(file), "--for", "24.10"]) == ExitCode.INVALID
    text = "gre0 has a key, which VPP can do from 25.10 on; this one is 24.10 [vpp-too-old]"
    assert f"{file}:4:3: error: {text}" in capsys.readouterr().out
    assert main(["check", "-q", "-c", str(file), "--for", "25.10-rc1"]) == ExitCode.DONE
    assert main(["check", "-q", "-c", str(file)]) == ExitCode.DONE


def test_a_file_that_is_wrong_anyway_is_not_judged_for_a_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(TOO_NEW + "vrfs: { red: { id: 0 } }\n")
    assert main(["check", "-q", "-c", str(file), "--for", "24.10"]) == ExitCode.INVALID
    assert "vpp-too-old" not in capsys.readouterr().out


@pytest.mark.parametrize("release", ["22.06", "99.01", "new", "25", ""])
def test_a_release_of_which_nothing_is_known_is_a_wrong_argument(
    release: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(TOO_NEW)
    assert main(["check", "-c", str(file), "--for", release]) == ExitCode.INVALID
    assert "vppcfg knows those from 23.06 to 26.10" in capsys.readouterr().err


@pytest.mark.usefixtures("in_folder")
def test_a_fleet_is_told_as_text_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "routers").mkdir()
    for name, mtu in (("ams1", 9000), ("fra1", 1500)):
        text = f"interfaces:\n  eth0:\n    mtu: {mtu}\n    addresses: [ 192.0.2.{int(name == 'fra1')}/31 ]\n"
        (tmp_path / "routers" / f"{name}.yaml").write_text(text)
    assert main(["check", "--fleet", "routers"]) == ExitCode.INVALID
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "routers/fra1.yaml:3:10: error: mtu is 1500, that of ams1 (ams1.yaml:3) on 192.0.2.0/31 is 9000 "
        "[fleet-link-mtu]",
        "    interfaces.eth0.mtu",
        "routers: 1 error (2 files)",
    ]
    assert main(["check", "--fleet", "routers", "--format", "json"]) == ExitCode.INVALID
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["file"], document["files"], document["errors"]) == ("routers", 2, 1)
    assert document["problems"][0]["file"] == "routers/fra1.yaml"
    (tmp_path / "routers" / "fleet.yml").write_text("accept: [ { rule: fleet-link-mtu } ]\n")
    assert main(["check", "--fleet", "routers"]) == ExitCode.DONE
    assert capsys.readouterr().out == "routers: no problems (2 files)\n"
    (tmp_path / "routers" / "fra1.yaml").write_text("interfaces: 1\n")
    assert main(["check", "--fleet", "routers"]) == ExitCode.INVALID
    assert "not looked for, because of the errors in fra1.yaml" in capsys.readouterr().err


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize("words", [["-c", "good.yaml"], ["--show-merged"]])
def test_a_fleet_goes_without_what_is_for_one_router(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--fleet", ".", *words]) == ExitCode.INVALID
    assert "--fleet goes without" in capsys.readouterr().err


NEWER = "interfaces:\n  eth0:\n    gso: true\n"


@pytest.mark.parametrize(
    ("words", "code", "first"),
    [
        (["--for", "24.10"], ExitCode.INVALID, "new.yaml:3:"),
        (["--for", "25.06"], ExitCode.DONE, ""),
        (["--for", "25.06.0-1~g0123456"], ExitCode.DONE, ""),
        (["--for", "26.10-rc0~35-gaf4046134"], ExitCode.DONE, ""),
        (["--for", "24.10-acme"], ExitCode.INVALID, "notice: 24.10-acme is no release of VPP, "),
        (["--for", "25.04"], ExitCode.INVALID, "notice: there is no VPP 25.04; it is judged as 25.02, the one before"),
        (["--for", "27.02", "--assume", "26.10"], ExitCode.DONE, "notice: this is an assumption: VPP 27.02 "),
        (
            ["--for", "27.02", "--assume", "24.10"],
            ExitCode.INVALID,
            "notice: this is an assumption: VPP 27.02 is newer",
        ),
    ],
)
def test_a_release_is_judged_as_one_that_is_known(
    words: list[str], code: ExitCode, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new.yaml").write_text(NEWER)
    assert main(["check", "-q", "-c", str(tmp_path / "new.yaml"), *words]) == code
    shown = capsys.readouterr().out.replace(f"{tmp_path}/", "")
    assert shown.startswith(first) and bool(shown) == bool(first)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--for", "27.02"], "VPP 27.02 is newer than what vppcfg knows"),
        (["--for", "22.02"], "nothing is known of VPP 22.02"),
        (["--for", "soon"], "'soon' is no version of VPP such as 24.10"),
        (["--for", "27.02", "--assume", "27.06"], "nothing is known of VPP 27.06"),
        (["--for", "24.10", "--assume", "26.10"], "--assume is for a release that is newer than 26.10"),
        (["--assume", "26.10"], "--assume goes with --for"),
    ],
)
@pytest.mark.usefixtures("in_folder")
def test_a_release_of_which_nothing_is_known_is_refused(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "-c", "good.yaml", *words]) == ExitCode.INVALID
    shown = capsys.readouterr().err
    assert text in shown
    assert "23.06" in shown or "--for" in shown or "26.10" in shown


@pytest.mark.usefixtures("in_folder")
def test_json_says_what_a_release_was_judged_as(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "-q", "-c", "good.yaml", "--for", "25.04", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["release"], document["is_valid"]) == ("25.02", True)
    assert document["remarks"] == ["there is no VPP 25.04; it is judged as 25.02, the one before"]
