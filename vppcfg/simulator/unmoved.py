"""The kinds whose text, messages and commands still stand in modules of their own; each gets a module in `kinds`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from vppcfg.model.interface import InterfaceKind
from vppcfg.simulator import l2 as vnet_l2
from vppcfg.simulator import load_objects as load
from vppcfg.simulator.cli import (
    bond as cli_bond,
)
from vppcfg.simulator.cli import (
    bridge as cli_bridge,
)
from vppcfg.simulator.cli import (
    interface as cli_interface,
)
from vppcfg.simulator.cli import (
    l2xc as cli_l2xc,
)
from vppcfg.simulator.cli import (
    show as cli_show,
)
from vppcfg.simulator.definitions import bond as api_bond
from vppcfg.simulator.definitions import interface as api_interface
from vppcfg.simulator.definitions import l2 as api_l2
from vppcfg.simulator.definitions import lacp as api_lacp
from vppcfg.simulator.handlers import (
    bond,
    bridge,
    interface,
    l2xc,
)
from vppcfg.simulator.kind import Answer, Call, Kind
from vppcfg.simulator.vnet import bond as vnet_bond


def _by_position(answer: Callable[..., Iterable[Any]]) -> Answer:
    def answered(call: Call, values: Mapping[str, Any]) -> Iterable[Any]:
        return answer(call, *list(values.values())[2:])

    return answered


def _kind(*modules: ModuleType, api: Mapping[str, ModuleType] | None = None, **more: Any) -> Kind:
    handlers = {name: handler for module in modules for name, handler in module.HANDLERS.items()}
    return Kind(
        api={name: module.TEXT for name, module in (api or {}).items()},
        changes={name: _by_position(handler.answer) for name, handler in handlers.items() if handler.is_change},
        queries={name: _by_position(handler.answer) for name, handler in handlers.items() if not handler.is_change},
        **more,
    )


UNMOVED = (
    _kind(
        interface,
        api={"interface": api_interface},
        commands={
            "set interface state": cli_interface.set_state,
            "set interface mtu": cli_interface.set_mtu,
            "set interface mac address": cli_interface.set_mac,
            "set interface tag": cli_interface.set_tag,
            "clear interface tag": cli_interface.clear_tag,
            "show interface": cli_show.interfaces,
            "show mode": cli_show.modes,
        },
    ),
    _kind(
        l2xc,
        bridge,
        api={"l2": api_l2},
        commands={
            "set interface l2 xconnect": cli_l2xc.set_xconnect,
            "set interface l2 tag-rewrite": cli_l2xc.set_tag_rewrite,
            "set interface l3": cli_l2xc.set_l3,
            "set interface l2 bridge": cli_bridge.set_member,
            "create bridge-domain": cli_bridge.create,
            "set bridge-domain learn": cli_bridge.set_learn,
            "set bridge-domain forward": cli_bridge.set_forward,
            "set bridge-domain flood": cli_bridge.set_flood,
            "set bridge-domain uu-flood": cli_bridge.set_uu_flood,
            "set bridge-domain arp term": cli_bridge.set_arp_term,
            "set bridge-domain arp-ufwd": cli_bridge.set_arp_ufwd,
            "set bridge-domain mac-age": cli_bridge.set_mac_age,
        },
        load=load.load_bridges,
        deleted=vnet_l2.interface_deleted,
    ),
    _kind(
        bond,
        api={"bond": api_bond},
        commands={
            "set interface bond": cli_bond.set_weight,
            "create bond": cli_bond.create,
            "delete bond": cli_bond.delete,
            "bond add": cli_bond.add_member,
            "bond del": cli_bond.delete_member,
            "show bond": cli_bond.show,
        },
        interface=InterfaceKind.BOND,
        make=load.make_bond,
        load=load.load_members,
        deleted=vnet_bond.interface_deleted,
        admin_changed=vnet_bond.admin_state_changed,
    ),
    _kind(api={"lacp": api_lacp}, plugin="lacp"),
)
"""In the order in which a state is loaded."""
