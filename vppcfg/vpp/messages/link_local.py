"""IPv6 link-local addresses: how one is set, and which were chosen. VPP is asked about each interface with IPv6."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.common.addresses import link_local_of
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Vocabulary
from vppcfg.vpp.address_codec import address_values, text_of_address
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "link_local"
_SET = "sw_interface_ip6_set_link_local_address"
_GET = "sw_interface_ip6_get_link_local_address"
_IPV6 = 1
_MIDDLE = slice(11, 13)
_MIDDLE_OF_MAC = b"\xff\xfe"


def _set_link_local(operation: op.SetLinkLocal, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Take the address of the MAC address that VPP tells, where the plan was made without knowing that."""
    address = operation.address or link_local_of(indexes.mac(operation.interface))
    values = {"sw_if_index": indexes.interface(operation.interface), "ip": address_values("", address)[".un"]}
    return Request(_SET, values)


MESSAGES: Messages = {op.SetLinkLocal: _set_link_local}


class LinkLocalQuestions:
    """The requests for the link-local addresses of interfaces, and what each asked for: the replies do not say."""

    def __init__(self, connection: Connection, indexes: Iterable[int]) -> None:
        """Prepare one for each of `indexes`, where VPP takes them."""
        self._asked: dict[int, int] = {}
        self.requests: list[bytes] = []
        if not connection.offers(_GET):
            return
        for index in indexes:
            context, request = connection.request(_GET, {"sw_if_index": index})
            self._asked[context] = index
            self.requests.append(request)

    def read(self, connection: Connection, replies: Replies) -> dict[int, str]:
        """Return the addresses that somebody has chosen, by interface index.

        One that has the form of those that VPP makes was made by it, maybe of a MAC address that is another one now.
        """
        if not self._asked:
            return {}
        found = {}
        for context, retval, raw in connection.rows(replies, f"{_GET}_reply", "context", "retval", "ip"):
            if not retval and context in self._asked and raw[_MIDDLE] != _MIDDLE_OF_MAC:
                found[self._asked[context]] = text_of_address(_IPV6, raw)
        return found
