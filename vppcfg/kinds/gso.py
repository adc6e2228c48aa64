"""GSO: VPP cuts large packets that leave an interface whose device cannot (vnet/gso).

No message reports all interfaces at once: VPP is asked about each by feature_is_enabled. It answers yes for every
interface that has a larger index than any that ever had a feature on the same arc (vnet_feature_is_enabled returns a
negative code, which the message turns into a yes), and so for the last node of the arc, which no interface enables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from vppcfg.common.release import Release
from vppcfg.engine.feature_kind import SwitchKind
from vppcfg.engine.kind import Questions
from vppcfg.operations.feature import Switch
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_IS_ENABLED = "feature_is_enabled"
"""From 25.06."""
_ARC = "ip4-output"
_GSO = "gso-ip4"
_END_OF_ARC = "interface-output"
_LOCAL = 0


@record
class SetGso(Switch):
    """feature_gso_enable_disable: cut large packets that leave an interface, or no longer (vnet/gso/gso.c).

    VPP counts how often it is enabled, so it is enabled once.
    """

    attribute = "has_gso"

    @property
    def looks_at_frames(self) -> bool:
        return True

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "enable_disable": int(self.is_on)}
        return Request("feature_gso_enable_disable", values)

    def cli(self) -> str:
        """Return the command of vnet/gso/cli.c."""
        return f"set interface feature gso {self.interface} {'enable' if self.is_on else 'disable'}"


class GsoKind(SwitchKind):
    """The key `gso` of interfaces."""

    nodes = "gso-"
    key = "gso"
    command = "set interface feature gso"
    attribute = "has_gso"
    since = Release(25, 6)
    is_of_bond = True
    switch = SetGso
    operations = (SetGso,)
    api_module = "gso"
    capabilities: ClassVar = {"gso": _IS_ENABLED}

    def output_keys(self, value: bool) -> Iterator[tuple[str, ...]]:
        """Yield the key where it is on."""
        yield from [(self.key,)] if value else []

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the question whether anything was ever turned on: that about local0, which every VPP has."""
        return [_question(connection, _LOCAL, _END_OF_ARC)[1]] if connection.offers(_IS_ENABLED) else []

    def second_round(self, connection: VppReader, replies: Replies, indexes: Sequence[int]) -> Questions[bool]:
        """Return two questions for each of `indexes`, none where the first round found that nothing is on."""
        return GsoQuestions(connection, replies, indexes)


def _question(connection: VppReader, index: int, feature: str) -> tuple[int, bytes]:
    return connection.request(_IS_ENABLED, {"arc_name": _ARC, "feature_name": feature, "sw_if_index": index})


class GsoQuestions:
    """The requests about interfaces, and what each asked for: the replies do not repeat it."""

    def __init__(self, connection: VppReader, replies: Replies, indexes: Sequence[int]) -> None:
        """Prepare two for each of `indexes`, none where the first round found that nothing was ever turned on."""
        self._asked: dict[int, tuple[int, bool]] = {}
        self.requests: list[bytes] = []
        if not connection.offers(_IS_ENABLED) or any(is_on for _, is_on in _answers(connection, replies)):
            return
        for index in indexes:
            for feature, is_end in ((_GSO, False), (_END_OF_ARC, True)):
                context, request = _question(connection, index, feature)
                self._asked[context] = (index, is_end)
                self.requests.append(request)

    def read(self, connection: VppReader, replies: Replies) -> dict[int, bool]:
        """Return the interfaces with GSO by their indexes."""
        if not self._asked:
            return {}
        answers = _answers(connection, replies)
        yes = {self._asked[context] for context, is_on in answers if is_on and context in self._asked}
        return {index: True for index, is_end in sorted(yes) if not is_end and (index, True) not in yes}


def _answers(connection: VppReader, replies: Replies) -> Iterator[tuple[int, bool]]:
    """Yield the context of each answer, and whether it is a yes."""
    for context, retval, is_on in connection.rows(replies, f"{_IS_ENABLED}_reply", "context", "retval", "is_enabled"):
        yield context, bool(is_on) and not retval


KIND = GsoKind()
