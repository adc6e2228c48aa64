"""The other JSON Schemas in docs/: each describes what its command writes, all of it, and nothing else."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.documents import record_schema
from tests.hosts.trees import grow
from tests.unit.cli.conftest import GI1, L2XC, L3, two_ports
from vppcfg.adopt.report import LineOutcome
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.problem import Problem, Severity
from vppcfg.operations.stages import Phase
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.entry import Entry, Origin, Status
from vppcfg.transaction.folders import folder_name
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.transact import Cause, Ending

DOCS = Path(__file__).resolve().parents[2] / "docs"
TESTS = DOCS.parent / "tests"
NAMES = (
    *("adopt", "apply", "capacity", "check", "dump", "history", "host", "loadtest", "plan", "startup_check"),
    "upgrade",
)
SCHEMAS: dict[str, Any] = {name: json.loads((DOCS / f"{name}.schema.json").read_text()) for name in NAMES}
REGISTRY: Registry[Any] = Registry().with_resources(
    (f"{name}.schema.json", Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
)

Write = Callable[..., str]


def is_as_described(name: str, text: str) -> Any:
    """Check a document against its schema and return it."""
    document = json.loads(text)
    Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(document)
    return document


def event_named(name: str) -> dict[str, Any]:
    found = [event for event in SCHEMAS["apply"]["oneOf"] if event["properties"]["event"]["const"] == name]
    assert len(found) == 1
    properties: dict[str, Any] = found[0]["properties"]
    return properties


@pytest.mark.parametrize("text", ["", "unix {", "heapsize 1G\nmemory { main-heap-sise 1G }\ncpu { main-core 99 }\n"])
@pytest.mark.parametrize("options", [[], ["--vpp-version", "24.10"], ["--machine"]])
def test_what_startup_check_writes(
    text: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "startup.conf"
    file.write_text(text)
    if options == ["--machine"]:
        options = ["--root", str(grow("fitlet2", tmp_path / "tree"))]
    main(["startup", "check", str(file), *options, "--format", "json"])
    document = is_as_described("startup_check", capsys.readouterr().out)
    assert document["is_valid"] == (text == "")


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def write(
    faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Write]:
    """Return what runs a command on a simulated router and returns what that wrote to standard output."""
    monkeypatch.chdir(tmp_path)
    Path("l2xc.yaml").write_text(L2XC)
    Path("l3.yaml").write_text(L3)
    with SimulatorServer(SimulatedVpp(ports=two_ports(), faults=faults), "vpp.sock"):

        def write(*words: str) -> str:
            capsys.readouterr()
            main([*words, "-a", "vpp.sock"])
            return capsys.readouterr().out

        yield write


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_and_asks_for_the_version(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert '"format_version"' in json.dumps(SCHEMAS[name]) or name == "dump"


@pytest.mark.parametrize("text", [L3, "interfaces: [", f"interfaces:\n  {GI1}:\n    l2xc: gi9\n", ""])
def test_what_check_writes(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    main(["check", "-c", str(file), "--format", "json"])
    is_as_described("check", capsys.readouterr().out)


@pytest.mark.parametrize("old", ["23.06", "26.06"])
def test_what_upgrade_writes(old: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(L3)
    words = ["--from", old, "--to", "26.06", "--root", str(tmp_path), "--report", "json"]
    main(["upgrade", "-c", str(tmp_path / "a.yaml"), *words])
    is_as_described("upgrade", capsys.readouterr().out)


@pytest.mark.parametrize("name", record_schema.SCHEMAS)
def test_a_schema_of_records_is_up_to_date(name: str) -> None:
    assert (DOCS / f"{name}.schema.json").read_text() == record_schema.text_of(name), "`make docs` writes it"


def test_what_host_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for machine in sorted((TESTS / "hosts").glob("*.tree")):
        root = grow(machine.stem, tmp_path / machine.stem)
        assert main(["host", "--root", str(root), "--format", "json"]) == ExitCode.DONE
        is_as_described("host", capsys.readouterr().out)


@pytest.mark.parametrize(
    "words",
    [["ramp", "-wd", "1", "-rd", "3", "-hd", "2"], ["search", "-o", "-"], ["latency", "-o", "-", "--duration", "1"]],
    ids=lambda words: words[0],
)
def test_what_load_tests_write(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["loadtest", *words, "--engine", "simulated", "--device", "capacity=1M", "-q"])
    is_as_described("loadtest", capsys.readouterr().out)


@pytest.mark.parametrize(
    "words",
    [
        ["--from", "fitlet2_i211_to_i210", "--ports", "1G"],
        ["--from", "fitlet2_i210_to_i211", "--from", "fitlet2_both_ways", "--ports", "1G,1G"],
        ["--from", "fitlet2_both_ways", "--seen", "fitlet2_i210_to_i211", "--add", "l2-input=0.5"],
    ],
    ids=len,
)
def test_what_tune_capacity_writes(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(TESTS / "tune_cases")
    assert main(["tune", "capacity", *words, "--format", "json"]) == ExitCode.DONE
    is_as_described("capacity", capsys.readouterr().out)


def test_what_adopt_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.vpp").write_text("nat64 plugin enable\nset interface state xe0 up\nshow version\nbogus\nlcp lcp-sync on\n")
    assert main(["adopt", "--from", "a.vpp", "-o", "a.yaml", "--report", "json", "-q"]) == ExitCode.DONE
    report = is_as_described("adopt", capsys.readouterr().out)
    assert [item["outcome"] for item in report["items"]] == ["unmanaged", "file", "no_effect", "fault", "never_ran"]
    described = SCHEMAS["adopt"]["$defs"]["item"]["properties"]["outcome"]["enum"]
    assert described == [outcome.value for outcome in LineOutcome]


def test_what_dump_writes(write: Write) -> None:
    write("apply", "-c", "l3.yaml", "-y")
    assert is_as_described("dump", write("dump", "--format", "json"))["format_version"]


@pytest.mark.parametrize("faults", [Faults(), Faults(fail_at=2), Faults(skip_at=2), Faults(die_at=3, restart_s=0.01)])
def test_what_apply_and_rollback_write(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.transaction.transact.SETTLE_S", 0.0)
    lines = [write("apply", "-c", "l3.yaml", "-y", "--format", "json"), write("rollback", "-y", "--format", "json")]
    events = [is_as_described("apply", line) for line in "".join(lines).splitlines()]
    assert {event["event"] for event in events} >= {"begin", "step", "end"}


def test_what_history_writes(write: Write, monkeypatch: pytest.MonkeyPatch, folders_of_this_test: Path) -> None:
    assert is_as_described("history", write("history", "--format", "json")) == {"format_version": 1, "changes": []}
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    write("apply", "-c", "l3.yaml", "-y", "-m", "a comment")
    write("apply", "-c", "l2xc.yaml", "-y", "--confirm=5")
    journal = Journal(folders_of_this_test / "state" / folder_name("vpp.sock"))
    for _ in range(2):
        changes = is_as_described("history", write("history", "--format", "json"))["changes"]
        assert changes[1]["timer"]["is_alive"] is True
        journal.end(journal.record(1), Status.CUT_OFF, "")
    assert [change["number"] for change in json.loads(write("history", "2", "--format", "json"))["changes"]] == [2]
    write("rollback", "-y")


def test_every_attribute_and_every_word_is_described() -> None:
    change = SCHEMAS["history"]["properties"]["changes"]["items"]["properties"]
    told = {"status", "text", "at", "timer", "begins_half_way"}
    assert set(change) ^ {field.name for field in dataclasses.fields(Entry)} == told
    assert change["origin"]["enum"] == [origin.value for origin in Origin]
    statuses = [status.value for status in Status]
    assert change["status"]["enum"] == event_named("end")["status"]["enum"] == statuses
    assert event_named("end")["state"]["enum"] == [ending.name.lower() for ending in Ending]
    assert event_named("failure")["cause"]["enum"] == [cause.name.lower() for cause in Cause]
    assert event_named("step")["phase"]["enum"] == [phase.value for phase in Phase]
    problem = SCHEMAS["check"]["properties"]["problems"]["items"]["properties"]
    assert set(problem) == {field.name for field in dataclasses.fields(Problem)}
    assert problem["severity"]["enum"] == [severity.value for severity in Severity]
