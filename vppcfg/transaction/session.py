"""A dataplane that may go away during a change: connects, reconnects, and recognizes a VPP that was restarted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from vppcfg.dataplane import Dataplane, restarted_text
from vppcfg.errors import DataplaneError

_log = logging.getLogger(__name__)

Connect = Callable[[], Dataplane]


class RestartedError(DataplaneError):
    """VPP is another process now, without what was configured in the one before."""


class Session:
    """A context manager around the connection to one run of one VPP."""

    def __init__(
        self,
        connect: Connect,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect. Raise DataplaneError when there is no VPP."""
        self._connect = connect
        self._clock = clock
        self._sleep = sleep
        self.dataplane = connect()
        self.boot_id = self.dataplane.boot_id
        self._keys: dict[str, bytes] = {}

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        """Have keys at hand for operations, on this connection and on those that come after it."""
        self._keys.update(keys)
        self.dataplane.use_keys(self._keys)

    def reopen(self, patience_s: float) -> None:
        """Take a new connection, on which nothing is under way, waiting for VPP at most `patience_s`.

        Raise RestartedError when it is another process than before, DataplaneError when there is none in time.
        """
        self.dataplane.close()
        _log.warning("Waiting up to %.0f s for VPP to answer again", patience_s)
        self.dataplane = connected_within(self._connect, patience_s, self._clock, self._sleep)
        if self.dataplane.boot_id != self.boot_id:
            raise RestartedError(
                restarted_text(self.boot_id, self.dataplane.boot_id),
                "nothing that was planned for the former one was sent to it; `vppcfg apply` brings it to the file",
            )
        self.dataplane.use_keys(self._keys)

    def close(self) -> None:
        """Disconnect; safe to call twice."""
        self.dataplane.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connected_within(
    connect: Connect,
    patience_s: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Dataplane:
    """Return a connection as soon as VPP answers, trying less and less often. Raise the last DataplaneError."""
    deadline, pause = clock() + patience_s, 0.1
    while True:
        try:
            return connect()
        except DataplaneError:
            if clock() + pause > deadline:
                raise
        sleep(pause)
        pause = min(2 * pause, 2.0)
