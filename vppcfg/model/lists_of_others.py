"""Access lists of other programs that interfaces apply beside those of a file: which stay, and in which places.

VPP keeps an ordered list of access lists per interface and direction, which is always set as a whole
(acl_interface_set_acl_list), and one MACIP access list per interface.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from vppcfg.model.acl import Acl, AclBinding, MacipAcl
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import is_foreign, is_ours
from vppcfg.model.state import State
from vppcfg.record import evolve


def placed(wanted: Sequence[str], there: Sequence[str], others: Collection[str]) -> tuple[str, ...]:
    """Return `wanted` with those of `others` that are `there`, each in its place.

    That is, before or behind all lists that are wanted, or behind the one that it followed; before all of them where
    it was alone.
    """
    kept = [name for name in there if name in others and name not in wanted]
    rest = [place for place, name in enumerate(there) if name not in kept]
    if not kept or not rest:
        return (*kept, *wanted)
    between, place = list(wanted), 0
    for name in there[rest[0] : rest[-1] + 1]:
        if name in kept:
            between.insert(place, name)
            place += 1
        elif name in between:
            place = between.index(name) + 1
    return (*there[: rest[0]], *between, *there[rest[-1] + 1 :])


def with_lists(interface: Interface, there: Interface, others: Collection[str]) -> Interface:
    """Return an interface that applies those of `others` too that it applies now, as `there`.

    A MACIP list that it is to apply itself takes the place of another one.
    """
    acls = AclBinding(
        input=placed(interface.acls.input, there.acls.input, others),
        output=placed(interface.acls.output, there.acls.output, others),
    )
    macip = there.macip if interface.macip is None and there.macip in others else interface.macip
    is_same = (acls, macip) == (interface.acls, interface.macip)
    return interface if is_same else evolve(interface, acls=acls, macip=macip)


def with_lists_of_others(target: State, now: State, left: State | None = None) -> State:
    """Return a state to reach in which interfaces apply the lists of others that they apply now.

    Of those that `target` has, the ones stay out that are no more, and those that others have taken off since vppcfg
    `left` a state; None where that is not known.
    """
    there = lists_of_others(now)
    others = there | lists_of_others(target)
    if not others:
        return target
    changed = {}
    for name, interface in target.interfaces.items():
        found, former = now.interfaces.get(name), left.interfaces.get(name) if left is not None else None
        gone = others - there
        if found is not None and former is not None:
            gone |= others & (_applied_by(former) - _applied_by(found))
        kept = _without(interface, gone) if gone else interface
        changed[name] = with_lists(kept, found, there) if found is not None else kept
    return replace(target, interfaces=changed)


def without_lists_of_others(state: State) -> State:
    """Return a state in which interfaces apply no lists but ours; one without a tag is not ours."""
    others = _named(state, lambda tag: not is_ours(tag))
    interfaces = state.interfaces.items() if others else ()
    changed = {name: _without(each, others) for name, each in interfaces if _applied_by(each) & others}
    return replace(state, interfaces={**state.interfaces, **changed}) if changed else state


def lists_of_others(state: State) -> frozenset[str]:
    """Return the names of the lists of a state that carry the tag of another program."""
    return _named(state, is_foreign)


def _named(state: State, is_meant: Callable[[str], bool]) -> frozenset[str]:
    lists: tuple[Mapping[str, Acl] | Mapping[str, MacipAcl], ...] = (state.acls, state.macips)
    return frozenset(name for each in lists for name, found in each.items() if is_meant(found.tag))


def _applied_by(interface: Interface) -> frozenset[str]:
    return frozenset((*interface.acls.input, *interface.acls.output, *filter(None, (interface.macip,))))


def _without(interface: Interface, gone: Collection[str]) -> Interface:
    input_, output = (
        tuple(name for name in names if name not in gone) for names in (interface.acls.input, interface.acls.output)
    )
    macip = None if interface.macip in gone else interface.macip
    return evolve(interface, acls=AclBinding(input=input_, output=output), macip=macip)
