"""What all tests share: folders of their own, Ctrl-C that arrives, and a summary of what was skipped and why."""

import gc
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.api_definitions import api_learned_once
from tests.laws.examples import IS_SAME, TIMES
from vppcfg.app import default_paths
from vppcfg.transaction import announcing

TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what comes out into the golden files")


@pytest.fixture
def is_updating(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


def pytest_configure() -> None:
    """Let SIGINT end what it should, also where a shell that started the tests in its background has it ignored.

    Programs inherit what is ignored, so the commands that tests start and interrupt would never notice. And let them
    keep compiled modules: hundreds of commands are started, and half of the time of a small one goes into compiling.
    A machine that has much to do draws examples slowly, which says nothing of the tests. No constants are looked for in
    the code: that takes seconds, and each new one would lead the laws to other examples. What tests write, its owner
    alone may write, as with root's files: Debian 13 lets the user's group do so, too, and vppcfg trusts no such file.
    """
    os.umask(0o022)
    settings.register_profile(
        "vppcfg",
        max_examples=50 * TIMES,
        deadline=None,
        derandomize=IS_SAME,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("vppcfg")
    with suppress(ImportError):  # of an old one, which looks for none
        from hypothesis.internal.conjecture import providers

        providers._get_local_constants = lambda: providers._local_constants
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(TESTS.parent / ".pytest_cache" / "compiled")
        sys.dont_write_bytecode = False


def leaves_out_long(config: pytest.Config) -> bool:
    """Return whether this run leaves out what is long."""
    return bool(re.search(r"(?<!or )not long\b", config.option.markexpr))


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make no tests of long cases to leave them out afterwards: there are thousands, and each worker would make all."""
    marks = metafunc.definition.own_markers
    for place, mark in enumerate(marks if leaves_out_long(metafunc.config) else []):
        if mark.name == "parametrize":
            names, cases, *others = mark.args
            short = [case for case in cases if not any(each.name == "long" for each in getattr(case, "marks", ()))]
            marks[place] = pytest.mark.parametrize(names, short, *others, **mark.kwargs).mark


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while modules are imported and tests are made, nor later among these: they stay.

    Later it is looked for seldom: a test that parses all modules spent four fifths of its time on it.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(40_000, 10, 100)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give an hour instead of minutes to tests that are long: laws over thousands of cases, machines that boot."""
    patient = tuple(f"{TESTS}/{name}/" for name in ("deb", "lab", "laws", "live", "trex"))
    for item in items:
        if str(item.path).startswith(patient) or item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(3600), append=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Escape what a test has printed that is no Unicode: a worker can only tell of text that UTF-8 can hold."""
    report = yield
    report.sections = [(title, text.encode(errors="backslashreplace").decode()) for title, text in report.sections]
    return report


@pytest.fixture(scope="module", autouse=True)
def keep_api_definitions() -> Iterator[None]:
    """Learn the API of simulated VPPs once for all tests of a process."""
    with api_learned_once():
        yield


@pytest.fixture(scope="session")
def new_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Return what makes one folder after another: pytest's own looks through all former ones for each new one."""
    base = tmp_path_factory.mktemp("vppcfg")
    numbers = count()

    def make() -> Path:
        (folder := base / str(next(numbers))).mkdir()
        return folder

    return make


@pytest.fixture(autouse=True)
def folders_of_this_test(new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep journals and locks in folders of the test's own, on a disk that need not survive a loss of power.

    And have no VPP where one is looked for when none is named: one may run on this machine. Nobody waits for hosts.
    """
    folder = new_folder()
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr(default_paths, "SOCKET", str(folder / "api.sock"))
    monkeypatch.setattr(announcing, "AGAIN_S", 0.0)
    monkeypatch.setattr(announcing, "LINK_S", 0.0)
    monkeypatch.setenv("VPPCFG_STATE_DIR", str(folder / "state"))
    monkeypatch.setenv("VPPCFG_RUN_DIR", str(folder / "run"))
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line per reason; pytest's own summary has one per test."""
    reasons = Counter(reason_of(report) for report in terminalreporter.stats.get("skipped", []))
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped {number}: {reason}")


def reason_of(report: pytest.TestReport) -> str:
    """Return why a test was skipped, without the place."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
