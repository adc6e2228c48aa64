"""Where the group `vpp` ends: its members drive VPP, and nothing that they can write acts on the machine as root.

docs/security.md has the table. Root and a member work on the same simulated VPP; the member is a process with an id of
its own.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.forked import Child, _become
from tests.wireguard_keys import PUBLIC, key_file
from vppcfg.app import booting, deadline, loading, rollback
from vppcfg.app.target import Target
from vppcfg.cli.main import main
from vppcfg.common.documents import plain
from vppcfg.errors import ExitCode, StorageError
from vppcfg.model.attachment import Attachment
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction import folders, safe_open, watchdog
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.entry_folders import EntryFolders
from vppcfg.transaction.folders import create_folder, folder_name
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.process import identity_of
from vppcfg.transaction.signed_document import sealed

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
MEMBER, GROUP = 4242, 4243


class Place:
    """A VPP, its journal, and a folder of each of the two."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.top, self._capsys = top, capsys
        self.socket, self.state, self.ran = str(top / "api.sock"), top / "state", top / "out" / "ran"
        self.roots, self.members = top / "root", top / "member"
        for folder, user, mode in ((top, 0, 0o755), (self.roots, 0, 0o755), (self.members, MEMBER, 0o755)):
            folder.mkdir(exist_ok=True)
            folder.chmod(mode)
            os.chown(folder, user, GROUP)
        self.ran.parent.mkdir()
        self.ran.parent.chmod(0o777)
        for folder in (self.state, top / "run"):
            create_folder(folder)

    @property
    def journal(self) -> Path:
        return self.state / folder_name(self.socket)

    def write(self, folder: Path, name: str, mtu: int, **sections: Any) -> Path:
        """Write a configuration as the owner of the folder."""
        path = folder / name
        path.write_text(json.dumps({"interfaces": {"eth0": {"mtu": mtu}}, **sections}))
        os.chown(path, folder.stat().st_uid, -1)
        return path

    def hooked(self, folder: Path, name: str, mtu: int, event: str = "after-apply") -> Path:
        command = ["/bin/sh", "-c", f"echo {event} >> {self.ran}"]
        return self.write(folder, name, mtu, hooks={event: command})

    def root(self, *words: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = main([*words, *self._options(words)])
        said = self._capsys.readouterr()
        return code, said.out + said.err

    def member(self, *words: str) -> tuple[int, str]:
        with tempfile.TemporaryFile() as out:
            child = Child([*words, *self._options(words)], out, out)
            with suppress(subprocess.TimeoutExpired):
                child.wait(20)
            out.seek(0)
            assert child.returncode is not None, out.read()
            return child.returncode, out.read().decode()

    def _options(self, words: tuple[str, ...]) -> list[str]:
        yes = ["--yes"] if words[0] in {"apply", "rollback"} else []
        return [*yes, "-a", self.socket, "--state-dir", str(self.state)]


@pytest.fixture
def place(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(folders, "group_id", lambda: GROUP)
    monkeypatch.setattr("vppcfg.app.saved_plans.group_id", lambda: GROUP)
    monkeypatch.setattr(safe_open, "_is_member", lambda user, group: user == MEMBER and group == GROUP)
    with tempfile.TemporaryDirectory() as name:
        monkeypatch.setenv("VPPCFG_RUN_DIR", f"{name}/run")
        found = Place(Path(name), capsys)
        with SimulatorServer(SimulatedVpp(ports=[PhysicalPort(name="eth0")]), found.socket):
            os.chown(found.socket, -1, GROUP)
            Path(found.socket).chmod(0o660)
            monkeypatch.setattr("tests.forked._become", _become_member)
            yield found


def _wireguard(key: Path) -> dict[str, Any]:
    tunnel = {"local": "192.0.2.1", "port": 51820, "private-key-file": str(key), "public-key": PUBLIC[0]}
    return {"interfaces": {"eth0": {}, "wg0": {}}, "wireguards": {"wg0": tunnel}}


def _become_member(*command: Any) -> None:
    os.setgroups([GROUP])
    os.setgid(GROUP)
    os.setuid(MEMBER)
    _become(*command)


def test_both_work_on_one_journal(place: Place) -> None:
    a, b = place.write(place.roots, "a.yaml", 1400), place.write(place.members, "b.yaml", 1500)
    assert place.root("apply", "-c", str(a))[0] == ExitCode.DONE
    code, said = place.member("apply", "-c", str(b))
    assert code == ExitCode.DONE, said
    assert place.root("rollback")[0] == ExitCode.DONE
    code, said = place.member("rollback", "1")
    assert code == ExitCode.DONE, said
    assert {path.stat().st_mode & 0o7777 for path in place.journal.iterdir()} == {0o2770}


@pytest.mark.parametrize("command", ["plan", "apply", "plan --html", "plan --format json"])
def test_what_is_run_is_said_before(place: Place, command: str) -> None:
    file = place.hooked(place.roots, "a.yaml", 1400)
    words = command.split() + ([str(place.top / "page.html")] if "html" in command else [])
    code, said = place.root(*words, "-c", str(file))
    assert code == ExitCode.DONE
    shown = (place.top / "page.html").read_text() if "html" in command else said
    assert "after-apply" in shown
    assert f"echo after-apply &gt;&gt; {place.ran}" in shown or f"echo after-apply >> {place.ran}" in shown
    assert place.ran.exists() == (command == "apply")


def test_no_file_that_a_member_can_write_runs_anything_as_root(place: Place) -> None:
    theirs = place.hooked(place.members, "b.yaml", 1400)
    ours = place.hooked(place.roots, "a.yaml", 1400)
    os.chown(ours, -1, GROUP)
    ours.chmod(0o664)
    linked = place.roots / "linked.yaml"
    linked.symlink_to(theirs)
    below = place.roots / "shared"
    below.mkdir()
    below.chmod(0o777)
    for file in (theirs, ours, linked, place.hooked(below, "c.yaml", 1400)):
        for words in (["apply"], ["plan"]):
            code, said = place.root(*words, "-c", str(file))
            assert code == ExitCode.REFUSED, said
            assert "its after-apply would act on this machine" in said
    assert not place.ran.exists()
    assert place.member("apply", "-c", str(theirs))[0] == ExitCode.DONE
    assert place.ran.stat().st_uid == MEMBER


@pytest.mark.parametrize("kind", ["file", "folder", "file beside a pipe", "file that becomes a pipe"])
def test_who_may_exchange_what_is_named_has_written_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mine, named, extra = place.hooked(place.roots, "a.yaml", 1400), place.members / "b.yaml", []
    if kind == "folder":
        named = place.members / "conf.d"
        named.mkdir()
        os.chown(named, MEMBER, GROUP)
        (named / "a.yaml").symlink_to(mine)
    elif kind == "file":
        named.symlink_to(mine)
    else:
        place.hooked(place.members, "b.yaml", 1400)
        if kind == "file that becomes a pipe":
            mine = place.roots / "pipe"
            os.mkfifo(mine, 0o600)
        else:
            end, other = os.pipe()
            os.write(other, b"{}")
            os.close(other)
            extra = ["-c", f"/dev/fd/{end}"]
        load = loading.load_configuration

        def loaded_and_exchanged(*words: Any) -> Any:
            found = load(*words)
            named.unlink()
            named.symlink_to(mine)
            return found

        monkeypatch.setattr("vppcfg.app.applying.load_configuration", loaded_and_exchanged)
    code, said = place.root("apply", *extra, "-c", str(named))
    assert (code, place.ran.exists()) == (ExitCode.REFUSED, False), said


def test_nothing_of_a_member_becomes_roots_by_a_copy(place: Place) -> None:
    file = place.write(place.members, "b.yaml", 1400, checks=[{"command": ["touch", str(place.ran)]}])
    installed, plan = place.roots / "router.yaml", place.roots / "plan"
    assert place.root("apply", "-c", str(file), "--install-as", str(installed))[0] == ExitCode.REFUSED
    file = place.write(place.members, "b.yaml", 1400, **_wireguard(key_file(place.roots, 0)))
    assert place.root("plan", "-c", str(file), "--save", str(plan))[0] == ExitCode.REFUSED
    assert not installed.exists()
    assert not plan.exists()


@pytest.mark.parametrize("section", ["checks", "routing", "keys"])
def test_nor_checks_daemons_and_keys(place: Place, section: str) -> None:
    key = key_file(place.roots, 0)
    sections: dict[str, dict[str, Any]] = {
        "checks": {"checks": [{"command": ["touch", str(place.ran)]}]},
        "routing": {"routing": {"bird": {"file": "/etc/vpp/bird.conf", "startup": str(place.ran)}}},
        "keys": _wireguard(key),
    }
    options = ["--check", "--confirm", "30"] if section == "checks" else []
    code, said = place.root(
        "apply", "-c", str(place.write(place.members, "b.yaml", 1400, **sections[section])), *options
    )
    assert code == ExitCode.REFUSED, said
    assert f"belongs to user id {MEMBER}" in said
    assert not place.ran.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--novpp", "--rehearse", "/nowhere"],
        ["apply", "--rehearsed", "/nowhere"],
        ["probe", "--rehearse", "/nowhere"],
    ],
)
def test_a_rehearsal_reads_no_key_for_a_member(place: Place, words: list[str]) -> None:
    wireguard = _wireguard(key_file(place.roots, 0))
    code, said = place.root(*words, "-c", str(place.write(place.members, "b.yaml", 1400, **wireguard)))
    assert (code, "which it names, is not read" in said) == (ExitCode.REFUSED, True), said
    code, said = place.root(*words, "-c", str(place.write(place.roots, "a.yaml", 1400, **wireguard)))
    assert (code, "there is no program /nowhere/bin/vpp" in said) == (ExitCode.INVALID, True), said


