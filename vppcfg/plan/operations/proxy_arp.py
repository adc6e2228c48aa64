"""Proxy ARP: for which addresses of others VPP answers, and on which interfaces (vnet/arp/arp_proxy.c).

A range belongs to a FIB table and does not hold it: it stays behind a table that goes, for the next one that comes.
"""

from __future__ import annotations

from vppcfg.model.features import ProxyArp
from vppcfg.model.vrf import table_key
from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import Switch
from vppcfg.plan.operation import Operation, missing_table
from vppcfg.record import record


@record
class SetProxyArp(Switch):
    """proxy_arp_intfc_enable_disable: answer for others on an interface, or no longer."""

    attribute = "has_proxy_arp"

    def carry_out(self, draft: Draft) -> None:
        """Set it, and note who answers."""
        draft.change(self.interface, has_proxy_arp=self.is_on)
        if self.is_on:
            draft.with_proxy_arp.add(self.interface)
        else:
            draft.with_proxy_arp.discard(self.interface)


@record
class ProxyArpOperation(Operation):
    """An operation on one range of addresses."""

    table_id: int
    first: str
    last: str

    @property
    def subject(self) -> str:
        """Return `proxy_arp`."""
        return "proxy_arp"

    @property
    def range(self) -> ProxyArp:
        """Return the range."""
        return ProxyArp(first=self.first, last=self.last, table_id=self.table_id)

    def _refusal(self, draft: Draft) -> str | None:
        return missing_table(table_key(self.table_id, is_ipv6=False), draft) if self.table_id else None


@record
class AddProxyArp(ProxyArpOperation):
    """proxy_arp_add_del: answer for a range of addresses. VPP takes one that it has, and changes nothing."""

    def _refusal(self, draft: Draft) -> str | None:
        if self.range in draft.proxy_arps:
            return f"VPP answers for {self.first} to {self.last} already"
        return ProxyArpOperation._refusal(self, draft)

    def carry_out(self, draft: Draft) -> None:
        """Enter the range."""
        draft.proxy_arps |= {self.range}


@record
class RemoveProxyArp(ProxyArpOperation):
    """proxy_arp_add_del: no longer answer for a range of addresses, which must be just as it was added."""

    def _refusal(self, draft: Draft) -> str | None:
        if self.range not in draft.proxy_arps:
            return f"VPP does not answer for {self.first} to {self.last}"
        return ProxyArpOperation._refusal(self, draft)

    def carry_out(self, draft: Draft) -> None:
        """Take the range out."""
        draft.proxy_arps -= {self.range}
