"""Names that whoever reaches VPP's API has chosen, and files whose names are no text, through every way out."""

import json
import os
import unicodedata
from pathlib import Path

import pytest

from tests import forked
from tests.unit.cli.conftest import GI1, GI3, L3, Serve, two_ports
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp

EVIL = "e\x9b2J\u202e\u2028\x1b]0;x\x07\n[INFO    ] root.main: Applied 99 steps"
NOT_TEXT = b"r\xff\x9b.yaml"

pytestmark = pytest.mark.usefixtures("files")


def vppcfg(*words: str | bytes) -> tuple[int, str, str]:
    """Run a command line in a process of its own, whose output is UTF-8 and has nothing in it that does not show."""
    done = forked.run([os.fsdecode(word) for word in words], timeout_s=60)
    texts = done.stdout, done.stderr
    for text in texts:
        shown = text.replace("\n", "")
        assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp", "Cs"}]
        assert "internal error" not in text
        assert not any(line.startswith("[INFO    ] root.main: Applied 99") for line in text.splitlines())
    return done.returncode, *texts


@pytest.fixture
def evil(serve: Serve) -> str:
    vpp = SimulatedVpp(ports=[*two_ports(), PhysicalPort(name=EVIL), PhysicalPort(name="odd0")])
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
