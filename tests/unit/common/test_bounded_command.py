"""Commands of operators with real processes: what they print, how they end, and that nothing of them outlives them."""

import os
import time
from pathlib import Path

import pytest

from vppcfg.common.bounded_command import _PART_BYTES, KEPT_BYTES, PLAIN_ENVIRONMENT, CommandResult, run_command


def ran(script: str, within_s: float = 20.0, *, stops: bool = False) -> CommandResult:
    return run_command(("/bin/sh", "-c", script), {"PATH": "/usr/bin:/bin", "WHO": "me"}, within_s, lambda: stops)


def test_what_was_too_much_is_counted() -> None:
    ran = run_command(["printf", "12345678"], PLAIN_ENVIRONMENT, 10.0, lambda: False, kept_bytes=5)
    assert (ran.output, ran.lost_bytes) == (b"12345\n(3 bytes more)\n", 3)


def test_a_command_has_its_environment_alone_and_both_streams_are_kept() -> None:
    found = ran("env; pwd; echo out; echo err >&2; cat")
    assert found.trouble == ""
    lines = found.output.decode().splitlines()
    assert {line.partition("=")[0] for line in lines if "=" in line} <= {"PATH", "WHO", "PWD", "OLDPWD", "SHLVL", "_"}
    assert "WHO=me" in lines
    assert lines[-3:] == ["/", "out", "err"]


@pytest.mark.parametrize(
    ("script", "trouble"),
    [("exit 3", "it ended with exit code 3"), ("kill -15 $$", "it was ended by signal 15"), ("true", "")],
)
def test_how_it_ends(script: str, trouble: str) -> None:
    assert ran(script).trouble == trouble


def test_a_program_that_is_not_there() -> None:
    found = run_command(("/nowhere/hook",), {}, 1.0, lambda: False)
    assert found.trouble == "/nowhere/hook cannot be started: No such file or directory"


def test_no_shell_reads_the_words() -> None:
    assert run_command(("/bin/echo", "$(id)", "a;b"), {}, 5.0, lambda: False).output == b"$(id) a;b\n"


@pytest.mark.parametrize(("within_s", "stops"), [(1.0, False), (60.0, True)])
def test_a_late_or_unwanted_command_is_killed_with_its_children(within_s: float, stops: bool, tmp_path: Path) -> None:
    began = time.monotonic()
    found = ran(f"sleep 60 & echo $! > {tmp_path}/child; echo begun; wait", within_s, stops=stops and began > 0)
    assert time.monotonic() - began < 30
    assert found.trouble.endswith("killed")
    if not stops:
        assert found.output == b"begun\n"
        assert is_gone(int((tmp_path / "child").read_text()))


def is_gone(pid: int) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


def test_a_child_that_stays_does_not_hold_up_what_comes_next() -> None:
    began = time.monotonic()
    found = ran("sleep 20 & echo done")
    assert (found.output, found.trouble) == (b"done\n", "")
    assert time.monotonic() - began < 15


def test_a_child_that_stays_and_prints_without_end_does_not_hold_up_what_comes_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = os.read
    printed = {_PART_BYTES: b"y" * _PART_BYTES}
    monkeypatch.setattr(os, "read", lambda file, size: read(file, size) or printed.get(size, b""))
    done = run_command(["/bin/sh", "-c", "exit 0"], {}, 60.0, lambda: False)
    assert done.trouble == ""
    assert done.output.startswith(b"y" * KEPT_BYTES)


def test_endless_output_is_cut_and_does_not_fill_the_memory() -> None:
    found = ran("head -c 1000000 /dev/zero")
    assert found.trouble == ""
    assert found.output[KEPT_BYTES:] == f"\n({1000000 - KEPT_BYTES} bytes more)\n".encode()
    assert ran("exec yes", 0.3).trouble.endswith("killed")


def test_a_command_that_closes_its_output_is_waited_for() -> None:
    assert ran("exec >&- 2>&-; sleep 0.3; exit 4").trouble == "it ended with exit code 4"
