"""The kinds whose text, messages and commands still stand in modules of their own; each gets a module in `kinds`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from vppcfg.model.interface import InterfaceKind
from vppcfg.simulator import load_objects as load
from vppcfg.simulator.cli import (
    bond as cli_bond,
)
from vppcfg.simulator.definitions import bond as api_bond
from vppcfg.simulator.definitions import lacp as api_lacp
from vppcfg.simulator.handlers import bond
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
