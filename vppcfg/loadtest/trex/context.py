"""Acquires a whole T-Rex server in stateful mode for a test, and releases it: T-Rex lends no single ports there."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.trex.answers import flag, items, section, text
from vppcfg.loadtest.trex.channel import UnreachableError
from vppcfg.loadtest.trex.guard import CONTEXT, Guard
from vppcfg.loadtest.trex.lease import user_name
from vppcfg.loadtest.trex.profile_state import (
    AT_REST,
    PATIENCE_S,
    PAUSE_S,
    PROFILE,
    ProfileState,
    clear,
    state_of,
    stop_and_wait,
)
from vppcfg.loadtest.trex.rpc import Call, Rpc

log = logging.getLogger(__name__)

_LONGEST_ERROR = 1000


class TrexContext:
    """The server with the handlers that it gave us: one for everything, and one for each port."""

    def __init__(self, rpc: Rpc, guard: Guard | None, clock: Clock) -> None:
        """With a guard, another process gives the server back if this one is killed."""
        self._rpc = rpc
        self._guard = guard
        self._clock = clock
        self._handler = ""
        self._port_handlers: dict[str, str] = {}
        self._lost_promiscuity: set[str] = set()
        self._session = random.SystemRandom().randrange(1, 2**31)

    @property
    def is_ours(self) -> bool:
        """Return whether the server is ours."""
        return bool(self._handler)

    def take(self, states: Mapping[str, object], *, is_forced: bool) -> None:
        """Take the server, and leave no traffic and no profile on it; `states` are those of the ports to be used."""
        taken = self._rpc.call("acquire", user=user_name(), session_id=self._session, force=is_forced)
        self._handler = text(section(taken), "handler")
        if not self._handler:
            raise EngineError("no user owns T-Rex's ports", "is it one of version 3.00 to 3.08?")
        if self._guard is not None:
            self._guard.watch({CONTEXT: self._handler})
        self._port_handlers = {name: text(section(taken, "ports"), name) for name in section(taken, "ports")}
        clear(self._rpc, self._handler, self._clock)
        for name, status in states.items():
            if flag(section(status, "attr", "promiscuous"), "enabled") is False:
                with suppress(EngineError):  # drivers of some virtual ports cannot; most frames arrive all the same
                    self._set_promiscuous(name, is_on=True)
                    self._lost_promiscuity.add(name)

    def call(self, method: str, **arguments: Any) -> Any:
        """Return the result of a call about the profile, which only the owner may make."""
        return self._rpc.call(method, handler=self._handler, profile_id=PROFILE, **arguments)

    def load(self, document: str) -> None:
        """Give the server a profile, in place of one that it has."""
        clear(self._rpc, self._handler, self._clock)
        self.call("profile_fragment", fragment=document, frag_first=True, frag_last=True)

    def start(self, **arguments: Any) -> None:
        """Start the profile and wait until it transmits. Raise EngineError with the server's answer if it does not.

        Why it does not is in an event only, so those before are read and forgotten first.
        """
        self._events()
        self.call("start", **arguments)
        until_s = self._clock.now() + PATIENCE_S
        while (state := state_of(self._rpc)) is not ProfileState.TRANSMITTING:
            if state in AT_REST or self._clock.now() >= until_s:
                errors = [text(section(event, "data"), "error") for event in self._events()]
                refusal = " ".join(" ".join(errors).split())[:_LONGEST_ERROR]
                raise EngineError("T-Rex does not start the profile", f"T-Rex's answer: {refusal or 'none'}")
            self._clock.sleep(PAUSE_S)

    def stop(self) -> None:
        """Stop the traffic; safe to call at any time."""
        if self.is_ours:
            stop_and_wait(self._rpc, self._handler, self._clock)

    def release(self) -> None:
        """Release the server. Raise EngineError when that failed; the guard goes on trying if the server is away."""
        if not self.is_ours:
            if self._guard is not None:
                self._guard.dismiss()
            return
        try:
            self._tidy_up()
            self._rpc.call("release", handler=self._handler)
        except UnreachableError:
            if self._guard is not None:
                self._guard.take_over()
            raise
        except EngineError:
            if self._guard is not None:
                self._guard.dismiss()
            raise
        else:
            if self._guard is not None:
                self._guard.dismiss()
        finally:
            self._handler, self._port_handlers = "", {}

    def _tidy_up(self) -> None:
        """Bring everything back as it was; a server that does not want to be tidied up is released all the same."""
        for name in (None, *sorted(self._lost_promiscuity)):
            try:
                if name is None:
                    clear(self._rpc, self._handler, self._clock)
                else:
                    self._set_promiscuous(name, is_on=False)
            except UnreachableError:
                raise
            except EngineError as error:
                log.debug("T-Rex: %s", error.message)

    def _set_promiscuous(self, name: str, *, is_on: bool) -> None:
        """Have a port take frames for any address, or not: its own is another than that in its configuration."""
        arguments = {
            "port_id": int(name),
            "handler": self._port_handlers.get(name, ""),
            "attr": {"promiscuous": {"enabled": is_on}},
        }
        self._rpc.batch([Call(method="set_port_attr", arguments=arguments)])

    def _events(self) -> list[Mapping[str, Any]]:
        """Return the server's events since the last time; the first time it begins to collect them for us."""
        reply = self._rpc.call("get_async_events", user=user_name(), session_id=self._session)
        return list(items(section(reply), "data"))
