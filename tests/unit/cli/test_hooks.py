"""Hooks end to end on a simulated VPP: what runs when, what a failure does, and whose hooks a way back runs."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, consenting, minutes_to_confirm, two_ports
from vppcfg.cli.main import main
from vppcfg.config.load import load
from vppcfg.errors import ExitCode, StorageError
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.journal import Journal

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(vpp: str, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main([*consenting(words), "-a", vpp])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


class Files:
    """Configurations whose hooks write what they were run for into one file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "ran.txt"

    def write(self, name: str, mtu: int, failing: str = "", within: str = "20s") -> str:
        path = self.folder / name
        hooks = {}
        for event in ("after-apply", "after-boot", "after-rollback"):
            script = f"echo {name} $VPPCFG_EVENT $VPPCFG_CHANGE >> {self.log}; echo 'to the journal\x07'"
            hooks[event] = ["/bin/sh", "-c", script + ("; exit 7" if event == failing else "")]
        ports = {GI1: {"mtu": mtu, "state": "up"}, GI3: {"mtu": 1500}}
        path.write_text(json.dumps({"interfaces": ports, "hooks": {**hooks, "within": within}}))
        return str(path)

    def ran(self) -> list[str]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_an_apply_runs_its_hook_and_keeps_its_output(run: Run, files: Files, journal: Path) -> None:
    assert run("apply", "-c", files.write("a.yaml", 1400))[0] == ExitCode.DONE
    assert files.ran() == ["a.yaml after-apply 1"]
    kept = (journal / "000001" / "hook.log").read_text()
    assert "after-apply: /bin/sh -c" in kept
    assert "\nto the journal\\x07\n" in kept
    assert "it succeeded" in kept
    (journal / "000001" / "link").symlink_to(files.folder / "a.yaml")
    with pytest.raises(StorageError):  # whoever may write there could have root show what only root can read
        Journal(journal).append(1, "link", "x")
    assert run("apply", "-c", str(files.folder / "a.yaml"))[0] == ExitCode.DONE
    assert files.ran() == []  # nothing was changed


def test_a_failing_hook_is_a_failing_change(run: Run, files: Files) -> None:
    run("apply", "-c", files.write("a.yaml", 1400))
    files.ran()
    code, said = run("apply", "-c", files.write("b.yaml", 1300, failing="after-apply"))
    assert code == ExitCode.ROLLED_BACK
    assert "The hook after-apply failed: it ended with exit code 7; " in said
    assert files.ran() == ["b.yaml after-apply 2", "a.yaml after-rollback 2"]
    assert run("diff", "-c", str(files.folder / "a.yaml"), "--detailed-exitcode")[0] == ExitCode.DONE
    changes = json.loads(run("history", "--format", "json")[1])["changes"]
    assert changes[-1]["status"] == "failed, undone"
    assert "exit code 7" in changes[-1]["text"]


def test_a_hook_that_is_late_is_killed(run: Run, files: Files) -> None:
    path = Path(files.write("a.yaml", 1400))
    content = json.loads(path.read_text())
    content["hooks"] = {"after-apply": "/bin/sleep 60", "within": 1}
    path.write_text(json.dumps(content))
    code, said = run("apply", "-c", str(path))
    assert code == ExitCode.ROLLED_BACK
    assert "it took longer than it may, and was killed" in said


def test_a_rollback_runs_the_hook_of_what_it_goes_back_to(run: Run, files: Files) -> None:
    run("apply", "-c", files.write("a.yaml", 1400))
    run("apply", "-c", files.write("b.yaml", 1300))
    files.ran()
    assert run("rollback")[0] == ExitCode.DONE
    assert files.ran() == ["a.yaml after-rollback 3"]
    assert run("apply", "-c", files.write("c.yaml", 1200))[0] == ExitCode.DONE
    files.ran()
    assert run("rollback")[0] == ExitCode.DONE  # to what a rollback had brought back
    assert files.ran() == ["a.yaml after-rollback 5"]
    assert run("rollback", "1")[0] == ExitCode.DONE
    assert files.ran() == []  # before the first change there was no configuration


def test_a_rollback_of_a_rollback_runs_the_hook_of_what_that_had_undone(run: Run, files: Files) -> None:
    run("apply", "-c", files.write("a.yaml", 1400))
    run("apply", "-c", files.write("b.yaml", 1300))
    run("rollback")
    files.ran()
    assert run("rollback", "3")[0] == ExitCode.DONE
    assert files.ran() == ["b.yaml after-rollback 4"]
    assert run("rollback", "4")[0] == ExitCode.DONE
    assert files.ran() == ["a.yaml after-rollback 5"]


