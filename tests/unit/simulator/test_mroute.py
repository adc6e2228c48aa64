"""What the dump of multicast routes has of many paths."""

import pytest

from vppcfg.simulator.fib_entries import NORMAL, FibPath
from vppcfg.simulator.kinds.mroute import ACCEPT, _counted


@pytest.mark.parametrize(("paths", "shown"), [(1, 1), (255, 255), (256, 0), (257, 1)])
def test_vpp_counts_paths_in_eight_bits(paths: int, shown: int) -> None:
    known = {(NORMAL, index): (ACCEPT, FibPath(index)) for index in range(paths)}
    assert len(_counted(known)) == shown
