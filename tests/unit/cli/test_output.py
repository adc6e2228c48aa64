"""What is written where: streams that break, files that are replaced, colours, control characters."""

import argparse
import io
import logging
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Terminal
from vppcfg.app.signals import Terminated
from vppcfg.app.watching.notices import Notice
from vppcfg.cli.main import main
from vppcfg.cli.output import (
    Colour,
    ColourChoice,
    Paint,
    leads_to_journal,
    paint_for,
    print_error,
    write,
    write_document,
    write_file,
)
from vppcfg.cli.report import _store
from vppcfg.cli.watch_output import output_for
from vppcfg.common.printable import printable
from vppcfg.errors import ExitCode, UsageError

OTHER_USER = 4242


@pytest.mark.parametrize(
    ("stream", "choice", "environment", "expected"),
    [
        (Terminal(), "auto", {"TERM": "xterm"}, True),
        (Terminal(), "auto", {"TERM": "xterm", "NO_COLOR": ""}, True),
        (Terminal(), "auto", {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), "auto", {"TERM": "dumb"}, False),
        (Terminal(), "never", {}, False),
        (io.StringIO(), "auto", {"TERM": "xterm"}, False),
        (io.StringIO(), "always", {"NO_COLOR": "1"}, True),
    ],
)
def test_colours_are_for_terminals_unless_told(
    stream: io.StringIO, choice: str, environment: dict[str, str], expected: bool
) -> None:
    assert paint_for(stream, ColourChoice(choice), environment).is_on is expected


