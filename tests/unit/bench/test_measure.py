"""A process is measured from outside."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench import measure as measurement
from bench.measure import Cost, FailedError, least, measure


def run(tmp_path: Path, code: str, timeout_s: float = 30) -> Cost:
    return measure([sys.executable, "-S", "-c", code], output=tmp_path / "output", timeout_s=timeout_s)


def test_cpu_wall_time_and_memory_are_those_of_the_command(tmp_path: Path) -> None:
    idle = run(tmp_path, "import time; time.sleep(0.3)")
    busy = run(tmp_path, "x = b'x' * 100_000_000; y = sum(range(10_000_000))")
    assert idle.wall_s >= 0.3 > idle.cpu_s
    assert busy.cpu_s > idle.cpu_s
    assert busy.peak_bytes > 100_000_000 > idle.peak_bytes


def test_a_command_that_fails_or_hangs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FailedError, match="exited with 3: gone"):
        run(tmp_path, "print('gone'); raise SystemExit(3)")
    with pytest.raises(FailedError, match="did not end in"):
        run(tmp_path, "import time; time.sleep(30)", timeout_s=0.3)


def test_the_command_may_keep_its_modules_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an installed one does: compiling them takes longer than a small plan."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    run(tmp_path, "import sys; print(sys.dont_write_bytecode)")
    assert (tmp_path / "output").read_text() == "False\n"


def test_of_several_runs_the_least_counts() -> None:
    one = Cost(cpu_s=1.0, wall_s=4.0, peak_bytes=7)
    other = Cost(cpu_s=2.0, wall_s=3.0, peak_bytes=6)
    assert least([one, other]) == Cost(cpu_s=1.0, wall_s=3.0, peak_bytes=6)


def test_who_ends_the_measurement_ends_the_command(tmp_path: Path) -> None:
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    launcher = Path(measurement.__file__).with_name("launch.py")
    words = [sys.executable, "-I", "-S", str(launcher), "60", str(tmp_path / "output"), sys.executable, "-c", code]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=30)
    assert json.loads(output)["status"] == -signal.SIGTERM
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()
