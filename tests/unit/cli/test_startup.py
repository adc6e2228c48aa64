"""`vppcfg host` and `vppcfg startup` as commands: what they write, where, and what they refuse."""

import argparse
import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from tests.hosts.trees import grow
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.dataplane import RunningVpp
from vppcfg.startup.running import COMMANDS

CONFIG = """\
interfaces:
  GigabitEthernet1/0/0: { lcp: e1 }
  GigabitEthernet3/0/0: { lcp: e3 }
dataplane:
  cpu: { main-core: 0, workers: 1, isolate: [ 1, 2, 3 ] }
"""
FILES = ("etc/vpp/startup.conf", "etc/default/grub.d/60-vppcfg.cfg", "etc/sysctl.d/80-vppcfg.conf")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return grow("fitlet2", tmp_path / "machine")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    return path


class Command:
    """Runs `vppcfg startup` for one configuration and machine, and keeps what it wrote."""

    def __init__(self, config: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._options = ["startup", "-c", str(config), "--root", str(root), "-a", "/nonexistent"]
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *options: str) -> int:
        self._capsys.readouterr()
        code = main([*self._options, *options])
        self.out, self.err = self._capsys.readouterr()
        return code


@pytest.fixture
def startup(config: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(config, root, capsys)


def test_it_shows_startup_conf_unless_told_otherwise(startup: Command) -> None:
    assert startup("--vpp-version", "23.06") == 0
    assert "\nunix {\n" in startup.out
    assert "corelist-workers 1\n" in startup.out
    assert startup("--file", "kernel") == 0
    assert "isolcpus=domain,managed_irq,1-3 nohz_full=1-3 rcu_nocbs=1-3 irqaffinity=0 " in startup.out
    assert startup("--file", "sysctl") == 0
    assert "vm.nr_hugepages=" in startup.out


def test_every_value_is_explained_within_80_columns(startup: Command) -> None:
    assert startup("--explain") == 0
    explained = startup.out.partition("\n/etc/default")[0].splitlines()
    assert "cpu.main-core = 0  (file)" in explained
    assert "    max(1G, 512M + 1K x 10000 routes), in steps of 64M" in explained
    assert max(len(line) for line in explained if line.startswith("    ")) <= 80


def test_files_are_written_below_a_directory(startup: Command, tmp_path: Path) -> None:
    assert startup("--output-dir", str(tmp_path / "out")) == 0
    assert sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.c*")) == sorted(FILES)
    assert "to put in force: `update-grub` and a reboot" in startup.out


def test_an_installation_keeps_the_former_file_and_its_mode(startup: Command, root: Path) -> None:
    existing = root / FILES[0]
    existing.parent.mkdir(parents=True)
    existing.write_text("# mine\nunix { nodaemon cli-history-limit 7 }\n")
    existing.chmod(0o640)
    assert startup("--install") == 0
    assert existing.with_name("startup.conf.old").read_text() == "# mine\nunix { nodaemon cli-history-limit 7 }\n"
    assert "# mine\nunix {\n" in existing.read_text()
    assert "  cli-history-limit 7\n" in existing.read_text()
    assert stat.S_IMODE(existing.stat().st_mode) == 0o640
    assert "+ cpu main-core 0" in startup.out


def test_the_operators_own_file_stays_however_often_others_take_its_place(startup: Command, root: Path) -> None:
    existing = root / "etc/vpp/startup.conf"
    existing.parent.mkdir(parents=True, exist_ok=True)
    existing.write_text("# mine\nunix { nodaemon }\n")
    texts = ["# mine\nunix { nodaemon }\n"]
    for number in range(3):
        assert startup("--install") == 0
        texts.append(existing.read_text())
        existing.write_text(f"# {number}\nunix {{ nodaemon }}\n")
        texts.append(existing.read_text())
    assert startup("--install") == 0
    assert existing.with_name("startup.conf.orig").read_text() == texts[0]
    assert existing.with_name("startup.conf.old").read_text() == texts[-1]


def test_a_link_is_replaced_and_never_written_through(
    startup: Command, root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    existing = root / "etc/vpp/startup.conf"
    existing.parent.mkdir(parents=True, exist_ok=True)
    elsewhere, victim = tmp_path / "elsewhere", tmp_path / "victim"
    elsewhere.write_text("# mine\nunix { nodaemon }\n")
    victim.write_text("untouched\n")
    existing.unlink(missing_ok=True)
    existing.symlink_to(elsewhere)
    existing.with_name("startup.conf.old").symlink_to(victim)
    assert startup("--install") == 0
    assert (elsewhere.read_text(), victim.read_text()) == ("# mine\nunix { nodaemon }\n", "untouched\n")
    assert not existing.is_symlink()
    assert not existing.with_name("startup.conf.old").is_symlink()
    assert existing.with_name("startup.conf.old").read_text() == "# mine\nunix { nodaemon }\n"
    assert "was a link" in startup.err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_installed_file_keeps_owner_group_mode_and_attributes(startup: Command, root: Path) -> None:
    existing = root / "etc/vpp/startup.conf"
    existing.parent.mkdir(parents=True, exist_ok=True)
    existing.write_text("# mine\nunix { nodaemon }\n")
    os.chown(existing, 12345, 23456)
    existing.chmod(0o660)
    names = []
    with suppress(OSError):  # not every file system has them
        os.setxattr(existing, "user.origin", b"site")
        names = ["user.origin"]
    assert startup("--install") == 0
    for path in (existing, existing.with_name("startup.conf.old")):
        status = path.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o660)
        assert [name for name in os.listxattr(path) if name.startswith("user.")] == names


def test_installed_files_are_on_the_disk_before_they_take_their_place(
    startup: Command, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    sync, replace = os.fsync, os.replace

    def fsync(descriptor: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def put(source: str, target: str) -> None:
        calls.append("replace")
        replace(source, target)

    monkeypatch.setattr("os.fsync", fsync)
    monkeypatch.setattr("os.replace", put)
    assert startup("--install") == 0
    assert calls
    assert calls == ["file", "replace", "folder"] * (len(calls) // 3)


def test_a_second_installation_writes_nothing(startup: Command, root: Path) -> None:
    assert startup("--install") == 0
    before = {name: (root / name).stat().st_mtime_ns for name in FILES}
    assert startup("--install") == 0
    assert {name: (root / name).stat().st_mtime_ns for name in FILES} == before
    assert startup.out.count("as it should be") == 3
    assert "to put in force: nothing" in startup.out
    assert not list(root.rglob("*.old"))


def test_replacing_takes_over_nothing(startup: Command, root: Path) -> None:
    existing = root / FILES[0]
    existing.parent.mkdir(parents=True)
    existing.write_text("unix { { broken\n")
    assert startup("--install", "--replace") == 0
    assert "broken" not in existing.read_text()
    assert existing.with_name("startup.conf.old").read_text() == "unix { { broken\n"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("unix {\n\n nodaemon", ":1:6: error: the braces of unix that open here are never closed [conf-unclosed]"),
        ("unix { nodaemon }\nheapsize 1G", ":2:1: error: VPP has had no `heapsize` since 26.02"),
        ("x" * 300_000 + " 1", "[conf-too-large]"),
    ],
    ids=["unbalanced", "removed", "large"],
)
def test_a_file_that_cannot_be_updated_stays(startup: Command, root: Path, text: str, rule: str) -> None:
    existing = root / FILES[0]
    existing.parent.mkdir(parents=True)
    existing.write_text(text)
    for option in ("--install", "--diff"):
        assert startup(option) == 3
        assert rule in startup.err
        assert existing.read_text() == text
        assert [name for name in FILES if (root / name).exists()] == [FILES[0]]


def test_a_difference_is_one_of_meaning_and_has_a_cost(startup: Command, root: Path) -> None:
    assert startup("--diff", "--detailed-exitcode") == 2
    assert startup("--install") == 0
    conf, kernel, sysctl = (root / name for name in FILES)
    conf.write_text(conf.read_text().replace("main-heap-size 1G", "main-heap-size 1024M # much"))
    assert startup("--diff", "--detailed-exitcode") == 0
    assert "to put in force: nothing" in startup.out
    sysctl.write_text(sysctl.read_text().replace("vm.nr_hugepages=", "vm.nr_hugepages=9"))
    assert startup("--diff", "--detailed-exitcode") == 2
    assert "to put in force: `sysctl --system`" in startup.out
    conf.write_text(conf.read_text().replace("main-core 0", "main-core 3"))
    assert startup("--diff") == 0
    assert "  ~ cpu main-core: 3 -> 0\n" in startup.out
    assert "to put in force: a restart of VPP" in startup.out
    kernel.write_text(kernel.read_text().replace("nohz_full=1-3 ", ""))
    assert startup("--diff") == 0
    assert "  + nohz_full 1-3\n" in startup.out
    assert "to put in force: `update-grub` and a reboot" in startup.out


def test_what_is_kept_is_judged_with_the_machine_too(startup: Command, root: Path) -> None:
    assert startup("--install") == 0
    assert startup("--diff") == 0
    assert "as it would be" not in startup.err
    conf = root / FILES[0]
    conf.write_text(conf.read_text().replace("dpdk {", "dpdk {\n  uio-driver vfio-pci"))
    assert startup("--diff") == 0
    assert "as it would be:" in startup.err
    assert "vfio-pci needs an IOMMU" in startup.err


def test_the_running_kernel_is_looked_at_too(startup: Command) -> None:
    assert startup("--diff") == 0
    assert "the running kernel was started without: isolcpus=domain,managed_irq,1-3 " in startup.out


def test_an_error_leaves_everything_alone(startup: Command, config: Path, root: Path, tmp_path: Path) -> None:
    config.write_text(CONFIG.replace("workers: 1", "workers: 9"))
    assert startup("--output-dir", str(tmp_path / "out")) == 3
    assert "[cpu-too-few]" in startup.err
    assert not (tmp_path / "out").exists()
    assert startup("-o", str(tmp_path / "file")) == 3
    assert not (tmp_path / "file").exists()


def test_a_machine_can_be_planned_for_elsewhere(
    startup: Command, config: Path, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert startup() == 0
    there = startup.out
    inventory = tmp_path / "host.json"
    assert main(["host", "--root", str(root), "-o", str(inventory)]) == 0
    capsys.readouterr()
    assert main(["startup", "-c", str(config), "--host", str(inventory)]) == 0
    assert capsys.readouterr().out == there


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--vpp-version", "soon"], "'soon' is no version of VPP"),
        (["--vpp-version", "20.09"], "older than the oldest"),
        (["--diff", "--install"], "not allowed with argument"),
        (["--detailed-exitcode"], "goes with --diff"),
        (["--install", "-o", "x"], "-o goes with what is shown"),
        (["--file", "grub"], "invalid choice"),
        (["--verify"], "/nonexistent"),
    ],
)
def test_wrong_usage_is_said(startup: Command, options: list[str], words: str) -> None:
    assert startup(*options) == (4 if options == ["--verify"] else 3)
    assert words in startup.err
    assert startup.out == ""


@pytest.mark.parametrize("option", ["--install", "--diff", "--verify"])
def test_another_machine_has_nothing_installed_here(
    option: str, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["startup", "-c", str(config), "--host", str(tmp_path / "host.json"), option]) == 3
    assert "--host is about another machine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "its JSON ends in line 1, in the middle of the document"),
        (b"[" * 100_000, "host.json"),
        (b"\xff\xff", "is no text"),
        (b'{"format_version": 1, "cpus": [{"id": 0, "node": -3}]}', "negative"),
        (b"{}", "no inventory of a machine"),
    ],
)
def test_an_inventory_that_is_none_is_refused(
    content: bytes, words: str, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(content)
    assert main(["startup", "-c", str(config), "--host", str(path)]) == 3
    assert words in capsys.readouterr().err


def test_a_directory_without_a_machine_is_refused(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["startup", "-c", str(config), "--root", str(tmp_path)]) == 3
    assert "there is no machine below" in capsys.readouterr().err
    assert main(["host", "--root", str(tmp_path / "none")]) == 3
    assert "is no directory" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_named(startup: Command, root: Path) -> None:
    (root / "etc/vpp").write_text("a file where a directory belongs")
    assert startup("--install") == 3
    assert "etc/vpp/startup.conf: Not a directory" in startup.err


def test_a_machine_is_shown_for_people(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "--root", str(root)]) == 0
    shown = capsys.readouterr().out
    assert "CPUs: 0-3 usable, 4 cores\n" in shown
    assert "  0000:01:00.0 8086:1539: driver igb, enp1s0 in Linux, NUMA node unknown\n" in shown
    assert main(["host", "--root", str(root), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["format_version"] == 1


def test_what_could_not_be_read_is_logged(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "sys/devices/system/cpu/isolated").write_text("all")
    assert main(["host", "--root", str(root)]) == 0
    assert "'all' is no list of CPUs" in capsys.readouterr().err


def test_the_release_is_that_of_the_running_vpp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The machine under test is the real one here, because only that can have a running VPP."""
    from vppcfg.cli import startup
    from vppcfg.vpp import running

    config, socket = tmp_path / "config.yaml", tmp_path / "api.sock"
    config.write_text("dataplane: { unix: { gid: root } }\n")
    socket.touch()
    shown = dict.fromkeys(COMMANDS, "")
    monkeypatch.setattr(running, "read_running", lambda *_, **__: RunningVpp(version="23.10-rc0~1", shown=shown))
    assert startup._is_live(argparse.Namespace(host=None, root="/"))
    assert main(["startup", "-c", str(config), "-a", str(socket)]) in (0, 3)
    assert "VPP version is 23.10-rc0~1\n" in capsys.readouterr().err


def test_a_vpp_that_does_not_answer_is_done_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, socket = tmp_path / "config.yaml", tmp_path / "api.sock"
    config.write_text("dataplane: { unix: { gid: root } }\n")
    socket.touch()
    assert main(["startup", "-c", str(config), "-a", str(socket)]) in (0, 3)
    err = capsys.readouterr().err
    assert "[WARNING ] root.main: " in err
    assert "Writing for VPP 26.10, the newest known" in err


def test_what_cannot_be_installed_is_explained_all_the_same(startup: Command, root: Path) -> None:
    group = root / "etc" / "group"
    group.write_text("".join(line for line in group.read_text().splitlines(True) if not line.startswith("vpp:")))
    assert startup() == ExitCode.INVALID
    assert startup.out == ""
    assert startup("--explain") == ExitCode.INVALID
    assert "cpu.main-core = 0  (file)" in startup.out
    assert "[group-missing]" in startup.err
