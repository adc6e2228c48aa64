"""Names that whoever reaches VPP's API has chosen, and files whose names are no text, through every way out."""

import json
import os
import unicodedata
from pathlib import Path

import pytest

from tests import forked
from tests.stats_segment import StatsServer, router
from tests.unit.cli.conftest import GI1, GI3, L3, Serve, two_ports
from vppcfg.common.report_archive import report_in
from vppcfg.simulator.command_line import CommandLine
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.stats import Value
from vppcfg.simulator.vpp import SimulatedVpp

EVIL = "e\x9b2J\u202e\u2028\x1b]0;x\x07\n[INFO    ] root.main: Applied 99 steps"
NOT_TEXT = b"r\xff\x9b.yaml"

EVERY_COMMAND = """\
as plan -c l3.yaml --html page.html
as plan -c l3.yaml --save saved.plan
as apply -c l3.yaml --yes
as apply -c hooked.yaml --yes
as history -v
as history 1
as history 1 --file
as history --format json
as diff 1
as rollback --yes
as verify --once
as watch --once -c hooked.yaml -o watched --format json
at metrics --once
ast top --once --interval 0.5 --page drops
ast top --once --interval 0.5 --json
at tune capture captured --readings 2 --interval 0.2
- tune --from captured --format html -o tuned.html
astr report -c evil.yaml -o report.tar.gz --readings 2 --interval 0.2 --no-log
- tune --from report.tar.gz --format json
as adopt --from commands -o written.yaml --rest written.rest
as adopt --from evil.yaml -o migrated.yaml
as adopt --from evil.yaml --from commands -o merged.yaml --rest merged.rest
a rest commands
"""
"""Each behind the letters of what it is told too: the API, the folder of states, the counters (t), the root."""

pytestmark = pytest.mark.usefixtures("files")


def vppcfg(*words: str | bytes) -> tuple[int, str, str]:
    """Run a command line in a process of its own, whose output is UTF-8 and has nothing in it that does not show."""
    done = forked.run([os.fsdecode(word) for word in words], timeout_s=60)
    texts = done.stdout, done.stderr
    for text in texts:
        assert not raw(text)
        assert "internal error" not in text
        assert not any(line.startswith("[INFO    ] root.main: Applied 99") for line in text.splitlines())
    return done.returncode, *texts


@pytest.fixture
def evil(serve: Serve) -> str:
    ports = [*two_ports(), PhysicalPort(name=EVIL), PhysicalPort(name="odd0")]
    vpp = SimulatedVpp(ports=ports, version=f"26.06-release{EVIL}")
    tables = vpp.tables
    tables.sw[tables.hw[tables.hw_by_name["odd0"]].sw_if_index].tag = EVIL.encode()[:63]
    return serve(vpp)


@pytest.mark.parametrize(
    "words",
    [
        ["dump"],
        ["dump", "--format", "json"],
        *(["plan", "-c", "l3.yaml", "--format", shape] for shape in ("cli", "diff", "json")),
        *(["watch", "--once", "-c", "l3.yaml", "--format", shape] for shape in ("text", "json", "prometheus")),
        ["apply", "-c", "l3.yaml", "--yes"],
        ["apply", "-c", "l3.yaml", "--format", "json"],
        ["apply", "-c", "bare.yaml", "--yes"],
        ["plan", "-c", "bare.yaml", "--adopt"],
    ],
    ids=" ".join,
)
def test_a_name_from_vpp_shows_and_does_nothing(evil: str, words: list[str], files: Path) -> None:
    bare = f"interfaces: {{ {GI1}: {{}}, {GI3}: {{}}, odd0: {{ mtu: 1500, description: x }} }}\nunmanaged: [ 'e*' ]\n"
    (files / "bare.yaml").write_text(bare)
    code, out, _ = vppcfg(*words, "-a", evil)
    assert code in {0, 4, 5, 10}
    if "json" in words and out:
        for line in out.splitlines() if words[0] in {"watch", "apply"} else [out]:
            json.loads(line)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--format", "text"],
        ["check", "--format", "json"],
        ["plan", "--novpp"],
        ["plan", "--format", "json"],
        ["plan", "--save", "saved"],
        ["watch", "--once", "--format", "json", "-o", "lines"],
        ["watch", "--once", "--format", "json"],
        ["watch", "--once", "--format", "text", "-o", "lines"],
        ["watch", "--once", "--format", "prometheus"],
        ["apply", "--format", "json"],
        ["apply", "--yes"],
    ],
    ids=" ".join,
)
def test_the_name_of_a_file_may_be_no_text(serve: Serve, files: Path, words: list[str]) -> None:
    name = os.fsdecode(NOT_TEXT)
    (files / name).write_text(L3)
    options = [] if words[0] == "check" or "--novpp" in words else ["-a", serve(SimulatedVpp(ports=two_ports()))]
    code, out, _ = vppcfg(*words, "-c", NOT_TEXT, *options)
    assert code in {0, 10}
    if "json" in words and "-o" not in words and out:
        for line in out.splitlines() if words[0] in {"watch", "apply"} else [out]:
            json.loads(line)
    if "-o" in words:
        (files / "lines").read_bytes().decode()
    if words[0] == "apply":
        assert vppcfg("history", "-v", *options)[0] == 0
        assert vppcfg("history", "--format", "json", *options)[0] == 0


