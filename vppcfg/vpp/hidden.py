"""Reads objects of ours that VPP has and does not list because another source shadows them: they are no difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from vppcfg.engine.object_kind import InFileForm
from vppcfg.kinds.kind_list import OBJECT_KINDS
from vppcfg.kinds.nd_proxy_reading import all_proxies
from vppcfg.kinds.route_prompt import routes_of_prompt
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject, VppObject
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.interface import read_names


def read_hidden(connection: Connection, items: Sequence[VppObject]) -> list[HiddenObject]:
    """Return those of `items` that VPP does not show, and what it keeps of ours instead. Raise DataplaneError."""
    if not items:
        return []
    names = {index: name for name, index in read_names(connection).items()}
    return [
        found
        for kind in OBJECT_KINDS
        for found in kind.hidden(connection, [each for each in items if isinstance(each, kind.object_class)], names)
    ]


def read_prompt(connection: Connection, state: State) -> list[Route]:
    """Return the routes that were set at VPP's CLI prompt and that a file can have. Raise DataplaneError."""
    names = {index: name for name, index in read_names(connection).items()}
    return list(routes_of_prompt(connection, state, names))


def in_file_form(connection: Connection, state: State) -> InFileForm:
    """Return a state with what scripts have set as a file sets it, where it can. Raise DataplaneError."""
    names = {index: name for name, index in read_names(connection).items()}
    found = InFileForm(state)
    for kind in OBJECT_KINDS:
        more = kind.in_file_form(connection, found.state, names)
        found = InFileForm(more.state, found.others | more.others, {**found.reasons, **more.reasons})
    return found


def with_unlisted(connection: Connection, state: State) -> State:
    """Return a state with the objects that VPP only has in its FIB, whoever set them. Raise DataplaneError.

    VPP walks all IPv6 routes for them.
    """
    names = {index: name for name, index in read_names(connection).items()}
    return state.with_hidden(
        HiddenObject(item=each, by="", found=each) for each in all_proxies(connection, state, names)
    )


def with_hidden(connection: Connection, state: State, known: Callable[[], Iterable[VppObject]]) -> State:
    """Return a state with the objects that are hidden. Raise DataplaneError.

    `known` returns what was set before: VPP does not list what it hides, and answers only about a name.
    """
    if not state.facts.may_hide:
        return state
    unseen = {(type(each), each.name): each for each in known() if each.name not in state.of(type(each))}
    return state.with_hidden(read_hidden(connection, list(unseen.values())))
