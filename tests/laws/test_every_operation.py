"""The networks that the laws draw need every operation there is: none is left to be tried on a router first."""

from tests.kinds.operations import sampled_operations
from tests.laws.networks import numbered_plan_ends
from tests.operations import every_operation
from vppcfg.config.resolve import resolve
from vppcfg.kinds.path_mtu import AnchorHost
from vppcfg.kinds.rate_limit_operations import FreeIndex
from vppcfg.operations.attachment import RemoveAttachment, RestoreInLinux, RestoreInVpp
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.plan.proof import replay
from vppcfg.plan.rollback import reverse_plan

NUMBERS = (*range(20), 46, 119, 511, 873)
"""With these few, every operation is in a plan; in 46 a member of a bond gets a weight, in 119 a policy gets other
paths, in 511 a WireGuard loses a peer, and in the last one a TAP that stays was taken out of its Linux bridge."""


def test_the_laws_run_every_operation() -> None:
    found = set()
    for number in NUMBERS:
        observed, configuration = numbered_plan_ends(number)
        plan = make_plan(observed, resolve(configuration, observed).desired)
        back = reverse_plan(plan)
        assert list(diff(replay(back.observed, back.steps), restorable(observed))) == []
        found |= {type(operation) for operation in plan.operations}
    found |= {type(operation) for operation in sampled_operations()}
    # test_unmanaged_laws.py and tests/unit/plan/test_path_mtu_removal.py have them
    assert set(every_operation()) - found == {AnchorHost, FreeIndex, RestoreInVpp, RestoreInLinux, RemoveAttachment}
