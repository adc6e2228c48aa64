"""TAPs (plugins/tap/cli.c)."""

from __future__ import annotations

from vppcfg.plan.operations import CreateTap, DeleteTap
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: CreateTap) -> str | None:
    tap = operation.tap
    if tap.flags:
        return None
    words = [f"create tap id {operation.instance} host-if-name {tap.host_name}"]
    words += [f"host-ns {tap.host_netns}"] if tap.host_netns else []
    words += [f"host-mac-addr {tap.host_mac}"] if tap.host_mac else []
    words += [f"host-bridge {tap.host_bridge}"] if tap.host_bridge else []
    words += [f"host-mtu-size {tap.host_mtu}"] if tap.host_mtu else []
    return " ".join([*words, f"rx-ring-size {tap.rx_ring_size} tx-ring-size {tap.tx_ring_size}"])


@line_of.register
def _(operation: DeleteTap) -> str:
    return f"delete tap {operation.interface}"