@pytest.mark.parametrize("whose", ["roots", "members", "a shell's"])
def test_a_pipe_is_of_who_may_write_to_it(place: Place, whose: str) -> None:
    text = place.hooked(place.roots, "a.yaml", 1400).read_bytes()
    if whose == "a shell's":
        end, other = os.pipe()
        os.write(other, text)
        os.close(other)
        name = f"/dev/fd/{end}"
    else:
        name = str(getattr(place, whose) / "pipe")
        os.mkfifo(name, 0o600)
        threading.Thread(target=Path(name).write_bytes, args=(text,), daemon=True).start()
    assert place.root("apply", "-c", name)[0] == (ExitCode.REFUSED if whose == "members" else ExitCode.DONE)
    assert place.ran.exists() == (whose != "members")


def test_a_plan_that_a_member_saved_runs_nothing_as_root(place: Place) -> None:
    plan = place.members / "plan"
    file = place.hooked(place.members, "b.yaml", 1400)
    assert place.member("plan", "-c", str(file), "--save", str(plan))[0] == ExitCode.DONE
    code, said = place.root("plan", "--show", str(plan))
    assert (code, "runs at after-apply: /bin/sh -c" in said) == (ExitCode.REFUSED, True), said
    code, said = place.root("apply", str(plan))
    assert code == ExitCode.REFUSED
    assert not place.ran.exists()
    assert place.root("plan", "-c", str(file), "--save", str(place.roots / "plan"))[0] == ExitCode.REFUSED
    plain = place.write(place.members, "c.yaml", 1300)
    os.mkfifo(place.members / "pipe")
    assert place.member("plan", "-c", str(plain), "--save", str(plan))[0] == ExitCode.DONE
    assert place.root("apply", str(plan))[0] == ExitCode.DONE