def test_no_text_of_vpp_of_a_hook_or_of_a_source_comes_raw_out_of_any_command(
    evil: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither to standard output and error, nor into a file; and captures are read afterwards."""
    monkeypatch.setattr("vppcfg.app.capturing._PATIENCE_S", 0.1)  # the counters of this VPP stand still
    plain = CommandLine.run
    monkeypatch.setattr(CommandLine, "run", lambda *words: (plain(*words)[0], f"{plain(*words)[1]}{EVIL}\tx\r\n"))
    ports = f"interfaces: {{ {GI1}: {{ mtu: 1400 }}, {GI3}: {{ mtu: 1500 }} }}\nunmanaged: [ 'e*', odd0 ]\n"
    hook = f"hooks: {{ after-apply: [ /bin/cat, {files}/commands ] }}\n"
    described = (
        f'interfaces: {{ {GI1}: {{ mtu: 1400, description: "\\x1b\\x85" }}, {GI3}: {{ description: "a\u202eb" }} }}\n'
    )
    sources = {
        **{"l3.yaml": f"{L3}unmanaged: [ 'e*', odd0 ]\n", "hooked.yaml": ports + hook, "evil.yaml": described},
        **{"commands": f"set interface state {GI1} up\nset interface tag {GI1} \u202e\x1b\n"},
        "etc/vpp/startup.conf": "unix { nodaemon }\n# \x1b\u202e\n",
    }
    (files / "etc/vpp").mkdir(parents=True)
    for name, text in sources.items():
        (files / name).write_text(text)
    values = {
        "a": ("-a", evil),
        "s": ("--state-dir", "state"),
        "t": ("--stats-socket", "stats.sock"),
        "r": ("--root", "."),
    }
    with StatsServer(files / "stats.sock", evil_counters()):
        for line in EVERY_COMMAND.splitlines():
            options, *words = line.split()
            more = [word for letter in options.strip("-") for word in values[letter]]
            code, _, said = vppcfg(*words, *more)
            assert code in {0, 4, 10}, (line, said)
    written = [path for path in files.rglob("*") if path.is_file() and str(path.relative_to(files)) not in sources]
    texts = {str(path): path.read_bytes() for path in written if path.suffix not in {".gz", ".reserve"}}
    texts |= {f"report: {name}": content for name, content in (report_in("report.tar.gz") or {}).items()}
    assert "report: etc/vpp/startup.conf" in texts
    assert {"captured", "000002"} <= {part for path in written for part in path.parts}
    for name, content in texts.items():
        assert (name, raw(content.decode().replace("\t", ""))) == (name, [])


@pytest.mark.parametrize("words", [["adopt"], ["tune", "capture", "captured", "--readings", "2", "--interval", "0.2"]])
def test_a_name_begins_no_command_at_the_prompt(
    serve: Serve, files: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """VPP runs each line of a text as a command; of one line it refuses what is too much."""
    plain, asked = CommandLine.run, list[str]()

    def run(prompt: CommandLine, text: str) -> tuple[int, str]:
        asked.append(text)
        return plain(prompt, text)

    monkeypatch.setattr(CommandLine, "run", run)
    name = f"{GI1}\ncreate loopback interface instance 77"
    assert vppcfg(*words, "-a", serve(SimulatedVpp(ports=[*two_ports(), PhysicalPort(name=name)])))[0] in {0, 4}
    assert any("instance 77" in text for text in asked)
    assert not any("\n" in text for text in asked)


def raw(text: str) -> list[str]:
    """Return what in the lines of a text does not show."""
    return [char for char in text if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Cs"}]


def evil_counters() -> dict[str, Value]:
    names = ["local0", GI1, GI3, EVIL, "odd0"]
    counters: dict[str, Value] = {"/if/names": names, f"/err/{EVIL}/{EVIL}": [[0, 5], [0, 7]]}
    counters |= {f"/if/{each}": [[(0, 0)] * 5, [(0, 0), (9, 540), (1, 1), (2, 2), (3, 3)]] for each in ("rx", "tx")}
    errors = ("drops", "punt", "rx-miss", "rx-no-buf", "rx-error", "tx-error")
    return (
        router()
        | counters
        | {f"/if/{each}": [[0] * 5, [1, 2, 3, 4, 5]] for each in errors}
        | {"/sys/node/names": [EVIL, "x"]}
    )
