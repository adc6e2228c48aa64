"""No name from outside becomes a path or a word of a command line, wherever it comes from.

Python itself reports what is opened, listed, made, moved, removed and started (sys.addaudithook); none of it may carry
a forged name.
"""

import io
import json
import os
import random
import shutil
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.laws.test_reader_laws import state_documents
from tests.stats_segment import StatsServer, router
from vppcfg.cli.main import main
from vppcfg.common.report_archive import pack
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.signed_document import sealed

FORGED, MEMBER = "forged-name", 4242
FORMS = (
    *("//NAME", "/NAME", "../../../../NAME", "x/../../../NAME", "./NAME/..", "NAME", "NAME/x", "NAME\x00", "-NAME"),
    *("\udcffNAME", "a\nNAME", "NAME" + "/x" * 1000, "NAME" * 400, "pid:NAME", "~NAME", "$(NAME)"),
)
EVENTS = ("open", "os.", "shutil.", "subprocess.", "pathlib.", "glob.", "tempfile.")
PLAIN = {"os.putenv", "os.unsetenv"}
RUNS = [12, pytest.param(10_000, marks=[pytest.mark.long, pytest.mark.timeout(0)])]

_seen: list[tuple[str, Any]] | None = None


def _hook(event: str, args: Any) -> None:
    if _seen is not None and event.startswith(EVENTS) and event not in PLAIN and FORGED in repr(args):
        _seen.append((event, args))


@contextmanager
def no_forged_path() -> Iterator[None]:
    """Fail when a forged name is part of a path or of a command within this context."""
    global _seen
    if not getattr(sys, "_is_watching_names", False):
        sys.addaudithook(_hook)
        sys._is_watching_names = True  # type: ignore[attr-defined]
    _seen = []
    try:
        yield
    finally:
        found, _seen = _seen, None
    assert not found


def name(dice: random.Random) -> str:
    return dice.choice(FORMS).replace("NAME", FORGED)