def test_a_way_back_and_a_boot_run_nothing_of_a_member(place: Place) -> None:
    for mtu, event in ((1400, "after-boot"), (1300, "after-rollback")):
        assert place.member("apply", "-c", str(place.hooked(place.members, "b.yaml", mtu, event)))[0] == ExitCode.DONE
    code, said = place.root("apply", "--boot", "-c", str(place.write(place.roots, "a.yaml", 1200)))
    assert code == ExitCode.HOOK_FAILED, said
    assert place.root("rollback")[0] == ExitCode.HOOK_FAILED
    assert place.root("apply", "--boot", "-c", str(place.hooked(place.members, "b.yaml", 1300, "after-boot")))[0]
    assert not place.ran.exists()


def test_an_entry_that_a_member_forged_puts_no_file_in_place(place: Place) -> None:
    target = place.roots / "router.yaml"
    target.write_text("{}")
    file = place.write(place.roots, "a.yaml", 1400)
    assert place.root("apply", "-c", str(file), "--install-as", str(target), "--confirm", "30")[0] == ExitCode.DONE
    entry = place.journal / "000001" / "entry.json"
    head, _, body = entry.read_bytes().partition(b"\n")
    seal = json.loads(head)
    content = {**json.loads(body), "install_as": str(place.roots / "other.yaml")}
    for name in os.listdir(place.roots):
        if name.startswith(".router.yaml.change"):
            (place.roots / name).rename(place.roots / name.replace("router", "other"))
    entry.unlink()
    entry.write_bytes(sealed(seal["vppcfg"], seal["format_version"], content, place=seal["place"]))
    os.chown(entry, MEMBER, GROUP)
    entry.chmod(0o640)
    place.root("confirm")
    assert not (place.roots / "other.yaml").exists()
    assert target.read_text() == "{}"