def test_paint_wraps_text_in_ansi_codes_when_on() -> None:
    assert Paint(True)("error:", Colour.BAD) == "\x1b[31merror:\x1b[0m"
    assert Paint(False)("error:", Colour.BAD) == "error:"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain é 接口", "plain é 接口"), ("a\x1b[2Jb\nc\x00", "a\\x1b[2Jb\\nc\\x00"), ("\u202etxt", "\\u202etxt")],
)
def test_control_characters_never_reach_the_terminal(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_a_document_goes_to_standard_output_and_its_lines_are_counted(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for name in (None, "-"):
        write_document("one\ntwo\n", name)
        assert capsys.readouterr().out == "one\ntwo\n", name
    assert caplog.messages == 2 * ["Wrote 2 lines to (stdout)"]
    assert not Path("-").exists()


def test_a_signal_that_comes_as_the_file_is_in_its_place_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def replace_and_be_told(source: str, target: str) -> None:
        replace(source, target)
        raise Terminated

    monkeypatch.setattr("os.replace", replace_and_be_told)
    with pytest.raises(Terminated):
        write_document("text\n", str(tmp_path / "out"))
    assert os.listdir(tmp_path) == ["out"]


def test_a_document_replaces_a_file_and_keeps_its_mode(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    target = tmp_path / "plan.txt"
    target.write_text("old")
    target.chmod(0o640)
    write_document("één\n", str(target))
    assert target.read_bytes() == "één\n".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["plan.txt"]
    assert caplog.messages == [f"Wrote 1 lines to {target}"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_a_document_keeps_the_owner_of_a_file_and_a_copy_has_owner_and_mode(tmp_path: Path) -> None:
    target, copy = tmp_path / "router.yaml", tmp_path / "router.yaml.before-dump"
    for path, mode in ((target, 0o640), (copy, 0o644)):
        path.write_text("old\n")
        path.chmod(mode)
    os.chown(target, 1234, 5678)
    write_document("new\n", str(target))
    write_document("old\n", str(copy), str(target))
    for path in (target, copy):
        status = path.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 5678, 0o640)


def test_no_mode_is_given_to_what_a_link_in_the_place_of_the_new_file_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (victim := tmp_path / "victim").write_text("secret")
    victim.chmod(0o600)
    (target := tmp_path / "out").write_text("old")
    target.chmod(0o666)

    class Exchanged(io.FileIO):
        def write(self, content: Any) -> int:
            (new,) = tmp_path.glob(".out.*")
            new.unlink()
            new.symlink_to(victim)
            return super().write(content)

    monkeypatch.setattr("builtins.open", lambda descriptor, mode: Exchanged(descriptor, mode))
    write_document("text\n", str(target))
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_what_somebody_else_has_written_does_not_become_roots(tmp_path: Path) -> None:
    (target := tmp_path / "router.yaml").write_text("old")
    os.chown(target, OTHER_USER, OTHER_USER + 1)
    write_document("new\n", str(target))
    assert (target.stat().st_uid, target.stat().st_gid) == (OTHER_USER, OTHER_USER + 1)
    write_document("secret\n", str(target), mode=0o600)
    assert target.stat().st_uid == 0


def test_a_new_file_gets_the_mode_of_the_umask(tmp_path: Path) -> None:
    former = os.umask(0o027)
    try:
        write_document("x\n", str(tmp_path / "new"))
    finally:
        os.umask(former)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_document_is_written_through_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    write_document("x\n", str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "x\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("write", ["write_file", "report", "lines"])
@pytest.mark.parametrize("kind", ["link", "pipe", "link to a pipe", "link behind a link"])
def test_nothing_is_written_where_somebody_else_has_led_it(tmp_path: Path, kind: str, write: str) -> None:
    victim, name = tmp_path / "victim", tmp_path / "out"
    victim.write_text("kept\n")
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "link to a pipe":
        os.mkfifo(tmp_path / "pipe")
        name.symlink_to("pipe")
    elif kind == "link":
        name.symlink_to(victim)
    else:
        (tmp_path / "other").symlink_to(victim)
        name.symlink_to("other")
    theirs = tmp_path / "other" if kind == "link behind a link" else tmp_path / "pipe" if "to a" in kind else name
    os.lchown(theirs, OTHER_USER, OTHER_USER)
    if write == "lines":
        output = output_for(argparse.Namespace(output=str(name), format="text", once=False))
        output.notify(Notice(event="event", text="text"))
    else:
        with pytest.raises(UsageError, match="another user has put"):
            write_file("x\n", str(name)) if write == "write_file" else _store(b"x", str(name))
    assert victim.read_text() == "kept\n"


def test_a_document_is_written_to_a_device(capfd: pytest.CaptureFixture[str]) -> None:
    write_document("x\n", "/dev/stdout")
    assert capfd.readouterr().out == "x\n"


@pytest.mark.parametrize("name", ["no/such/directory/plan.txt", ".", "/dev/full", "nul\0byte"])
def test_a_file_that_cannot_be_written_is_an_error_with_a_reason(name: str) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*: \S"):
        write_document("x\n", name)


def test_a_closed_stream_takes_nothing() -> None:
    write("x", None)


def run_vppcfg(arguments: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m vppcfg {arguments}"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)


def test_a_reader_that_leaves_early_is_no_error() -> None:
    finished = run_vppcfg("--help | true; exit ${PIPESTATUS[0]}")
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_full_disk_is_an_error() -> None:
    finished = run_vppcfg("--help > /dev/full")
    assert finished.returncode == 3
    assert finished.stderr == "vppcfg: error: cannot write to <stdout>: No space left on device\n"


def test_a_closed_standard_output_is_no_error() -> None:
    finished = run_vppcfg("--help >&-")
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_log_that_cannot_be_written_stops_nothing() -> None:
    finished = run_vppcfg("--debug nonsense 2> /dev/full")
    assert (finished.returncode, finished.stderr) == (3, "")


def test_a_journal_gets_the_priority_of_each_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "journal").open("w") as stream:
        status = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        monkeypatch.setattr(sys, "stderr", stream)
        print_error("one\ntwo")
        print_error("three", logging.INFO)
        print_error("four", logging.WARNING)
    assert (tmp_path / "journal").read_text() == "<3>one\n<3>two\n<6>three\n<4>four\n"


def test_a_stream_that_a_service_has_led_elsewhere_is_no_journal(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as stream:
        assert not leads_to_journal(stream, {"JOURNAL_STREAM": "8:4711"})
        assert not leads_to_journal(stream, {})
    assert not leads_to_journal(io.StringIO(), {"JOURNAL_STREAM": "8:4711"})
    assert not leads_to_journal(None, {"JOURNAL_STREAM": "8:4711"})


@pytest.mark.parametrize("name", ["missing/result", "."])
@pytest.mark.parametrize(
    "words",
    [
        *(["loadtest", "ramp", "--engine", "simulated"], ["report"], ["tune"], ["upgrade", "--to", "25.10"]),
        *(["plan"], ["adopt"]),
    ],
)
def test_what_takes_long_does_not_begin_where_its_output_cannot_be_written(
    words: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "-o", name]) == ExitCode.INVALID
    assert f"cannot write {name}: " in capsys.readouterr().err
