"""A thousand random changes of NAT44 on a real VPP, each equal to what a new connection reads."""

import os

import pytest

from tests.laws.test_nat44_laws import assert_reached
from tests.nat44_changes import PORTS, configurations
from tests.real_vpp import running
from vppcfg.plan.diff import diff
from vppcfg.vpp.live import connect

COUNT = int(os.environ.get("NAT44_CHANGES", "1000"))


@pytest.mark.timeout(1800)
def test_every_change_is_what_a_new_connection_reads() -> None:
    with running(PORTS) as process, connect(str(process.socket_path)) as vpp:
        for number, configuration in enumerate(configurations(4, COUNT)):
            assert_reached(configuration, vpp, goes_back=number % 3 == 0)
            if number % 10 == 0:
                with connect(str(process.socket_path)) as other:
                    assert list(diff(other.observe(), vpp.observe().managed(frozenset()))) == []
                    assert other.observe().objects == vpp.observe().objects