@pytest.mark.parametrize("way", ["rollback", "boot"])
def test_a_state_that_a_member_exchanged_for_a_moment_names_no_key(
    place: Place, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    for mtu in (1400, 1300):
        assert place.root("apply", "-c", str(place.write(place.roots, "a.yaml", mtu)))[0] == ExitCode.DONE
    plan, file = place.roots / "plan", place.write(place.roots, "b.yaml", 1400, **_wireguard(key_file(place.roots, 0)))
    assert place.root("plan", "-c", str(file), "--save", str(plan))[0] == ExitCode.DONE
    forged = json.loads(plan.read_bytes().partition(b"\n")[2])["desired"]
    state = place.journal / "000002" / ("before.json" if way == "rollback" else "after.json")
    kept = state.rename(state.with_name("kept"))
    state.write_bytes(sealed(f"journal {state.stem}", 1, forged, place=f"change 2 of {place.journal.name}"))
    os.chown(state, MEMBER, GROUP)
    module, name = (rollback, "_desired") if way == "rollback" else (booting, "accepted_state")
    read = getattr(module, name)

    def read_and_exchanged(*words: Any, **options: Any) -> Any:
        found = read(*words, **options)
        with suppress(FileNotFoundError):
            kept.rename(state)
        return found

    monkeypatch.setattr(module, name, read_and_exchanged)
    words = ["rollback"] if way == "rollback" else ["apply", "--boot", "-c", str(place.roots / "none")]
    code, said = place.root(*words)
    assert (code, "which it names, is not read" in said) == (ExitCode.REFUSED, True), said


@pytest.mark.parametrize("whose", [MEMBER, 0])
def test_a_state_of_a_member_sets_nothing_in_linux(place: Place, whose: int) -> None:
    assert place.root("apply", "-c", str(place.write(place.roots, "a.yaml", 1400)))[0] == ExitCode.DONE
    route = LinuxSetting(kind=LinuxKind.ROUTE, device="management", family=2, attributes=("5=c0000242",))
    in_linux = Attachment(holder="eth0", kind="route", linux=route)
    in_vpp = Attachment(holder="eth0", kind="route of the prompt")
    copy = place.state / f"{place.journal.name}.accepted"
    for file in (place.journal / "000001" / "before.json", place.journal / "000001" / "after.json", copy):
        head, body = map(json.loads, file.read_bytes().splitlines())
        (body["document"] if file == copy else body)["unmanaged"] = [plain(in_linux), plain(in_vpp)]
        file.write_bytes(sealed(head["vppcfg"], head["format_version"], body, place=head.get("place", "")))
        os.chown(file, whose, GROUP)
    journal = Journal(place.journal)
    accepted = journal.accepted()
    assert accepted is not None
    for state in (journal.before(1), journal.after(1), accepted.state()):
        assert set(state.unmanaged) == ({in_vpp} if whose == MEMBER else {in_vpp, in_linux})


def test_nor_does_a_copy_of_an_entry_that_is_gone(place: Place) -> None:
    assert place.root("apply", "-c", str(place.write(place.roots, "a.yaml", 1400)))[0] == ExitCode.DONE
    plan, file = place.roots / "plan", place.write(place.roots, "b.yaml", 1400, **_wireguard(key_file(place.roots, 0)))
    assert place.root("plan", "-c", str(file), "--save", str(plan))[0] == ExitCode.DONE
    copy = place.state / f"{place.journal.name}.accepted"
    content = json.loads(copy.read_bytes().partition(b"\n")[2])
    content["document"] = json.loads(plan.read_bytes().partition(b"\n")[2])["desired"]
    copy.unlink()
    copy.write_bytes(sealed("accepted state", 1, content))
    os.chown(copy, MEMBER, GROUP)
    shutil.rmtree(place.journal / "000001")
    code, said = place.root("apply", "--boot", "-c", str(place.roots / "none"))
    assert (code, "is not read" in said) == (ExitCode.REFUSED, True), said


def test_a_timer_ends_no_process_that_a_member_names(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "GRACE_S", 0.2)
    file = place.write(place.roots, "a.yaml", 1400)
    assert place.root("apply", "-c", str(file), "--confirm", "30")[0] == ExitCode.DONE
    entry, target = place.journal / "000001" / "entry.json", Target(api_socket=place.socket, state_dir=str(place.state))
    with subprocess.Popen(["sleep", "60"]) as victim, target.lock("a member's"):
        content = {
            **json.loads(entry.read_bytes().partition(b"\n")[2]),
            "pid": victim.pid,
            "process": identity_of(victim.pid),
        }
        entry.unlink()
        entry.write_bytes(sealed("journal entry", 1, content, place=f"change 1 of {place.journal.name}"))
        os.chown(entry, MEMBER, GROUP)
        holder = {"pid": victim.pid, "command": "vppcfg apply", "since": "", "process": ""}
        target.lock_path().write_text(json.dumps(holder))
        deadline._end_overdue(target.journal().record(1), target)
        assert victim.poll() is None
        victim.kill()
    assert place.root("rollback")[0] == ExitCode.DONE


def test_pipes_in_the_journal_end_nothing(place: Place) -> None:
    for mtu in (1400, 1300):
        assert place.root("apply", "-c", str(place.write(place.roots, "a.yaml", mtu)))[0] == ExitCode.DONE
    for name in ("outcome.spare", "hook.log", "accepted.json"):
        (place.journal / "000002" / name).unlink(missing_ok=True)
        os.mkfifo(place.journal / "000002" / name)
    reserve = place.state / f"{place.journal.name}.reserve"
    reserve.unlink()
    os.mkfifo(reserve)
    assert place.member("rollback")[0] == ExitCode.DONE


@pytest.mark.timeout(60)
def test_a_pipe_in_the_place_of_a_file_holds_no_plan_and_no_rollback_up(place: Place) -> None:
    plan, file = place.roots / "plan", place.write(place.members, "b.yaml", 1400)
    assert place.root("plan", "-c", str(file), "--save", str(plan))[0] == ExitCode.DONE
    file.unlink()
    os.mkfifo(file)
    assert place.root("plan", "--show", str(plan))[0] == ExitCode.DONE
    assert place.root("apply", str(plan))[0] == ExitCode.DONE
    assert place.root("rollback")[0] == ExitCode.DONE


def _swap(name: str, target: Path, make: Callable[..., None]) -> Callable[..., None]:
    """Return mkdir(2) beside which a member puts a link in the place of what was made."""

    def mkdir(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> None:
        make(path, *args, dir_fd=dir_fd, **options)
        if os.fspath(path).startswith(name):
            os.rmdir(path, dir_fd=dir_fd)
            os.symlink(target, path, dir_fd=dir_fd)

    return mkdir


def test_no_race_gives_a_member_a_folder_of_root(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = place.roots / "mine"
    mine.mkdir(mode=0o700)
    (mine / ".x.tmp").write_text("")
    before = (mine.stat().st_mode, mine.stat().st_gid)
    entries = EntryFolders(create_folder(place.journal))
    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", _swap("tmp-", mine, os.mkdir))
        with pytest.raises(StorageError):
            entries.create(1, {"entry.json": b"x"})
    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", _swap("new", mine, os.mkdir))
        with pytest.raises(StorageError):
            create_folder(place.state / "new")
    (place.journal / "000007").symlink_to(mine)
    entries.sweep()
    with pytest.raises(StorageError), entries.opened(7, "outcome.json"):
        raise AssertionError
    assert (mine.stat().st_mode, mine.stat().st_gid) == before
    assert os.listdir(mine) == [".x.tmp"]
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        watchdog._opened(place.journal / "000007" / "timer.log", GROUP)
    assert os.listdir(mine) == [".x.tmp"]
    with Directory.at(place.state) as folder, pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        folder.below("new").__exit__(None, None, None)


def test_a_vppcfg_in_a_hook_waits_for_the_one_that_runs_it(place: Place) -> None:
    words = f"{sys.executable} -m vppcfg rollback --yes -a {place.socket} > {place.ran} 2>&1; echo $? >> {place.ran}"
    hook = ["/bin/sh", "-c", f"PYTHONPATH={Path(__file__).parents[3]} {words}"]
    file = place.write(place.roots, "a.yaml", 1400, hooks={"after-apply": hook})
    assert place.root("apply", "-c", str(file))[0] == ExitCode.DONE
    assert place.ran.read_text().rstrip().endswith(f"\n{int(ExitCode.NOT_NOW)}"), place.ran.read_text()


def test_the_machine_starts_by_no_file_of_a_member(place: Place) -> None:
    file = place.write(place.members, "b.yaml", 1400, dataplane={})
    code = main(["startup", "--install", "--root", str(place.roots), "-c", str(file)])
    assert (code, os.listdir(place.roots)) == (ExitCode.REFUSED, [])


def test_a_large_entry_of_a_member_takes_no_memory(place: Place) -> None:
    for mtu in (1400, 1300):
        assert place.root("apply", "-c", str(place.write(place.roots, "a.yaml", mtu)))[0] == ExitCode.DONE
    os.truncate(place.journal / "000001" / "entry.json", 1 << 40)
    code, said = place.root("history")
    assert code == ExitCode.DONE
    assert "entry.json is larger than 4 MB" in said
