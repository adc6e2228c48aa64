"""The states of a traffic profile on a T-Rex server in stateful mode, and how its traffic is stopped.

A profile is parsed, set up, transmits, and is cleaned up, while the server answers other calls. These states are
numbered as in src/stx/astf/trex_astf.h of trex-core 3.08.
"""

from __future__ import annotations

from enum import IntEnum

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.trex.answers import count, section
from vppcfg.loadtest.trex.rpc import Rpc

PROFILE = "_"
"""The profile that every server has."""
PATIENCE_S = 30.0
PAUSE_S = 0.05


class ProfileState(IntEnum):
    """What a server does with a profile."""

    IDLE = 0
    LOADED = 1
    PARSING = 2
    BUILDING = 3
    TRANSMITTING = 4
    CLEANING_UP = 5
    DELETING = 6


AT_REST = frozenset({ProfileState.IDLE, ProfileState.LOADED})


def state_of(rpc: Rpc) -> ProfileState:
    """Return what the server does with the profile. Raise EngineError."""
    states = section(rpc.call("sync", profile_id=PROFILE), "state_profile")
    number = count(states, PROFILE)
    if number not in list(ProfileState):
        raise EngineError(f"T-Rex reports the unknown state {number} of its profile")
    return ProfileState(number)


def stop_and_wait(rpc: Rpc, handler: str, clock: Clock) -> ProfileState:
    """Stop the traffic, and return when it has stopped; a server that is not yet ready to stop is waited for.

    T-Rex cuts what is still open half a second after its stop. Raise EngineError when traffic has not stopped within
    PATIENCE_S.
    """
    rpc.call("stop", handler=handler, profile_id=PROFILE)  # whatever its state; it accepts that in any
    until_s = clock.now() + PATIENCE_S
    while (state := state_of(rpc)) not in AT_REST:
        if clock.now() >= until_s:
            raise EngineError(f"T-Rex does not stop within {PATIENCE_S:g} s: it is {state.name.lower()}")
        if state is ProfileState.TRANSMITTING:
            rpc.call("stop", handler=handler, profile_id=PROFILE)
        clock.sleep(PAUSE_S)
    return state


def clear(rpc: Rpc, handler: str, clock: Clock) -> None:
    """Stop the traffic and take the profile away, with what was counted of it. Raise EngineError."""
    if stop_and_wait(rpc, handler, clock) is ProfileState.LOADED:
        rpc.call("profile_clear", handler=handler, profile_id=PROFILE)
        stop_and_wait(rpc, handler, clock)
