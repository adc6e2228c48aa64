"""The impact of a plan in words: who suffers, from what, one line a cause; and all of it for programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from vppcfg.common.names import natural_key
from vppcfg.model.bond import Bond
from vppcfg.model.vpp_object import VppObject
from vppcfg.plan.impact import Impact, Loss, part_name
from vppcfg.plan.plan import Plan
from vppcfg.plan.services import ServicePart
from vppcfg.record import record
from vppcfg.render.impact_reasons import CauseKey, Causes, listed

_MOST = 3
"""Names in a line; of more, the rest is counted."""


@record
class Consequence:
    """One cause and those who suffer from it."""

    impact: Impact
    interfaces: tuple[str, ...]
    """In natural order."""
    text: str
    """A sentence."""


class _Suffering(NamedTuple):
    """What one interface loses by one cause, at worst."""

    impact: Impact
    parts: frozenset[ServicePart | type[VppObject]]
    addresses: frozenset[str]
    verbs: frozenset[tuple[str, str]]
    """The impact on objects that are no interfaces, as predicates of one and of many."""


def consequences(plan: Plan) -> list[Consequence]:
    """Return every cause of impact with those who suffer from it, the worst first."""
    causes = Causes(plan)
    groups: dict[tuple[Impact, CauseKey], dict[str, _Suffering]] = defaultdict(dict)
    for name, effect in plan.effects.items():
        for key, suffering in _by_cause(name, effect.losses, causes).items():
            groups[suffering.impact, key][name] = suffering
    _join_own(groups, plan)
    ordered = sorted(groups, key=lambda group: (-group[0], natural_key(min(groups[group], key=natural_key)), group[1]))
    return [_consequence(impact, key, groups[impact, key], plan, causes) for impact, key in ordered]


def _join_own(groups: dict[tuple[Impact, CauseKey], dict[str, _Suffering]], plan: Plan) -> None:
    """Let a port that hurts its sub-interfaces as much as itself stand in one line with them."""
    for impact, key in [group for group in groups if not group[1].place]:
        own = groups[impact, key]
        for name in list(own):
            others = groups.get((impact, key._replace(place=name)), {})
            if any(_parent(other, plan) == name for other in others):
                others[name] = own.pop(name)
        if not own:
            del groups[impact, key]


def _by_cause(name: str, losses: Iterable[Loss], causes: Causes) -> dict[CauseKey, _Suffering]:
    """Return what an interface loses at worst, by cause; what is lost to a lesser extent by the same is left out."""
    found: dict[CauseKey, list[Loss]] = defaultdict(list)
    losses = tuple(losses)
    least = max((loss.impact for loss in losses if loss.part is ServicePart.INTERFACE), default=Impact.NONE)
    for loss in losses:
        is_on_the_way_up = loss.impact < losses[0].impact and causes.is_coming_up(loss.step)
        if loss.impact < least or is_on_the_way_up:
            continue
        found[causes.key(loss.step, name)].append(loss)
    sufferings = {}
    for key, same in found.items():
        worst = max(loss.impact for loss in same)
        worst_losses = [loss for loss in same if loss.impact is worst]
        sufferings[key] = _Suffering(
            worst,
            frozenset(loss.part for loss in worst_losses),
            frozenset(loss.what for loss in worst_losses if loss.part is ServicePart.ADDRESS),
            frozenset(
                loss.part.impact_verbs[loss.what]
                for loss in worst_losses
                if loss.what and not isinstance(loss.part, ServicePart)
            ),
        )
    return sufferings


def _consequence(
    impact: Impact, key: CauseKey, sufferers: dict[str, _Suffering], plan: Plan, causes: Causes
) -> Consequence:
    names = sorted(sufferers, key=natural_key)
    bond = plan.observed.virtual_of(key.place, Bond)
    others = [name for name in names if bond is None or name not in bond.members] or names
    cause = causes.text(key, sufferers=others)
    own = {name: sufferers[name] for name in others}
    verb = _verb(impact, [*own.values()], is_one=len(others) == 1)
    if all(_takes_along(name, suffering, plan) for name, suffering in own.items()):
        verb = _moving(own.values(), is_one=len(others) == 1)
    sentence = f"{_counted(others, plan)} {verb}"
    adds = cause not in {"", f"it {verb}", f"they {verb}"}
    text = f"{sentence}, because {cause}" if adds else sentence
    return Consequence(impact=impact, interfaces=tuple(names), text=text)


def _verb(impact: Impact, sufferings: list[_Suffering], *, is_one: bool) -> str:
    verbs = {words for suffering in sufferings for words in suffering.verbs}
    if len(verbs) == 1 and all(suffering.verbs for suffering in sufferings):
        return verbs.pop()[not is_one]
    if impact is Impact.DEGRADE:
        return "degrades" if is_one else "degrade"
    if impact is Impact.POLICY:
        return "changes what it lets through" if is_one else "change what they let through"
    if impact is Impact.FLAP:
        return "flaps" if is_one else "flap"
    if impact is Impact.RECREATE:
        if any(ServicePart.INTERFACE in suffering.parts for suffering in sufferings):
            return "is recreated" if is_one else "are recreated"
        return "has its Linux device recreated" if is_one else "have their Linux devices recreated"
    if any(_is_whole(part) for suffering in sufferings for part in suffering.parts):
        return "is removed" if is_one else "are removed"
    lost = dict.fromkeys(words for suffering in sufferings for words in _lost(suffering, is_one=is_one))
    addresses = frozenset[str]().union(*(suffering.addresses for suffering in sufferings))
    words = [_number_of(addresses) if word == _ADDRESSES else word for word in lost]
    return f"{'loses' if is_one else 'lose'} {' and '.join(words) if is_one else ' or '.join(words)}"


_ADDRESSES = "addresses"


def _is_whole(part: ServicePart | type[VppObject]) -> bool:
    """Return whether who loses a part for good is gone itself."""
    return part is ServicePart.INTERFACE if isinstance(part, ServicePart) else not part.lost


def _takes_along(name: str, suffering: _Suffering, plan: Plan) -> bool:
    """Return whether an interface loses nothing for good but addresses that it has in another FIB table then."""
    after = plan.desired.interfaces.get(name)
    is_all = suffering.impact is Impact.REMOVE and suffering.parts == {ServicePart.ADDRESS}
    return is_all and after is not None and suffering.addresses <= after.addresses


def _moving(sufferings: Iterable[_Suffering], *, is_one: bool) -> str:
    addresses = frozenset[str]().union(*(suffering.addresses for suffering in sufferings))
    return f"{'moves' if is_one else 'move'} {_number_of(addresses)} to another FIB table"


def _number_of(addresses: frozenset[str]) -> str:
    return next(iter(addresses)) if len(addresses) == 1 else f"{len(addresses)} addresses"


def _lost(suffering: _Suffering, *, is_one: bool) -> Iterator[str]:
    """Yield what is lost for good: of what hangs together, what the rest depends on."""
    whose, plural = ("its", "") if is_one else ("their", "s")
    if ServicePart.LINK in suffering.parts:
        yield f"{whose} link{plural}"
        return
    if ServicePart.PATH in suffering.parts:
        yield f"{whose} L2 path{plural}"
    lost = {part.lost for part in suffering.parts if not isinstance(part, ServicePart)}
    yield from (f"{whose} {what}" for what in sorted(lost))
    if suffering.addresses:
        yield _ADDRESSES
    if ServicePart.PEER in suffering.parts:
        yield f"peers{'' if is_one else ' of WireGuard'}, or prefixes of them"
    if ServicePart.PAIR in suffering.parts:
        yield f"{whose} LCP pair{plural}"
    elif ServicePart.DEVICE in suffering.parts:
        yield f"{whose} connection{plural} in Linux"


def _counted(names: list[str], plan: Plan) -> str:
    """Name interfaces, but count those whose parent is named too, and those that would be too many."""
    named = set(names)
    tops = [_title(name, plan) for name in names if _parent(name, plan) not in named]
    below = len(names) - len(tops)
    if not below:
        return listed(tops)
    more = [f"{len(tops) - _MOST} more"] if len(tops) > _MOST else []
    return listed([*tops[:_MOST], *more, f"{below} sub-interface" + ("s" if below > 1 else "")], most=_MOST + 2)


def _title(name: str, plan: Plan) -> str:
    part = plan.effects[name].losses[0].part
    return name if isinstance(part, ServicePart) or not part.is_named_with_noun else f"{part.noun} {name}"


def _parent(name: str, plan: Plan) -> str | None:
    """Return the parent of a sub-interface; None for any other interface, and for a route."""
    interface = plan.observed.interfaces.get(name)
    return None if interface is None else interface.parent


def impact_summary(plan: Plan) -> str:
    """Return the impact in a few words: each level with those who suffer it at worst, the worst first; or `none`."""
    by_level: dict[Impact, list[str]] = defaultdict(list)
    for name, impact in plan.impacts.items():
        by_level[impact].append(name)
    levels = sorted(by_level, reverse=True)
    return (
        "; ".join(f"{level.label} on {_counted(sorted(by_level[level], key=natural_key), plan)}" for level in levels)
        or "none"
    )


def impact_document(plan: Plan) -> dict[str, Any]:
    """Return causes and sufferers as plain data, with every loss of every interface."""
    return {
        "causes": [
            {"impact": each.impact.label, "interfaces": list(each.interfaces), "text": each.text}
            for each in consequences(plan)
        ],
        "services": [_service(name, plan) for name in sorted(plan.effects, key=natural_key)],
    }


def _service(name: str, plan: Plan) -> dict[str, Any]:
    effect = plan.effects[name]
    losses = [
        {
            "impact": loss.impact.label,
            "part": part_name(loss.part),
            "address": loss.what or None if isinstance(loss.part, ServicePart) else None,
            "felt": None if isinstance(loss.part, ServicePart) else loss.what or None,
            "operation": loss.step,
        }
        for loss in effect.losses
    ]
    return {"interface": name, "impact": effect.impact.label, "losses": losses}


def impact_lines(plan: Plan) -> Iterator[str]:
    """Yield one sentence a cause."""
    for consequence in consequences(plan):
        yield consequence.text
