"""Whatever is read from outside, a command ends in time, in bounded memory, and with a code that says what it came to.

Each fuzzer is a program too, such as `python -m tests.fuzz.vpp_answers --inputs N --first SEED`, which says what its
sessions came to.
"""

import pytest

from tests.fuzz import results, trex_answers, vpp_answers
from tests.fuzz.harness import Session, attack

FUZZERS = {module.__name__.rpartition(".")[2]: module.session for module in (results, trex_answers, vpp_answers)}
SOME, MANY, BLOCKS = 12, 1000, 20


@pytest.mark.timeout(900)
@pytest.mark.parametrize("session", FUZZERS.values(), ids=FUZZERS.keys())
def test_some_damaged_inputs(session: Session) -> None:
    report = attack(session, range(SOME))
    assert not report.failures, str(report)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("session", FUZZERS.values(), ids=FUZZERS.keys())
@pytest.mark.parametrize("block", range(BLOCKS))
def test_many_damaged_inputs(session: Session, block: int) -> None:
    report = attack(session, range(SOME + block * MANY, SOME + (block + 1) * MANY))
    assert not report.failures, str(report)
