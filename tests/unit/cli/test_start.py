"""How the process starts: quickly, because nothing is imported before it is needed."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

COSTLY = ("yaml", "yamale", "jinja2", "netaddr", "vpp_papi", "json", "tempfile", "vppcfg.config", "vppcfg.plan")
LOADED = """
import sys
from vppcfg.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sys.modules)
"""


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["plan", "--nonsense"]])
def test_nothing_costly_is_imported_before_it_is_needed(arguments: list[str]) -> None:
    finished = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = finished.stdout.splitlines()[-1].split()
    assert [name for name in COSTLY if name in loaded] == []


def test_the_version_takes_less_than_a_tenth_of_a_second_of_cpu() -> None:
    assert min(cpu_seconds_of_version() for _ in range(5)) < 0.1


def cpu_seconds_of_version() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "vppcfg", "--version"], capture_output=True, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