def test_a_rollback_whose_hook_fails_is_a_rollback(run: Run, files: Files) -> None:
    run("apply", "-c", files.write("a.yaml", 1400, failing="after-rollback"))
    run("apply", "-c", files.write("b.yaml", 1300))
    code, said = run("rollback")
    assert code == ExitCode.HOOK_FAILED
    assert "The hook after-rollback failed: it ended with exit code 7" in said
    assert "The state before change 2 is back" in said
    changes = json.loads(run("history", "--format", "json")[1])["changes"]
    assert [change["status"] for change in changes] == ["applied", "rolled back", "applied"]
    assert "after-rollback failed" in changes[-1]["text"]


def test_a_refused_step_goes_back_and_runs_after_rollback(
    serve: Serve, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=8)))
    assert main(["apply", "-y", "-c", files.write("a.yaml", 1400), "-a", vpp]) == ExitCode.DONE
    assert files.ran() == ["a.yaml after-apply 1"]
    assert main(["apply", "-y", "-c", files.write("b.yaml", 1300), "-a", vpp]) == ExitCode.ROLLED_BACK
    assert files.ran() == ["a.yaml after-rollback 2"]


def test_a_boot_runs_its_hook_also_when_there_is_nothing_to_do(run: Run, files: Files) -> None:
    path = files.write("a.yaml", 1400)
    assert run("apply", "--boot", "-c", path)[0] == ExitCode.DONE
    assert files.ran() == ["a.yaml after-boot 1"]
    assert run("apply", "--boot", "-c", path)[0] == ExitCode.DONE
    assert files.ran() == ["a.yaml after-boot 1"]
    files.write("a.yaml", 1300, failing="after-boot")  # not what was accepted, whose hook runs
    assert run("apply", "--boot", "-c", path)[0] == ExitCode.DONE
    assert files.ran() == ["a.yaml after-boot 1"]


def test_a_boot_whose_hook_fails_says_so_and_keeps_the_configuration(run: Run, files: Files) -> None:
    path = files.write("a.yaml", 1400, failing="after-boot")
    code, said = run("apply", "--boot", "-c", path)
    assert code == ExitCode.HOOK_FAILED
    assert "The hook after-boot failed" in said
    assert run("diff", "-c", path, "--detailed-exitcode")[0] == ExitCode.DONE


def test_the_timer_runs_the_hook_too(run: Run, files: Files, journal: Path) -> None:
    run("apply", "-c", files.write("a.yaml", 1400))
    files.ran()
    code, _ = run("apply", "-c", files.write("b.yaml", 1300), "--confirm", minutes_to_confirm(), "--wait")
    assert code == ExitCode.NOT_CONFIRMED
    assert files.ran() == ["b.yaml after-apply 2", "a.yaml after-rollback 3"]


@pytest.mark.parametrize("harm", ["edited", "another's", "of another change"])
def test_hooks_of_a_foreign_hand_are_not_run(run: Run, files: Files, journal: Path, harm: str) -> None:
    run("apply", "-c", files.write("a.yaml", 1400))
    run("apply", "-c", files.write("b.yaml", 1300))
    files.ran()
    kept = journal / "000001" / "hooks.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    if harm == "edited":
        kept.write_bytes(kept.read_bytes().replace(b"ran.txt", b"own.txt"))
    elif harm == "of another change":
        kept.write_bytes((journal / "000002" / "hooks.json").read_bytes())
    elif os.geteuid() == 0:
        os.chown(kept, 65534, -1)
    else:
        pytest.skip("only root gives files away")
    code, said = run("rollback")
    assert code == ExitCode.HOOK_FAILED
    assert "Whether after-rollback has a hook is not known: " in said
    assert files.ran() == []


def test_a_dump_into_a_file_leaves_its_hooks_alone(run: Run, files: Files) -> None:
    path = files.write("a.yaml", 1400)
    hooks = json.loads(Path(path).read_text())["hooks"]
    assert run("dump", "--into", path)[0] == ExitCode.DONE
    configuration = load(path).configuration
    assert configuration is not None
    assert configuration.hooks.after_apply == tuple(hooks["after-apply"])
    assert configuration.interfaces[GI1].mtu == 9000
