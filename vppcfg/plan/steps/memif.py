"""The sockets of memifs: made before the first memif at one, and removed after the last that is ours."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.memif import sockets_in_use
from vppcfg.plan.operations import CreateMemifSocket, DeleteMemifSocket
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def socket_steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that remove and make sockets. One that no memif is at goes unless the desired state has it."""
    before, after = transition.observed, transition.desired
    used = sockets_in_use(before.virtual.items())
    wanted = sockets_in_use(after.virtual.items())
    there = {**dict(before.facts.memif_sockets), **used}
    idle = dict(after.facts.memif_sockets).keys() - used.keys()
    for socket_id, file in there.items():
        is_left = socket_id not in wanted and socket_id not in idle
        if is_left or wanted.get(socket_id, file) != file:
            yield Step(stage=Stage.DELETE_MEMIF_SOCKET, operation=DeleteMemifSocket(socket_id=socket_id))
    for socket_id, file in wanted.items():
        if there.get(socket_id) != file:
            create = CreateMemifSocket(socket_id=socket_id, file=file)
            yield Step(stage=Stage.CREATE_MEMIF_SOCKET, operation=create)
