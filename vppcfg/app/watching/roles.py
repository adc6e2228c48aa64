"""Notices of `vppcfg watch` about virtual routers: which is master or backup, at first and when that changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.app.watching.notices import Notice
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VirtualRouter, VrrpState

Roles = Mapping[str, VrrpState | None]


def roles_of(state: State) -> Roles:
    """Return what each virtual router is at the moment."""
    return {name: router.state for name, router in state.of(VirtualRouter).items()}


def changed_roles(before: Roles, now: Roles) -> Iterator[Notice]:
    """Yield a notice for each virtual router that is new or has become something else."""
    for name, role in now.items():
        if role is None or role is before.get(name):
            continue
        former = before.get(name)
        data = {"virtual_router": name, "state": role.value, "former_state": None if former is None else former.value}
        text = f"Virtual router {name} is {_WORDS[role]}" + (f" now; it was {_WORDS[former]}" if former else "")
        yield Notice(event="virtual_router", text=text, data=data, is_bad=role is VrrpState.INTERFACE_DOWN)


_WORDS = {
    VrrpState.STOPPED: "stopped",
    VrrpState.BACKUP: "backup",
    VrrpState.MASTER: "master",
    VrrpState.INTERFACE_DOWN: "down with its interface",
}
