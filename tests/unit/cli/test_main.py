"""The frame of the command: options, exit codes, log lines."""

import argparse
import gc
import logging
import os
import signal
import sys
import time

import pytest

from vppcfg.cli import main as frame
from vppcfg.cli.arguments import IDENTITY, Subparsers
from vppcfg.cli.main import main, rare_collections
from vppcfg.common.log_detail import DETAIL
from vppcfg.errors import DataplaneError, ExitCode


class FakeCommand:
    """A command named `work` that does what the test gives it."""

    def __init__(self) -> None:
        self.args = argparse.Namespace()

    def add_parser(self, subparsers: Subparsers) -> None:
        parser = subparsers.add_parser("work", help="work")
        parser.set_defaults(run=self.run)

    def run(self, args: argparse.Namespace) -> ExitCode:
        self.args = args
        return ExitCode.DONE


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> FakeCommand:
    fake = FakeCommand()
    monkeypatch.setattr(frame, "commands_for", lambda words: [fake])
    return fake


def raiser(error: BaseException) -> object:
    def run(args: argparse.Namespace) -> ExitCode:
        raise error

    return run


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["--version"])
    assert leaving.value.code == 0
    assert capsys.readouterr().out == f"{IDENTITY}\n"


@pytest.mark.parametrize(
    ("words", "level"),
    [
        (["-d", "plan", "--novpp"], "DEBUG   "),
        (["apply", "--boot", "--check"], "INFO    "),
        (["watch"], "INFO    "),
        (["metrics", "--textfile", "missing/metrics"], "INFO    "),
    ],
)
def test_the_first_line_of_a_service_and_of_a_full_log_names_the_program(
    words: list[str], level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*words, "-c", "missing.yaml"])
    assert capsys.readouterr().err.splitlines()[0] == f"[{level}] {frame.__name__}: {IDENTITY}"


def test_a_single_look_does_not_name_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    main(["watch", "--once", "-c", "missing.yaml"])
    assert IDENTITY not in capsys.readouterr().err


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("usage: vppcfg")


@pytest.mark.parametrize("arguments", [["-d", "-q", "--color", "never", "work"], ["work", "-d", "-q", "--color=never"]])
def test_global_options_stand_before_or_after_the_command(command: FakeCommand, arguments: list[str]) -> None:
    assert main(arguments) == ExitCode.DONE
    assert (command.args.debug, command.args.quiet, command.args.color.value) == (True, True, "never")


def test_global_options_have_defaults(command: FakeCommand) -> None:
    assert main(["work"]) == ExitCode.DONE
    assert (command.args.debug, command.args.quiet, command.args.color.value) == (False, False, "auto")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["--nonsense"], ["work", "--nonsense"], ["work", "--deb"], ["--color", "blue", "work"]]
)
def test_wrong_usage_exits_3_with_a_hint(
    command: FakeCommand, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "vppcfg: error: " in captured.err
    assert "--help" in captured.err


def test_a_known_error_shows_message_and_hint(
    command: FakeCommand, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run", raiser(DataplaneError("no VPP\x1b[2J here", "start it\nthen again")))
    assert main(["work"]) == ExitCode.DATAPLANE
    assert capsys.readouterr().err == (
        "vppcfg: error: no VPP\\x1b[2J here\nvppcfg: hint: start it\nvppcfg: hint: then again\n"
    )


def test_a_bug_asks_for_a_report(
    command: FakeCommand, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run", raiser(ZeroDivisionError("oops")))
    assert main(["work"]) == ExitCode.BUG
    shown = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in shown
    assert "please report" in shown
    assert "Traceback" not in shown


def test_a_bug_shows_its_traceback_with_debug(
    command: FakeCommand, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run", raiser(ZeroDivisionError("oops")))
    assert main(["work", "-d"]) == ExitCode.BUG
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_exits_130(command: FakeCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "run", raiser(KeyboardInterrupt()))
    assert main(["work"]) == ExitCode.INTERRUPTED


def test_sigterm_exits_143_and_tidies_up(command: FakeCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    tidied = []

    def run(args: argparse.Namespace) -> ExitCode:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            tidied.append(True)
        return ExitCode.DONE

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(command, "run", run)
    assert main(["work"]) == ExitCode.TERMINATED
    assert tidied == [True]
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--color=auto", "[INFO    ] here: info\n[WARNING ] here: warning\n"),
        ("--quiet", "[WARNING ] here: warning\n"),
        ("--debug", "[DEBUG   ] here: debug\n[INFO    ] here: info\n[WARNING ] here: warning\n"),
    ],
)
def test_log_lines_have_level_and_logger(
    command: FakeCommand,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    expected: str,
) -> None:
    def run(args: argparse.Namespace) -> ExitCode:
        for level in ("debug", "info", "warning"):
            logging.getLogger("here").log(getattr(logging, level.upper()), level)
        return ExitCode.DONE

    monkeypatch.setattr(command, "run", run)
    main(["work", option])
    lines = capsys.readouterr().err.splitlines(keepends=True)
    assert "".join(line for line in lines if IDENTITY not in line) == expected


def test_collections_are_rare_within_the_context_only() -> None:
    former = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold() > former
        before = sum(generation["collections"] for generation in gc.get_stats())
        kept = [[] for _ in range(5_000)]  # type: ignore[var-annotated]
        assert sum(generation["collections"] for generation in gc.get_stats()) <= before + 1
        assert len(kept) == 5_000
    assert gc.get_threshold() == former


def test_what_a_process_had_is_not_looked_at_again_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    former, frozen = gc.get_threshold(), []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(gc.get_threshold()))
    try:
        with rare_collections(is_last=True):
            pass
        assert frozen == [gc.get_threshold()] != [former]
    finally:
        gc.set_threshold(*former)


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    def run(args: argparse.Namespace) -> ExitCode:
        logging.getLogger("root.main").info("Loading", extra=DETAIL)
        for level, text in ((logging.INFO, "Applied"), (logging.WARNING, "a doubt"), (logging.ERROR, "a fault")):
            logging.getLogger("root.main").log(level, text)
        return ExitCode.DONE

    fake = FakeCommand()
    monkeypatch.setattr(fake, "run", run)
    monkeypatch.setattr(frame, "commands_for", lambda _: [fake])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["work", "--color", "never", *words]) == ExitCode.DONE
    return capsys.readouterr().err


def test_a_terminal_shows_plain_lines_and_not_the_usual_course(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert at_a_terminal(monkeypatch, capsys) == "Applied\nwarning: a doubt\nerror: a fault\n"


def test_a_terminal_shows_the_whole_log_with_debug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert at_a_terminal(monkeypatch, capsys, "-d").splitlines()[1:3] == [
        "[INFO    ] root.main: Loading",
        "[INFO    ] root.main: Applied",
    ]


def test_the_objects_of_a_process_that_ends_are_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[str] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append("all"))
    monkeypatch.setattr(sys, "argv", ["vppcfg"])
    assert main([]) == ExitCode.DONE
    assert frozen == []
    assert main() == ExitCode.DONE
    assert frozen == ["all"]
