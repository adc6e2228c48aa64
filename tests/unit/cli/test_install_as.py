"""`vppcfg apply --install-as`: the file is in its place when the change is accepted, and in no other case."""

import errno
import json
import os
import signal
import stat
from pathlib import Path

import pytest

from tests.unit.cli.conftest import L2XC, L3, Serve, minutes_to_confirm
from tests.unit.cli.test_confirm import until
from tests.unit.cli.test_damaged_journal import Router
from vppcfg.app.approval import Terms
from vppcfg.app.console import Silent
from vppcfg.app.target import Target
from vppcfg.app.watching.file import WatchedFile
from vppcfg.app.watching.reconciling import reconcile
from vppcfg.cli.main import main
from vppcfg.entries.yaml.files import SourceFiles
from vppcfg.errors import ExitCode, NotNowError
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.transact import Cause, Ending, Failure, Outcome

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def router(serve: Serve, folders_of_this_test: Path, capsys: pytest.CaptureFixture[str]) -> Router:
    """Return a router that is at `router.yaml`, which is a link to a file elsewhere, and says what l2xc.yaml does."""
    os.mkdir("etc")
    Path("etc/file.yaml").write_text(L2XC)
    Path("etc/file.yaml").chmod(0o640)
    Path("router.yaml").symlink_to("etc/file.yaml")
    router = Router(serve, folders_of_this_test / "state", capsys)
    assert router.run("apply", "-c", "router.yaml")[0] == ExitCode.DONE
    return router


def there() -> str:
    """Return what the file of the router says."""
    return Path("router.yaml").read_text()


def left_beside() -> list[str]:
    """Return what else is in its folder."""
    return sorted(name for name in os.listdir("etc") if name != "file.yaml")


def restart(router: Router) -> None:
    """Restart VPP, and do what the boot service does."""
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", "router.yaml")[0] == ExitCode.DONE


def install(router: Router, *options: str) -> str:
    code, said = router.run("apply", "-c", "l3.yaml", "--install-as", "router.yaml", *options)
    assert code == ExitCode.DONE, said
    return said


