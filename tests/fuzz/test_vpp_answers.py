"""Whatever a VPP answers, a command ends in time and with a code that the table has, and VPP in a state that it tells.

`python -m tests.fuzz.vpp_answers --inputs N --first SEED` runs as many as one likes, and says what they came to.
"""

from __future__ import annotations

import pytest

from tests.fuzz.harness import attack
from tests.fuzz.vpp_answers import session

SOME, MANY, BLOCKS = 60, 1000, 20


@pytest.mark.timeout(600)
def test_some_damaged_answers() -> None:
    report = attack(session, range(SOME))
    assert not report.failures, str(report)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_many_damaged_answers(block: int) -> None:
    report = attack(session, range(SOME + block * MANY, SOME + (block + 1) * MANY))
    assert not report.failures, str(report)