def archive(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", errors="surrogateescape") as packed:
        for each, content in files.items():
            member = tarfile.TarInfo(each)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return target.getvalue()


def with_forged_names(document: Any, dice: random.Random) -> Any:
    """Return a copy of plain data in which a few texts, keys included, are forged names."""
    copy = json.loads(json.dumps(document))
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            places.append((node, key))
            if isinstance(value, dict | list):
                collect(value)

    collect(copy)
    for node, key in dice.sample(places, min(len(places), 3)):
        if isinstance(node, dict) and not dice.randrange(4) and key in node:
            node[name(dice)] = node.pop(key)
        elif isinstance(node, list) or key in node:
            node[key] = name(dice)
    return copy


def reseal(path: Path, dice: random.Random) -> None:
    """Forge names in a sealed file."""
    head, _, body = path.read_bytes().partition(b"\n")
    seal = json.loads(head)
    content = with_forged_names(json.loads(body), dice)
    path.write_bytes(sealed(seal["vppcfg"], seal["format_version"], content, place=seal.get("place", "")))
    os.chown(path, MEMBER, -1)


def run(*words: str) -> None:
    assert main(list(words)) != 1, words


TEXT = b"vpp# show errors\n   Count                  Node                  Reason\n         5 ip4-input            x\n"


@pytest.mark.parametrize("count", RUNS)
def test_no_member_of_an_archive_names_a_path(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    path, config = tmp_path / "x.tgz", tmp_path / "router.yaml"
    config.write_text("interfaces: { eth0: { mtu: 1500 } }\nunmanaged: [ '*' ]\n")
    report = json.dumps({"kind": "vppcfg-report", "format_version": 1}).encode()
    before = set(os.listdir("/")) | set(os.listdir(tmp_path))
    for seed in range(count):
        dice = random.Random(f"archive {seed}")
        startup = f"unix {{ exec {name(dice).replace(chr(0), '').replace(chr(10), '')} }}\n".encode(errors="replace")
        files = {name(dice): TEXT, "box/show_errors.txt": TEXT, "box/startup.conf": startup, f"box/{name(dice)}": TEXT}
        if dice.randrange(2):
            path.write_bytes(archive(files))
        else:
            members = {"report.json": report, "state.json": b"{}", name(dice): TEXT, f"capture/{name(dice)}": TEXT}
            path.write_bytes(pack("r", members, 0))
        words = dice.choice((["tune", str(path)], ["adopt", "--from", str(path)], ["plan", "--against", str(path)]))
        with no_forged_path():
            run(*words, *(["-c", str(config)] if words[0] == "plan" else []))
        capsys.readouterr()
    assert set(os.listdir("/")) | set(os.listdir(tmp_path)) == before | {path.name, config.name}


@pytest.mark.parametrize("count", RUNS)
def test_no_state_document_names_a_path(count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents, path, config = state_documents(), tmp_path / "state.json", tmp_path / "router.yaml"
    config.write_text("interfaces: { eth0: { mtu: 1500 } }\n")
    for seed in range(count):
        dice = random.Random(f"state {seed}")
        path.write_text(json.dumps(with_forged_names(dice.choice(documents), dice)))
        command = dice.choice((["plan", "-c", str(config), "--state", str(path)], ["adopt", "--state", str(path)]))
        with no_forged_path():
            run(*command)
        capsys.readouterr()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("count", RUNS)
def test_no_journal_and_no_saved_plan_of_another_user_names_a_path(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.safe_open._is_member", lambda user, _: user == MEMBER)
    config, socket, first = tmp_path / "router.yaml", str(tmp_path / "api.sock"), tmp_path / "first"
    config.write_text("interfaces: { eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] } }\n")
    options = ["-c", str(config), "-a", socket]
    with SimulatorServer(SimulatedVpp(ports=[PhysicalPort(name="eth0")]), socket):
        run("plan", *options, "--save", str(tmp_path / "saved"))
        run("apply", *options, "--yes", "--state-dir", str(first), "--confirm", "900")
        sealed_files = [path for path in sorted(first.rglob("*.json")) if b'"sha256"' in path.read_bytes()]
        for seed in range(count):
            dice = random.Random(f"journal {seed}")
            state, plan = tmp_path / "state", tmp_path / "plan"
            shutil.copytree(first, state)
            for path in dice.sample(sealed_files, 2):
                reseal(state / path.relative_to(first), dice)
            shutil.copy(tmp_path / "saved", plan)
            reseal(plan, dice)
            words = dice.choice(
                (
                    ["history", "1", "-a", socket],
                    ["confirm", "-a", socket],
                    ["rollback", "--yes", "-a", socket],
                    ["apply", "--boot", *options],
                    ["apply", "--yes", *options],
                    ["apply", str(plan), "--yes", "-a", socket],
                )
            )
            with no_forged_path():
                run(*words, "--state-dir", str(state))
            capsys.readouterr()
            shutil.rmtree(state)
        assert main(["confirm", "-a", socket, "--state-dir", str(first)]) in {0, 5}


def test_no_answer_of_vpp_and_no_counter_names_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    socket, config, out = str(tmp_path / "api.sock"), tmp_path / "router.yaml", tmp_path / "out"
    config.write_text("interfaces: {}\n")
    forms = [form.replace("NAME", FORGED)[:60] for form in FORMS if "\udcff" not in form and "\0" not in form]
    ports = [PhysicalPort(name=form) for form in dict.fromkeys(forms)]
    counters = router(**{f"err/{each}": 7 for each in forms}) | {"/if/names": forms}
    with (
        StatsServer(tmp_path / "stats.sock", counters),
        SimulatorServer(SimulatedVpp(ports=ports), socket),
        no_forged_path(),
    ):
        state = ("--state-dir", str(tmp_path / "state"))
        run("plan", "-a", socket, "-c", str(config), *state)
        run("dump", "-a", socket, *state)
        run("apply", "-a", socket, "-c", str(config), "--yes", *state)
        run("rollback", "-a", socket, "--yes", *state)
        run("report", "-a", socket, "-c", str(config), "--no-log", "--no-capture", "-o", str(out), *state)
        run("tune", "capture", str(tmp_path / "capture"), "-a", socket, "--interval", "1", "--readings", "1")
        run("verify", "-a", socket, "--once", *state)
        run("top", "-a", socket, "--once", "--interval", "0.5")
        run("watch", "-a", socket, "-c", str(config), "--once", *state)
    capsys.readouterr()
