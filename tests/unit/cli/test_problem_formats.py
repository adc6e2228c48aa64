"""`check` in pipelines."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vppcfg.cli.main import main
from vppcfg.cli.problem_formats import github, junit, sarif
from vppcfg.common.printable import is_harmless
from vppcfg.errors import ExitCode
from vppcfg.model.problem import Problem, Severity

FILE = "interfaces:\n  GigabitEthernet1/0/0: { mtu: 1 }\nipsec_tunnels: {}\n"
AWKWARD = Problem(
    rule="a-rule", path=(), text='100% <of> "it"\n::error::x, y: \x1b[31m', file="a,b:c&d.yaml", line=3, column=7
)
NOTICE = Problem(rule="b-rule", path=(), text="fine", severity=Severity.NOTICE)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "router.yaml").write_text(FILE)
    return str(tmp_path / "router.yaml")


@pytest.mark.parametrize("kind", ["github", "sarif", "junit"])
def test_the_exit_code_is_that_of_the_text(kind: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-q", "-c", file, "--format", kind]) == ExitCode.INVALID
    assert "ipsec_tunnels" in capsys.readouterr().out
    Path(file).write_text("interfaces: { GigabitEthernet1/0/0: {} }\n")
    assert main(["check", "-q", "-c", file, "--format", kind]) == ExitCode.DONE


def test_github_shows_each_problem_beside_its_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "-q", "-c", file, "--format", "github"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"::error file={file},line=2,col=")
    assert lines[1].startswith(f"::error file={file},line=3,col=1,title=schema-unknown-key::unknown key")


def test_nothing_in_a_problem_ends_the_command_of_a_workflow() -> None:
    assert github([AWKWARD], "x") == (
        '::error file=a%2Cb%3Ac&d.yaml,line=3,col=7,title=a-rule::100%25 <of> "it"%0A::error::x, y: \\x1b[31m\n'
    )


def test_sarif_names_rules_places_and_levels() -> None:
    run = json.loads(sarif([AWKWARD, NOTICE], "router.yaml"))["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["a-rule", "b-rule"]
    notice, error = run["results"]
    assert (notice["level"], error["level"]) == ("note", "error")
    assert "region" not in notice["locations"][0]["physicalLocation"]
    assert error["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%2Cb%3Ac%26d.yaml"},
        "region": {"startLine": 3, "startColumn": 7},
    }


def test_sarif_shows_nothing_that_drives_a_terminal() -> None:
    log = sarif([Problem(rule="a-rule", path=(), text="\x9b31m \u202e")], "router-\udcff.yaml")
    assert is_harmless(log.replace("\n", ""))
    (found,) = json.loads(log)["runs"][0]["results"]
    assert found["message"]["text"] == "\x9b31m \u202e"
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "router-%FF.yaml"


def test_junit_has_a_test_for_each_file() -> None:
    suite = ElementTree.fromstring(junit([AWKWARD, NOTICE], "router.yaml"))[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    good, bad = suite
    assert (good.get("name"), good.find("failure")) == ("router.yaml", None)
    assert "fine" in (good.findtext("system-out") or "")
    failure = bad.find("failure")
    assert failure is not None and failure.get("type") == "a-rule"
    assert ElementTree.fromstring(junit([], "router.yaml"))[0].get("tests") == "1"


def test_merged_files_have_no_place_there(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-c", file, "--show-merged", "--format", "sarif"]) == ExitCode.INVALID
    assert "--show-merged has no place" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("ipsec_tunnels", "not managed by vppcfg"),
        ("ipsec-policies", "not managed by vppcfg"),
        ("policer", "with a rate in `policers`"),
        ("ipip_tunnel", "`ipip_tunnels`"),
    ],
)
def test_no_hint_leads_from_one_thing_to_another(
    key: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "a.yaml").write_text(f"interfaces: {{ eth0: {{}} }}\n{key}: {{}}\n")
    main(["check", "-c", str(file)])
    assert said in capsys.readouterr().out


def test_files_of_several_routers_are_checked_by_themselves(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (good := tmp_path / "good.yaml").write_text("interfaces: { GigabitEthernet1/0/0: {} }\n")
    assert main(["check", "-q", str(good), str(good)]) == ExitCode.DONE
    assert capsys.readouterr().out == ""
    assert main(["check", "-q", str(good), file]) == ExitCode.INVALID
    assert capsys.readouterr().out.splitlines()[-1] == "2 files: 2 errors"
    assert main(["check", "-q", str(good), file, "--format", "json"]) == ExitCode.INVALID
    document = json.loads(capsys.readouterr().out)
    assert (document["files"], {each["file"] for each in document["problems"]}) == (2, {file})
    for more in (["-c", file], ["--fleet", str(tmp_path)]):
        assert main(["check", file, *more]) == ExitCode.INVALID
