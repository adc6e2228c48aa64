"""What VPP runs on the packets of an interface, and how it tells.

No message tells of all interfaces at once: feature_is_enabled is asked about each. It says yes of every interface that
has a larger index than any that ever had a feature on the same path (vnet_feature_is_enabled returns a negative code,
which the message makes a yes of), and so of the end of the path, which is on no interface.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

IS_ENABLED = "feature_is_enabled"
"""From 25.06."""
_PATH = "ip4-output"
_GSO = "gso-ip4"
_END_OF_PATH = "interface-output"
_LOCAL = 0


def _set_gso(operation: op.SetGso, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "enable_disable": int(operation.is_on)}
    return Request("feature_gso_enable_disable", values)


MESSAGES: Messages = {op.SetGso: _set_gso}


def requests(connection: Connection) -> list[bytes]:
    """Return the question whether anything was ever turned on: that about local0, which every VPP has."""
    return [_question(connection, _LOCAL, _END_OF_PATH)[1]] if connection.offers(IS_ENABLED) else []


def _question(connection: Connection, index: int, feature: str) -> tuple[int, bytes]:
    return connection.request(IS_ENABLED, {"arc_name": _PATH, "feature_name": feature, "sw_if_index": index})


class GsoQuestions:
    """The requests for the interfaces with GSO, and what each asked for: the replies do not say."""

    def __init__(self, connection: Connection, replies: Replies, indexes: Sequence[int]) -> None:
        """Prepare two for each of `indexes`, none where the first round told that nothing was ever turned on."""
        self._asked: dict[int, tuple[int, bool]] = {}
        self.requests: list[bytes] = []
        if not connection.offers(IS_ENABLED) or any(is_on for _, is_on in _answers(connection, replies)):
            return
        for index in indexes:
            for feature, is_end in ((_GSO, False), (_END_OF_PATH, True)):
                context, request = _question(connection, index, feature)
                self._asked[context] = (index, is_end)
                self.requests.append(request)

    def read(self, connection: Connection, replies: Replies) -> frozenset[int]:
        """Return the indexes of the interfaces with GSO."""
        if not self._asked:
            return frozenset()
        answers = _answers(connection, replies)
        said = {self._asked[context] for context, is_on in answers if is_on and context in self._asked}
        return frozenset(index for index, is_end in said if not is_end and (index, True) not in said)


def _answers(connection: Connection, replies: Replies) -> Iterator[tuple[int, bool]]:
    """Yield the context of each answer, and whether it is a yes."""
    for context, retval, is_on in connection.rows(replies, f"{IS_ENABLED}_reply", "context", "retval", "is_enabled"):
        yield context, bool(is_on) and not retval
