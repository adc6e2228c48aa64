"""The secret keys that a change needs, and its rollback: from VPP, from files, from the journal."""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.app.change_context import ChangeContext
from vppcfg.app.intent import Intent
from vppcfg.errors import PlanRefusedError, UntrustedFileError
from vppcfg.model.secret_key import RequiredKey
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan
from vppcfg.transaction.entry import UNSTOPPABLE
from vppcfg.transaction.key_file import read_key


def keys_for(plan: Plan, intent: Intent, place: ChangeContext) -> dict[str, bytes]:
    """Return the keys of the state before a plan and of the one after it, by their names.

    VPP reports what it has in use. What it lacks is in the files of the configuration; what goes back, or comes back at
    a boot, is taken from the journal first, for a file may hold another key by now. Raise PlanRefusedError when a key
    is missing, or one that a rollback would need, unless the change is forced; DataplaneError. No file is read that
    another user can have named: VPP hands its keys to all who may write to its socket.
    """
    after, before = wanted_keys(plan.desired), wanted_keys(plan.observed)
    if not after and not before:
        return {}
    found = dict(place.session.dataplane.read_keys())
    lacking = [key for name, key in {**before, **after}.items() if name not in found]
    # A change to a file takes what it needs from the file alone.
    kept_ones = [key.name for key in lacking if intent.origin in UNSTOPPABLE or key.name not in after]
    if kept_ones:
        kept = place.journal.keys()
        found |= {name: kept[name] for name in kept_ones if name in kept}
    found |= {name: _key_of(key, intent.foreign_reason) for name, key in after.items() if name not in found}
    lost = [key for name, key in before.items() if name not in found]
    if lost and not intent.is_forced:
        raise PlanRefusedError(
            f"VPP does not report {lost[0].description} ({lost[0].name}), so a rollback could not bring it back; "
            "nothing was changed",
            "--no-way-back does it all the same",
        )
    return {name: found[name] for name in {**before, **after} if name in found}


def keys_in_files(state: State, foreign_reason: Callable[[], str]) -> dict[str, bytes]:
    """Return the keys that a state needs, from the files that it names.

    `foreign_reason` returns why others can have named them, '' when they cannot. Raise PlanRefusedError then, and when
    a key is missing.
    """
    return {name: _key_of(key, foreign_reason) for name, key in wanted_keys(state).items()}


def _key_of(key: RequiredKey, foreign_reason: Callable[[], str]) -> bytes:
    if reason := foreign_reason():
        raise UntrustedFileError(f"{reason}, so {key.file}, which it names, is not read; nothing was changed")
    return read_key(key)


def wanted_keys(state: State) -> dict[str, RequiredKey]:
    """Return the keys that a state needs, by their names."""
    return {key.name: key for name, virtual in state.virtual.items() for key in virtual.required_keys(name)}
