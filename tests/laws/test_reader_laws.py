"""No input, whatever it is, ends a reader with an internal error, keeps it busy or fills the memory.

Inputs are sound ones of each kind, cut up, joined, and mixed with what the format means something by. Some hundred are
tried each time, 20,000 of each kind among the tests that take minutes.
"""

import json
import random
import re
import resource
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.plain import cut_and_joined
from tests.hosts.trees import grow
from vppcfg.cli.main import main
from vppcfg.common.release import release_of
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.explain import explanations
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode
from vppcfg.host.inventory import read_host
from vppcfg.plan.state_document import document_of
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import conf_text
from vppcfg.startup.lint.finding import ConfSurroundings
from vppcfg.startup.lint.lint import judge
from vppcfg.transaction.signed_document import sealed

ROOT = Path(__file__).parents[1]
SEEDS, MANY = 100, 20_000
LONGEST_S, MOST_BYTES = 10.0, 256 << 20
CODES = set(ExitCode) - {ExitCode.BUG}
COUNTS = [SEEDS, pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(0)])]

Mutate = Callable[[random.Random], bytes]

YAML_TOKENS = [
    *(b"!!binary ", b"!!set ", b"!!omap ", b"!!python/tuple ", b"!x ", b"&a ", b"*a", b"<<: ", b"? ", b": ", b"- "),
    *(b"[", b"]", b"{", b"}", b"'", b'"', b"|\n", b">\n", b"#", b"%YAML 1.1\n", b"---\n", b"...\n", b"~", b"null"),
    *(b"[" * 70, b"? " * 70, b"1" + b":30" * 300, b"9" * 300, b"0x" + b"f" * 99, b".nan", b"-.inf", b"1e400", b"0777"),
    *(b"2026-01-01", b"\t", b"\n  ", b"\x00", b"\xff\xfe", b"\xc2\x9b", b"\xe2\x80\xae", b"\xf0\x9f\x99\x82", b"true"),
    *(b"interfaces:\n", b"sub-interfaces: ", b"lcp: ", b"terms: ", b"unmanaged: ", b"addresses: ", b"workers: "),
    b"-" * 99,
]
CONF_TOKENS = [
    *(b"{", b"}", b" { " * 20, b"#", b"\n", b"\x00", b"\xff", b"dpdk {", b"dev ", b"default", b"'", b"$", b"\\")
]
SHOW_TOKENS = [
    *(b"vpp# show runtime\n", b"vpp# show errors\n", b"vpp# show hardware\n", b"show buffers\n", b"nan", b"inf"),
    *(b"1e400", b"-1", b"9" * 400, b"0", b"%", b"Thread 1 vpp_wk_0 (lcore 1)\n", b"---------------\n"),
    *(b"\x1b[2J", b"\xff", b"\n"),
]
ODD_VALUES: list[Any] = [
    *(None, True, -1, 0, 2**70, 1e300, 0.5, "", "x", "\x9b\n\u202e", "9" * 5000, [], {}, [[]], {"a": {}}, [None])
]


def bytes_of(texts: list[bytes], tokens: list[bytes]) -> Mutate:
    """Return what cuts texts up, joins them and mixes tokens in."""

    return lambda dice: cut_and_joined(dice, dice.choice(texts), texts, tokens)


def with_odd_values(document: Any, dice: random.Random) -> Any:
    """Return a copy of plain data in which a few values are others, gone or added."""
    copy = json.loads(json.dumps(document))
    for _ in range(dice.randint(1, 3)):
        node, key = {"": copy}, ""
        while isinstance(node[key], dict | list) and node[key] and dice.randrange(5):
            node = node[key]
            key = dice.choice(list(node) if isinstance(node, dict) else range(len(node)))  # type: ignore[assignment]
        if key == "":
            continue
        kind = dice.randrange(4)
        if kind == 0:
            del node[key]
        elif kind == 1 and isinstance(node, dict):
            node[dice.choice(["x", "name", key + "x"])] = node[key]
        else:
            node[key] = json.loads(json.dumps(dice.choice(ODD_VALUES)))
    return copy


