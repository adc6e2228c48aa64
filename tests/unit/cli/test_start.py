"""How the process starts: quickly, because nothing is imported before it is needed."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

COSTLY = {
    *("dataclasses", "inspect", "jinja2", "json", "netaddr", "pathlib", "pyroute2", "socket", "subprocess"),
    *("tempfile", "vpp_papi", "vppcfg.config", "vppcfg.plan", "yaml", "yamale"),
}
LOADED = """
import sys
from vppcfg.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print()
print(*sys.modules)
"""


def modules_of(arguments: list[str]) -> set[str]:
    """Return the modules that a command line which ends at once has imported."""
    finished = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(finished.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["plan", "--help"], ["plan", "--nonsense"]])
def test_nothing_costly_is_imported_before_it_is_needed(arguments: list[str]) -> None:
    loaded = modules_of(arguments)
    assert COSTLY & (loaded | {name.partition(".")[0] for name in loaded}) == set()


def test_one_command_starts_without_the_others() -> None:
    others = {
        f"vppcfg.{name}"
        for name in ("cli.apply", "cli.tune.command", "cli.loadtest.command", "cli.watch", "cli.startup")
    }
    assert others & modules_of(["plan", "--help"]) == set()
    assert others <= modules_of(["--help"])
    assert {*others, "vppcfg.cli.plan"} & modules_of(["--version"]) == set()


COUNTED = """
import sys
compiled = 0
def note(event, arguments):
    global compiled
    compiled += event == "compile"
sys.addaudithook(note)
from vppcfg.cli.main import main
main(["--quiet", "check", "--config", sys.argv[1]])
print(compiled, *sys.modules)
"""


def test_a_check_imports_and_compiles_little(tmp_path: Path) -> None:
    """Each module takes 0.3 ms of CPU, each text that Python compiles 0.1 ms, as for the methods of a data class."""
    file = tmp_path / "small.yaml"
    file.write_text("interfaces:\n  GigabitEthernet3/0/0:\n    addresses: [ 192.0.2.1/24 ]\n")
    arguments = [sys.executable, "-c", COUNTED, str(file)]
    compiled, *loaded = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    own = [name for name in loaded if name.partition(".")[0] == "vppcfg"]
    assert len(own) <= 300
    assert int(compiled) < 220
    assert {"jinja2", "netaddr", "pyroute2", "vpp_papi", "vppcfg.plan.plan", "vppcfg.vpp.live", "yamale"}.isdisjoint(
        loaded
    )


def test_the_version_takes_a_few_times_what_python_itself_takes() -> None:
    """On an idle machine that is 0.05 s of CPU against 0.01 s; both grow alike on a busy one."""
    python_s = min(cpu_seconds("-c", "pass") for _ in range(5))
    version_s = min(cpu_seconds("-m", "vppcfg", "--version") for _ in range(5))
    assert version_s < 8 * python_s


def cpu_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
