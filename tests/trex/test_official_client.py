"""The stand-in for a T-Rex server, held against the official client; and our streams against that client's.

TREX_CLIENT names a Python that has the package lbr-trex-client, which replaces modules of the process that uses it.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.trex_server import StandInTrex
from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.loadtest.engine import Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.trex.engine import streams_of

PYTHON = os.environ.get("TREX_CLIENT", "")
pytestmark = pytest.mark.skipif(
    not os.access(PYTHON, os.X_OK), reason="no official client of T-Rex: TREX_CLIENT names no Python that has it"
)
SCRIPT = Path(__file__).with_name("official_client.py")


@pytest.fixture(scope="module")
def run() -> tuple[dict[str, Any], StandInTrex]:
    """Return what the client counted, and the server that it talked to."""
    with StandInTrex(capacity_pps=1500.0) as server:
        finished = subprocess.run(
            [PYTHON, "-W", "ignore", str(SCRIPT), str(server.port)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1]), server


def test_the_client_counts_what_the_device_forwards(run: tuple[dict[str, Any], StandInTrex]) -> None:
    counts, _ = run
    for port in ("0", "1"):
        assert counts[port]["opackets"] == pytest.approx(3000, rel=0.1)
        assert counts[port]["ipackets"] == pytest.approx(2500, rel=0.1)


def test_the_client_takes_loads_and_gives_back(run: tuple[dict[str, Any], StandInTrex]) -> None:
    _, server = run
    methods = {method for method, _ in server.calls}
    assert {"acquire", "add_stream", "start_traffic", "update_traffic", "stop_traffic", "release"} <= methods
    assert server.is_idle


def test_our_streams_are_those_of_the_client(run: tuple[dict[str, Any], StandInTrex]) -> None:
    _, server = run
    theirs = [arguments["stream"] for method, arguments in server.calls if method == "add_stream"]
    traffic = Traffic(profile=profile_of("bench", "64", "var2"), directions=(THERE, BACK), latency_pps=100.0)
    ours = [*streams_of(traffic, THERE), streams_of(traffic, BACK)[0]]
    assert [comparable(stream) for stream in theirs] == [comparable(stream) for stream in ours]


def comparable(stream: dict[str, Any]) -> dict[str, Any]:
    """Return what a stream means; the client draws a seed for each."""
    return {key: value for key, value in stream.items() if key != "random_seed"}
