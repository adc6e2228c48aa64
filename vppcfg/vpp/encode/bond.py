"""What is said about bonds and their members."""

from __future__ import annotations

from vppcfg.model.bond import LoadBalance
from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.interface import mac_bytes
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode
from vppcfg.vpp.observe.bond import LOAD_BALANCES, MODES

_MODE_NUMBERS = {mode: number for number, mode in MODES.items()}
_LOAD_BALANCE_NUMBERS = {load_balance: number for number, load_balance in LOAD_BALANCES.items()}


@encode.register
def _(operation: op.CreateBond, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Name any load balance where the mode leaves no choice: VPP puts its own there (vnet/bonding/cli.c)."""
    values: dict[str, Value] = {
        "id": operation.instance,
        "mode": _MODE_NUMBERS[operation.mode],
        "lb": _LOAD_BALANCE_NUMBERS[operation.load_balance or LoadBalance.L2],
        "use_custom_mac": int(operation.mac != ""),
        "mac_address": mac_bytes(operation.mac),
        "enable_gso": int(operation.has_gso),
        "numa_only": int(operation.is_numa_only),
    }
    return Request("bond_create2", values)


@encode.register
def _(operation: op.DeleteBond, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("bond_delete", {"sw_if_index": indexes.interface(operation.interface)})


@encode.register
def _(operation: op.AddBondMember, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "sw_if_index": indexes.interface(operation.interface),
        "bond_sw_if_index": indexes.interface(operation.bond),
        "is_passive": int(operation.is_passive),
        "is_long_timeout": int(operation.is_long_timeout),
    }
    return Request("bond_add_member", values)


@encode.register
def _(operation: op.SetBondWeight, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "weight": operation.weight}
    return Request("sw_interface_set_bond_weight", values)


@encode.register
def _(operation: op.RemoveBondMember, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("bond_detach_member", {"sw_if_index": indexes.interface(operation.interface)})