@contextmanager
def bounded() -> Iterator[None]:
    """Allow so much more memory within this context as a command may take."""
    former = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_BYTES, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, former)


def search(count: int, run: Callable[[random.Random], int], what: str) -> None:
    """Run so many inputs, each from a seed of its own that a failure names; a run returns an exit code."""
    with bounded():
        for seed in range(count):
            begin = time.process_time()
            code = run(random.Random(f"{what} {seed}"))
            took_s = time.process_time() - begin
            assert code in CODES, f"{what}: seed {seed} ends with {code}"
            assert took_s < LONGEST_S, f"{what}: seed {seed} takes {took_s:.1f} s"


def examples() -> list[bytes]:
    """Return the configurations that the rules are explained with, and those of the golden plans."""
    texts = [text for entry in explanations().values() for text in (entry.breaks, entry.mends) if text]
    golden = [path.read_text() for path in sorted((ROOT / "golden").glob("*/config.yaml"))]
    return [text.encode() for text in (*texts, *golden)]


@pytest.mark.parametrize("count", COUNTS)
def test_a_configuration_is_valid_or_has_problems(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mutate, path = bytes_of(examples(), YAML_TOKENS), tmp_path / "router.yaml"

    def run(dice: random.Random) -> int:
        path.write_bytes(mutate(dice))
        code = main(["check", "-c", str(path), "--format", dice.choice(["text", "json"])])
        capsys.readouterr()
        return code

    search(count, run, "configuration")


@pytest.mark.parametrize("count", COUNTS)
def test_what_is_valid_has_a_plan(count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mutate, path = bytes_of(examples(), YAML_TOKENS), tmp_path / "router.yaml"

    def run(dice: random.Random) -> int:
        data = mutate(dice)
        if parse_text(data, "fuzz").configuration is None:
            return 0
        path.write_bytes(data)
        code = main(["plan", "--novpp", "-c", str(path), "--format", dice.choice(["cli", "diff", "json"])])
        capsys.readouterr()
        return code

    search(count, run, "plan")


@pytest.mark.parametrize("count", COUNTS)
def test_a_startup_conf_is_read_and_written_or_has_problems(count: int, tmp_path: Path) -> None:
    texts = [path.read_bytes() for path in sorted((ROOT / "golden_startup").glob("*/*.conf"))]
    texts += [path.read_bytes() for path in sorted((ROOT / "golden_startup_check").glob("*.conf"))]
    mutate = bytes_of(texts, CONF_TOKENS)
    host = read_host(str(grow("two_sockets", tmp_path)))

    def run(dice: random.Random) -> int:
        release = release_of(dice.choice(["23.06", "24.10", "26.10"]))
        mutated = mutate(dice).decode(errors="surrogateescape")
        tree, problems = read_conf(mutated, release)
        judge(mutated, (release,), ConfSurroundings(host=host))
        if not problems:
            review(tree, release)
            again, found = read_conf(conf_text(tree), release)
            assert found == ()
            if not re.search(r"[{}]#", mutated):  # where old releases take it for a word, its own line is a comment
                assert conf_text(again) == conf_text(tree)
        return 0

    search(count, run, "startup.conf")


@pytest.mark.parametrize("count", COUNTS)
def test_what_vpp_printed_is_read_or_refused(count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [path.read_bytes() for path in sorted((ROOT / "tune_cases").glob("*/*.txt"))]
    typed = [b"vpp# show " + path.stem.encode() + b"\n" for path in sorted((ROOT / "tune_cases").glob("*/*.txt"))]
    sessions = [b"".join(pair) for pair in zip(typed, texts, strict=True)]
    mutate, path = bytes_of(sessions, SHOW_TOKENS), tmp_path / "session.txt"

    def run(dice: random.Random) -> int:
        path.write_bytes(b"\n".join(mutate(dice) for _ in range(dice.randint(1, 4))))
        code = main(["tune", str(path), "--format", dice.choice(["text", "json", "html"])])
        capsys.readouterr()
        return code

    search(count, run, "show text")


@pytest.mark.parametrize("count", COUNTS)
def test_a_capture_is_read_or_refused(count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = sorted({path.parent for path in (ROOT / "tune_cases").rglob("*.json")})
    assert folders

    def run(dice: random.Random) -> int:
        folder = tmp_path / "capture"
        shutil.copytree(dice.choice(folders), folder)
        for path in sorted(folder.glob("*.json")):
            if dice.randrange(3):
                try:
                    path.write_text(json.dumps(with_odd_values(json.loads(path.read_text()), dice)))
                except ValueError:
                    path.write_bytes(path.read_bytes()[: dice.randrange(1000)])
        code = main(["tune", str(folder), "--format", dice.choice(["text", "json"])])
        capsys.readouterr()
        shutil.rmtree(folder)
        return code

    search(count, run, "capture")


def state_documents() -> list[Any]:
    documents = []
    for path in sorted((ROOT / "golden").glob("*/config.yaml")):
        configuration = parse_text(path.read_text(), "golden").configuration
        if configuration is not None:
            observed = assumed_state(configuration)
            documents.append(document_of(resolve(configuration, observed).desired))
    return documents


@pytest.mark.parametrize("count", COUNTS)
def test_a_state_document_is_read_or_refused(count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents, path, config = state_documents(), tmp_path / "state.json", tmp_path / "router.yaml"
    config.write_text("interfaces: { eth0: { mtu: 1500 } }\nunmanaged: [ eth9 ]\n")

    def run(dice: random.Random) -> int:
        path.write_text(json.dumps(with_odd_values(dice.choice(documents), dice)))
        shape = dice.choice(["cli", "diff", "json"])
        code = main(["plan", "-c", str(config), "--state", str(path), "--format", shape])
        capsys.readouterr()
        return code

    search(count, run, "state document")


@pytest.mark.parametrize("count", COUNTS)
def test_a_journal_and_a_saved_plan_are_read_or_set_aside(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config, socket, first = tmp_path / "router.yaml", str(tmp_path / "api.sock"), tmp_path / "first"
    config.write_text("interfaces: { eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] } }\n")
    options = ["-c", str(config), "-a", socket]
    with SimulatorServer(SimulatedVpp(ports=[PhysicalPort(name="eth0")]), socket):
        assert main(["plan", *options, "--save", "saved"]) == 0
        assert main(["apply", *options, "--yes", "--state-dir", str(first)]) == 0
        capsys.readouterr()

        def run(dice: random.Random) -> int:
            folder = tmp_path / "state"
            shutil.copytree(first, folder)
            journal = [path for path in sorted(folder.rglob("*.json")) if b'"sha256"' in path.read_bytes()]
            for path in dice.sample(journal, dice.randint(1, len(journal))):
                damage(path, dice)
            words = dice.choice(
                [["history", "-v"], ["history", "--format", "json"], ["history", "1"], ["plan", *options]]
            )
            command = [*words, "--state-dir", str(folder)]
            if not dice.randrange(4):
                shutil.copy("saved", "damaged")
                damage(Path("damaged"), dice)
                command = ["apply", "damaged", "--yes", "-a", socket, "--state-dir", str(folder)]
            code = main([*command, *([] if words[0] == "plan" or "-a" in command else ["-a", socket])])
            capsys.readouterr()
            shutil.rmtree(folder)
            return code

        search(count, run, "journal")


def damage(path: Path, dice: random.Random) -> None:
    """Change what a sealed file says, and seal it again; its seal is a checksum and no secret."""
    head, _, body = path.read_bytes().partition(b"\n")
    if dice.randrange(4):
        seal = json.loads(head)
        content = with_odd_values(json.loads(body), dice)
        path.write_bytes(sealed(seal["vppcfg"], seal["format_version"], content))
    else:
        path.write_bytes(bytes_of([head + b"\n" + body], [b"{", b"}", b'"', b"\x00", b"\xff", b"1e400"])(dice))
