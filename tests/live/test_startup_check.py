"""`vppcfg startup check` and a real VPP agree on whether VPP starts, for files with one letter, brace or line amiss.

VPPCFG_ALL_MUTATIONS=1 tries every mutation, which takes an hour; otherwise a sample of them is tried. As a program,
`python -m tests.live.test_startup_check [STEP]`, it prints the disagreements of every STEPth mutation.
"""

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.trees import grow
from tests.real_vpp import prefix, release
from tests.startup_vpp import StartupVpp, launched, unsupported_reason
from vppcfg.common.release import Release, release_of
from vppcfg.host.inventory import read_host
from vppcfg.model.problem import Severity
from vppcfg.startup.conf.plugin_names import SUFFIX, name_in
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.lint.finding import ConfJudgement, ConfSurroundings
from vppcfg.startup.lint.lint import judge
from vppcfg.startup.lint.machine import folders_named

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.skipif(unsupported_reason() is not None, reason=str(unsupported_reason())),
]

FILES = sorted((Path(__file__).parent / "startup_confs").glob("*.conf"))
SAMPLE = 61
"""One of so many mutations is tried; a prime, so that no column of a file is left out again and again."""
_APART = ("/run/", "/var/log/", "/dev/shm/")
_THERE = {"/run", "/run/vpp", "/var/log", "/var/log/vpp", "/dev/shm"}
"""What the VPP of tests/startup_vpp.py has in file systems of its own."""
_LISTENS_S = 20.0
_COLLECTS_S = 3.0
"""Until VPP has collected its counters once."""


def mutations(text: str) -> Iterator[tuple[str, str]]:
    """Yield a file with one letter, brace or blank left out, or one line doubled, and what was done."""
    yield "as it is", text
    for place, letter in enumerate(text):
        if not letter.isspace():
            line = text.count("\n", 0, place) + 1
            yield f"line {line}, without {letter!r} at {place}", text[:place] + text[place + 1 :]
    for brace in re.finditer(r"(\w+)\s+\{", text):
        yield f"{brace[1]} at {brace.start()} without blank", f"{text[: brace.end(1)]}{text[brace.end() - 1 :]}"
    lines = text.splitlines(keepends=True)
    for number in range(1, len(lines) + 1):
        yield f"line {number} doubled", "".join([*lines[:number], *lines[number - 1 :]])


def plugin_folder() -> Path:
    return next((prefix() / "lib").glob("**/vpp_plugins"))


def small(text: str) -> str:
    """Return a file for a machine without hugepages, with the plugins of the installation that is tested."""
    pages = "buffers { page-size 4k }\nmemory { main-heap-page-size 4k }\nstatseg { page-size 4k }\n"
    return f"{text}\n{pages}plugins {{ path {plugin_folder()} }}\n"


def judged(text: str, tree: Path) -> ConfJudgement:
    """Return what our check says, with all that it can know of the machine."""
    of = release_of(release())
    conf, _ = read_conf(text, of)
    named = folders_named(conf)
    folders = {f for f in named if f in _THERE or (not f"{f}/".startswith(_APART) and os.path.isdir(f))}
    installed = {name_in(file.name) for file in plugin_folder().glob(f"*{SUFFIX}")}
    return judge(text, (of,), ConfSurroundings(host=read_host(str(tree)), folders=folders, installed=installed))


def starts(text: str, tree: Path) -> tuple[bool, str]:
    """Return whether a real VPP starts with a file, and what it says."""
    with launched(text, tree) as vpp:
        return _is_up(vpp), vpp.output


def _is_up(vpp: StartupVpp) -> bool:
    """Return whether VPP listens somewhere or goes on running, rather than ends."""
    deadline = time.monotonic() + _LISTENS_S
    while vpp.is_running and time.monotonic() < deadline:
        if vpp.listens:
            time.sleep(0.1)  # what is configured last may still stop it
            return vpp.is_running
        time.sleep(0.03)
    return vpp.is_running


def disagreement(text: str, tree: Path) -> str | None:
    """Return how VPP and our check differ about a file, None when they do not.

    VPP is asked again before that is said: a debug build crashes now and then while it starts, whatever the file.
    """
    found = judged(text, tree)
    for _ in range(2):
        is_up, output = starts(text, tree)
        if is_up != bool(found.stopped):
            return None
    said = "; ".join(f"{one.text} [{one.rule}]" for one in found.problems if one.severity.value == "error")
    return f"VPP {'starts' if is_up else 'stops'}; vppcfg: {said or 'nothing'}; VPP: {output[-300:].strip()}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _tree(tmp_path_factory.mktemp("machine"))


def _tree(folder: Path) -> Path:
    tree = grow("fitlet2", folder)
    group = tree / "etc/group"
    group.write_text(group.read_text() + "root:x:0:\n")
    return tree


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_vpp_starts_with_the_very_files_that_are_found_good(file: Path, tree: Path) -> None:
    step = 1 if os.environ.get("VPPCFG_ALL_MUTATIONS") else SAMPLE
    tried = [*mutations(file.read_text())][::step]
    differing = [f"{what}: {how}" for what, text in tried if (how := disagreement(small(text), tree))]
    assert differing == []


@pytest.mark.parametrize(
    ("size", "rule"),
    [
        ("memory { main-heap-size 80M }", "conf-small-heap"),
        ("memory { main-heap-size 256M } l3fib { ip4-mtrie-pool-size 200K }", "conf-small-heap"),
        ("statseg { size 1536K per-node-counters on }", "conf-small-statseg"),
        ("statseg { size 768K }", "conf-small-statseg"),
        ("memory { main-heap-size 160M }", ""),
        ("statseg { size 4M per-node-counters on }", ""),
    ],
)
def test_vpp_ends_where_a_sum_does_not_fit(size: str, rule: str, tree: Path) -> None:
    if release_of(release()) != Release(26, 10):
        pytest.skip("the figures are those of VPP 26.10")
    if rule == "conf-small-heap" and not any(prefix().glob("lib/**/dpdk_plugin.so")):
        pytest.skip("the figures are those of a VPP with all of its plugins")
    text = f"unix {{ nodaemon cli-listen /run/vpp/cli.sock }}\ncpu {{ main-core 0 }}\n{size}\n"
    found = {one.rule for one in judged(small(text), tree).problems if one.severity is Severity.WARNING}
    assert found & {"conf-small-heap", "conf-small-statseg"} == {rule} - {""}
    with launched(small(text), tree) as vpp:
        goes_on = _is_up(vpp)
        time.sleep(_COLLECTS_S if goes_on else 0.0)
        assert vpp.is_running == (not rule), vpp.output


def main(step: int, names: list[str]) -> None:
    """Write the disagreements of every `step`th mutation of the files called so to standard output."""
    with tempfile.TemporaryDirectory() as folder:
        machine = _tree(Path(folder))
        for file in FILES:
            tried = [*mutations(file.read_text())][::step] if not names or file.stem in names else []
            for what, text in tried:
                how = disagreement(small(text), machine)
                if how:
                    sys.stdout.write(f"{file.stem}: {what}: {how}\n")
                    sys.stdout.flush()
            sys.stdout.write(f"{file.stem}: {len(tried)} files\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1, sys.argv[2:])