def last_change(router: Router, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """Return the newest change of the history, and what `history N` says of it."""
    main(["history", "--format", "json", "-a", router.socket])
    changes: list[dict[str, object]] = json.loads(capsys.readouterr().out)["changes"]
    main(["history", str(changes[-1]["number"]), "-a", router.socket])
    return {**changes[-1], "text": capsys.readouterr().out}


def test_without_confirm_the_file_is_in_its_place_at_the_end(
    router: Router, capsys: pytest.CaptureFixture[str]
) -> None:
    before = os.stat("router.yaml")
    assert "is now the file of change 2" in install(router)
    assert (there(), left_beside()) == (L3, [])
    assert Path("router.yaml").is_symlink()
    after = os.stat("router.yaml")
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    change = last_change(router, capsys)
    assert change["source_name"] == change["install_as"] == os.path.realpath("router.yaml")
    assert "put in place when the change was accepted" in str(change["text"])
    assert router.run("watch", "--once", "-c", "router.yaml")[0] == ExitCode.DONE
    assert "is now the file" not in install(router)
    assert router.statuses() == ["applied", "applied"], "a second time there is nothing to do, nor to write down"
    restart(router)
    assert router.is_at("l3.yaml")


def test_with_confirm_the_file_waits_for_the_confirmation(router: Router, capsys: pytest.CaptureFixture[str]) -> None:
    install(router, "--confirm=5")
    assert there() == L2XC
    assert len(left_beside()) == 1
    assert "is replaced when the change is confirmed" in str(last_change(router, capsys)["text"])
    assert router.run("watch", "--once", "-c", "router.yaml")[0] == ExitCode.DRIFT
    assert router.run("confirm", "2")[0] == ExitCode.DONE
    assert (there(), left_beside()) == (L3, [])


def test_a_rollback_by_hand_or_by_the_timer_leaves_the_former_file(router: Router) -> None:
    install(router, "--confirm=5")
    assert router.run("rollback")[0] == ExitCode.DONE
    assert (there(), left_beside()) == (L2XC, [])
    assert router.statuses()[1] == "rolled back"
    install(router, "--again", f"--confirm={minutes_to_confirm()}")
    until(lambda: router.statuses()[3] == "rolled back", "rolled back")
    assert (there(), left_beside()) == (L2XC, [])
    restart(router)
    assert router.is_at("l2xc.yaml")


def test_a_change_that_fails_leaves_the_former_file(router: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Failure(cause=Cause.REFUSED)
    monkeypatch.setattr("vppcfg.app.changing.transact", lambda *_, **__: Outcome(ending=Ending.OLD, failure=refused))
    code, _ = router.run("apply", "-c", "l3.yaml", "--install-as", "router.yaml")
    assert code == ExitCode.ROLLED_BACK
    assert (there(), left_beside()) == (L2XC, [])


def test_vpp_restarted_while_a_change_waits_has_the_former_file_and_state(router: Router) -> None:
    install(router, "--confirm=5")
    restart(router)
    assert router.is_at("l2xc.yaml")
    assert (there(), left_beside()) == (L2XC, [])


def kill_oneself(*_: object, **__: object) -> None:
    """End the vppcfg that is about to do something."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed(router: Router, words: list[str]) -> None:
    """Let a process of its own carry a command out up to where it is killed."""
    pid = os.fork()
    if pid == 0:
        try:
            main([*words, "-a", router.socket])
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize("words", [["history"], ["confirm", "2"], ["apply", "--boot", "-c", "router.yaml"]])
def test_vppcfg_may_be_killed_between_the_acceptance_and_the_file(
    router: Router, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    install(router, "--confirm=5")
    with monkeypatch.context() as patch:
        patch.setattr("vppcfg.transaction.installing._put_in_place", kill_oneself)
        killed(router, ["confirm"])
    assert router.statuses() == ["applied", "confirmed"]
    assert there() == L2XC
    assert router.run(*words)[0] == ExitCode.DONE
    if words == ["history"]:
        assert there() == L2XC, "who only reads changes nothing"
        assert "not in place yet" in str(last_change(router, capsys)["text"])
        restart(router)
    assert (there(), left_beside()) == (L3, [])
    assert router.is_at("l3.yaml")


def test_vppcfg_may_be_killed_before_it_changes_anything(router: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("vppcfg.app.changing.transact", kill_oneself)
        killed(router, ["apply", "-c", "l3.yaml", "--install-as", "router.yaml", "--yes"])
    assert len(left_beside()) == 1
    assert router.run("apply", "-c", "router.yaml")[0] == ExitCode.DONE
    assert (there(), left_beside()) == (L2XC, [])


def test_what_somebody_wrote_there_meanwhile_is_kept_beside(router: Router) -> None:
    install(router, "--confirm=5")
    Path("router.yaml").write_text("# mine\n")
    assert "was edited since change 2 began" in router.run("confirm")[1]
    assert there() == L3
    assert Path("etc/file.yaml.before-change-2").read_text() == "# mine\n"


def test_a_file_that_was_not_there_is_made(router: Router) -> None:
    code, _ = router.run("apply", "-c", "l2xc.yaml", "--install-as", "etc/new.yaml")
    assert code == ExitCode.DONE, "nothing is to do but that"
    assert Path("etc/new.yaml").read_text() == L2XC
    assert stat.S_IMODE(os.stat("etc/new.yaml").st_mode) == 0o644


@pytest.mark.parametrize(
    ("name", "text"),
    [("etc", "is no regular file"), ("none/file.yaml", "there is no folder"), ("/proc/file.yaml", "put in place")],
)
def test_a_place_for_no_file_is_refused_before_anything_is_changed(router: Router, name: str, text: str) -> None:
    code, said = router.run("apply", "-c", "l3.yaml", "--install-as", name)
    assert code in {ExitCode.INVALID, ExitCode.REFUSED}
    assert text in said
    assert router.is_at("l2xc.yaml")


def test_a_file_that_cannot_be_made_ready_leaves_nothing_and_changes_nothing(
    router: Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Directory) -> None:
        if folder.path.name == "etc":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Directory, "sync", full)
    code, said = router.run("apply", "-c", "l3.yaml", "--install-as", "router.yaml")
    assert code == ExitCode.NOT_NOW
    assert "/etc/file.yaml could not be put in place when the change is accepted: No space left on device" in said
    assert (there(), left_beside()) == (L2XC, [])
    assert router.is_at("l2xc.yaml")


def test_a_boot_has_nothing_to_put_in_place(router: Router) -> None:
    code, said = router.run("apply", "--boot", "-c", "l3.yaml", "--install-as", "router.yaml")
    assert code == ExitCode.INVALID
    assert "nothing for --install-as to put in place" in said


def test_a_confirmation_says_when_the_file_cannot_be_put_in_place(router: Router) -> None:
    install(router, "--confirm=5")
    Path("etc").rename("gone")
    code, said = router.run("confirm")
    assert code == ExitCode.REFUSED
    assert "change 2 is confirmed, but its file is not in place" in said
    Path("gone").rename("etc")
    assert router.run("confirm", "2")[0] == ExitCode.DONE
    assert (there(), left_beside()) == (L3, [])


def test_a_watch_that_reconciles_does_not_go_by_a_file_that_was_replaced_meanwhile(router: Router) -> None:
    file = WatchedFile(SourceFiles(names=("router.yaml",)), Silent())
    install(router)
    with pytest.raises(NotNowError, match="has changed meanwhile"):
        reconcile(file, (), Target(api_socket=router.socket), Terms(), Silent())
    assert router.is_at("l3.yaml")
